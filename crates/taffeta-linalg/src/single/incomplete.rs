//! Incomplete Cholesky with some fill, domain by domain; and patches of rows, where there are many.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use super::matrix::RowMatrix;
use super::patches::Patches;
use super::pattern::RowPattern;
use crate::factor::FactorError;

/// The enlargement of the diagonal to try when a factor breaks down, doubled until it does not.
const FIRST_SHIFT: f32 = 0.01;
/// What the next factor starts from, as a share of the last enlargement.
const SHRINK: f32 = 0.7;
/// A positive definite matrix passes before.
const LARGEST_SHIFT: f32 = 1e3;
/// How many times softer than its diagonal block a pivot may be.
const SOFTEST: f64 = 3e3;

/// L D Lᵀ ≈ A.
#[derive(Clone, Debug)]
pub struct RowFactor {
    /// Where the blocks of each row of L begin, their columns, and where they are in the matrix.
    offsets: Vec<u32>,
    columns: Vec<u32>,
    sources: Vec<Option<u32>>,
    lower: Vec<Mat3A>,
    /// The same by columns of L, transposed: their rows, and their places in L.
    column_offsets: Vec<u32>,
    column_rows: Vec<u32>,
    column_places: Vec<u32>,
    upper: Vec<Mat3A>,
    /// D⁻¹.
    inverse_pivots: Vec<Mat3A>,
    domains: Vec<usize>,
    patches: Option<Patches>,
    /// The enlargement of the diagonal that the last factor needed.
    pub(super) shift: f32,
}

impl RowFactor {
    /// Plans for matrices of a pattern, with fill up to a level.
    pub fn new(pattern: &RowPattern, level: u32) -> Self {
        let filled = fill_pattern(pattern, level);
        let (mut offsets, mut columns, mut sources) = (vec![0], Vec::new(), Vec::new());
        let mut of_column = vec![Vec::new(); pattern.len()];
        for (row, filled) in (0..).zip(&filled) {
            for &(column, _) in filled {
                of_column[column as usize].push((row, columns.len() as u32));
                columns.push(column);
                sources.push(pattern.place(row, column).map(|place| place as u32));
            }
            offsets.push(columns.len() as u32);
        }
        let (mut column_offsets, mut column_rows, mut column_places) = (vec![0], vec![], vec![]);
        for entries in of_column {
            for (row, place) in entries {
                column_rows.push(row);
                column_places.push(place);
            }
            column_offsets.push(column_rows.len() as u32);
        }
        Self {
            offsets,
            lower: vec![Mat3A::ZERO; columns.len()],
            upper: vec![Mat3A::ZERO; columns.len()],
            columns,
            sources,
            column_offsets,
            column_rows,
            column_places,
            inverse_pivots: vec![Mat3A::ZERO; pattern.len()],
            domains: pattern.domains.clone(),
            patches: None,
            shift: 0.0,
        }
    }

    /// With patches besides, where particles at rest in these places are many: iterations grow less with
    /// them.
    pub fn with_patches(self, pattern: &RowPattern, rest: &[DVec3]) -> Self {
        Self { patches: Patches::new(pattern, rest), ..self }
    }

    /// Starts from no enlargement of the diagonal again.
    pub fn forget(&mut self) {
        self.shift = 0.0;
    }

    /// Factors a matrix; with an enlarged diagonal if it has to be.
    pub fn refresh(&mut self, matrix: &RowMatrix) -> Result<(), FactorError> {
        self.shift = if self.shift < FIRST_SHIFT { 0.0 } else { SHRINK * self.shift };
        while let Err(row) = self.factor(matrix) {
            if self.shift > LARGEST_SHIFT || self.shift.is_nan() {
                return Err(FactorError::Pivot { row: 3 * row });
            }
            self.shift = (2.0 * self.shift).max(FIRST_SHIFT);
        }
        let (lower, places) = (&self.lower, &self.column_places);
        crate::parallel::fill(&mut self.upper, 8192, |k| lower[places[k] as usize].transpose());
        self.patches.as_mut().map_or(Ok(()), |patches| patches.refresh(matrix))
    }

