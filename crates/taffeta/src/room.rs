//! How much memory a factor would take: counted before it is made.

use taffeta_linalg::DirectSolver;

use crate::error::SetupError;
use crate::integrators::{ElementPlans, ImplicitEuler, Integrator, Solver};
use crate::limiters::Limiter;
use crate::setup::Setup;

impl Setup {
    /// The bytes that the factor of direct solves takes, planned but not made; none where systems
    /// are not solved directly.
    pub fn factor_bytes(&self) -> Result<Option<u64>, SetupError> {
        let direct = match (self.integrator, self.limits, &self.limiter) {
            (Integrator::Implicit(_), Some(_), Limiter::Tension(_)) => true,
            (Integrator::Implicit(ImplicitEuler { solver, .. }), ..) => solver == Solver::Direct,
            _ => false,
        };
        if !direct {
            return Ok(None);
        }
        let springs = self.model.solved_springs().len();
        let pattern = ElementPlans::pattern(&self.model, springs).map_err(SetupError::Plan)?;
        Ok(Some(DirectSolver::bytes(&pattern, &self.model.rest)))
    }
}
