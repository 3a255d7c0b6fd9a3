//! The coarse half of a two-level preconditioner: patches of cloth that move as rigid bodies.
//!
//! Smoothing works from neighbour to neighbour and needs many iterations to carry a motion
//! across the cloth. The rigid motions of patches have a small matrix that is factored directly
//! and carries such motions at once: rigid motions are what stretching, shearing and bending do
//! not resist, whatever the fabric.

use glam::DVec3;

use crate::factor::{FactorError, LowerColumns, SmallPivots, SparseFactor};
use crate::ordering::{Graph, nested_dissection};
use crate::parallel::fill;
use crate::patches::{MODES, Patches};
use crate::pattern::BlockPattern;
use crate::system::FilteredSystem;

/// Patches in a part of the dissection that is not cut further.
const LEAF: usize = 7;
/// Coarse blocks whose projection repays another thread.
const GRAIN: usize = 64;
type ModeBlock = [[f64; MODES]; MODES];

/// A matrix seen through the rigid motions of patches, factored.
pub(crate) struct RigidPatches {
    patches: Patches,
    /// Pairs of coupled patches (column, row), column ≤ row, by columns.
    pairs: Vec<(u32, u32)>,
    /// For each pair, the stored fine blocks (row, column, place) that couple it.
    fine_begin: Vec<u32>,
    fine: Vec<(u32, u32, u32)>,
    blocks: Vec<ModeBlock>,
    /// For each scalar of the coarse lower triangle its pair, row and column.
    sources: Vec<(u32, u8, u8)>,
    scalars: Vec<f64>,
    factor: SparseFactor,
    amplitudes: Vec<[f64; MODES]>,
}

impl RigidPatches {
    /// Cuts the particles into patches of at most `size` by their rest positions.
    pub(crate) fn new(
        pattern: &BlockPattern,
        rest: &[DVec3],
        size: usize,
    ) -> Result<Self, FactorError> {
        if rest.len() != pattern.rows() {
            return Err(FactorError::Malformed("there must be one rest position for each row"));
        }
        let patches = Patches::new(rest, size);
        let (pairs, fine_begin, fine) = couplings(pattern, &patches);
        let graph = Graph::new(patches.len(), pairs.iter().copied());
        let order: Vec<u32> = nested_dissection(&graph, &patches.centres(rest), LEAF)
            .iter()
            .flat_map(|&patch| (0..MODES as u32).map(move |mode| MODES as u32 * patch + mode))
            .collect();
        let (columns, sources) = scalar_columns(patches.len(), &pairs);
        Ok(Self {
            blocks: vec![[[0.0; MODES]; MODES]; pairs.len()],
            pairs,
            fine_begin,
            fine,
            scalars: vec![0.0; sources.len()],
            sources,
            factor: SparseFactor::by_order(columns, &order)?,
            amplitudes: vec![[0.0; MODES]; patches.len()],
            patches,
        })
    }

    /// Projects a system's matrix onto the rigid motions at these positions and factors it.
    pub(crate) fn refresh(
        &mut self,
        system: &FilteredSystem<'_>,
        positions: &[DVec3],
    ) -> Result<(), FactorError> {
        self.patches.set_motions(system.filters, positions);
        let mut blocks = std::mem::take(&mut self.blocks);
        fill(&mut blocks, GRAIN, |pair| self.project(system, pair));
        self.blocks = blocks;
        for (scalar, &(pair, row, column)) in self.scalars.iter_mut().zip(&self.sources) {
            *scalar = self.blocks[pair as usize][row as usize][column as usize];
        }
        self.factor.factorize(&self.scalars, SmallPivots::Refuse).map(|_| ())
    }

    /// Adds to `out` the rigid motions that answer a residual.
    pub(crate) fn add_correction(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        self.patches.restrict(residual, &mut self.amplitudes);
        self.factor.solve(self.amplitudes.as_flattened_mut());
        self.patches.add_motions(&self.amplitudes, out);
    }

    /// Σ Pᵢᵀ Aᵢⱼ Pⱼ over the fine blocks of a pair, P the moves of a particle.
    fn project(&self, system: &FilteredSystem<'_>, pair: usize) -> ModeBlock {
        let (column_patch, row_patch) = self.pairs[pair];
        let mut sum = [[0.0; MODES]; MODES];
        let range = self.fine_begin[pair] as usize..self.fine_begin[pair + 1] as usize;
        for &(row, column, place) in &self.fine[range] {
            let value = system.matrix.values[place as usize];
            if self.patches.patch_of(row) == row_patch {
                add_product(
                    &mut sum,
                    self.patches.moves(row),
                    self.patches.moves(column).map(|v| value * v),
                );
            }
            if row != column && self.patches.patch_of(column) == row_patch {
                let transposed = value.transpose();
                add_product(
                    &mut sum,
                    self.patches.moves(column),
                    self.patches.moves(row).map(|v| transposed * v),
                );
            }
        }
        if column_patch == row_patch {
            hold_idle_motions(&mut sum);
        }
        sum
    }
}

fn add_product(sum: &mut ModeBlock, left: &[DVec3; MODES], right: [DVec3; MODES]) {
    for (row, left) in sum.iter_mut().zip(left) {
        for (entry, right) in row.iter_mut().zip(&right) {
            *entry += left.dot(*right);
        }
    }
}

/// Motions that move nothing have no energy; a one in their place keeps the matrix regular.
fn hold_idle_motions(block: &mut ModeBlock) {
    for (k, row) in block.iter_mut().enumerate() {
        if row[k] == 0.0 {
            row[k] = 1.0;
        }
    }
}

/// The coupled pairs of patches, and for each where its fine blocks begin and which they are.
#[allow(clippy::type_complexity, reason = "three columns of one table")]
fn couplings(
    pattern: &BlockPattern,
    patches: &Patches,
) -> (Vec<(u32, u32)>, Vec<u32>, Vec<(u32, u32, u32)>) {
    let mut table: Vec<_> = pattern
        .stored()
        .zip(0..)
        .map(|((row, column), place)| {
            let (a, b) = (patches.patch_of(row), patches.patch_of(column));
            ((a.min(b), a.max(b)), (row, column, place))
        })
        .collect();
    table.sort_unstable();
    let (mut pairs, mut begin) = (Vec::new(), Vec::new());
    for (k, &(pair, _)) in table.iter().enumerate() {
        if pairs.last() != Some(&pair) {
            pairs.push(pair);
            begin.push(k as u32);
        }
    }
    begin.push(table.len() as u32);
    (pairs, begin, table.into_iter().map(|(_, fine)| fine).collect())
}

/// The scalar lower triangle of the coarse matrix, and where its scalars come from.
fn scalar_columns(patches: usize, pairs: &[(u32, u32)]) -> (LowerColumns, Vec<(u32, u8, u8)>) {
    let (mut offsets, mut rows, mut sources) = (vec![0], Vec::new(), Vec::new());
    for patch in 0..patches as u32 {
        let first = pairs.partition_point(|&(column, _)| column < patch);
        let end = pairs.partition_point(|&(column, _)| column <= patch);
        for c in 0..MODES {
            for (pair, &(_, row)) in pairs.iter().enumerate().take(end).skip(first) {
                for r in if row == patch { c } else { 0 }..MODES {
                    rows.push(row * MODES as u32 + r as u32);
                    sources.push((pair as u32, r as u8, c as u8));
                }
            }
            offsets.push(rows.len() as u32);
        }
    }
    (LowerColumns { offsets, rows }, sources)
}
