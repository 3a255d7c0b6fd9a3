//! How much memory a factor would take: counted before it is made.

use taffeta_linalg::DirectSolver;

use crate::error::SetupError;
use crate::setup::Setup;
use crate::setup::integrator::{ImplicitEuler, Integrator, Solver};
use crate::setup::piece::Piece;
use crate::solvers::implicit;

impl Setup {
    /// The bytes that the factor of direct solves takes, planned but not made; none where systems
    /// are not solved directly.
    pub fn factor_bytes(&self) -> Result<Option<u64>, SetupError> {
        let Integrator::Implicit(ImplicitEuler { solver: Solver::Direct, .. }) = self.integrator
        else {
            return Ok(None);
        };
        let pattern = implicit::pattern(&Piece::whole(self))?;
        Ok(Some(DirectSolver::bytes(&pattern, &self.model.rest)))
    }
}
