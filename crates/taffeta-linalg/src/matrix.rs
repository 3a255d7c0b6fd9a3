//! A symmetric sparse matrix of 3×3 blocks of which only one half is stored.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::coupling::Coupling;
use crate::multiply::{Halves, MultiplyScratch, multiply};
use crate::pattern::BlockPattern;

/// A symmetric block matrix over a fixed pattern.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pattern: Arc<BlockPattern>,
    /// The diagonal blocks, then the strictly lower blocks row by row.
    pub(crate) values: Vec<DMat3>,
    /// What is added outside the pattern; its diagonal blocks are among the values.
    couplings: Vec<Coupling>,
}

impl BlockMatrix {
    /// The zero matrix over a pattern.
    pub fn new(pattern: Arc<BlockPattern>) -> Self {
        let values = vec![DMat3::ZERO; pattern.stored_blocks()];
        Self { pattern, values, couplings: Vec::new() }
    }

    /// Number of block rows.
    pub(crate) fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// Makes every block zero, and takes all couplings out.
    pub(crate) fn set_zero(&mut self) {
        self.values.fill(DMat3::ZERO);
        self.couplings.clear();
    }

    /// Adds a coupling whose diagonal blocks are there already.
    pub(crate) fn couple_beside_diagonal(&mut self, coupling: Coupling) {
        self.couplings.push(coupling);
    }

    /// Sets a block below the diagonal, if it is in the pattern.
    pub(crate) fn set_lower(&mut self, row: u32, column: u32, block: DMat3) {
        if let Some(place) = self.pattern.place(row, column) {
            self.values[place] = block;
        }
    }

    /// What is added outside the pattern.
    pub(crate) fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// The diagonal blocks, each of which the caller keeps symmetric.
    pub(crate) fn diagonal_mut(&mut self) -> &mut [DMat3] {
        let rows = self.rows();
        &mut self.values[..rows]
    }

    /// The diagonal blocks.
    pub(crate) fn diagonal(&self) -> &[DMat3] {
        &self.values[..self.rows()]
    }

    /// `y` = A `x`, with the same bits on any number of threads.
    pub(crate) fn multiply(&self, x: &[DVec3], y: &mut [DVec3], scratch: &mut MultiplyScratch) {
        let (diagonal, lower) = self.values.split_at(self.rows());
        multiply(&self.pattern, Halves { diagonal, lower }, (x, y), scratch);
        self.couplings.iter().for_each(|coupling| coupling.multiply_beside_diagonal(x, y));
    }
}
