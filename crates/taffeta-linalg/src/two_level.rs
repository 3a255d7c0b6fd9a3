//! Incomplete Cholesky for what is near, and patches that move as a whole for what it leaves of
//! what is far.

use glam::DVec3;

use crate::coarse::CoarsePatches;
use crate::factor::FactorError;
use crate::incomplete::IncompleteCholesky;
use crate::pattern::BlockPattern;
use crate::pcg::Preconditioner;
use crate::system::FilteredSystem;

/// Most particles in a patch. Smaller ones save iterations and cost a larger coarse matrix. Of
/// 12, 24, 48 and 96 this took the least time in all at 26,000 particles, or nearly; at 2,600
/// the times lie close together.
const PATCH: usize = 48;

/// A two-level preconditioner whose iterations hardly grow with the number of particles.
pub struct TwoLevel {
    near: IncompleteCholesky,
    far: CoarsePatches,
}

impl TwoLevel {
    /// Plans for matrices of this pattern; `rest` places the particles so that near ones are
    /// coupled, for example their rest positions. Refresh before use.
    pub fn new(pattern: &BlockPattern, rest: &[DVec3]) -> Result<Self, FactorError> {
        let far = CoarsePatches::new(pattern, rest, PATCH)?;
        Ok(Self { near: IncompleteCholesky::new(pattern), far })
    }

    /// Takes over a system's matrix. `positions` are those at which its elements were evaluated.
    /// Returns the largest enlargement of the diagonal, as [`IncompleteCholesky::refresh`] does.
    pub fn refresh(
        &mut self,
        system: &FilteredSystem<'_>,
        positions: &[DVec3],
    ) -> Result<f64, FactorError> {
        self.far.refresh(system, positions)?;
        self.near.refresh(system)
    }
}

/// The adapted deflation A-DEF2 of Tang, Nabben, Vuik & Erlangga 2009: M + Q (I − A M) with M the
/// near and Q the far half. It is symmetric for residuals that have no share in the motions of patches,
/// which are all that follow a presolve, and costs one coarse solve a time.
impl Preconditioner for TwoLevel {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        self.near.apply(residual, out);
        self.far.answer_rest(residual, out);
    }

    fn presolve(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        self.far.answer(residual, out);
    }
}
