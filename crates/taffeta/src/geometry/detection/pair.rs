//! Two features that may touch.

use glam::DVec3;

use crate::geometry::collision::Pairing;

/// Two features that may touch: a vertex and a triangle, or two edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// What is paired with what.
    pub pairing: Pairing,
    /// The particles: a vertex and three corners, or twice two ends.
    pub particles: [u32; 4],
}

impl Pair {
    /// The places of the four particles.
    #[inline]
    pub(crate) fn gather(&self, positions: &[DVec3]) -> [DVec3; 4] {
        // Not `particles.map`, which is not inlined.
        let [a, b, c, d] = self.particles;
        [positions[a as usize], positions[b as usize], positions[c as usize], positions[d as usize]]
    }
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let [a, b, c, d] = self.particles;
        match self.pairing {
            Pairing::VertexTriangle => write!(f, "particle {a} and the triangle {b}–{c}–{d}"),
            Pairing::EdgeEdge => write!(f, "the edges {a}–{b} and {c}–{d}"),
        }
    }
}

/// How far two points of a pair can come nearer to each other at most while its corners move in
/// straight lines, a little more for round-off [m].
#[inline]
pub(crate) fn longest_way(pairing: Pairing, from: &[DVec3; 4], to: &[DVec3; 4]) -> f64 {
    let way = |i: usize| to[i] - from[i];
    let mut longest = 0.0_f64;
    for i in 0..pairing.first() {
        for j in pairing.first()..4 {
            longest = longest.max((way(i) - way(j)).length_squared());
        }
    }
    // Of points of one pair, one stands for the size of all coordinates.
    let size = from[0].abs().max_element() + to[0].abs().max_element();
    longest.sqrt() * (1.0 + 1e-9) + size * 1e-12
}
