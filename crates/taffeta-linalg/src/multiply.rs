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

use crate::parts::{Cut, even_bounds, for_each_part};
use crate::pattern::BlockPattern;

/// Rows in a chunk: some 20 µs of work, so that small cloth still feeds several threads, and few
/// rows spill.
const ROWS: usize = 1024;

/// Where the chunks of a pattern put what belongs to other chunks.
#[derive(Clone, Debug)]
pub(crate) struct MultiplyPlan {
    row_bounds: Vec<usize>,
    /// For each chunk the row from which on no row has columns outside the chunk.
    own_rows: Vec<usize>,
    /// First block of each row whose column lies in the row's own chunk.
    own_begin: Vec<u32>,
    /// For each block with a column outside its chunk, its place in the chunk's spill.
    slots: Vec<u32>,
    /// Where each chunk begins in `slots`.
    slot_begin: Vec<usize>,
    spill_bounds: Vec<usize>,
    /// Spilled rows in ascending order, and for each where its places in all spills begin.
    spilled_rows: Vec<u32>,
    source_begin: Vec<u32>,
    sources: Vec<u32>,
    /// Where the rows of each chunk begin in `spilled_rows`.
    spilled_begin: Vec<usize>,
}

impl MultiplyPlan {
    /// The plan for strictly lower blocks: row `i` has columns `columns[offsets[i]..offsets[i + 1]]`.
    pub(crate) fn new(offsets: &[u32], columns: &[u32]) -> Self {
        let rows = offsets.len() - 1;
        let row_bounds = even_bounds(rows, ROWS);
        let (mut slots, mut slot_begin, mut spill_bounds) = (Vec::new(), vec![0], vec![0]);
        let (mut own_begin, mut own_rows) = (vec![0; rows], Vec::new());
        let mut targets = Vec::new();
        for bounds in row_bounds.windows(2) {
            let mut outside = outside_columns(offsets, columns, bounds);
            let mut own_rows_begin = bounds[0];
            for row in bounds[0]..bounds[1] {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let before = columns[range.clone()].partition_point(|&c| (c as usize) < bounds[0]);
                own_begin[row] = (range.start + before) as u32;
                if before > 0 {
                    own_rows_begin = row + 1;
                }
                let spilled = &columns[range.start..range.start + before];
                slots.extend(spilled.iter().map(|c| outside.partition_point(|o| o < c) as u32));
            }
            own_rows.push(own_rows_begin);
            let base = targets.len() as u32;
            targets.extend((base..).zip(outside.drain(..)).map(|(place, row)| (row, place)));
            slot_begin.push(slots.len());
            spill_bounds.push(targets.len());
        }
        targets.sort_unstable();
        let (spilled_rows, source_begin) = group_rows(&targets);
        let sources = targets.iter().map(|&(_, place)| place).collect();
        let spilled_begin = row_bounds
            .iter()
            .map(|&bound| spilled_rows.partition_point(|&row| (row as usize) < bound))
            .collect();
        Self {
            row_bounds,
            own_rows,
            own_begin,
            slots,
            slot_begin,
            spill_bounds,
            spilled_rows,
            source_begin,
            sources,
            spilled_begin,
        }
    }
}

/// The columns that rows `bounds[0]..bounds[1]` have before `bounds[0]`, ascending.
fn outside_columns(offsets: &[u32], columns: &[u32], bounds: &[usize]) -> Vec<u32> {
    let range = offsets[bounds[0]] as usize..offsets[bounds[1]] as usize;
    let mut outside: Vec<u32> =
        columns[range].iter().copied().filter(|&c| (c as usize) < bounds[0]).collect();
    outside.sort_unstable();
    outside.dedup();
    outside
}

/// The distinct rows of sorted (row, place) pairs and where each begins, with the end appended.
fn group_rows(targets: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let (mut rows, mut begin) = (Vec::new(), Vec::new());
    for (k, &(row, _)) in targets.iter().enumerate() {
        if rows.last() != Some(&row) {
            rows.push(row);
            begin.push(k as u32);
        }
    }
    begin.push(targets.len() as u32);
    (rows, begin)
}

/// Room for what the chunks of a product owe each other, made once per pattern.
#[derive(Clone, Debug)]
pub struct MultiplyScratch {
    spill: Vec<DVec3>,
}

impl MultiplyScratch {
    /// Room for products with matrices of this pattern.
    pub fn new(pattern: &BlockPattern) -> Self {
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
        Cut::new(y, &plan.row_bounds),
        Cut::new(&mut scratch.spill, &plan.spill_bounds),
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
pub(crate) fn transposed_times(block: &DMat3, x: DVec3) -> DVec3 {
    DVec3::new(block.x_axis.dot(x), block.y_axis.dot(x), block.z_axis.dot(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_do_not_depend_on_the_kind_of_processor() {
        let rows = 2 * ROWS + 77;
        let far = |i: u32| (i * 7) % 40 + 1;
        let pairs = (50..rows as u32).flat_map(|i| [[i, i - 1], [i, i - far(i)], [i, i - 41]]);
        let pattern = BlockPattern::new(rows, pairs).unwrap();
        let number = |k: usize| ((k * 7919 % 1009) as f64 - 504.0).powi(3) * 1e-7 + 0.1;
        let block = |k: usize| DMat3::from_cols_array(&std::array::from_fn(|c| number(9 * k + c)));
        let blocks: Vec<DMat3> = (0..pattern.stored_blocks()).map(block).collect();
        let (diagonal, lower) = blocks.split_at(rows);
        let matrix = Halves { diagonal, lower };
        let x: Vec<DVec3> =
            (0..rows).map(|i| DVec3::from_array([1, 2, 3].map(|k| number(i + 5 * k)))).collect();
        let (mut wide, mut plain) = (x.clone(), x.clone());
        let mut scratch = MultiplyScratch::new(&pattern);
        multiply(&pattern, matrix, (&x, &mut wide), &mut scratch);
        multiply_by((&pattern, matrix), (&x, &mut plain), &mut scratch, |product| {
            pulp::NullaryFnOnce::call(product);
        });
        let bits = |y: &DVec3| y.to_array().map(f64::to_bits);
        assert!(wide.iter().map(bits).eq(plain.iter().map(bits)));
    }
}
