//! Integrators: how steps are taken, as the user says.
//!
//! Symplectic Euler takes velocities from the forces now, and positions from the new velocities.
//! Backward Euler (BW98 §3, §5) takes large steps for stiff cloth, with one linear solve a step as in
//! the paper, or with Newton's method.

use crate::error::SetupError;
use crate::matter::model::Model;
use crate::setup::pull::Pull;
use crate::setup::stability::{self, LongestStep};
use std::ops::Range;

/// How a step is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Symplectic Euler: cheap steps, bounded by the stiffest spring.
    Explicit(ExplicitEuler),
    /// Backward Euler: large steps, each with a linear solve.
    Implicit(ImplicitEuler),
}

impl Default for Integrator {
    fn default() -> Self {
        Self::Implicit(ImplicitEuler::default())
    }
}

impl From<ExplicitEuler> for Integrator {
    fn from(explicit: ExplicitEuler) -> Self {
        Self::Explicit(explicit)
    }
}

impl From<ImplicitEuler> for Integrator {
    fn from(implicit: ImplicitEuler) -> Self {
        Self::Implicit(implicit)
    }
}

impl Integrator {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        match self {
            Self::Explicit(explicit) => explicit.check(),
            Self::Implicit(implicit) => implicit.check(),
        }
    }

    /// The longest step it can take on a model with these pulls, and the particle that bounds it,
    /// if any does.
    pub fn longest_step(&self, model: &Model, pulls: &[Pull]) -> Option<LongestStep> {
        self.longest_step_of(model, pulls, 0..model.springs.len())
    }

    /// The same where only some of the springs are integrated.
    pub(crate) fn longest_step_of(
        &self,
        model: &Model,
        pulls: &[Pull],
        springs: Range<usize>,
    ) -> Option<LongestStep> {
        match self {
            Self::Explicit(explicit) => Some(explicit.longest_step(model, pulls, springs)),
            Self::Implicit(_) => None,
        }
    }

    /// Whether its steps are bounded by stiffness and drag, and need no derivatives.
    pub fn is_explicit(&self) -> bool {
        matches!(self, Self::Explicit(_))
    }

    /// Whether it can simulate a model: explicit steps know springs only, so far.
    pub fn suits(&self, model: &Model) -> bool {
        match self {
            Self::Explicit(_) => model.membranes.is_empty(),
            Self::Implicit(_) => true,
        }
    }
}

/// Settings of symplectic Euler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplicitEuler {
    /// The step as a fraction of the largest that is stable, above 0 and at most 1.
    pub safety: f64,
}

impl Default for ExplicitEuler {
    fn default() -> Self {
        Self { safety: 0.9 }
    }
}

impl ExplicitEuler {
    /// Whether the settings make sense.
    fn check(&self) -> Result<(), SetupError> {
        match self.safety > 0.0 && self.safety <= 1.0 {
            true => Ok(()),
            false => Err(SetupError::Safety(self.safety)),
        }
    }

    /// The longest step on these springs: of the longest that is stable, as much as is safe.
    fn longest_step(&self, model: &Model, pulls: &[Pull], springs: Range<usize>) -> LongestStep {
        let longest = stability::longest_step(model, pulls, springs);
        LongestStep { h: longest.h * self.safety, ..longest }
    }
}

/// Settings of backward Euler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitEuler {
    /// How its linear systems are solved.
    pub solver: Solver,
    /// Newton's method on each step; without it, one linear solve.
    pub newton: Option<Newton>,
}

/// How far Newton's method goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// It ends when an iteration strains or turns no part of the cloth by more than this.
    pub tolerance: f64,
    /// The most iterations to spend; a step that needs more is taken, and counted as not
    /// converged.
    pub max_iterations: u32,
}

impl Default for ImplicitEuler {
    fn default() -> Self {
        let solver = Solver::Pcg { tolerance: 1e-4, max_iterations: 1000 };
        Self { solver, newton: None }
    }
}

impl ImplicitEuler {
    /// Whether the settings make sense.
    fn check(&self) -> Result<(), SetupError> {
        match self.newton {
            Some(newton) if !(newton.tolerance > 0.0 && newton.tolerance.is_finite()) => {
                return Err(SetupError::NewtonTolerance(newton.tolerance));
            }
            Some(Newton { max_iterations: 0, .. }) => return Err(SetupError::NoIterations),
            _ => {}
        }
        match self.solver {
            Solver::Pcg { tolerance, .. } if !(tolerance > 0.0 && tolerance < 1.0) => {
                Err(SetupError::Tolerance(tolerance))
            }
            Solver::Pcg { max_iterations: 0, .. } => Err(SetupError::NoIterations),
            _ => Ok(()),
        }
    }
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// By the filtered conjugate gradient method with a preconditioner of incomplete factors.
    Pcg {
        /// The residual to reach, relative to that of no motion.
        tolerance: f64,
        /// The most iterations to spend; a solve that needs more is counted as not converged.
        max_iterations: u32,
    },
    /// By a sparse factorisation.
    Direct,
}
