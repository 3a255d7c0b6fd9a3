//! Incomplete Cholesky without fill, in 3×3 blocks.
//!
//! The factor is that of the whole matrix, row after row on one thread. Chunks of rows that threads
//! factor on their own, leaving couplings between them out, took twice the iterations on a hanging
//! sheet of 2,601 particles; an order in which chunks share a border and leave nothing out still
//! took 27.7 iterations a step instead of 12.4 at 10,000.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::factor::FactorError;
use crate::multiply::transposed_times;
use crate::pattern::BlockPattern;
use crate::pcg::Preconditioner;
use crate::system::FilteredSystem;

/// Enlargements of the diagonal to try one after the other, as parts of it. The first is for every
/// factor: it saves a twentieth of the iterations of cloth in small folds, and most matrices of limp
/// cloth pass. Those of stiff cloth pass with the last, or nearly, so that smaller steps between
/// would be factors in vain: twice as large each time, a sheet of 2,601 particles had 3.9 factors
/// a step at ten times the bending where these have 1.8.
const SHIFTS: [f64; 3] = [1.5e-3, 1e-2, 7.5e-2];
/// What follows them is twice as large each time, up to this. A positive definite matrix passes
/// before, because that makes its diagonal outweigh its rows.
const LARGEST_SHIFT: f64 = 1e3;
/// The part of its diagonal block that a pivot must keep in every direction.
const LEAST_PIVOT: f64 = 1e-6;

/// L D Lᵀ ≈ A with the pattern of A.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky {
    /// Where each row begins in `columns`; one more entry than rows.
    offsets: Vec<u32>,
    columns: Vec<u32>,
    lower: Vec<DMat3>,
    /// D⁻¹.
    inverse_pivots: Vec<DMat3>,
}

impl IncompleteCholesky {
    /// Plans for matrices of this pattern; refresh before use.
    pub fn new(pattern: &BlockPattern) -> Self {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for row in 0..pattern.rows() {
            columns.extend_from_slice(pattern.lower_columns(row));
            offsets.push(columns.len() as u32);
        }
        Self {
            offsets,
            lower: vec![DMat3::ZERO; columns.len()],
            columns,
            inverse_pivots: vec![DMat3::IDENTITY; pattern.rows()],
        }
    }

