//! A symmetric matrix of 3×3 blocks, stored by whole rows.

use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use super::pattern::RowPattern;
use crate::coupling::Coupling;
use crate::filter::Filter;
use crate::matrix::BlockMatrix;
use crate::parallel::{fill, update};

/// Rows whose work repays another thread.
pub(super) const GRAIN: usize = 1024;

/// A symmetric block matrix over a fixed pattern, with couplings outside of it.
#[derive(Clone, Debug)]
pub struct RowMatrix {
    pub(super) pattern: Arc<RowPattern>,
    pub(super) diagonal: Vec<Mat3A>,
    pub(super) blocks: Vec<Mat3A>,
    couplings: Vec<RowCoupling>,
    held: Vec<Held>,
}

/// What adds ½ rᵀ·strength·r, where r is the sum of weight·x over four rows.
#[derive(Clone, Copy, Debug)]
struct RowCoupling {
    rows: [u32; 4],
    weights: [f32; 4],
    strength: Mat3A,
}

/// A row that is held, and what is free of it.
#[derive(Clone, Copy, Debug)]
struct Held {
    row: u32,
    free: Mat3A,
    free_double: DMat3,
}

impl RowMatrix {
    /// The zero matrix over a pattern.
    pub fn new(pattern: Arc<RowPattern>) -> Self {
        Self {
            diagonal: vec![Mat3A::ZERO; pattern.len()],
            blocks: vec![Mat3A::ZERO; pattern.columns.len()],
            couplings: Vec::new(),
            held: Vec::new(),
            pattern,
        }
    }

    /// The pattern the matrix was made for.
    pub fn pattern(&self) -> &Arc<RowPattern> {
        &self.pattern
    }

    /// Makes the matrix one of scalars: `diagonal` for every row, `beside` for every block.
    pub fn set_scalars(
        &mut self,
        diagonal: impl Fn(usize) -> f32 + Sync,
        beside: impl Fn(usize) -> f32 + Sync,
    ) {
        let scalar = |value: f32| Mat3A::from_diagonal(glam::Vec3::splat(value));
        fill(&mut self.diagonal, 4 * GRAIN, |i| scalar(diagonal(i)));
        fill(&mut self.blocks, 16 * GRAIN, |k| scalar(beside(k)));
        self.couplings.clear();
        self.held.clear();
    }

    /// Adds to the diagonal block of a particle.
    pub fn add_to_diagonal(&mut self, particle: u32, block: DMat3) {
        self.diagonal[self.pattern.row(particle) as usize] += single(block);
    }

    /// The diagonal block of a row.
    pub(crate) fn diagonal_block(&mut self, row: u32) -> &mut Mat3A {
        &mut self.diagonal[row as usize]
    }

    /// A block beside the diagonal, by its place in the pattern.
    pub(crate) fn block_beside(&mut self, place: u32) -> &mut Mat3A {
        &mut self.blocks[place as usize]
    }

    /// Adds a coupling of any particles.
    pub fn couple(&mut self, coupling: &Coupling) {
        let rows = coupling.particles.map(|particle| self.pattern.row(particle));
        for (k, &row) in rows.iter().enumerate() {
            self.diagonal[row as usize] += single(coupling.diagonal(k));
        }
        let weights = coupling.weights.map(|weight| weight as f32);
        self.couplings.push(RowCoupling { rows, weights, strength: single(coupling.strength) });
    }

