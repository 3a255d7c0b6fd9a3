//! y = A x for a half-stored symmetric matrix, the same bits on any number of threads.
//!
//! Rows are cut into fixed chunks. A stored block (i, j) adds to row i and, transposed, to row j.
//! Row i lies in the chunk; row j may lie in an earlier one, and then its share goes to the
//! chunk's own spill. When all chunks are done, each row adds the spills meant for it, in the
//! order of the chunks. Neighbours have near numbers in any sensible order of the particles, so
//! spills are short; a bad order costs time, never correctness.

use glam::swizzles::Vec3Swizzles;
use glam::{DMat3, DVec2, DVec3};
use rayon::prelude::*;

use crate::parts::{CutItems, for_each_part};
use crate::pattern::BlockPattern;
use crate::spills::{MultiplyPlan, ROWS};

/// Room for what the chunks of a product owe each other, made once per pattern.
#[derive(Clone, Debug)]
pub(crate) struct MultiplyScratch {
    spill: Vec<DVec3>,
}

impl MultiplyScratch {
    /// Room for products with matrices of this pattern.
    pub(crate) fn new(pattern: &BlockPattern) -> Self {
        Self { spill: vec![DVec3::ZERO; pattern.multiply.sources.len()] }
    }
}

/// The two stored parts of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Halves<'a> {
    pub(crate) diagonal: &'a [DMat3],
    pub(crate) lower: &'a [DMat3],
}

/// `y` = A `x`.
pub(crate) fn multiply(
    pattern: &BlockPattern,
    matrix: Halves<'_>,
    vectors: (&[DVec3], &mut [DVec3]),
    scratch: &mut MultiplyScratch,
) {
    multiply_by((pattern, matrix), vectors, scratch, |product| {
        pulp::Arch::new().dispatch(product);
    });
}

/// `y` = A `x`, where `compute` does the product of a chunk.
fn multiply_by(
    (pattern, matrix): (&BlockPattern, Halves<'_>),
    (x, y): (&[DVec3], &mut [DVec3]),
    scratch: &mut MultiplyScratch,
    compute: impl Fn(ChunkProduct<'_>) + Sync,
) {
    let plan = &pattern.multiply;
    for_each_part(
        CutItems::new(y, &plan.row_bounds),
        CutItems::new(&mut scratch.spill, &plan.spill_bounds),
        &|chunk, y, spill| {
            compute(ChunkProduct { pattern, matrix, chunk, vectors: (x, y, spill) });
        },
    );
    let spill = &scratch.spill;
    y.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, y)| collect_spills(plan, spill, chunk, y));
}

/// The product of one chunk, compiled for several kinds of processors. Wider registers and more
/// operands change no bit: nothing is reordered or fused.
struct ChunkProduct<'a> {
    pattern: &'a BlockPattern,
    matrix: Halves<'a>,
    chunk: usize,
    vectors: (&'a [DVec3], &'a mut [DVec3], &'a mut [DVec3]),
}

impl pulp::NullaryFnOnce for ChunkProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        multiply_chunk(self.pattern, self.matrix, self.chunk, self.vectors);
    }
}

/// The rows of one chunk: `y` gets what its own blocks give it, `spill` what they give others.
#[inline(always)]
fn multiply_chunk(
    pattern: &BlockPattern,
    matrix: Halves<'_>,
    chunk: usize,
    (x, y, spill): (&[DVec3], &mut [DVec3], &mut [DVec3]),
) {
    let plan = &pattern.multiply;
    let (first, own_rows) = (plan.row_bounds[chunk], plan.own_rows[chunk]);
    let mut slots = plan.slots[plan.slot_begin[chunk]..].iter();
    y.fill(DVec3::ZERO);
    spill.fill(DVec3::ZERO);
    for row in first..own_rows {
        let range = pattern.lower_range(row);
        let own = plan.own_begin[row] as usize - range.start;
        let (columns, blocks) = (pattern.lower_columns(row), &matrix.lower[range]);
        let here = x[row];
        let mut sum = RowSum::new(&matrix.diagonal[row], here);
        for ((block, &column), &slot) in blocks[..own].iter().zip(columns).zip(slots.by_ref()) {
            sum.add(block, x[column as usize]);
            spill[slot as usize] += transposed_times(block, here);
        }
        for (block, &column) in blocks[own..].iter().zip(&columns[own..]) {
            sum.add(block, x[column as usize]);
            y[column as usize - first] += transposed_times(block, here);
        }
        y[row - first] += sum.total();
    }
    multiply_own(pattern, matrix, (first, own_rows), (&x[first..][..y.len()], y));
}

/// The rows from `begin` on of a chunk whose columns all lie in it; `x` and `y` are the chunk's.
#[inline(always)]
fn multiply_own(
    pattern: &BlockPattern,
    matrix: Halves<'_>,
    (first, begin): (usize, usize),
    (x, y): (&[DVec3], &mut [DVec3]),
) {
    let end = first + y.len();
    let rows = pattern.lower_ranges(begin..end).zip(&matrix.diagonal[begin..end]);
    for (row, (range, diagonal)) in (begin - first..).zip(rows) {
        let here = x[row];
        let mut sum = RowSum::new(diagonal, here);
        for (block, &column) in matrix.lower[range.clone()].iter().zip(pattern.columns(range)) {
            let column = column as usize - first;
            sum.add(block, x[column]);
            y[column] += transposed_times(block, here);
        }
        y[row] += sum.total();
    }
}

