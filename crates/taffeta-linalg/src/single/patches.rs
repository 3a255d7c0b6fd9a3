//! Patches of rows that move as wholes: a coarse space for conjugate gradients.
//!
//! An incomplete factor knows neighbours, so that what moves a whole cloth takes the more iterations the
//! more rows it is wide. As wholes, patches of a fixed number of rows have a small system of their own;
//! its exact answer is added to the factor's (additive two-level Schwarz, Toselli & Widlund 2005, ch. 3,
//! with an incomplete factor for the local solves and one translation a patch for the coarse space).

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DVec3, Vec3A};

use super::incomplete::RowFactor;
use super::matrix::{GRAIN, RowMatrix};
use super::pattern::{RowPattern, halve};
use crate::factor::FactorError;
use crate::parallel::{fill, update};

/// Rows of a patch, at most.
const ROWS: usize = 64;
/// Rows of a matrix from which on patches repay their work.
const MANY: usize = 5_000;
/// Fill up to here is all of it: the factor of patches is exact.
const ALL: u32 = u32::MAX / 4;
/// What the place of a block within a patch says.
const WITHIN: u32 = u32::MAX;

/// The patches of a pattern, and their system.
#[derive(Clone, Debug)]
pub(super) struct Patches {
    /// The patch of each row, by its row in the matrix of patches; the rows of each patch, and where they
    /// begin.
    of: Vec<u32>,
    rows: Vec<u32>,
    begins: Vec<u32>,
    /// Where each block beside the diagonal goes.
    places: Vec<u32>,
    matrix: RowMatrix,
    factor: Box<RowFactor>,
    /// What the patches are pushed by, and what they answer.
    right: Vec<Vec3A>,
    answer: Vec<Vec3A>,
}

impl Patches {
    /// For a pattern of particles at rest in these places, if it is large enough.
    pub fn new(pattern: &RowPattern, rest: &[DVec3]) -> Option<Self> {
        if pattern.len() < MANY {
            return None;
        }
        let at_rest: Vec<DVec3> =
            (0..pattern.len()).map(|row| rest[pattern.particle(row)]).collect();
        let mut rows: Vec<u32> = (0..pattern.len() as u32).collect();
        let count = pattern.len().div_ceil(ROWS).next_power_of_two();
        let mut of = vec![0; pattern.len()];
        halve(&at_rest, &mut rows, (0, count), &mut of);
        let mut of: Vec<u32> = of.into_iter().map(|patch| patch as u32).collect();
        // The patches of every block beside the diagonal.
        let beside = |of: &[u32]| -> Vec<[u32; 2]> {
            let blocks =
                (0..pattern.len()).flat_map(|row| pattern.range(row).map(move |k| (row, k)));
            blocks.map(|(row, k)| [of[row], of[pattern.columns[k] as usize]]).collect()
        };
        let pairs: BTreeSet<[u32; 2]> = beside(&of).into_iter().filter(|[a, b]| a < b).collect();
        // Halves of halves: what is numbered alike is near.
        let in_order = vec![DVec3::ZERO; count];
        let coarse = Arc::new(RowPattern::new(&in_order, pairs.iter().map(|pair| &pair[..])));
        of.iter_mut().for_each(|patch| *patch = coarse.row(*patch));
        let place = |[a, b]: [u32; 2]| coarse.place(a, b).map_or(WITHIN, |k| k as u32);
        let places = beside(&of).into_iter().map(place).collect();
        rows.sort_by_key(|&row| (of[row as usize], row));
        let begin = |patch: u32| rows.partition_point(|&row| of[row as usize] < patch) as u32;
        let begins = (0..=count as u32).map(begin).collect();
        let nothing = vec![Vec3A::ZERO; count];
        Some(Self {
            factor: Box::new(RowFactor::new(&coarse, ALL)),
            matrix: RowMatrix::new(coarse),
            right: nothing.clone(),
            answer: nothing,
            of,
            rows,
            begins,
            places,
        })
    }

    /// Factors what a matrix is between patches, Pᵀ A P.
    pub fn refresh(&mut self, fine: &RowMatrix) -> Result<(), FactorError> {
        let Self { of, matrix, places, .. } = self;
        matrix.set_scalars(|_| 0.0, |_| 0.0);
        for (row, &patch) in of.iter().enumerate() {
            let diagonal = patch as usize;
            matrix.diagonal[diagonal] += fine.diagonal[row];
            for k in fine.pattern.range(row) {
                match places[k] {
                    WITHIN => matrix.diagonal[diagonal] += fine.blocks[k],
                    place => matrix.blocks[place as usize] += fine.blocks[k],
                }
            }
        }
        // What couples patches that do not meet at rest holds each of them as if alone, which is stiffer
        // than it is, and positive definite.
        fine.add_couplings(of, matrix);
        self.factor.refresh(matrix)
    }

    /// Adds what patches answer to `r`.
    pub fn add(&mut self, r: &[Vec3A], z: &mut [Vec3A]) {
        let Self { of, rows, begins, factor, right, answer, .. } = self;
        fill(right, GRAIN / ROWS, |patch| {
            let own = begins[patch] as usize..begins[patch + 1] as usize;
            rows[own].iter().map(|&row| r[row as usize]).sum()
        });
        factor.apply(right, answer);
        update(z, 4 * GRAIN, |row, z| *z += answer[of[row] as usize]);
    }
}