    /// Holds a particle: S A S + (I − S), with what its diagonal has on average for the identity.
    /// After all else was added.
    pub fn hold(&mut self, particle: u32, filter: &Filter) {
        let row = self.pattern.row(particle);
        let free = single(filter.matrix());
        for k in self.pattern.range(row as usize) {
            let column = self.pattern.columns[k];
            self.blocks[k] = free * self.blocks[k];
            if let Some(mirrored) = self.pattern.place(column, row) {
                self.blocks[mirrored] *= free;
            }
        }
        let block = self.diagonal[row as usize];
        let mean = (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0;
        self.diagonal[row as usize] = free * block * free + (Mat3A::IDENTITY - free) * mean;
        self.held.push(Held { row, free, free_double: filter.matrix() });
    }

    /// The row of a particle in double precision: its diagonal block, and other particles with their
    /// blocks.
    pub fn row_of(&self, particle: u32) -> (DMat3, impl Iterator<Item = (u32, DMat3)>) {
        let row = self.pattern.row(particle) as usize;
        let others = self.pattern.range(row).map(|k| {
            let other = self.pattern.particle(self.pattern.columns[k] as usize);
            (other as u32, double(&self.blocks[k]))
        });
        (double(&self.diagonal[row]), others)
    }

    /// Becomes a matrix in double precision, of a pattern over the same particles.
    pub fn copy_to(&self, matrix: &mut BlockMatrix) {
        matrix.set_zero();
        for (row, diagonal) in self.diagonal.iter().enumerate() {
            let particle = self.pattern.particle(row);
            matrix.diagonal_mut()[particle] = double(diagonal);
            for k in self.pattern.range(row) {
                let other = self.pattern.particle(self.pattern.columns[k] as usize);
                if other < particle {
                    matrix.set_lower(particle as u32, other as u32, double(&self.blocks[k]));
                }
            }
        }
        for RowCoupling { rows, weights, strength } in &self.couplings {
            matrix.couple_beside_diagonal(Coupling {
                particles: rows.map(|row| self.pattern.particle(row as usize) as u32),
                weights: weights.map(f64::from),
                strength: double(strength),
            });
        }
    }

    /// Adds couplings to a matrix of patches, as far as its pattern has them.
    pub(super) fn add_couplings(&self, patches: &[u32], matrix: &mut RowMatrix) {
        let pattern = Arc::clone(&matrix.pattern);
        for RowCoupling { rows, weights, strength } in &self.couplings {
            let of = rows.map(|row| patches[row as usize]);
            let pairs = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
            for (i, j) in pairs.filter(|(i, j)| i != j) {
                let block = *strength * (weights[i] * weights[j]);
                if of[i] == of[j] {
                    matrix.diagonal[of[i] as usize] += block;
                } else if let Some(place) = pattern.place(of[i], of[j]) {
                    matrix.blocks[place] += block;
                }
            }
        }
    }

    /// What is free of a vector for each row.
    pub(super) fn filter(&self, x: &mut [Vec3A]) {
        for held in &self.held {
            x[held.row as usize] = held.free * x[held.row as usize];
        }
    }

    /// The same in double precision.
    pub(super) fn filter_double(&self, x: &mut [DVec3]) {
        for held in &self.held {
            x[held.row as usize] = held.free_double * x[held.row as usize];
        }
    }

    /// `y` = A `x`, for an x that is free.
    pub(super) fn multiply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let (pattern, blocks) = (&*self.pattern, &self.blocks);
        update(y, GRAIN, |row, y| {
            let mut sum = self.diagonal[row] * x[row];
            for k in pattern.range(row) {
                sum += blocks[k] * x[pattern.columns[k] as usize];
            }
            *y = sum;
        });
        for RowCoupling { rows, weights, strength } in &self.couplings {
            let part = |k: usize| x[rows[k] as usize] * weights[k];
            let parts = [part(0), part(1), part(2), part(3)];
            let sum = parts[0] + parts[1] + parts[2] + parts[3];
            for k in 0..4 {
                y[rows[k] as usize] += *strength * ((sum - parts[k]) * weights[k]);
            }
        }
        self.filter(y);
    }

    /// The same with sums in double precision.
    pub(super) fn multiply_double(&self, x: &[DVec3], y: &mut [DVec3]) {
        let (pattern, blocks) = (&*self.pattern, &self.blocks);
        update(y, GRAIN, |row, y| {
            let mut sum = double(&self.diagonal[row]) * x[row];
            for k in pattern.range(row) {
                sum += double(&blocks[k]) * x[pattern.columns[k] as usize];
            }
            *y = sum;
        });
        for RowCoupling { rows, weights, strength } in &self.couplings {
            let part = |k: usize| x[rows[k] as usize] * f64::from(weights[k]);
            let parts = [part(0), part(1), part(2), part(3)];
            let sum = parts[0] + parts[1] + parts[2] + parts[3];
            for k in 0..4 {
                y[rows[k] as usize] +=
                    double(strength) * ((sum - parts[k]) * f64::from(weights[k]));
            }
        }
        self.filter_double(y);
    }
}

/// A block in double precision.
fn double(m: &Mat3A) -> DMat3 {
    DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3())
}

/// A block in single precision.
pub(super) fn single(block: DMat3) -> Mat3A {
    let column = |v: DVec3| v.as_vec3a();
    Mat3A::from_cols(column(block.x_axis), column(block.y_axis), column(block.z_axis))
}
