//! Systems like those of implicit cloth: a draped square grid under tension, stiff along its
//! threads, softer in shear, softest in bending.

#![allow(dead_code, reason = "each test and bench uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use glam::{DMat3, DVec3};
use taffeta_linalg::{
    AssemblyPlan, BlockMatrix, BlockPattern, ElementSystem, Filter, FilteredSystem,
};

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
    /// Two triangles on a common edge; the edge comes first.
    pub hinges: Vec<[u32; 4]>,
    pub pattern: Arc<BlockPattern>,
}

impl Cloth {
    pub fn new(side: usize) -> Self {
        let at = |row: usize, column: usize| (row * side + column) as u32;
        let (mut springs, mut bends, mut hinges) = (Vec::new(), Vec::new(), Vec::new());
        for r in 0..side {
            for c in 0..side {
                let (right, down) = (c + 1 < side, r + 1 < side);
                springs.extend(right.then(|| [at(r, c), at(r, c + 1)]));
                springs.extend(down.then(|| [at(r, c), at(r + 1, c)]));
                if right && down {
                    springs.push([at(r, c), at(r + 1, c + 1)]);
                    springs.push([at(r + 1, c), at(r, c + 1)]);
                    hinges.push([at(r, c + 1), at(r + 1, c), at(r, c), at(r + 1, c + 1)]);
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
        let all = springs.iter().map(|s| &s[..]).chain(bends.iter().map(|b| &b[..]));
        let pattern = Arc::new(BlockPattern::new(rest.len(), all).unwrap());
        Self { side, rest, positions, springs, bends, hinges, pattern }
    }

    /// M + h² K and a right-hand side of gravity and uneven forces.
    pub fn system(&self, h: f64) -> System {
        let mass = 1.25e-4 * (40.0 / (self.side - 1) as f64).powi(2);
        let mut matrix = BlockMatrix::new(Arc::clone(&self.pattern));
        matrix.diagonal_mut().fill(DMat3::from_diagonal(DVec3::splat(mass)));
        let mut right: Vec<DVec3> = (0..self.rest.len())
            .map(|i| h * mass * (DVec3::new(0.0, -9.81, 0.0) + 20.0 * noise(i)))
            .collect();
        let mut springs = AssemblyPlan::new(&self.pattern, &self.springs).unwrap();
        springs.add(&mut matrix, &mut right, |e, out| self.spring(e, h * h, out));
        let mut bends = AssemblyPlan::new(&self.pattern, &self.bends).unwrap();
        bends.add(&mut matrix, &mut right, |e, out| self.bend(e, h * h, out));
        let mut filters = vec![Filter::FREE; self.rest.len()];
        let n = self.rest.len();
        filters[0] = Filter::HELD;
        filters[self.side - 1] = Filter::HELD;
        filters[n / 2] = Filter::in_plane(DVec3::new(1.0, 2.0, -0.5).normalize());
        filters[n - 1] = Filter::along_line(DVec3::new(1.0, 1.0, 3.0).normalize());
        let prescribed = (0..n).map(|i| 0.01 * noise(3 * i + 1)).collect();
        System { matrix, right, filters, prescribed }
    }

    pub fn spring(&self, e: usize, factor: f64, out: &mut ElementSystem<2>) {
        let [a, b] = self.springs[e].map(|p| p as usize);
        let diagonal = self.rest[a].distance(self.rest[b]) * (self.side - 1) as f64 > 1.2;
        let n = (self.positions[b] - self.positions[a]).normalize();
        let along = if diagonal { SHEAR } else { STRETCH };
        let across = if diagonal { 0.0 } else { TENSION };
        let nn = outer(n, n);
        let k = factor * (along * nn + across * (DMat3::IDENTITY - nn));
        out.blocks = [[k, -k], [-k, k]];
        let f = factor.sqrt() * 1e-3 * n;
        out.vectors = [f, -f];
    }

    pub fn bend(&self, e: usize, factor: f64, out: &mut ElementSystem<3>) {
        let [a, _, c] = self.bends[e].map(|p| self.positions[p as usize]);
        let across = (c - a).normalize().any_orthonormal_vector();
        let cell = (self.side - 1) as f64;
        let nn = outer(across, across) * (factor * BENDING * cell * cell);
        let weights = [1.0, -2.0, 1.0];
        for i in 0..3 {
            for j in 0..3 {
                out.blocks[i][j] = nn * (weights[i] * weights[j]);
            }
        }
    }

    /// Four-particle elements, some of them with transposed blocks.
    pub fn hinge(&self, e: usize, out: &mut ElementSystem<4>) {
        let p = self.hinges[e].map(|p| self.positions[p as usize]);
        let edge = p[1] - p[0];
        let (n1, n2) = (edge.cross(p[2] - p[0]), (p[3] - p[0]).cross(edge));
        let (g2, g3) = (
            n1 * (edge.length() / n1.length_squared()),
            n2 * (edge.length() / n2.length_squared()),
        );
        let g = [-0.5 * (g2 + g3), -0.5 * (g2 + g3), g2, g3];
        for i in 0..4 {
            for j in 0..=i {
                out.blocks[i][j] = 1e-9 * outer(g[i], g[j]);
            }
            out.vectors[i] = 1e-9 * g[i];
        }
    }
}

/// A linear system that owns its parts.
pub struct System {
    pub matrix: BlockMatrix,
    pub right: Vec<DVec3>,
    pub filters: Vec<Filter>,
    pub prescribed: Vec<DVec3>,
}

impl System {
    pub fn view(&self) -> FilteredSystem<'_> {
        FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        }
    }
}

pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Folds and sag, so that threads point every way.
fn drape(p: DVec3) -> DVec3 {
    let fold = |t: f64| t - 4.0 * t * t * (1.0 - t);
    DVec3::new(p.x, 0.3 * fold(3.0 * p.x % 1.0) * p.z - 0.2 * p.z * p.z, p.z * (0.8 + 0.1 * p.x))
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
