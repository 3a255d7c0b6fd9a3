//! The narrow phase: which features of two patches are near each other, and how near.

use glam::DVec3;

use super::aabb::{Aabb, LANES, Lanes};
use super::pair::longest_way;
use super::patches::Patch;
use super::{NearPair, Pair, TOUCHING};
use crate::collision::{Pairing, Surface};

/// The sine² of the angle below which edges count as parallel: where they are closest says nothing.
const PARALLEL: f64 = 0.01;

/// What distances are looked at for.
pub(super) struct Narrow<'a> {
    pub surface: &'a Surface,
    pub rest: &'a [DVec3],
    /// Where particles are, and where they will be by their predicted ways [m].
    pub starts: &'a [DVec3],
    pub ends: &'a [DVec3],
    /// By how much they may leave them [m].
    pub allowances: &'a [f64],
    /// [m]
    pub thickness: f64,
}

impl Narrow<'_> {
    /// The pair, if it can come nearer than it keeps.
    pub fn look(&self, pair: Pair) -> Option<NearPair> {
        let (from, to) = (pair.gather(self.starts), pair.gather(self.ends));
        let room = longest_way(pair.pairing, &from, &to) + self.allowance(&pair);
        if is_beside(pair.pairing, &from, self.thickness, room) {
            return None;
        }
        let distance = pair.pairing.closest(&from).apart.length();
        if distance > self.thickness + room {
            return None;
        }
        let kept = kept(self.surface, self.rest, self.thickness, &pair);
        let farther = distance > kept + room;
        (!farther).then_some(NearPair { pair, kept, distance })
    }

    /// By how much a pair may come nearer beside the predicted way [m].
    #[inline]
    fn allowance(&self, pair: &Pair) -> f64 {
        let [a, b, c, d] = pair.particles.map(|i| self.allowances[i as usize]);
        match pair.pairing {
            Pairing::VertexTriangle => a + b.max(c).max(d),
            Pairing::EdgeEdge => a.max(b) + c.max(d),
        }
    }
}

/// The distance that a pair keeps: the cloth's thickness, unless cloth at rest is closer together
/// by nature, as the neighbours of a fine mesh are.
pub(super) fn kept(surface: &Surface, rest: &[DVec3], thickness: f64, pair: &Pair) -> f64 {
    if !surface.connected(pair.particles[0], pair.particles[3]) {
        return thickness;
    }
    let at_rest = pair.pairing.closest(&pair.gather(rest)).apart.length();
    thickness.min(0.5 * at_rest)
}

/// Whether a pair that comes nearer to each other by at most `room` is so far to the side of each
/// other that it can neither touch nor come nearer than `kept` with its closest points inside.
///
/// Let u lead from one of those points to the other. Then, |u| ≤ kept, and u is at right angles to
/// the triangle, or to both edges. Now, the same two points are apart by u and at most `room` more,
/// and the triangle has turned by at most 2·room over its height: so in its plane the two are apart
/// by no more than λ = room·(1 + 2·kept/height), or by `room` and what counts as touching.
#[inline]
fn is_beside(pairing: Pairing, points: &[DVec3; 4], kept: f64, room: f64) -> bool {
    match pairing {
        Pairing::VertexTriangle => is_beside_triangle(points, kept, room),
        Pairing::EdgeEdge => is_beside_edge(points, kept, room),
    }
}

#[inline]
fn is_beside_triangle([p, a, b, c]: &[DVec3; 4], kept: f64, room: f64) -> bool {
    let (ab, ac, ap) = (*b - *a, *c - *a, *p - *a);
    let normal = ab.cross(ac);
    let squared = normal.length_squared();
    let area = squared.sqrt();
    let height = ap.dot(normal);
    let at_b = ap.cross(ac).dot(normal);
    let at_c = ab.cross(ap).dot(normal);
    let at_a = squared - at_b - at_c;
    let touching = TOUCHING * kept + room;
    // How far to the side of an edge, times the edge's length and the area.
    let is_off = |at: f64, edge: f64| {
        let most = (room * (area + 2.0 * kept * edge)).max(touching * area);
        at < -most * edge * (1.0 + 1e-9)
    };
    height.abs() > (kept + room) * area
        || is_off(at_a, (*c - *b).length())
        || is_off(at_b, ac.length())
        || is_off(at_c, ab.length())
}

#[inline]
fn is_beside_edge([a, b, c, d]: &[DVec3; 4], kept: f64, room: f64) -> bool {
    let (ab, cd, ca) = (*b - *a, *d - *c, *a - *c);
    let normal = ab.cross(cd);
    let squared = normal.length_squared();
    let (one, other) = (ab.length(), cd.length());
    let height = ca.dot(normal);
    if height * height > (kept + room) * (kept + room) * squared {
        return true;
    }
    if squared < PARALLEL * (one * one) * (other * other) {
        return false;
    }
    let touching = TOUCHING * kept + room;
    let side = |edge: f64| (room * (edge + 2.0 * kept)).max(touching * edge);
    let cosine = ab.dot(cd).abs();
    // By how much the parameters of the closest points of both lines can be off, times sin².
    let off = side(one) * other * other + side(other) * cosine;
    let other_off = side(other) * one * one + side(one) * cosine;
    let s = cd.cross(ca).dot(normal);
    let t = ab.cross(ca).dot(normal);
    let is_off = |at: f64, off: f64| at < -off || at > squared + off;
    is_off(s, off * (1.0 + 1e-9)) || is_off(t, other_off * (1.0 + 1e-9))
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

/// Calls `look` with every pair of features of two patches whose boxes overlap; the second is
/// within the box `around`.
#[inline]
pub(super) fn between(
    both: [&Patch; 2],
    (lanes, around): ([&Lanes; 2], &Aabb),
    look: &mut impl FnMut(Pair),
) {
    let ([vertices, edges, _], [others, other_edges, triangles]) =
        (both[0].kinds(), both[1].kinds());
    let near = lanes[0].overlapping(around);
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
