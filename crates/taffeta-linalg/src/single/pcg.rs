//! The modified conjugate gradient method of BW98 §5.3 with the corrections of Ascher & Boxerman
//! 2003: it may start from a guess, and the stopping criterion uses P⁻¹ throughout where the paper's
//! text mixes P and P⁻¹. P is an incomplete factor.

use glam::{DVec3, Vec3A};
use thiserror::Error;

use super::incomplete::RowFactor;
use super::matrix::{GRAIN, RowMatrix};
use crate::parallel::{ordered_sum, update};

/// What single precision can reach, relative to what no motion would leave.
const FINEST: f64 = 1e-5;
/// Times that a solution is corrected, at most.
const MOST_CORRECTIONS: usize = 8;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgLimits {
    /// The residual to reach, relative to that of no motion in the free directions, in the norm
    /// √(rᵀ P⁻¹ r).
    pub tolerance: f64,
    /// What rᵀ P⁻¹ r may be in any case.
    pub enough: f64,
    /// The most iterations to spend.
    pub max_iterations: usize,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgReport {
    /// Iterations spent.
    pub iterations: usize,
    /// The residual reached, measured as in [`PcgLimits::tolerance`].
    pub relative_residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Why a solve had to be given up.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PcgError {
    /// The matrix or the preconditioner is not positive definite in the free directions.
    #[error(
        "the matrix is not positive definite (found in iteration {iteration}); project the \
         element matrices, or take a smaller step"
    )]
    NotPositiveDefinite {
        /// The iteration that found a direction without positive energy.
        iteration: usize,
    },
    /// The matrix, the right-hand side or the start holds an infinite value or none.
    #[error("the linear system holds a value that is not a finite number")]
    NotFinite,
}

/// The memory of the method, made once for a number of rows.
#[derive(Clone, Debug)]
pub struct RowPcg {
    right: Vec<Vec3A>,
    part: Vec<Vec3A>,
    residual: Vec<Vec3A>,
    direction: Vec<Vec3A>,
    image: Vec<Vec3A>,
    answer: Vec<Vec3A>,
    /// What is left to be solved, in double precision.
    left: Vec<DVec3>,
}

impl RowPcg {
    /// Memory for systems of so many rows.
    pub fn new(rows: usize) -> Self {
        let zero = vec![Vec3A::ZERO; rows];
        Self {
            right: zero.clone(),
            part: zero.clone(),
            residual: zero.clone(),
            direction: zero.clone(),
            image: zero.clone(),
            answer: zero,
            left: vec![DVec3::ZERO; rows],
        }
    }

    /// Solves A x = b, from the x that is given, of which the free part counts.
    ///
    /// The tolerance is relative to what x = 0 would leave. All is done in single precision; where the
    /// tolerance is beyond it, what a solution leaves over is measured in double precision and solved for
    /// again (iterative refinement).
    pub fn solve(
        &mut self,
        matrix: &RowMatrix,
        factor: &mut RowFactor,
        (b, x): (&[DVec3], &mut [DVec3]),
        limits: PcgLimits,
    ) -> Result<PcgReport, PcgError> {
        self.left.copy_from_slice(b);
        let mut unit = self.take_right(matrix);
        factor.precondition(matrix, &self.right, &mut self.answer);
        let scale = dot(&self.right, &self.answer)? * unit * unit;
        let target = (limits.tolerance * limits.tolerance * scale).max(limits.enough);
        update(&mut self.part, 4 * GRAIN, |i, part| *part = (x[i] / unit).as_vec3a());
        matrix.filter(&mut self.part);
        let mut iterations = 0;
        let spent = (&mut iterations, limits.max_iterations);
        let reachable = target.max(FINEST * FINEST * scale);
        let mut energy = self.iterate((matrix, &mut *factor), (reachable, unit), spent)?;
        let part = &self.part;
        update(x, 4 * GRAIN, |i, x| *x = part[i].as_dvec3() * unit);
        matrix.filter_double(x);
        let fine = limits.tolerance < FINEST;
        for _ in 0..if fine { MOST_CORRECTIONS } else { 0 } {
            matrix.multiply_double(x, &mut self.left);
            update(&mut self.left, 4 * GRAIN, |i, left| *left = b[i] - *left);
            unit = self.take_right(matrix);
            factor.precondition(matrix, &self.right, &mut self.answer);
            energy = dot(&self.right, &self.answer)? * unit * unit;
            if energy <= target || iterations >= limits.max_iterations {
                break;
            }
            self.part.fill(Vec3A::ZERO);
            let spent = (&mut iterations, limits.max_iterations);
            let reachable = target.max(FINEST * FINEST * energy);
            self.iterate((matrix, &mut *factor), (reachable, unit), spent)?;
            let part = &self.part;
            update(x, 4 * GRAIN, |i, x| *x += part[i].as_dvec3() * unit);
            matrix.filter_double(x);
        }
        let relative_residual = if scale > 0.0 { (energy.max(0.0) / scale).sqrt() } else { 0.0 };
        let converged = energy <= if fine { target } else { reachable };
        Ok(PcgReport { iterations, relative_residual, converged })
    }