    /// The factor with the present shift, or a row whose pivot is not positive enough.
    fn factor(&mut self, matrix: &RowMatrix) -> Result<(), usize> {
        let Self { offsets, columns, sources, lower, inverse_pivots, domains, shift, .. } = self;
        let plan = Plan { offsets, columns, sources, growth: 1.0 + *shift };
        let last = domains.len() - 2;
        let (mut lower, mut pivots) = (&mut lower[..], &mut inverse_pivots[..]);
        let mut parts = Vec::with_capacity(last);
        for domain in 0..last {
            let rows = domains[domain]..domains[domain + 1];
            let blocks = offsets[rows.end] as usize - offsets[rows.start] as usize;
            let (own_blocks, later_blocks) = std::mem::take(&mut lower).split_at_mut(blocks);
            let (own_pivots, later_pivots) = std::mem::take(&mut pivots).split_at_mut(rows.len());
            parts.push((rows, own_blocks, own_pivots));
            (lower, pivots) = (later_blocks, later_pivots);
        }
        for_all(&mut parts, &|(rows, lower, pivots)| {
            plan.factor(matrix, rows.clone(), (lower, pivots), rows.start)
        })?;
        let rows = domains[last]..domains[last + 1];
        plan.factor(matrix, rows, (&mut self.lower, &mut self.inverse_pivots), 0)
    }

    /// `z` is about what the matrix makes `r` of, within what is free.
    pub(super) fn precondition(&mut self, matrix: &RowMatrix, r: &[Vec3A], z: &mut [Vec3A]) {
        self.apply(r, z);
        if let Some(patches) = &mut self.patches {
            patches.add(r, z);
            matrix.filter(z);
        }
    }

    /// `z` = (L D Lᵀ)⁻¹ `r`.
    pub(super) fn apply(&self, r: &[Vec3A], z: &mut [Vec3A]) {
        let last = self.domains.len() - 2;
        let (inner, between) = z.split_at_mut(self.domains[last]);
        self.in_domains(inner, &|rows: std::ops::Range<usize>, z: &mut [Vec3A]| {
            self.forward(r, rows.clone(), z, rows.start);
        });
        // What is between reads all.
        for row in self.domains[last]..self.domains[last + 1] {
            let mut sum = r[row];
            for k in self.offsets[row] as usize..self.offsets[row + 1] as usize {
                let column = self.columns[k] as usize;
                let value = match column.checked_sub(self.domains[last]) {
                    Some(column) => between[column],
                    None => inner[column],
                };
                sum -= self.lower[k] * value;
            }
            between[row - self.domains[last]] = sum;
        }
        let first = self.domains[last];
        for row in (first..self.domains[last + 1]).rev() {
            let mut sum = self.inverse_pivots[row] * between[row - first];
            for k in self.column_offsets[row] as usize..self.column_offsets[row + 1] as usize {
                sum -= self.upper[k] * between[self.column_rows[k] as usize - first];
            }
            between[row - first] = sum;
        }
        let between = &*between;
        self.in_domains(inner, &|rows: std::ops::Range<usize>, z: &mut [Vec3A]| {
            for row in rows.clone().rev() {
                let mut sum = self.inverse_pivots[row] * z[row - rows.start];
                for k in self.column_offsets[row] as usize..self.column_offsets[row + 1] as usize {
                    let other = self.column_rows[k] as usize;
                    let value = match other.checked_sub(first) {
                        Some(other) => between[other],
                        None => z[other - rows.start],
                    };
                    sum -= self.upper[k] * value;
                }
                z[row - rows.start] = sum;
            }
        });
    }

    fn forward(&self, r: &[Vec3A], rows: std::ops::Range<usize>, z: &mut [Vec3A], first: usize) {
        for row in rows {
            let mut sum = r[row];
            for k in self.offsets[row] as usize..self.offsets[row + 1] as usize {
                sum -= self.lower[k] * z[self.columns[k] as usize - first];
            }
            z[row - first] = sum;
        }
    }

    /// Does something with the rows of every domain but the one between.
    fn in_domains(
        &self,
        z: &mut [Vec3A],
        work: &(impl Fn(std::ops::Range<usize>, &mut [Vec3A]) + Sync),
    ) {
        split_domains(&self.domains[..self.domains.len() - 1], z, work);
    }
}

fn split_domains(
    domains: &[usize],
    z: &mut [Vec3A],
    work: &(impl Fn(std::ops::Range<usize>, &mut [Vec3A]) + Sync),
) {
    match domains.len() - 1 {
        0 => {}
        1 => work(domains[0]..domains[1], z),
        count => {
            let half = count / 2;
            let (left, right) = z.split_at_mut(domains[half] - domains[0]);
            rayon::join(
                || split_domains(&domains[..=half], left, work),
                || split_domains(&domains[half..], right, work),
            );
        }
    }
}

/// Works on all parts, halves on different threads; of what fails, the first.
fn for_all<T: Send>(
    parts: &mut [T],
    work: &(impl Fn(&mut T) -> Result<(), usize> + Sync),
) -> Result<(), usize> {
    match parts {
        [] => Ok(()),
        [one] => work(one),
        more => {
            let (left, right) = more.split_at_mut(more.len() / 2);
            let (one, other) = rayon::join(|| for_all(left, work), || for_all(right, work));
            one.and(other)
        }
    }
}

