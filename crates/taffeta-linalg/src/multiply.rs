//! y = A x for a half-stored symmetric matrix, the same bits on any number of threads.
//!
//! Rows are cut into fixed chunks. A stored block (i, j) adds to row i and, transposed, to row j.
//! Row i lies in the chunk; row j may lie in an earlier one, and then its share goes to the
//! chunk's own spill. When all chunks are done, each row adds the spills meant for it, in the
//! order of the chunks. Neighbours have near numbers in any sensible order of the particles, so
//! spills are short; a bad order costs time, never correctness.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::parts::{Cut, even_bounds, for_each_part};
use crate::pattern::BlockPattern;

/// Rows in a chunk: some 10 µs of work, so that small cloth still feeds several threads.
const ROWS: usize = 512;

/// Where the chunks of a pattern put what belongs to other chunks.
#[derive(Clone, Debug)]
pub(crate) struct MultiplyPlan {
    row_bounds: Vec<usize>,
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
        let mut own_begin = vec![0; rows];
        let mut targets = Vec::new();
        for bounds in row_bounds.windows(2) {
            let mut outside = outside_columns(offsets, columns, bounds);
            for row in bounds[0]..bounds[1] {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let before = columns[range.clone()].partition_point(|&c| (c as usize) < bounds[0]);
                own_begin[row] = (range.start + before) as u32;
                let spilled = &columns[range.start..range.start + before];
                slots.extend(spilled.iter().map(|c| outside.partition_point(|o| o < c) as u32));
            }
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
    (x, y): (&[DVec3], &mut [DVec3]),
    scratch: &mut MultiplyScratch,
) {
    let plan = &pattern.multiply;
    for_each_part(
        Cut::new(y, &plan.row_bounds),
        Cut::new(&mut scratch.spill, &plan.spill_bounds),
        &|chunk, y, spill| multiply_chunk(pattern, matrix, chunk, (x, y, spill)),
    );
    let spill = &scratch.spill;
    y.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, y)| collect_spills(plan, spill, chunk, y));
}

/// The rows of one chunk: `y` gets what its own blocks give it, `spill` what they give others.
fn multiply_chunk(
    pattern: &BlockPattern,
    matrix: Halves<'_>,
    chunk: usize,
    (x, y, spill): (&[DVec3], &mut [DVec3], &mut [DVec3]),
) {
    let plan = &pattern.multiply;
    let first = plan.row_bounds[chunk];
    let mut slots = plan.slots[plan.slot_begin[chunk]..].iter();
    y.fill(DVec3::ZERO);
    spill.fill(DVec3::ZERO);
    for row in first..plan.row_bounds[chunk + 1] {
        let range = pattern.lower_range(row);
        let own = plan.own_begin[row] as usize - range.start;
        let (columns, blocks) = (pattern.lower_columns(row), &matrix.lower[range]);
        let here = x[row];
        let mut sum = matrix.diagonal[row] * here;
        for ((block, &column), &slot) in blocks[..own].iter().zip(columns).zip(slots.by_ref()) {
            sum += *block * x[column as usize];
            spill[slot as usize] += transposed_times(block, here);
        }
        for (block, &column) in blocks[own..].iter().zip(&columns[own..]) {
            sum += *block * x[column as usize];
            y[column as usize - first] += transposed_times(block, here);
        }
        y[row - first] += sum;
    }
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
pub(crate) fn transposed_times(block: &DMat3, x: DVec3) -> DVec3 {
    DVec3::new(block.x_axis.dot(x), block.y_axis.dot(x), block.z_axis.dot(x))
}
