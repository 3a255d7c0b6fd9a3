//! The diagonal 3×3 blocks as a preconditioner (BW98 §5.3, with blocks for scalars).

use glam::{DMat3, DVec3};

use crate::parallel::fill;
use crate::pcg::Preconditioner;
use crate::system::{FilteredSystem, GRAIN};

/// Inverts every diagonal block within the particle's free directions.
#[derive(Clone, Debug)]
pub struct BlockJacobi {
    inverses: Vec<DMat3>,
}

impl BlockJacobi {
    /// Room for matrices with this many block rows; refresh before use.
    pub fn new(rows: usize) -> Self {
        Self { inverses: vec![DMat3::IDENTITY; rows] }
    }

    /// Takes over the diagonal of a system.
    pub fn refresh(&mut self, system: &FilteredSystem<'_>) {
        fill(&mut self.inverses, GRAIN, |i| system.free_diagonal(i).inverse());
    }
}

impl Preconditioner for BlockJacobi {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        fill(out, GRAIN, |i| self.inverses[i] * residual[i]);
    }
}