/// What a factor is planned by.
struct Plan<'a> {
    offsets: &'a [u32],
    columns: &'a [u32],
    sources: &'a [Option<u32>],
    growth: f32,
}

impl Plan<'_> {
    /// Factors rows whose columns are from `first` on; L and D⁻¹ begin there, too.
    fn factor(
        &self,
        matrix: &RowMatrix,
        rows: std::ops::Range<usize>,
        (lower, pivots): (&mut [Mat3A], &mut [Mat3A]),
        first: usize,
    ) -> Result<(), usize> {
        let base = self.offsets[first] as usize;
        // The row of L D.
        let mut scaled: Vec<Mat3A> = Vec::with_capacity(64);
        let range = |row: usize| self.offsets[row] as usize..self.offsets[row + 1] as usize;
        for row in rows {
            let own = range(row);
            let diagonal = matrix.diagonal[row] * self.growth;
            let mut pivot = diagonal;
            scaled.clear();
            for k in own.clone() {
                let column = self.columns[k] as usize;
                let source = self.sources[k].map(|place| matrix.blocks[place as usize]);
                let mut block = source.unwrap_or(Mat3A::ZERO);
                let other = range(column);
                let (mut a, mut b) = (own.start, other.start);
                while a < k && b < other.end {
                    let (mine, theirs) = (self.columns[a], self.columns[b]);
                    if mine == theirs {
                        block -= times_transposed(&scaled[a - own.start], &lower[b - base]);
                    }
                    a += usize::from(mine <= theirs);
                    b += usize::from(theirs <= mine);
                }
                scaled.push(block);
                lower[k - base] = block * pivots[column - first];
                pivot -= times_transposed(&block, &lower[k - base]);
            }
            let Some(inverse) = inverse(&pivot, &diagonal) else { return Err(row) };
            pivots[row - first] = inverse;
        }
        Ok(())
    }
}

/// a bᵀ.
#[inline]
fn times_transposed(a: &Mat3A, b: &Mat3A) -> Mat3A {
    let column = |x: f32, y: f32, z: f32| a.x_axis * x + a.y_axis * y + a.z_axis * z;
    Mat3A::from_cols(
        column(b.x_axis.x, b.y_axis.x, b.z_axis.x),
        column(b.x_axis.y, b.y_axis.y, b.z_axis.y),
        column(b.x_axis.z, b.y_axis.z, b.z_axis.z),
    )
}

/// The inverse of a pivot, if it keeps enough of its diagonal block.
fn inverse(pivot: &Mat3A, diagonal: &Mat3A) -> Option<Mat3A> {
    let double =
        |m: &Mat3A| DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3());
    let m = double(pivot);
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    let determinant = m.determinant();
    let definite = m.x_axis.x > 0.0
        && minor > 1e-6 * m.x_axis.x * m.y_axis.y
        && determinant > 1e-6 * minor * m.z_axis.z;
    if !definite {
        return None;
    }
    let inverse = m.inverse();
    let whole = double(diagonal);
    let softness = inverse.x_axis.dot(whole.x_axis)
        + inverse.y_axis.dot(whole.y_axis)
        + inverse.z_axis.dot(whole.z_axis);
    // Rounding has made it a little askew.
    let symmetric = (inverse + inverse.transpose()) * 0.5;
    (softness < SOFTEST).then(|| super::matrix::single(symmetric))
}

/// The columns of each row of L with the level of their fill: what two columns of a row have in
/// common in a later row is one level above both.
fn fill_pattern(pattern: &RowPattern, level: u32) -> Vec<Vec<(u32, u32)>> {
    let mut filled: Vec<Vec<(u32, u32)>> = Vec::with_capacity(pattern.len());
    // For each column, the rows that have it, and its level there.
    let mut below: Vec<Vec<(u32, u32)>> = vec![Vec::new(); pattern.len()];
    for row in 0..pattern.len() as u32 {
        let own = &pattern.columns[pattern.range(row as usize)];
        let mut levels: std::collections::BTreeMap<u32, u32> =
            own.iter().filter(|&&column| column < row).map(|&column| (column, 0)).collect();
        let mut next = levels.first_key_value().map(|(&column, &level)| (column, level));
        while let Some((column, above)) = next {
            for &(other, beside) in &below[column as usize] {
                let new = above + beside + 1;
                if new <= level && other < row {
                    let known = levels.entry(other).or_insert(new);
                    *known = new.min(*known);
                }
            }
            next = levels.range(column + 1..).next().map(|(&column, &level)| (column, level));
        }
        for (&column, &level) in &levels {
            below[column as usize].push((row, level));
        }
        filled.push(levels.into_iter().collect());
    }
    filled
}
