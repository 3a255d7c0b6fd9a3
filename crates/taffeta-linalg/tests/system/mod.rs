//! A linear system as both solvers see it, and what a motion leaves of it, computed by neither.

#![allow(dead_code, reason = "each test and bench uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use glam::{DMat3, DVec3};
use taffeta_linalg::{
    BlockMatrix, BlockPattern, Coupling, DirectSolver, Filter, FilteredSystem, PcgError, PcgLimits,
    PcgReport, RowFactor, RowMatrix, RowPcg,
};

/// Vectors are by particles.
pub struct System {
    /// With nothing held in it.
    pub rows: RowMatrix,
    /// The same matrix in double precision.
    pub blocks: BlockMatrix,
    pub couplings: Vec<Coupling>,
    pub right: Vec<DVec3>,
    pub filters: Vec<Filter>,
    pub prescribed: Vec<DVec3>,
}

impl System {
    /// Of a matrix and a right-hand side by rows.
    pub fn new(
        (rows, pattern): (RowMatrix, &Arc<BlockPattern>),
        right: &[DVec3],
        (filters, prescribed): (Vec<Filter>, Vec<DVec3>),
    ) -> Self {
        let mut blocks = BlockMatrix::new(Arc::clone(pattern));
        rows.copy_to(&mut blocks);
        let right = by_particles(&rows, right);
        Self { rows, blocks, couplings: Vec::new(), right, filters, prescribed }
    }

    /// Adds couplings.
    pub fn couple(&mut self, couplings: Vec<Coupling>) {
        couplings.iter().for_each(|coupling| self.rows.couple(coupling));
        self.rows.copy_to(&mut self.blocks);
        self.couplings.extend(couplings);
    }

    pub fn view(&self) -> FilteredSystem<'_> {
        FilteredSystem {
            matrix: &self.blocks,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        }
    }

    /// The block of two particles, but for couplings beside the diagonal.
    pub fn block(&self, a: usize, b: usize) -> DMat3 {
        let (own, others) = self.rows.row_of(a as u32);
        let all = others.chain([(a as u32, own)]);
        all.filter(|(other, _)| *other as usize == b).map(|(_, block)| block).sum()
    }

    /// b − A x.
    pub fn left_over(&self, x: &[DVec3]) -> Vec<DVec3> {
        let left = |i: usize| {
            let (own, others) = self.rows.row_of(i as u32);
            let others = others.map(|(other, block)| block * x[other as usize]);
            self.right[i] - own * x[i] - others.sum::<DVec3>()
        };
        let mut left: Vec<DVec3> = (0..x.len()).map(left).collect();
        for Coupling { particles, weights, strength } in &self.couplings {
            for (k, l) in (0..16).map(|kl| (kl / 4, kl % 4)).filter(|(k, l)| k != l) {
                let [own, other] = [k, l].map(|k: usize| particles[k] as usize);
                left[own] -= *strength * x[other] * (weights[k] * weights[l]);
            }
        }
        left
    }

    /// What is prescribed, and no motion in the free directions.
    pub fn held(&self) -> Vec<DVec3> {
        self.filters.iter().zip(&self.prescribed).map(|(f, z)| f.held_part(*z)).collect()
    }

    /// The part of b − A x in free directions, relative to that of no motion.
    pub fn free_error(&self, x: &[DVec3]) -> f64 {
        let free = |x: &[DVec3]| {
            let left = self.left_over(x);
            let free: Vec<DVec3> = self
                .filters
                .iter()
                .zip(left)
                .map(|(filter, left)| filter.free_part(left))
                .collect();
            norm(&free)
        };
        free(x) / free(&self.held())
    }

    /// The solution of a new direct solver.
    pub fn solve_directly(&self, pattern: &BlockPattern, positions: &[DVec3]) -> Vec<DVec3> {
        let mut direct = DirectSolver::new(pattern, positions).unwrap();
        direct.factorize(&self.view(), positions).unwrap();
        let mut x = vec![DVec3::NAN; self.right.len()];
        direct.solve(&self.view(), &mut x);
        x
    }

    /// The solution of conjugate gradients, whose changes are none where something is held, from a
    /// guess of the solution.
    pub fn iterate(
        &self,
        guess: &[DVec3],
        limits: PcgLimits,
    ) -> Result<(Vec<DVec3>, PcgReport), PcgError> {
        let mut matrix = self.rows.clone();
        let held = (0..).zip(&self.filters).filter(|(_, filter)| **filter != Filter::FREE);
        held.for_each(|(particle, filter)| matrix.hold(particle, filter));
        let mut factor = RowFactor::new(matrix.pattern(), 0);
        factor.refresh(&matrix).unwrap();
        let start = self.held();
        let right = by_rows(&matrix, &self.left_over(&start));
        let guess: Vec<DVec3> = guess.iter().zip(&start).map(|(x, start)| *x - *start).collect();
        let mut change = by_rows(&matrix, &guess);
        let mut pcg = RowPcg::new(right.len());
        let report = pcg.solve(&matrix, &mut factor, (&right, &mut change), limits)?;
        let mut x = by_particles(&matrix, &change);
        x.iter_mut().zip(&start).for_each(|(x, start)| *x += *start);
        Ok((x, report))
    }
}

fn by_particles(matrix: &RowMatrix, values: &[DVec3]) -> Vec<DVec3> {
    let pattern = matrix.pattern();
    (0..values.len() as u32).map(|particle| values[pattern.row(particle) as usize]).collect()
}

fn by_rows(matrix: &RowMatrix, values: &[DVec3]) -> Vec<DVec3> {
    let pattern = matrix.pattern();
    (0..values.len()).map(|row| values[pattern.particle(row)]).collect()
}

pub fn norm(vectors: &[DVec3]) -> f64 {
    vectors.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

/// The largest distance of two lists.
pub fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let far = |far: f64, (a, b): (&DVec3, &DVec3)| match a.distance(*b) {
        distance if distance.is_nan() => f64::INFINITY,
        distance => far.max(distance),
    };
    a.iter().zip(b).fold(0.0, far)
}

pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// A reproducible vector of numbers between −1 and 1.
pub fn noise(seed: usize) -> DVec3 {
    let number = |k: usize| {
        let mixed = (seed * 3 + k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed >> 11) as f64) / ((1_u64 << 53) as f64) * 2.0 - 1.0
    };
    DVec3::new(number(0), number(1), number(2))
}
