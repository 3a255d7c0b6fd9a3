//! The narrow phase: which features of two patches are near each other, and how near.

use glam::DVec3;

use super::aabb::{LANES, Lanes};
use super::pair::longest_way;
use super::patches::Patch;
use super::{NearPair, Pair};
use crate::collision::{Pairing, Surface};

/// What distances are looked at for.
pub(super) struct Narrow<'a> {
    pub surface: &'a Surface,
    pub rest: &'a [DVec3],
    /// Where particles are, and where they will be by their predicted ways [m].
    pub starts: &'a [DVec3],
    pub ends: &'a [DVec3],
    /// [m]
    pub thickness: f64,
    /// [m]
    pub margin: f64,
}

impl Narrow<'_> {
    /// The pair, if it can come nearer than it keeps.
    pub fn look(&self, pair: Pair) -> Option<NearPair> {
        let (from, to) = (pair.gather(self.starts), pair.gather(self.ends));
        let distance = pair.pairing.closest(&from).apart.length();
        let way = longest_way(pair.pairing, &from, &to) + self.margin;
        if distance > self.thickness + way {
            return None;
        }
        let kept = self.kept(&pair);
        (!(distance > kept + way)).then_some(NearPair { pair, kept, distance })
    }

    /// The distance that a pair keeps: the cloth's thickness, unless cloth at rest is closer
    /// together by nature, as the neighbours of a fine mesh are.
    fn kept(&self, pair: &Pair) -> f64 {
        if !self.surface.connected(pair.particles[0], pair.particles[3]) {
            return self.thickness;
        }
        let at_rest = pair.pairing.closest(&pair.gather(self.rest)).apart.length();
        self.thickness.min(0.5 * at_rest)
    }
}

/// Calls `look` with every pair of features of one patch whose boxes overlap.
pub(super) fn within(patch: &Patch, lanes: &Lanes, look: &mut impl FnMut(Pair)) {
    let [vertices, edges, triangles] = patch.kinds();
    each(vertices | edges, |a| {
        let near = lanes.overlapping(&lanes.get(a));
        if vertices & (1 << a) != 0 {
            each(near & triangles, |b| vertex_triangle([patch, patch], [a, b], look));
        } else {
            each(near & edges & (u32::MAX << a << 1), |b| edge_edge([patch, patch], [a, b], look));
        }
    });
}

/// Calls `look` with every pair of features of two patches whose boxes overlap.
#[inline]
pub(super) fn between(both: [&Patch; 2], lanes: [&Lanes; 2], look: &mut impl FnMut(Pair)) {
    let ([vertices, edges, _], [others, other_edges, triangles]) =
        (both[0].kinds(), both[1].kinds());
    let near = lanes[0].overlapping(&lanes[1].around());
    each(near, |a| {
        let near = lanes[1].overlapping(&lanes[0].get(a));
        let bit = 1 << a;
        if vertices & bit != 0 {
            each(near & triangles, |b| vertex_triangle(both, [a, b], look));
        } else if edges & bit != 0 {
            each(near & other_edges, |b| edge_edge(both, [a, b], look));
        } else {
            each(near & others, |b| vertex_triangle([both[1], both[0]], [b, a], look));
        }
    });
}

/// Calls `visit` with the number of each bit.
#[inline]
fn each(mut bits: u32, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize % LANES);
        bits &= bits - 1;
    }
}

#[inline]
fn vertex_triangle(both: [&Patch; 2], lanes: [usize; 2], look: &mut impl FnMut(Pair)) {
    let ([v, ..], [a, b, c]) = (both[0].features[lanes[0]], both[1].features[lanes[1]]);
    if v != a && v != b && v != c {
        look(Pair { pairing: Pairing::VertexTriangle, particles: [v, a, b, c] });
    }
}

#[inline]
fn edge_edge(both: [&Patch; 2], lanes: [usize; 2], look: &mut impl FnMut(Pair)) {
    let ([a, b, _], [c, d, _]) = (both[0].features[lanes[0]], both[1].features[lanes[1]]);
    if a != c && a != d && b != c && b != d {
        // The lower edge first, as the surface has them.
        let particles = if [a, b] < [c, d] { [a, b, c, d] } else { [c, d, a, b] };
        look(Pair { pairing: Pairing::EdgeEdge, particles });
    }
}
