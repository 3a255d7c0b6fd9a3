//! A direct solver for block systems with held directions.

use glam::{DMat3, DVec3};

use crate::factor::FactorError;
use crate::multifrontal::Multifrontal;
use crate::multiply::MultiplyScratch;
use crate::parallel::fill;
use crate::pattern::BlockPattern;
use crate::pcg::{Pcg, PcgError, PcgLimits, PcgReport, Preconditioner};
use crate::system::FilteredSystem;

/// Blocks whose filtering repays another thread.
const GRAIN: usize = 8192;

/// Where particles are coupled outside the pattern: when conjugate gradients are done.
const COUPLED: PcgLimits = PcgLimits { tolerance: 1e-11, max_iterations: 2000 };

/// Solves S A S x = S b in the free directions, with x prescribed in the held ones, by a sparse
/// factorisation that is planned once per pattern.
pub struct DirectSolver {
    factor: Multifrontal,
    /// S A S + (I − S) in the order of a matrix's values.
    blocks: Vec<DMat3>,
    /// Row and column of each block.
    places: Vec<(u32, u32)>,
    right: Vec<DVec3>,
    scratch: MultiplyScratch,
    pcg: Pcg,
}

impl DirectSolver {
    /// Plans solves with matrices of this pattern; `rest` places the particles so that near ones
    /// are coupled, for example their rest positions.
    pub fn new(pattern: &BlockPattern, rest: &[DVec3]) -> Result<Self, FactorError> {
        let rows = pattern.rows();
        if rest.len() != rows {
            return Err(FactorError::Malformed("there must be one rest position for each row"));
        }
        Ok(Self {
            factor: Multifrontal::new(pattern, rest)?,
            blocks: vec![DMat3::ZERO; pattern.stored_blocks()],
            places: pattern.stored().collect(),
            right: vec![DVec3::ZERO; rows],
            scratch: MultiplyScratch::new(pattern),
            pcg: Pcg::new(pattern),
        })
    }

    /// Number of values in the factor.
    pub fn stored_values(&self) -> usize {
        self.factor.stored_values()
    }

    /// Factors the free part of the system's matrix.
    pub fn factorize(&mut self, system: &FilteredSystem<'_>) -> Result<(), FactorError> {
        let places = &self.places;
        fill(&mut self.blocks, GRAIN, |k| system.free_block(k, places[k]));
        self.factor.factorize(&self.blocks)
    }

    /// Solves with the last factor; `x` holds exactly what the system prescribes.
    ///
    /// Couplings are not in the factor: where there are any, it preconditions conjugate gradients.
    pub fn solve(
        &mut self,
        system: &FilteredSystem<'_>,
        x: &mut [DVec3],
    ) -> Result<PcgReport, PcgError> {
        system.start(x);
        if !system.matrix.is_uncoupled() {
            return self.pcg.solve(system, &mut Inverse(&mut self.factor), x, COUPLED);
        }
        system.free_residual(x, &mut self.right, &mut self.scratch);
        self.factor.solve(&mut self.right);
        for (value, change) in x.iter_mut().zip(&self.right) {
            *value += *change;
        }
        system.impose(x);
        Ok(PcgReport { iterations: 1, relative_residual: 0.0, converged: true })
    }
}

/// The inverse of what was factored.
struct Inverse<'a>(&'a mut Multifrontal);

impl Preconditioner for Inverse<'_> {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        out.copy_from_slice(residual);
        self.0.solve(out);
    }
}