    /// Factors the free part of a system's matrix with a slightly enlarged diagonal; if a pivot
    /// fails, again with a larger one. Returns the enlargement, relative to the diagonal.
    pub fn refresh(&mut self, system: &FilteredSystem<'_>) -> Result<f64, FactorError> {
        let rows = self.inverse_pivots.len();
        let mut shift = SHIFTS[0];
        loop {
            match (0..rows).find(|&row| !self.factor_row(system, row, 1.0 + shift)) {
                None => return Ok(shift),
                Some(row) if shift >= LARGEST_SHIFT => {
                    return Err(FactorError::Pivot { row: 3 * row });
                }
                Some(_) => shift = larger(shift),
            }
        }
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Row of L and D; false when the pivot is not positive enough.
    fn factor_row(&mut self, system: &FilteredSystem<'_>, row: usize, growth: f64) -> bool {
        let range = self.range(row);
        for k in range.clone() {
            let entry = system.free_lower(row, k - range.start);
            self.lower[k] = entry - self.common(range.start..k, self.columns[k] as usize);
        }
        let diagonal = system.free_diagonal(row) * growth;
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
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, residual: &[DVec3], out: &mut [DVec3]) {
        for (row, residual) in residual.iter().enumerate() {
            let mut sum = *residual;
            for k in self.range(row) {
                sum -= self.lower[k] * out[self.columns[k] as usize];
            }
            out[row] = sum;
        }
        for (value, inverse) in out.iter_mut().zip(&self.inverse_pivots) {
            *value = *inverse * *value;
        }
        for row in (0..out.len()).rev() {
            let here = out[row];
            for k in self.range(row) {
                out[self.columns[k] as usize] -= transposed_times(&self.lower[k], here);
            }
        }
    }
}

/// The enlargement to try after this one.
fn larger(shift: f64) -> f64 {
    SHIFTS.into_iter().find(|&next| next > shift).unwrap_or(2.0 * shift)
}

/// Whether a pivot keeps enough of its diagonal block, by the leading minors of the difference.
fn keeps_enough(pivot: DMat3, diagonal: DMat3) -> bool {
    let m = pivot - LEAST_PIVOT * diagonal;
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{AssemblyPlan, BlockMatrix, Filter, MultiplyScratch, Pcg, PcgLimits};

    /// Triangles that share corners, and rows that couple to a single other: eliminating them in
    /// order fills nothing, so that the factor is exact.
    const PAIRS: [[u32; 2]; 8] =
        [[1, 0], [2, 0], [2, 1], [9, 2], [4096, 5], [4200, 4096], [4097, 9], [4300, 4097]];

    #[test]
    fn a_factor_without_fill_is_exact() {
        let rows = 4500;
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
        let mut factor = IncompleteCholesky::new(&pattern);
        assert_eq!(factor.refresh(&system).unwrap(), SHIFTS[0]);

        // What it is the factor of.
        let mut enlarged = matrix.clone();
        enlarged.diagonal_mut().iter_mut().for_each(|block| *block *= 1.0 + SHIFTS[0]);
        let number = |i: usize| (i * 7919 % 1009) as f64 * 1e-3 - 0.5;
        let free = |i: usize| filters[i].free_part(DVec3::new(number(i), number(i + 1), 1.0));
        let expected: Vec<DVec3> = (0..rows).map(free).collect();
        let (mut image, mut found) = (expected.clone(), expected.clone());
        enlarged.multiply(&expected, &mut image, &mut MultiplyScratch::new(&pattern));
        image.iter_mut().zip(filters).for_each(|(image, filter)| *image = filter.free_part(*image));
        factor.apply(&image, &mut found);
        let error = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(error < 1e-14, "{error:e}");
    }

    /// The matrix of Kershaw 1978, positive definite, whose factor without fill has a negative
    /// pivot: 3 on the diagonal, and 2 and three times −2 around a circle of four.
    #[test]
    fn a_factor_that_breaks_down_is_mended_and_still_preconditions() {
        let circle = [[1, 0], [2, 1], [3, 2], [3, 0]];
        let pattern = Arc::new(BlockPattern::new(4, circle).unwrap());
        let mut matrix = BlockMatrix::new(Arc::clone(&pattern));
        matrix.diagonal_mut().fill(3.0 * DMat3::IDENTITY);
        let mut right = vec![DVec3::ZERO; 4];
        AssemblyPlan::new(&pattern, &circle).unwrap().add(&mut matrix, &mut right, |e, out| {
            out.blocks[1][0] = if e == 3 { 2.0 } else { -2.0 } * DMat3::IDENTITY;
        });
        right[1] = DVec3::new(1.0, -2.0, 0.5);
        let (filters, prescribed) = (&[Filter::FREE; 4][..], &[DVec3::ZERO; 4][..]);
        let system = FilteredSystem { matrix: &matrix, right: &right, filters, prescribed };
        let mut factor = IncompleteCholesky::new(&pattern);
        assert!(!(0..4).all(|row| factor.factor_row(&system, row, 1.0 + SHIFTS[0])));
        let shift = factor.refresh(&system).unwrap();
        assert!(shift > SHIFTS[0] && shift < 1.0, "{shift}");
        let mut found = [DVec3::ZERO; 4];
        let limits = PcgLimits { tolerance: 1e-12, enough: 0.0, max_iterations: 12 };
        let report = Pcg::new(&pattern).solve(&system, &mut factor, &mut found, limits).unwrap();
        let mut image = found;
        matrix.multiply(&found, &mut image, &mut MultiplyScratch::new(&pattern));
        assert!(report.converged && (0..4).all(|i| image[i].distance(right[i]) < 1e-11));
    }
}
