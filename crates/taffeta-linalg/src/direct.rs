//! A direct solver for block systems with held directions.

use glam::{DMat3, DVec3};

use crate::factor::{FactorError, LowerColumns, SmallPivots, SparseFactor};
use crate::multiply::MultiplyScratch;
use crate::ordering::{Graph, nested_dissection};
use crate::pattern::BlockPattern;
use crate::pcg::{Pcg, PcgError, PcgLimits, PcgReport, Preconditioner};
use crate::system::FilteredSystem;

/// Particles in a part of the dissection that is not cut further.
const LEAF: usize = 14;

/// Where particles are coupled outside the pattern: when conjugate gradients are done.
const COUPLED: PcgLimits = PcgLimits { tolerance: 1e-11, max_iterations: 2000 };

/// Solves S A S x = S b in the free directions, with x prescribed in the held ones, by a sparse
/// factorisation that is planned once per pattern.
pub struct DirectSolver {
    factor: SparseFactor,
    /// S A S + (I − S) in the order of a matrix's values.
    blocks: Vec<DMat3>,
    /// For each scalar of the lower triangle, where it lies among the blocks' scalars.
    sources: Vec<u32>,
    scalars: Vec<f64>,
    right: Vec<DVec3>,
    unknowns: Vec<f64>,
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
        let graph = Graph::new(rows, pattern.stored());
        let order: Vec<u32> = nested_dissection(&graph, rest, LEAF)
            .iter()
            .flat_map(|&particle| (0..3).map(move |axis| 3 * particle + axis))
            .collect();
        let (columns, sources) = scalar_columns(pattern);
        Ok(Self {
            factor: SparseFactor::by_order(columns, &order)?,
            blocks: vec![DMat3::ZERO; pattern.stored_blocks()],
            scalars: vec![0.0; sources.len()],
            sources,
            right: vec![DVec3::ZERO; rows],
            unknowns: vec![0.0; 3 * rows],
            scratch: MultiplyScratch::new(pattern),
            pcg: Pcg::new(pattern),
        })
    }

    /// Number of values in the factor.
    pub fn stored_values(&self) -> usize {
        self.factor.stored_values()
    }

    /// Factors the free part of the system's matrix. Returns how many pivots were replaced.
    pub fn factorize(
        &mut self,
        system: &FilteredSystem<'_>,
        small: SmallPivots,
    ) -> Result<usize, FactorError> {
        let rows = system.matrix.rows();
        let lower = (0..rows)
            .flat_map(|row| (0..system.matrix.lower(row).len()).map(move |k| (row, k)))
            .map(|(row, k)| system.free_lower(row, k));
        let diagonal = (0..rows).map(|row| system.free_diagonal(row));
        for (slot, block) in self.blocks.iter_mut().zip(diagonal.chain(lower)) {
            *slot = block;
        }
        for (scalar, &source) in self.scalars.iter_mut().zip(&self.sources) {
            *scalar = scalar_of(&self.blocks, source);
        }
        self.factor.factorize(&self.scalars, small)
    }

    /// Solves with the last factor; `x` holds exactly what the system prescribes.
    ///
    /// Couplings are not in the factor: where there are any, it preconditions conjugate gradients.
    pub fn solve(
        &mut self,
        system: &FilteredSystem<'_>,
        x: &mut [DVec3],
    ) -> Result<PcgReport, PcgError> {
        let Self { factor, unknowns, pcg, .. } = self;
        let mut inverse = Inverse { factor, unknowns };
        system.start(x);
        if !system.matrix.is_uncoupled() {
            return pcg.solve(system, &mut inverse, x, COUPLED);
        }
        system.free_residual(x, &mut self.right, &mut self.scratch);
        inverse.of(&self.right);
        for (value, change) in x.iter_mut().zip(self.unknowns.chunks_exact(3)) {
            *value += DVec3::from_slice(change);
        }
        system.impose(x);
        Ok(PcgReport { iterations: 1, relative_residual: 0.0, converged: true })
    }
}

/// The inverse of what was factored.
struct Inverse<'a> {
    factor: &'a mut SparseFactor,
    unknowns: &'a mut [f64],
}

impl Inverse<'_> {
    /// Leaves in the unknowns what it makes of a vector.
    fn of(&mut self, right: &[DVec3]) {
        for (scalars, vector) in self.unknowns.chunks_exact_mut(3).zip(right) {
            scalars.copy_from_slice(&vector.to_array());
        }
        self.factor.solve(self.unknowns);
    }
}

impl Preconditioner for Inverse<'_> {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        self.of(residual);
        for (value, change) in out.iter_mut().zip(self.unknowns.chunks_exact(3)) {
            *value = DVec3::from_slice(change);
        }
    }
}

/// The scalar at `source` = 9 · block + 3 · column + row within the block.
fn scalar_of(blocks: &[DMat3], source: u32) -> f64 {
    let (block, within) = ((source / 9) as usize, (source % 9) as usize);
    blocks[block].col(within / 3)[within % 3]
}

/// The scalar lower triangle of a block pattern, and where its scalars come from.
fn scalar_columns(pattern: &BlockPattern) -> (LowerColumns, Vec<u32>) {
    let rows = pattern.rows();
    let mut below: Vec<Vec<(u32, usize)>> = vec![Vec::new(); rows];
    for row in 0..rows {
        for (place, &column) in pattern.lower_range(row).zip(pattern.lower_columns(row)) {
            below[column as usize].push((row as u32, rows + place));
        }
    }
    let (mut offsets, mut scalar_rows, mut sources) = (vec![0], Vec::new(), Vec::new());
    for (column, below) in below.iter().enumerate() {
        for axis in 0..3 {
            for k in axis..3 {
                scalar_rows.push(3 * column as u32 + k);
                sources.push(9 * column as u32 + 3 * axis + k);
            }
            for &(row, place) in below {
                scalar_rows.extend((0..3).map(|k| 3 * row + k));
                sources.extend((0..3).map(|k| 9 * place as u32 + 3 * axis + k));
            }
            offsets.push(scalar_rows.len() as u32);
        }
    }
    (LowerColumns { offsets, rows: scalar_rows }, sources)
}
