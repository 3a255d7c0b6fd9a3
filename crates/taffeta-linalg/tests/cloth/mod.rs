//! Systems like those of implicit cloth: a draped square grid under tension, stiff along its
//! threads, softer in shear, softest in bending.

#![allow(dead_code, reason = "each test and bench uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3A};
use taffeta_linalg::{BlockPattern, ElementRows, Filter, RowMatrix, RowPattern, RowPlan};

use crate::system::{System, noise, outer};

/// Stiffness along a thread [N/m].
const STRETCH: f64 = 1e4;
/// Stiffness along a diagonal [N/m].
const SHEAR: f64 = 500.0;
/// Tension over length of a thread, its stiffness against turning [N/m].
const TENSION: f64 = 2.0;
/// Bending rigidity [N·m].
const BENDING: f64 = 1e-5;

/// A draped grid of side × side particles.
pub struct Cloth {
    pub side: usize,
    pub rest: Vec<DVec3>,
    pub positions: Vec<DVec3>,
    pub springs: Vec<[u32; 2]>,
    /// Three particles in a row along a thread.
    pub bends: Vec<[u32; 3]>,
    pub rows: Arc<RowPattern>,
    pub blocks: Arc<BlockPattern>,
}

impl Cloth {
    pub fn new(side: usize) -> Self {
        let at = |row: usize, column: usize| (row * side + column) as u32;
        let (mut springs, mut bends) = (Vec::new(), Vec::new());
        for r in 0..side {
            for c in 0..side {
                let (right, down) = (c + 1 < side, r + 1 < side);
                springs.extend(right.then(|| [at(r, c), at(r, c + 1)]));
                springs.extend(down.then(|| [at(r, c), at(r + 1, c)]));
                if right && down {
                    springs.push([at(r, c), at(r + 1, c + 1)]);
                    springs.push([at(r + 1, c), at(r, c + 1)]);
                }
                bends.extend((c + 2 < side).then(|| [at(r, c), at(r, c + 1), at(r, c + 2)]));
                bends.extend((r + 2 < side).then(|| [at(r, c), at(r + 1, c), at(r + 2, c)]));
            }
        }
        let cell = 1.0 / (side - 1) as f64;
        let rest: Vec<DVec3> = (0..side * side)
            .map(|i| DVec3::new((i % side) as f64 * cell, 0.0, (i / side) as f64 * cell))
            .collect();
        let positions = rest.iter().map(|&p| drape(p)).collect();
        let all = || springs.iter().map(|s| &s[..]).chain(bends.iter().map(|b| &b[..]));
        let rows = Arc::new(RowPattern::new(&rest, all()));
        let blocks = Arc::new(BlockPattern::new(rest.len(), all()).unwrap());
        Self { side, rest, positions, springs, bends, rows, blocks }
    }

    /// M + h² K and a right-hand side of gravity and uneven forces.
    pub fn system(&self, h: f64) -> System {
        let n = self.rest.len();
        let mass = 1.25e-4 * (40.0 / (self.side - 1) as f64).powi(2);
        let mut matrix = RowMatrix::new(Arc::clone(&self.rows));
        matrix.set_scalars(|_| mass as f32, |_| 0.0);
        let load = |i: usize| h * mass * (DVec3::new(0.0, -9.81, 0.0) + 20.0 * noise(i));
        let mut right: Vec<DVec3> = (0..n).map(|row| load(self.rows.particle(row))).collect();
        let springs = RowPlan::new(&self.rows, &self.springs).unwrap();
        springs.add(&mut matrix, &mut right, |e| self.spring(e, h * h));
        let bends = RowPlan::new(&self.rows, &self.bends).unwrap();
        bends.add(&mut matrix, &mut right, |e| self.bend(e, h * h));
        let mut filters = vec![Filter::FREE; n];
        filters[0] = Filter::HELD;
        filters[self.side - 1] = Filter::HELD;
        filters[n / 2] = Filter::in_plane(DVec3::new(1.0, 2.0, -0.5).normalize());
        filters[n - 1] = Filter::along_line(DVec3::new(1.0, 1.0, 3.0).normalize());
        let prescribed = (0..n).map(|i| 0.01 * noise(3 * i + 1)).collect();
        System::new((matrix, &self.blocks), &right, (filters, prescribed))
    }

    pub fn spring(&self, e: usize, factor: f64) -> ElementRows<2> {
        let [a, b] = self.springs[e].map(|p| p as usize);
        let diagonal = self.rest[a].distance(self.rest[b]) * (self.side - 1) as f64 > 1.2;
        let n = (self.positions[b] - self.positions[a]).normalize();
        let along = if diagonal { SHEAR } else { STRETCH };
        let across = if diagonal { 0.0 } else { TENSION };
        let nn = outer(n, n);
        let k = single(factor * (along * nn + across * (DMat3::IDENTITY - nn)));
        let f = factor.sqrt() * 1e-3 * n;
        ElementRows { blocks: [[k, -k], [-k, k]], forces: [f, -f] }
    }

    pub fn bend(&self, e: usize, factor: f64) -> ElementRows<3> {
        let [a, _, c] = self.bends[e].map(|p| self.positions[p as usize]);
        let across = (c - a).normalize().any_orthonormal_vector();
        let cell = (self.side - 1) as f64;
        let nn = outer(across, across) * (factor * BENDING * cell * cell);
        let weights = [1.0, -2.0, 1.0];
        let block = |a: usize, b: usize| single(nn * (weights[a] * weights[b]));
        let blocks = std::array::from_fn(|a| std::array::from_fn(|b| block(a, b)));
        ElementRows { blocks, forces: [DVec3::ZERO; 3] }
    }
}

/// A block in single precision.
pub fn single(block: DMat3) -> Mat3A {
    Mat3A::from_cols_array(&block.as_mat3().to_cols_array())
}

/// Folds and sag, so that threads point every way.
fn drape(p: DVec3) -> DVec3 {
    let fold = |t: f64| t - 4.0 * t * t * (1.0 - t);
    DVec3::new(p.x, 0.3 * fold(3.0 * p.x % 1.0) * p.z - 0.2 * p.z * p.z, p.z * (0.8 + 0.1 * p.x))
}