    /// Takes what is free of what is left as the right-hand side, in single precision and in a unit of its
    /// size.
    fn take_right(&mut self, matrix: &RowMatrix) -> f64 {
        matrix.filter_double(&mut self.left);
        let (left, unit) = (&self.left, unit_of(&self.left));
        update(&mut self.right, 4 * GRAIN, |i, right| *right = (left[i] / unit).as_vec3a());
        // Round-off of a large vector that is held is none of a small one that is free.
        matrix.filter(&mut self.right);
        unit
    }

    /// Iterates from the part that is known, unless it is worse than nothing, until the energy of the
    /// residual is at most `target`; tells what it is. Numbers are small or large by a unit; `answer` is the
    /// factor's to the right-hand side.
    fn iterate(
        &mut self,
        (matrix, factor): (&RowMatrix, &mut RowFactor),
        (target, unit): (f64, f64),
        (iterations, most): (&mut usize, usize),
    ) -> Result<f64, PcgError> {
        let Self { right, part, residual, direction, image, answer, .. } = self;
        matrix.multiply(part, image);
        update(residual, 4 * GRAIN, |i, r| *r = right[i] - image[i]);
        let nothing = dot(right, answer)?;
        factor.precondition(matrix, residual, answer);
        let mut energy = dot(residual, answer)?;
        if energy > nothing {
            part.fill(Vec3A::ZERO);
            residual.copy_from_slice(right);
            factor.precondition(matrix, residual, answer);
            energy = nothing;
        }
        direction.copy_from_slice(answer);
        let target = target / (unit * unit);
        while energy > target && *iterations < most {
            *iterations += 1;
            matrix.multiply(direction, image);
            let curvature = dot(direction, image)?;
            if curvature <= 0.0 {
                return Err(PcgError::NotPositiveDefinite { iteration: *iterations });
            }
            let step = (energy / curvature) as f32;
            update(part, 4 * GRAIN, |i, x| *x += direction[i] * step);
            update(residual, 4 * GRAIN, |i, r| *r -= image[i] * step);
            factor.precondition(matrix, residual, answer);
            let before = energy;
            energy = dot(residual, answer)?;
            let keep = (energy / before) as f32;
            update(direction, 4 * GRAIN, |i, d| *d = answer[i] + *d * keep);
        }
        Ok(energy * unit * unit)
    }
}

/// The size of a vector as a power of two: single precision has no room for the products of very small
/// or large numbers.
fn unit_of(vector: &[DVec3]) -> f64 {
    let largest = vector.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
    if largest > 0.0 && largest.is_finite() { largest.log2().floor().exp2() } else { 1.0 }
}

/// aᵀ b, the same bits on any number of threads.
fn dot(a: &[Vec3A], b: &[Vec3A]) -> Result<f64, PcgError> {
    let sum = ordered_sum(a.len(), |i| f64::from(a[i].dot(b[i])));
    if sum.is_finite() { Ok(sum) } else { Err(PcgError::NotFinite) }
}
