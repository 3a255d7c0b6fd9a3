//! Incomplete Cholesky without fill, in 3×3 blocks, on fixed chunks of rows.
//!
//! Each chunk of consecutive particles is factored on its own and couplings between chunks are
//! left out, so chunks run in parallel and the result does not depend on the number of threads.

use std::cmp::Ordering;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::factor::FactorError;
use crate::multiply::transposed_times;
use crate::parts::even_bounds;
use crate::pattern::BlockPattern;
use crate::pcg::Preconditioner;
use crate::system::FilteredSystem;

/// Rows in a chunk: long enough that little is lost at its ends.
const ROWS: usize = 1024;
/// The first and the largest enlargement of the diagonal tried when a pivot fails. A positive
/// definite matrix passes before the largest, which makes its diagonal outweigh its rows.
const SHIFTS: [f64; 2] = [1e-3, 1e3];
/// The part of its diagonal block that a pivot must keep in every direction.
const LEAST_PIVOT: f64 = 1e-6;

/// L D Lᵀ ≈ A with the pattern of A within chunks of rows.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    chunks: Vec<Chunk>,
}

impl IncompleteCholesky {
    /// Plans for matrices of this pattern; refresh before use.
    pub fn new(pattern: &BlockPattern) -> Self {
        let bounds = even_bounds(pattern.rows(), ROWS);
        Self { chunks: bounds.windows(2).map(|b| Chunk::new(pattern, b[0], b[1])).collect() }
    }

    /// Factors the free part of a system's matrix. A chunk whose pivots fail is factored again
    /// with an enlarged diagonal. Returns the largest enlargement, relative to the diagonal.
    pub fn refresh(&mut self, system: &FilteredSystem<'_>) -> Result<f64, FactorError> {
        self.chunks.par_iter_mut().for_each(|chunk| chunk.refresh(system));
        match self.chunks.iter().find_map(|chunk| chunk.failed) {
            Some(row) => Err(FactorError::Pivot { row: 3 * row }),
            None => Ok(self.chunks.iter().map(|chunk| chunk.shift).fold(0.0, f64::max)),
        }
    }
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        let parts = out.par_chunks_mut(ROWS).zip(residual.par_chunks(ROWS));
        parts.zip(&self.chunks).for_each(|((out, residual), chunk)| chunk.solve(residual, out));
    }
}

/// The factor of consecutive rows; rows and columns are counted from the first.
#[derive(Clone, Debug)]
struct Chunk {
    first: usize,
    offsets: Vec<u32>,
    columns: Vec<u32>,
    /// For each row, how many blocks of the matrix's row lie before the chunk.
    skipped: Vec<u32>,
    lower: Vec<DMat3>,
    /// D⁻¹.
    inverse_pivots: Vec<DMat3>,
    shift: f64,
    failed: Option<usize>,
}

impl Chunk {
    fn new(pattern: &BlockPattern, first: usize, end: usize) -> Self {
        let (mut offsets, mut columns, mut skipped) = (vec![0], Vec::new(), Vec::new());
        for row in first..end {
            let all = pattern.lower_columns(row);
            let outside = all.partition_point(|&column| (column as usize) < first);
            skipped.push(outside as u32);
            columns.extend(all[outside..].iter().map(|&column| column - first as u32));
            offsets.push(columns.len() as u32);
        }
        let lower = vec![DMat3::ZERO; columns.len()];
        let inverse_pivots = vec![DMat3::IDENTITY; end - first];
        Self { first, offsets, columns, skipped, lower, inverse_pivots, shift: 0.0, failed: None }
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    fn refresh(&mut self, system: &FilteredSystem<'_>) {
        self.shift = 0.0;
        loop {
            let rows = 0..self.inverse_pivots.len();
            let failed = rows.into_iter().find(|&row| !self.factor_row(system, row));
            self.failed = failed.map(|row| self.first + row);
            if failed.is_none() || self.shift >= SHIFTS[1] {
                return;
            }
            self.shift = f64::max(2.0 * self.shift, SHIFTS[0]);
        }
    }

    /// Row of L and D; false when the pivot is not positive enough.
    fn factor_row(&mut self, system: &FilteredSystem<'_>, row: usize) -> bool {
        let range = self.range(row);
        for k in range.clone() {
            let within = self.skipped[row] as usize + k - range.start;
            let entry = system.free_lower(self.first + row, within);
            self.lower[k] = entry - self.common(range.start..k, self.columns[k] as usize);
        }
        let diagonal = system.free_diagonal(self.first + row) * (1.0 + self.shift);
        let mut pivot = diagonal;
        for k in range {
            let times_pivot = self.lower[k];
            self.lower[k] = times_pivot * self.inverse_pivots[self.columns[k] as usize];
            pivot -= times_pivot * self.lower[k].transpose();
        }
        self.inverse_pivots[row] = pivot.inverse();
        is_positive(pivot - LEAST_PIVOT * diagonal)
    }

    /// Σ over the columns that the blocks in `mine` share with row `other`: my block, which still
    /// carries its pivot, times the other's transposed.
    fn common(&self, mine: std::ops::Range<usize>, other: usize) -> DMat3 {
        let (mut a, mut b, mut sum) = (mine.start, self.range(other).start, DMat3::ZERO);
        while a < mine.end && b < self.range(other).end {
            match self.columns[a].cmp(&self.columns[b]) {
                Ordering::Less => a += 1,
                Ordering::Greater => b += 1,
                Ordering::Equal => {
                    sum += self.lower[a] * self.lower[b].transpose();
                    a += 1;
                    b += 1;
                }
            }
        }
        sum
    }

    /// `out` = (L D Lᵀ)⁻¹ `residual`.
    fn solve(&self, residual: &[DVec3], out: &mut [DVec3]) {
        for row in 0..out.len() {
            let mut sum = residual[row];
            for (block, &column) in self.lower[self.range(row)].iter().zip(self.columns(row)) {
                sum -= *block * out[column as usize];
            }
            out[row] = sum;
        }
        for (value, inverse) in out.iter_mut().zip(&self.inverse_pivots) {
            *value = *inverse * *value;
        }
        for row in (0..out.len()).rev() {
            let here = out[row];
            for (block, &column) in self.lower[self.range(row)].iter().zip(self.columns(row)) {
                out[column as usize] -= transposed_times(block, here);
            }
        }
    }

    fn columns(&self, row: usize) -> &[u32] {
        &self.columns[self.range(row)]
    }
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
fn is_positive(m: DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}
