//! The lattice of a sheet: cells of several crossings that can move as one.

use std::ops::Range;

/// Lines through a sheet, every so many crossings, and the cells between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lattice {
    size: u32,
    /// The crossings of the sheet along a row and along a column.
    counts: [u32; 2],
    /// The cells that a place along a row, or along a column, is in: two on a line between them.
    cells: [Vec<[u32; 2]>; 2],
}

/// A cell, by its number along the rows and along the columns.
pub(crate) type Cell = [u32; 2];

impl Lattice {
    /// Of a sheet of so many columns and rows, with cells of at most so many crossings a side, all
    /// about as large: long ones would be too stiff, since their diagonals lie along them.
    pub fn new(columns: u32, rows: u32, size: u32) -> Self {
        let counts = [columns, rows];
        let size = size.min(columns.min(rows).saturating_sub(1)).max(1);
        let mut lattice = Self { size, counts, cells: [Vec::new(), Vec::new()] };
        lattice.cells = [0, 1].map(|axis| {
            let last = lattice.shape()[axis].saturating_sub(1);
            let mut after = 0;
            let cells = |at: u32| {
                while after < last && at >= lattice.line(axis, after + 1) {
                    after += 1;
                }
                let between = after > 0 && at == lattice.line(axis, after);
                [after - u32::from(between), after]
            };
            (0..counts[axis]).map(cells).collect()
        });
        lattice
    }

    /// Cells along a row and along a column.
    pub fn shape(&self) -> [u32; 2] {
        self.counts.map(|count| (count - 1).div_ceil(self.size))
    }

    /// All cells; none where they would be no larger than what the yarns enclose.
    pub fn len(&self) -> usize {
        let [across, down] = self.shape();
        if self.size < 2 { 0 } else { (across * down) as usize }
    }

    pub fn number(&self, [across, down]: Cell) -> usize {
        (down * self.shape()[0] + across) as usize
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let [across, down] = self.shape();
        (0..down).flat_map(move |j| (0..across).map(move |i| [i, j]))
    }

    /// Where a line is, along a row or along a column.
    pub fn line(&self, axis: usize, number: u32) -> u32 {
        let (last, cells) = (self.counts[axis] - 1, self.shape()[axis].max(1));
        (u64::from(number) * u64::from(last) / u64::from(cells)) as u32
    }

    /// The crossing where two lines meet.
    pub fn node(&self, [across, down]: [u32; 2]) -> u32 {
        self.line(1, down) * self.counts[0] + self.line(0, across)
    }

    /// The column and the row of a crossing.
    fn place(&self, crossing: u32) -> [u32; 2] {
        [crossing % self.counts[0], crossing / self.counts[0]]
    }

    /// The cells that hold two places along an axis, on their lines too.
    fn both(&self, axis: usize, a: u32, b: u32) -> Range<u32> {
        let ([first, last], [other, end]) =
            (self.cells[axis][a as usize], self.cells[axis][b as usize]);
        first.max(other)..last.min(end) + 1
    }

    /// The cells in which two crossings are, on their lines too.
    pub fn holding(&self, a: u32, b: u32) -> impl Iterator<Item = Cell> + use<> {
        let (a, b) = (self.place(a), self.place(b));
        let (across, down) = (self.both(0, a[0], b[0]), self.both(1, a[1], b[1]));
        down.flat_map(move |j| across.clone().map(move |i| [i, j]))
    }

    /// The cells with a crossing that is no further than so many from one of two.
    pub fn near(&self, ends: [u32; 2], margin: u32) -> impl Iterator<Item = Cell> + use<> {
        let places = ends.map(|end| self.place(end));
        let [across, down] = [0, 1].map(|axis| {
            let [a, b] = places.map(|place| place[axis]);
            let (low, high) = (a.min(b).saturating_sub(margin), a.max(b) + margin);
            let last = high.min(self.counts[axis] - 1);
            self.cells[axis][low as usize][0]..self.cells[axis][last as usize][1] + 1
        });
        down.flat_map(move |j| across.clone().map(move |i| [i, j]))
    }
}
