//! The last rows of an incomplete factor, which couple its chunks to each other.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::chunk::{Chunk, Outcome, keeps_enough};
use crate::incomplete::Home;
use crate::multiply::transposed_times;
use crate::pattern::BlockPattern;
use crate::system::FilteredSystem;

/// Rows of L and D that couple, before them, to any chunk and to each other.
#[derive(Clone, Debug)]
pub(crate) struct Border {
    /// The row of the matrix for each row.
    rows: Vec<u32>,
    offsets: Vec<u32>,
    /// Each block's column, ascending within a row.
    columns: Vec<Home>,
    /// Where each block lies in the matrix: its row there, and which of the row's strictly lower
    /// blocks it is.
    sources: Vec<(u32, u32)>,
    lower: Vec<DMat3>,
    /// D⁻¹.
    inverse_pivots: Vec<DMat3>,
    /// What is being solved for.
    vector: Vec<DVec3>,
    pub(crate) outcome: Outcome,
}

impl Border {
    /// Plans for these rows of a pattern, which ascend; their homes have the largest chunk.
    pub(crate) fn new(pattern: &BlockPattern, homes: &[Home], rows: Vec<u32>) -> Self {
        let is_border = |row: u32| rows.binary_search(&row).is_ok();
        let mut blocks = Vec::new();
        for row in 0..pattern.rows() as u32 {
            for (source, &column) in (0..).zip(pattern.lower_columns(row as usize)) {
                let (a, b) = (homes[row as usize], homes[column as usize]);
                if is_border(row) || is_border(column) {
                    blocks.push((a.max(b).place, a.min(b), (row, source)));
                }
            }
        }
        blocks.sort_unstable();
        let begin = |row: usize| blocks.partition_point(|block| (block.0 as usize) < row) as u32;
        Self {
            offsets: (0..=rows.len()).map(begin).collect(),
            columns: blocks.iter().map(|block| block.1).collect(),
            sources: blocks.iter().map(|block| block.2).collect(),
            lower: vec![DMat3::ZERO; blocks.len()],
            inverse_pivots: vec![DMat3::IDENTITY; rows.len()],
            vector: vec![DVec3::ZERO; rows.len()],
            rows,
            outcome: Outcome::default(),
        }
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Factors its rows of a system's matrix, after those of the chunks.
    pub(crate) fn refresh(&mut self, system: &FilteredSystem<'_>, chunks: &[Chunk]) {
        self.outcome = Outcome::of(|growth| {
            let mut rows = 0..self.rows.len();
            let failed = rows.find(|&row| !self.factor_row(system, chunks, (row, growth)));
            failed.map(|row| self.rows[row])
        });
    }

    /// Row of L and D; false when the pivot is not positive enough.
    fn factor_row(
        &mut self,
        system: &FilteredSystem<'_>,
        chunks: &[Chunk],
        (row, growth): (usize, f64),
    ) -> bool {
        let (range, of_matrix) = (self.range(row), self.rows[row]);
        for k in range.clone() {
            let (source_row, source) = self.sources[k];
            let stored = system.free_lower(source_row as usize, source as usize);
            let entry = if source_row == of_matrix { stored } else { stored.transpose() };
            self.lower[k] = entry - self.common(range.start..k, self.columns[k], chunks);
        }
        let diagonal = system.free_diagonal(of_matrix as usize) * growth;
        let mut pivot = diagonal;
        for k in range {
            let times_pivot = self.lower[k];
            let Home { chunk, place } = self.columns[k];
            let inverse = match chunks.get(chunk as usize) {
                Some(chunk) => chunk.inverse_pivot(place as usize),
                None => self.inverse_pivots[place as usize],
            };
            self.lower[k] = times_pivot * inverse;
            pivot -= times_pivot * self.lower[k].transpose();
        }
        self.inverse_pivots[row] = pivot.inverse();
        keeps_enough(pivot, diagonal)
    }

    /// Σ over the columns that the blocks in `mine` share with row `other`: my block, which still
    /// carries its pivot, times the other's transposed.
    fn common(&self, mine: Range<usize>, other: Home, chunks: &[Chunk]) -> DMat3 {
        let mine = self.columns[mine.clone()].iter().copied().zip(&self.lower[mine]);
        match chunks.get(other.chunk as usize) {
            Some(chunk) => {
                let (columns, blocks) = chunk.row(other.place as usize);
                let within = |&place: &u32| Home { chunk: other.chunk, place };
                sum_shared(mine, columns.iter().map(within).zip(blocks))
            }
            None => {
                let range = self.range(other.place as usize);
                let others = self.columns[range.clone()].iter().copied();
                sum_shared(mine, others.zip(&self.lower[range]))
            }
        }
    }

    /// Solves for its rows once the chunks went forward, and takes from theirs what its unknowns
    /// stand for, before they go backward.
    pub(crate) fn solve(&mut self, residual: &[DVec3], chunks: &mut [Chunk]) {
        for row in 0..self.rows.len() {
            let mut sum = residual[self.rows[row] as usize];
            for k in self.range(row) {
                let Home { chunk, place } = self.columns[k];
                let solved = chunks.get(chunk as usize).map_or(&self.vector[..], Chunk::solution);
                sum -= self.lower[k] * solved[place as usize];
            }
            self.vector[row] = sum;
        }
        for (value, inverse) in self.vector.iter_mut().zip(&self.inverse_pivots) {
            *value = *inverse * *value;
        }
        for row in (0..self.rows.len()).rev() {
            let here = self.vector[row];
            for k in self.range(row) {
                let Home { chunk, place } = self.columns[k];
                let share = transposed_times(&self.lower[k], here);
                match chunks.get_mut(chunk as usize) {
                    Some(chunk) => chunk.take(place as usize, share),
                    None => self.vector[place as usize] -= share,
                }
            }
        }
    }

    /// Its unknowns, once solved for.
    pub(crate) fn solution(&self) -> &[DVec3] {
        &self.vector
    }
}

/// Σ a bᵀ over the columns that two rows share, each in ascending columns.
fn sum_shared<'a>(
    mut a: impl Iterator<Item = (Home, &'a DMat3)>,
    mut b: impl Iterator<Item = (Home, &'a DMat3)>,
) -> DMat3 {
    let (mut here, mut there, mut sum) = (a.next(), b.next(), DMat3::ZERO);
    while let (Some(left), Some(right)) = (here, there) {
        match left.0.cmp(&right.0) {
            Ordering::Less => here = a.next(),
            Ordering::Greater => there = b.next(),
            Ordering::Equal => {
                sum += *left.1 * right.1.transpose();
                (here, there) = (a.next(), b.next());
            }
        }
    }
    sum
}
