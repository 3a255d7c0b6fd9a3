//! The modified conjugate gradient method of BW98 §5.3 with the corrections of Ascher & Boxerman
//! 2003: it may start from a guess, the preconditioner acts between filters, and the stopping
//! criterion uses P⁻¹ throughout where the paper's text mixes P and P⁻¹. What a preconditioner can
//! solve at once is solved before the first iteration.

use glam::DVec3;
use thiserror::Error;

use crate::multiply::MultiplyScratch;
use crate::parallel::{ordered_sum, update};
use crate::pattern::BlockPattern;
use crate::system::{FilteredSystem, GRAIN};

/// An approximation P of a system's matrix that is easy to invert.
pub trait Preconditioner {
    /// `out` = P⁻¹ `residual`, P symmetric and positive definite, at least for the residuals of a
    /// solve that began with [`Self::presolve`].
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]);

    /// Adds to `out` Q `residual`, the part of the solution that can be had at once, Q A Q = Q.
    fn presolve(&mut self, _residual: &[DVec3], _out: &mut [DVec3]) {}
}

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

/// Why a solve had to be given up. The constraints hold all the same in what it leaves.
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

/// The memory of the conjugate gradient method, made once per pattern.
#[derive(Clone, Debug)]
pub struct Pcg {
    residual: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    scratch: MultiplyScratch,
}

impl Pcg {
    /// Memory for systems of this pattern.
    pub fn new(pattern: &BlockPattern) -> Self {
        let zero = vec![DVec3::ZERO; pattern.rows()];
        Self {
            residual: zero.clone(),
            direction: zero.clone(),
            image: zero,
            scratch: MultiplyScratch::new(pattern),
        }
    }

    /// Solves the system. `x` brings a guess, of which the free part is used, and takes the
    /// solution, which holds exactly what is prescribed after any number of iterations.
    pub fn solve(
        &mut self,
        system: &FilteredSystem<'_>,
        preconditioner: &mut impl Preconditioner,
        x: &mut [DVec3],
        limits: PcgLimits,
    ) -> Result<PcgReport, PcgError> {
        let guessed = x.iter().any(|x| *x != DVec3::ZERO);
        system.impose(x);
        let result = self.iterate(system, preconditioner, (x, guessed), limits);
        // Rounding lets x drift out of oblique planes by an ulp in each iteration.
        system.impose(x);
        result
    }

    /// Adds to `x` what can be had at once, and leaves the residual and its image. Returns
    /// rᵀ P⁻¹ r of the residual before and after.
    fn begin(
        &mut self,
        system: &FilteredSystem<'_>,
        preconditioner: &mut impl Preconditioner,
        x: &mut [DVec3],
    ) -> Result<[f64; 2], PcgError> {
        system.free_residual(x, &mut self.residual, &mut self.scratch);
        self.image.fill(DVec3::ZERO);
        preconditioner.presolve(&self.residual, &mut self.image);
        let presolved = dot(&self.residual, &self.image);
        if presolved != 0.0 {
            let image = &self.image;
            update(x, GRAIN, |i, x| *x += image[i]);
            system.free_residual(x, &mut self.residual, &mut self.scratch);
        }
        let energy = self.precondition(system, preconditioner)?;
        Ok([presolved + energy, energy])
    }

    /// rᵀ P⁻¹ r for the residual of no motion in the free directions.
    fn scale(
        &mut self,
        system: &FilteredSystem<'_>,
        preconditioner: &mut impl Preconditioner,
    ) -> Result<f64, PcgError> {
        let mut nothing = std::mem::take(&mut self.direction);
        system.start(&mut nothing);
        let begun = self.begin(system, preconditioner, &mut nothing);
        self.direction = nothing;
        begun.map(|[scale, _]| scale)
    }

    fn iterate(
        &mut self,
        system: &FilteredSystem<'_>,
        preconditioner: &mut impl Preconditioner,
        (x, guessed): (&mut [DVec3], bool),
        limits: PcgLimits,
    ) -> Result<PcgReport, PcgError> {
        let of_nothing = if guessed { Some(self.scale(system, preconditioner)?) } else { None };
        let [before, mut energy] = self.begin(system, preconditioner, x)?;
        let scale = of_nothing.unwrap_or(before);
        if scale < 0.0 {
            return Err(PcgError::NotPositiveDefinite { iteration: 0 });
        }
        self.direction.copy_from_slice(&self.image);
        let target = (limits.tolerance * limits.tolerance * scale).max(limits.enough);
        let mut iterations = 0;
        while energy > target && iterations < limits.max_iterations {
            iterations += 1;
            self.advance(system, x, energy, iterations)?;
            let before = energy;
            energy = self.precondition(system, preconditioner)?;
            // Below the target the sign is a matter of rounding.
            if energy < -target {
                return Err(PcgError::NotPositiveDefinite { iteration: iterations });
            }
            let keep = energy / before;
            let image = &self.image;
            update(&mut self.direction, GRAIN, |i, c| *c = image[i] + keep * *c);
        }
        let relative_residual = if scale > 0.0 { (energy.max(0.0) / scale).sqrt() } else { 0.0 };
        Ok(PcgReport { iterations, relative_residual, converged: energy <= target })
    }

    /// One step along the direction: BW98 §5.3, lines 8 to 11.
    fn advance(
        &mut self,
        system: &FilteredSystem<'_>,
        x: &mut [DVec3],
        energy: f64,
        iteration: usize,
    ) -> Result<(), PcgError> {
        let Self { residual, direction, image, scratch } = self;
        system.matrix.multiply(direction, image, scratch);
        let curvature = dot(direction, image);
        if !curvature.is_finite() {
            return Err(PcgError::NotFinite);
        }
        if curvature <= 0.0 {
            return Err(PcgError::NotPositiveDefinite { iteration });
        }
        let step = energy / curvature;
        update(x, GRAIN, |i, x| *x += step * direction[i]);
        update(residual, GRAIN, |i, r| *r = system.filters[i].free_part(*r - step * image[i]));
        Ok(())
    }

    /// Sets the image to S P⁻¹ r and returns rᵀ S P⁻¹ r.
    fn precondition(
        &mut self,
        system: &FilteredSystem<'_>,
        preconditioner: &mut impl Preconditioner,
    ) -> Result<f64, PcgError> {
        preconditioner.apply(&self.residual, &mut self.image);
        update(&mut self.image, GRAIN, |i, s| *s = system.filters[i].free_part(*s));
        let energy = dot(&self.residual, &self.image);
        if !energy.is_finite() {
            return Err(PcgError::NotFinite);
        }
        Ok(energy)
    }
}

/// aᵀ b, the same bits on any number of threads.
pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    ordered_sum(a.len(), |i| a[i].dot(b[i]))
}
