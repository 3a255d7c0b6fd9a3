//! Impulses along all gauges at once, from one linear system (YWG05 §3, Ye08 §3–7).
//!
//! A gauge p pulls with an impulse s_p along its direction x̂_p. What all pulls together do to the
//! rate at which each gauge lengthens is −A s, with A = J M⁻¹ S Jᵀ (Ye08 eq. 9–10): J has a row
//! w·x̂ᵀ for each gauge, S is what constraints leave of each particle's freedom. For edges these
//! are the paper's rows divided by the rest length; gauges of triangles have three particles.
//!
//! Impulses act between particles along the line that joins them, so they conserve linear
//! momentum always, and angular momentum about the places that the directions are taken from.

mod cg;
#[cfg(test)]
mod laws;
mod memory;
mod rows;
mod solver;
mod system;

pub(crate) use memory::ImpulseMemory;

use crate::error::SetupError;

/// Settings of the impulse limiter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulses {
    /// How often a step solves, and for what.
    pub variant: ImpulseVariant,
    /// How its systems are solved.
    pub solver: ImpulseSolver,
}

/// Which impulses a step asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImpulseVariant {
    /// One solve, with directions and lengths of the start of the step (Ye08 §4): for small steps.
    Paper,
    /// Solves at the places predicted by the one before, until all gauges are within limits.
    Refined {
        /// The most solves of a step, at least 1.
        max_solves: u32,
    },
}

impl Default for ImpulseVariant {
    fn default() -> Self {
        Self::Refined { max_solves: 12 }
    }
}

/// How impulse systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ImpulseSolver {
    /// By a sparse factorisation whose pattern is planned once.
    #[default]
    Direct,
    /// By conjugate gradients with the diagonal as preconditioner.
    Cg {
        /// The residual to reach, relative to the right-hand side.
        tolerance: f64,
        /// The most iterations of a solve.
        max_iterations: u32,
    },
}

impl Impulses {
    pub(super) fn check(&self) -> Result<(), SetupError> {
        if self.variant == (ImpulseVariant::Refined { max_solves: 0 }) {
            return Err(SetupError::NoSolves);
        }
        match self.solver {
            ImpulseSolver::Cg { tolerance, .. } if !(tolerance > 0.0 && tolerance < 1.0) => {
                Err(SetupError::Tolerance(tolerance))
            }
            ImpulseSolver::Cg { max_iterations: 0, .. } => Err(SetupError::NoIterations),
            _ => Ok(()),
        }
    }
}
