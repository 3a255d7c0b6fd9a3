//! Elements summed into rows, in parallel and in a fixed order.
//!
//! Rows are cut into pieces. Each piece looks at all elements that touch it and takes what belongs to
//! its rows; elements between pieces are looked at by both.

use glam::{DVec3, Mat3A};

use super::matrix::RowMatrix;
use super::pattern::RowPattern;
use crate::pattern::PatternError;

/// Rows in a piece.
const PIECE: usize = 512;

/// What an element of K particles adds.
#[derive(Clone, Copy, Debug)]
pub struct ElementRows<const K: usize> {
    /// `blocks[a][b]` couples the corners a and b ≤ a.
    pub blocks: [[Mat3A; K]; K],
    /// To the right-hand side of each corner.
    pub forces: [DVec3; K],
}

impl<const K: usize> ElementRows<K> {
    /// Nothing.
    pub const ZERO: Self = Self { blocks: [[Mat3A::ZERO; K]; K], forces: [DVec3::ZERO; K] };
}

/// How elements of K particles go into the rows of a pattern.
#[derive(Clone, Debug)]
pub struct RowPlan<const K: usize> {
    rows: Vec<[u32; K]>,
    /// Where the block of each two corners is; nothing of use on the diagonal.
    places: Vec<[[u32; K]; K]>,
    /// Elements of each piece, and where those of each begin.
    elements: Vec<u32>,
    begins: Vec<usize>,
}

impl<const K: usize> RowPlan<K> {
    /// The plan for elements with these corners.
    pub fn new(pattern: &RowPattern, corners: &[[u32; K]]) -> Result<Self, PatternError> {
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        for (element, corners) in corners.iter().enumerate() {
            let own = corners.map(|corner| pattern.row(corner));
            let mut place = [[0; K]; K];
            for a in 0..K {
                for b in (0..K).filter(|&b| b != a) {
                    let particles = [corners[a], corners[b]];
                    let missing = PatternError::NotInPattern { element, particles };
                    place[a][b] = pattern.place(own[a], own[b]).ok_or(missing)? as u32;
                }
            }
            rows.push(own);
            places.push(place);
        }
        let pieces = pattern.len().div_ceil(PIECE);
        let mut of_piece = vec![Vec::new(); pieces];
        for (element, rows) in (0..).zip(&rows) {
            let mut touched = rows.map(|row| row as usize / PIECE);
            touched.sort_unstable();
            for k in (0..K).filter(|&k| k == 0 || touched[k] != touched[k - 1]) {
                of_piece[touched[k]].push(element);
            }
        }
        let mut begins = vec![0];
        for elements in &of_piece {
            begins.push(begins.last().unwrap_or(&0) + elements.len());
        }
        Ok(Self { rows, places, elements: of_piece.concat(), begins })
    }

    /// Adds every element to a matrix and the right-hand sides of its rows. `evaluate` is called with
    /// the number of an element, more than once if it lies between pieces.
    pub fn add(
        &self,
        matrix: &mut RowMatrix,
        right: &mut [DVec3],
        evaluate: impl Fn(usize) -> ElementRows<K> + Sync,
    ) {
        if self.rows.is_empty() {
            return;
        }
        let RowMatrix { pattern, diagonal, blocks, .. } = matrix;
        let whole = RowRange { first_row: 0, first_block: 0, diagonal, blocks, right };
        self.work(&pattern.offsets, (0, self.begins.len() - 1), whole, &evaluate);
    }

    fn work(
        &self,
        offsets: &[u32],
        (first, end): (usize, usize),
        piece: RowRange,
        evaluate: &(impl Fn(usize) -> ElementRows<K> + Sync),
    ) {
        if end - first > 1 {
            let half = first + (end - first) / 2;
            let (left, right) = piece.split(offsets, half * PIECE);
            rayon::join(
                || self.work(offsets, (first, half), left, evaluate),
                || self.work(offsets, (half, end), right, evaluate),
            );
            return;
        }
        let rows = piece.first_row..piece.first_row + piece.diagonal.len();
        for &element in &self.elements[self.begins[first]..self.begins[first + 1]] {
            let element = element as usize;
            let (own, places) = (&self.rows[element], &self.places[element]);
            let ElementRows { blocks, forces } = evaluate(element);
            for a in (0..K).filter(|&a| rows.contains(&(own[a] as usize))) {
                let row = own[a] as usize - rows.start;
                piece.right[row] += forces[a];
                piece.diagonal[row] += blocks[a][a];
                for b in 0..a {
                    piece.blocks[places[a][b] as usize - piece.first_block] += blocks[a][b];
                }
                for b in a + 1..K {
                    let block = blocks[b][a].transpose();
                    piece.blocks[places[a][b] as usize - piece.first_block] += block;
                }
            }
        }
    }
}

/// Some rows of a system.
struct RowRange<'a> {
    first_row: usize,
    first_block: usize,
    diagonal: &'a mut [Mat3A],
    blocks: &'a mut [Mat3A],
    right: &'a mut [DVec3],
}

impl RowRange<'_> {
    /// The rows before one, and the others.
    fn split(self, offsets: &[u32], row: usize) -> (Self, Self) {
        let block = offsets[row] as usize;
        let (diagonal, later_diagonal) = self.diagonal.split_at_mut(row - self.first_row);
        let (blocks, later_blocks) = self.blocks.split_at_mut(block - self.first_block);
        let (right, later_right) = self.right.split_at_mut(row - self.first_row);
        let before = Self {
            first_row: self.first_row,
            first_block: self.first_block,
            diagonal,
            blocks,
            right,
        };
        let after = Self {
            first_row: row,
            first_block: block,
            diagonal: later_diagonal,
            blocks: later_blocks,
            right: later_right,
        };
        (before, after)
    }
}
