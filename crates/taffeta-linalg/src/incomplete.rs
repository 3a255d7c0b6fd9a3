//! Incomplete Cholesky without fill, in 3×3 blocks, in an order that lets threads share the work.
//!
//! Rows are cut into fixed chunks. The rows of a chunk that couple to no earlier chunk are its
//! inner rows; chunks eliminate theirs independently of each other. All other rows form the border
//! and come last, one after another. No coupling is left out, which matters: chunks that do not
//! know each other took twice the iterations on a hanging sheet of 2,601 particles. Even this order
//! costs more than it gains on few threads (10,000 particles in three chunks: 27.7 iterations a
//! step, in one: 12.4), so only very large cloth is cut at all.

use glam::DVec3;
use rayon::prelude::*;

use crate::border::Border;
use crate::chunk::Chunk;
use crate::factor::FactorError;
use crate::parallel::fill;
use crate::pattern::BlockPattern;
use crate::pcg::Preconditioner;
use crate::system::{FilteredSystem, GRAIN};

/// The least rows in a chunk.
const ROWS: usize = 1 << 17;
/// The border has at most one row of so many, or there is a single chunk: it is worked off by one
/// thread.
const BORDER: usize = 8;

/// L D Lᵀ ≈ A with the pattern of A.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    chunks: Vec<Chunk>,
    border: Border,
    /// For each row its chunk, or the number of chunks for the border, and its place there.
    homes: Vec<Home>,
}

/// Where a row is found: in which chunk, the border being the last, and at which place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Home {
    pub(crate) chunk: u32,
    pub(crate) place: u32,
}

impl IncompleteCholesky {
    /// Plans for matrices of this pattern; refresh before use.
    pub fn new(pattern: &BlockPattern) -> Self {
        Self::in_chunks(pattern, chunk_size(pattern))
    }

    fn in_chunks(pattern: &BlockPattern, size: usize) -> Self {
        let chunks = pattern.rows().div_ceil(size);
        let mut members = vec![Vec::new(); chunks + 1];
        let mut homes = Vec::with_capacity(pattern.rows());
        for row in 0..pattern.rows() {
            let chunk = if is_border(pattern, row, size) { chunks } else { row / size };
            homes.push(Home { chunk: chunk as u32, place: members[chunk].len() as u32 });
            members[chunk].push(row as u32);
        }
        let border = members.pop().unwrap_or_default();
        Self {
            border: Border::new(pattern, &homes, border),
            chunks: members.into_iter().map(|rows| Chunk::new(pattern, &homes, rows)).collect(),
            homes,
        }
    }

    /// Factors the free part of a system's matrix. A chunk whose pivots fail is factored again
    /// with an enlarged diagonal, and so is the border. Returns the largest enlargement, relative
    /// to the diagonal.
    pub fn refresh(&mut self, system: &FilteredSystem<'_>) -> Result<f64, FactorError> {
        self.chunks.par_iter_mut().for_each(|chunk| chunk.refresh(system));
        self.border.refresh(system, &self.chunks);
        let outcomes = self.chunks.iter().map(|chunk| chunk.outcome).chain([self.border.outcome]);
        outcomes.map(|outcome| outcome.check()).try_fold(0.0, |worst, shift| Ok(shift?.max(worst)))
    }
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        let Self { chunks, border, homes } = self;
        chunks.par_iter_mut().for_each(|chunk| chunk.forward(residual));
        border.solve(residual, chunks);
        chunks.par_iter_mut().for_each(Chunk::backward);
        fill(out, GRAIN, |row| {
            let Home { chunk, place } = homes[row];
            let solved = chunks.get(chunk as usize).map_or(border.solution(), Chunk::solution);
            solved[place as usize]
        });
    }
}

/// Whether a row couples to an earlier chunk.
fn is_border(pattern: &BlockPattern, row: usize, size: usize) -> bool {
    let first = row / size * size;
    pattern.lower_columns(row).first().is_some_and(|&column| (column as usize) < first)
}

/// Rows in a chunk: a power of two that depends on the pattern alone.
fn chunk_size(pattern: &BlockPattern) -> usize {
    let rows = pattern.rows();
    let border = |size| (0..rows).filter(|&row| is_border(pattern, row, size)).count();
    let mut size = ROWS;
    while size < rows && border(size) * BORDER > rows {
        size *= 2;
    }
    size
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DMat3;

    use super::*;
    use crate::{AssemblyPlan, BlockMatrix, Filter, MultiplyScratch};

    /// Rows that couple to the border only, and the border's rows to each other: eliminating them
    /// in this order fills nothing, so that the factor is exact.
    const PAIRS: [[u32; 2]; 7] = [
        [4096, 5],
        [4200, 4096],
        [4097, 9],
        [4300, 4097],
        [4097, 4096],
        [8192, 4100],
        [8200, 8192],
    ];

    #[test]
    fn a_factor_without_fill_is_exact_within_chunks_and_across() {
        let rows = 3 * 4096 - 50;
        let pattern = Arc::new(BlockPattern::new(rows, PAIRS).unwrap());
        let mut matrix = BlockMatrix::new(Arc::clone(&pattern));
        matrix.diagonal_mut().fill(DMat3::from_diagonal(DVec3::new(3.0, 4.0, 5.0)));
        let mut right = vec![DVec3::ZERO; rows];
        AssemblyPlan::new(&pattern, &PAIRS).unwrap().add(&mut matrix, &mut right, |e, out| {
            let e = e as f64;
            out.blocks[1][0] =
                DMat3::from_cols_array(&[0.3, -0.2, 0.1 * e, 0.5, 0.2, -0.4, 0.1, 0.6, -0.3]);
        });
        let mut filters = vec![Filter::FREE; rows];
        filters[4096] = Filter::in_plane(DVec3::new(0.6, 0.0, 0.8));
        let prescribed = right.clone();
        let (filters, right) = (&filters[..], &right[..]);
        let system = FilteredSystem { matrix: &matrix, right, filters, prescribed: &prescribed };
        let mut factor = IncompleteCholesky::in_chunks(&pattern, 4096);
        assert_eq!((factor.chunks.len(), factor.border.solution().len()), (3, 3));
        assert_eq!(factor.refresh(&system).unwrap(), 0.0);

        let number = |i: usize| (i * 7919 % 1009) as f64 * 1e-3 - 0.5;
        let free = |i: usize| filters[i].free_part(DVec3::new(number(i), number(i + 1), 1.0));
        let expected: Vec<DVec3> = (0..rows).map(free).collect();
        let (mut image, mut found) = (expected.clone(), expected.clone());
        matrix.multiply(&expected, &mut image, &mut MultiplyScratch::new(&pattern));
        image.iter_mut().zip(filters).for_each(|(image, filter)| *image = filter.free_part(*image));
        factor.apply(&image, &mut found);
        let error = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(error < 1e-14, "{error:e}");
    }
}