/// The sum of a row's products. The last component is summed by columns, so that only the first
/// two, which processors handle as a pair, are added up in every product.
struct RowSum {
    upper: DVec2,
    last: DVec3,
}

impl RowSum {
    #[inline(always)]
    fn new(block: &DMat3, x: DVec3) -> Self {
        Self { upper: upper_times(block, x), last: last_row(block) * x }
    }

    #[inline(always)]
    fn add(&mut self, block: &DMat3, x: DVec3) {
        self.upper += upper_times(block, x);
        self.last += last_row(block) * x;
    }

    #[inline(always)]
    fn total(&self) -> DVec3 {
        self.upper.extend(self.last.x + self.last.y + self.last.z)
    }
}

/// The first two components of B x.
#[inline(always)]
fn upper_times(block: &DMat3, x: DVec3) -> DVec2 {
    block.x_axis.xy() * x.x + block.y_axis.xy() * x.y + block.z_axis.xy() * x.z
}

#[inline(always)]
fn last_row(block: &DMat3) -> DVec3 {
    DVec3::new(block.x_axis.z, block.y_axis.z, block.z_axis.z)
}

/// Adds to a chunk's rows what other chunks spilled for them, in the order of the chunks.
fn collect_spills(plan: &MultiplyPlan, spill: &[DVec3], chunk: usize, y: &mut [DVec3]) {
    let first = plan.row_bounds[chunk];
    for k in plan.spilled_begin[chunk]..plan.spilled_begin[chunk + 1] {
        let sources = plan.source_begin[k] as usize..plan.source_begin[k + 1] as usize;
        let row = &mut y[plan.spilled_rows[k] as usize - first];
        for &source in &plan.sources[sources] {
            *row += spill[source as usize];
        }
    }
}

/// Bᵀ x.
#[inline(always)]
fn transposed_times(block: &DMat3, x: DVec3) -> DVec3 {
    DVec3::new(block.x_axis.dot(x), block.y_axis.dot(x), block.z_axis.dot(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 2 * ROWS + 77;

    fn number(k: usize) -> f64 {
        ((k * 7919 % 1009) as f64 - 504.0).powi(3) * 1e-7 + 0.1
    }

    /// A pattern of three chunks that spill, and the blocks of a matrix.
    fn matrix() -> (BlockPattern, Vec<DMat3>) {
        let far = |i: u32| (i * 7) % 40 + 1;
        let pairs = (50..COUNT as u32).flat_map(|i| [[i, i - 1], [i, i - far(i)], [i, i - 41]]);
        let pattern = BlockPattern::new(COUNT, pairs).unwrap();
        let block = |k: usize| DMat3::from_cols_array(&std::array::from_fn(|c| number(9 * k + c)));
        let blocks = (0..pattern.stored_blocks()).map(block).collect();
        (pattern, blocks)
    }

    fn vector() -> Vec<DVec3> {
        (0..COUNT).map(|i| DVec3::from_array([1, 2, 3].map(|k| number(i + 5 * k)))).collect()
    }

    #[test]
    fn bits_do_not_depend_on_the_kind_of_processor() {
        let ((pattern, blocks), x) = (matrix(), vector());
        let (diagonal, lower) = blocks.split_at(COUNT);
        let matrix = Halves { diagonal, lower };
        let (mut wide, mut plain) = (x.clone(), x.clone());
        let mut scratch = MultiplyScratch::new(&pattern);
        multiply(&pattern, matrix, (&x, &mut wide), &mut scratch);
        multiply_by((&pattern, matrix), (&x, &mut plain), &mut scratch, |product| {
            pulp::NullaryFnOnce::call(product);
        });
        let bits = |y: &DVec3| y.to_array().map(f64::to_bits);
        assert!(wide.iter().map(bits).eq(plain.iter().map(bits)));
    }

    #[test]
    fn half_storage_multiplies_as_full_storage_does_across_chunks() {
        let ((pattern, blocks), x) = (matrix(), vector());
        let mut full = vec![DVec3::ZERO; COUNT];
        for ((row, column), block) in pattern.stored().zip(&blocks) {
            full[row as usize] += *block * x[column as usize];
            if row != column {
                full[column as usize] += block.transpose() * x[row as usize];
            }
        }
        let (diagonal, lower) = blocks.split_at(COUNT);
        let mut half = vec![DVec3::NAN; COUNT];
        let mut scratch = MultiplyScratch::new(&pattern);
        for _ in 0..2 {
            multiply(&pattern, Halves { diagonal, lower }, (&x, &mut half), &mut scratch);
            let largest = full.iter().map(|y| y.length()).fold(0.0, f64::max);
            let error = half.iter().zip(&full).map(|(h, f)| h.distance(*f)).fold(0.0, f64::max);
            assert!(error < 1e-14 * largest, "{error:e} of {largest:e}");
        }
    }
}
