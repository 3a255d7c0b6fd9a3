//! Conjugate gradients with an incomplete factor.

use glam::Vec3A;

use super::incomplete::RowFactor;
use super::matrix::{GRAIN, RowMatrix};
use crate::parallel::{ordered_sum, update};
use crate::pcg::{PcgError, PcgLimits, PcgReport};

/// The memory of the method, made once for a number of rows.
#[derive(Clone, Debug)]
pub struct RowPcg {
    residual: Vec<Vec3A>,
    direction: Vec<Vec3A>,
    image: Vec<Vec3A>,
    answer: Vec<Vec3A>,
}

impl RowPcg {
    /// Memory for systems of so many rows.
    pub fn new(rows: usize) -> Self {
        let zero = vec![Vec3A::ZERO; rows];
        Self { residual: zero.clone(), direction: zero.clone(), image: zero.clone(), answer: zero }
    }

    /// Solves A x = b, from the x that is given, of which the free part counts.
    ///
    /// The tolerance is relative to what x = 0 would leave.
    pub fn solve(
        &mut self,
        matrix: &RowMatrix,
        factor: &RowFactor,
        (b, x): (&mut [Vec3A], &mut [Vec3A]),
        limits: PcgLimits,
    ) -> Result<PcgReport, PcgError> {
        matrix.filter(b);
        matrix.filter(x);
        let Self { residual, direction, image, answer } = self;
        factor.apply(b, answer);
        let scale = dot(b, answer)?;
        let target = (limits.tolerance * limits.tolerance * scale).max(limits.enough);
        matrix.multiply(x, image);
        update(residual, 4 * GRAIN, |i, r| *r = b[i] - image[i]);
        factor.apply(residual, answer);
        direction.copy_from_slice(answer);
        let mut energy = dot(residual, answer)?;
        let mut iterations = 0;
        while energy > target && iterations < limits.max_iterations {
            iterations += 1;
            matrix.multiply(direction, image);
            let curvature = dot(direction, image)?;
            if curvature <= 0.0 {
                return Err(PcgError::NotPositiveDefinite { iteration: iterations });
            }
            let step = (energy / curvature) as f32;
            update(x, 4 * GRAIN, |i, x| *x += direction[i] * step);
            update(residual, 4 * GRAIN, |i, r| *r -= image[i] * step);
            factor.apply(residual, answer);
            let before = energy;
            energy = dot(residual, answer)?;
            let keep = (energy / before) as f32;
            update(direction, 4 * GRAIN, |i, d| *d = answer[i] + *d * keep);
        }
        let relative_residual = if scale > 0.0 { (energy.max(0.0) / scale).sqrt() } else { 0.0 };
        Ok(PcgReport { iterations, relative_residual, converged: energy <= target })
    }
}

/// aᵀ b, the same bits on any number of threads.
fn dot(a: &[Vec3A], b: &[Vec3A]) -> Result<f64, PcgError> {
    let sum = ordered_sum(a.len(), |i| f64::from(a[i].dot(b[i])));
    if sum.is_finite() { Ok(sum) } else { Err(PcgError::NotFinite) }
}
