//! Where chunks of rows put what belongs to other chunks, in a product by half of a matrix.

use crate::parts::even_bounds;

/// Rows in a chunk: some 20 µs of work, so that small cloth still feeds several threads, and few
/// rows spill.
pub(crate) const ROWS: usize = 1024;

/// Where the chunks of a pattern put what belongs to other chunks.
#[derive(Clone, Debug)]
pub(crate) struct MultiplyPlan {
    pub row_bounds: Vec<usize>,
    /// For each chunk the row from which on no row has columns outside the chunk.
    pub own_rows: Vec<usize>,
    /// First block of each row whose column lies in the row's own chunk.
    pub own_begin: Vec<u32>,
    /// For each block with a column outside its chunk, its place in the chunk's spill.
    pub slots: Vec<u32>,
    /// Where each chunk begins in `slots`.
    pub slot_begin: Vec<usize>,
    pub spill_bounds: Vec<usize>,
    /// Spilled rows in ascending order, and for each where its places in all spills begin.
    pub spilled_rows: Vec<u32>,
    pub source_begin: Vec<u32>,
    pub sources: Vec<u32>,
    /// Where the rows of each chunk begin in `spilled_rows`.
    pub spilled_begin: Vec<usize>,
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
