//! The rows of an incomplete factor that one thread works off on its own.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::factor::FactorError;
use crate::incomplete::Home;
use crate::multiply::transposed_times;
use crate::pattern::BlockPattern;
use crate::system::FilteredSystem;

/// The first and the largest enlargement of the diagonal tried when a pivot fails. A positive
/// definite matrix passes before the largest, which makes its diagonal outweigh its rows.
const SHIFTS: [f64; 2] = [1e-3, 1e3];
/// The part of its diagonal block that a pivot must keep in every direction.
const LEAST_PIVOT: f64 = 1e-6;

/// How factoring some rows ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// What the diagonal was enlarged by.
    shift: f64,
    /// The row whose pivot failed all the same.
    failed: Option<u32>,
}

impl Outcome {
    /// Tries with ever larger diagonals; `factor` returns the row whose pivot fails.
    pub(crate) fn of(mut factor: impl FnMut(f64) -> Option<u32>) -> Self {
        let mut shift = 0.0;
        loop {
            let failed = factor(1.0 + shift);
            if failed.is_none() || shift >= SHIFTS[1] {
                return Self { shift, failed };
            }
            shift = f64::max(2.0 * shift, SHIFTS[0]);
        }
    }

    /// The enlargement, or the pivot that failed.
    pub(crate) fn check(&self) -> Result<f64, FactorError> {
        match self.failed {
            Some(row) => Err(FactorError::Pivot { row: 3 * row as usize }),
            None => Ok(self.shift),
        }
    }
}

/// Rows of L and D that couple, before them, to each other only. Rows and columns are counted
/// within the chunk.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The row of the matrix for each row.
    rows: Vec<u32>,
    offsets: Vec<u32>,
    columns: Vec<u32>,
    /// Which of the matrix's strictly lower blocks of its row each block comes from.
    sources: Vec<u32>,
    lower: Vec<DMat3>,
    /// D⁻¹.
    inverse_pivots: Vec<DMat3>,
    /// What is being solved for, and what the border takes from it.
    vector: Vec<DVec3>,
    taken: Vec<DVec3>,
    pub(crate) outcome: Outcome,
}

impl Chunk {
    /// Plans for these rows of a pattern, which ascend.
    pub(crate) fn new(pattern: &BlockPattern, homes: &[Home], rows: Vec<u32>) -> Self {
        let (mut offsets, mut columns, mut sources) = (vec![0], Vec::new(), Vec::new());
        for &row in &rows {
            let chunk = homes[row as usize].chunk;
            for (source, &column) in (0..).zip(pattern.lower_columns(row as usize)) {
                let home = homes[column as usize];
                if home.chunk == chunk {
                    columns.push(home.place);
                    sources.push(source);
                }
            }
            offsets.push(columns.len() as u32);
        }
        Self {
            offsets,
            sources,
            lower: vec![DMat3::ZERO; columns.len()],
            columns,
            inverse_pivots: vec![DMat3::IDENTITY; rows.len()],
            vector: vec![DVec3::ZERO; rows.len()],
            taken: vec![DVec3::ZERO; rows.len()],
            rows,
            outcome: Outcome::default(),
        }
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// The columns and blocks of a row of L.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[DMat3]) {
        (&self.columns[self.range(row)], &self.lower[self.range(row)])
    }

    /// D⁻¹ of a row.
    pub(crate) fn inverse_pivot(&self, row: usize) -> DMat3 {
        self.inverse_pivots[row]
    }

    /// Factors its rows of a system's matrix.
    pub(crate) fn refresh(&mut self, system: &FilteredSystem<'_>) {
        self.outcome = Outcome::of(|growth| {
            let failed = (0..self.rows.len()).find(|&row| !self.factor_row(system, row, growth));
            failed.map(|row| self.rows[row])
        });
    }

    /// Row of L and D; false when the pivot is not positive enough.
    fn factor_row(&mut self, system: &FilteredSystem<'_>, row: usize, growth: f64) -> bool {
        let (range, of_matrix) = (self.range(row), self.rows[row] as usize);
        for k in range.clone() {
            let entry = system.free_lower(of_matrix, self.sources[k] as usize);
            self.lower[k] = entry - self.common(range.start..k, self.columns[k] as usize);
        }
        let diagonal = system.free_diagonal(of_matrix) * growth;
        let mut pivot = diagonal;
        for k in range {
            let times_pivot = self.lower[k];
            self.lower[k] = times_pivot * self.inverse_pivots[self.columns[k] as usize];
            pivot -= times_pivot * self.lower[k].transpose();
        }
        self.inverse_pivots[row] = pivot.inverse();
        keeps_enough(pivot, diagonal)
    }

    /// Σ over the columns that the blocks in `mine` share with row `other`: my block, which still
    /// carries its pivot, times the other's transposed.
    fn common(&self, mine: Range<usize>, other: usize) -> DMat3 {
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

    /// L z = its rows of `residual`.
    pub(crate) fn forward(&mut self, residual: &[DVec3]) {
        self.taken.fill(DVec3::ZERO);
        for (row, &of_matrix) in self.rows.iter().enumerate() {
            let (columns, blocks) = self.row(row);
            let mut sum = residual[of_matrix as usize];
            for (block, &column) in blocks.iter().zip(columns) {
                sum -= *block * self.vector[column as usize];
            }
            self.vector[row] = sum;
        }
    }

    /// What a row's unknown is so far.
    pub(crate) fn solution(&self) -> &[DVec3] {
        &self.vector
    }

    /// Takes from a row what the border's unknowns stand for in it.
    pub(crate) fn take(&mut self, row: usize, value: DVec3) {
        self.taken[row] += value;
    }

    /// Lᵀ x = D⁻¹ z less what was taken.
    pub(crate) fn backward(&mut self) {
        let values = self.vector.iter_mut().zip(&self.taken);
        for ((value, taken), inverse) in values.zip(&self.inverse_pivots) {
            *value = *inverse * *value - *taken;
        }
        for row in (0..self.rows.len()).rev() {
            let here = self.vector[row];
            let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            for (block, &column) in self.lower[range.clone()].iter().zip(&self.columns[range]) {
                self.vector[column as usize] -= transposed_times(block, here);
            }
        }
    }
}

/// Whether a pivot keeps enough of its diagonal block, by the leading minors of the difference.
pub(crate) fn keeps_enough(pivot: DMat3, diagonal: DMat3) -> bool {
    let m = pivot - LEAST_PIVOT * diagonal;
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}
