//! Whether two features lie beside each other, so that they can neither touch nor come too near
//! with their closest points inside.
//!
//! Suppose that at some time they do, and let u lead from one of the closest points to the other:
//! |u| is less than they keep, and u is at right angles to the triangle, or to both edges. Now, at
//! the beginning, the same two points, fixed in their features, are apart by u less the way that
//! the first feature goes relative to the second, and at most `room` off. In that time the triangle
//! has turned by at most 2·room over its height, and an edge by 2·room over its length. So at the
//! beginning, somewhere along that way, the two points are apart *across* by no more than
//! λ = room·(1 + 2·kept/height), or, if they touch, by `room` and what counts as touching. All of
//! that is linear along the way: if both its ends are too far to the same side, all of it is.

use glam::{BVec4A, Vec4};

use super::TOUCHING;
use super::vec3x4::Vec3x4;
use crate::geometry::collision::Pairing;

/// Edges whose angle has a smaller sine² count as parallel: where their lines are closest says
/// nothing.
const PARALLEL: f32 = 0.01;
/// Round-off in products of coordinates.
const ABOUT: f32 = 1.0 + 1e-4;

/// Four pairs of one kind, of four points each, and how they move.
pub(super) struct Motions {
    pub pairing: Pairing,
    /// [m]
    pub points: [Vec3x4; 4],
    /// The ways of the first features relative to the second [m].
    pub way: Vec3x4,
    /// By how much their points may be off that [m].
    pub room: Vec4,
}

impl Motions {
    /// Which of the four can neither touch nor come nearer than `kept` with closest points inside, as
    /// bits.
    #[inline]
    pub fn beside(&self, kept: Vec4) -> u32 {
        match self.pairing {
            Pairing::VertexTriangle => self.beside_triangles(kept).bitmask(),
            Pairing::EdgeEdge => self.beside_edges(kept).bitmask(),
        }
    }

    #[inline]
    fn beside_triangles(&self, kept: Vec4) -> BVec4A {
        let Self { points: [p, a, b, c], way, room, .. } = *self;
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let normal = ab.cross(ac);
        let squared = normal.length_squared();
        let area = squared.sqrt();
        let height = ap.dot(normal);
        let above = beyond([height, height + way.dot(normal)], (kept + room) * area * ABOUT);
        // The barycentric coordinates, times the area squared, and how the way changes them.
        let (to_b, to_c) = (ac.cross(normal), normal.cross(ab));
        let (at_b, at_c) = (ap.dot(to_b), ap.dot(to_c));
        let (by_b, by_c) = (way.dot(to_b), way.dot(to_c));
        let (at_a, by_a) = (squared - at_b - at_c, -by_b - by_c);
        let touching = TOUCHING as f32 * kept + room;
        // The distance to the outside of an edge, times its length and the area.
        let is_off = |at: Vec4, by: Vec4, edge: Vec4| {
            let most = (room * (area + 2.0 * kept * edge)).max(touching * area);
            at.max(at + by).cmplt(-most * edge * ABOUT)
        };
        above
            | is_off(at_a, by_a, (c - b).length())
            | is_off(at_b, by_b, ac.length())
            | is_off(at_c, by_c, ab.length())
    }

    #[inline]
    fn beside_edges(&self, kept: Vec4) -> BVec4A {
        let Self { points: [a, b, c, d], way, room, .. } = *self;
        let (ab, cd, ca) = (b - a, d - c, a - c);
        let normal = ab.cross(cd);
        let squared = normal.length_squared();
        let (one, other) = (ab.length_squared(), cd.length_squared());
        let height = ca.dot(normal);
        let most = (kept + room) * squared.sqrt() * ABOUT;
        let above = beyond([height, height + way.dot(normal)], most);
        let touching = TOUCHING as f32 * kept + room;
        let side = |edge: Vec4| (room * (edge + 2.0 * kept)).max(touching * edge) * ABOUT;
        let (side, other_side) = (side(one.sqrt()), side(other.sqrt()));
        let cosine = ab.dot(cd).abs();
        // By how much the closest points of both lines can be outside, as shares of the edges
        // times the square of the normal.
        let is_off = |to: Vec3x4, off: Vec4| {
            let (at, by, half) = (ca.dot(to), way.dot(to), 0.5 * squared);
            beyond([at - half, at + by - half], half + off)
        };
        let beside = above
            | is_off(normal.cross(cd), side * other + other_side * cosine)
            | is_off(normal.cross(ab), other_side * one + side * cosine);
        let parallel = squared.cmplt(PARALLEL * one * other);
        match parallel.any() {
            true => (beside & !parallel) | (self.beside_parallel_edges(kept) & parallel),
            false => beside,
        }
    }

    /// Of edges that are nearly parallel: across both, or along the first.
    #[inline]
    fn beside_parallel_edges(&self, kept: Vec4) -> BVec4A {
        let Self { points: [a, b, c, d], way, room, .. } = *self;
        let length = (b - a).length();
        let along = (b - a) * length.recip();
        let cd = d - c;
        let across = |v: Vec3x4| v - along * v.dot(along);
        let (from, by) = (across(a - c), across(way));
        let most = by.length_squared().max(Vec4::splat(f32::MIN_POSITIVE));
        let share = (-from.dot(by) / most).clamp(Vec4::ZERO, Vec4::ONE);
        let nearest = from + by * share;
        let apart = nearest.length().cmpgt((kept + room + across(cd).length()) * ABOUT);
        // Where the second begins and ends along the first, seen from its middle.
        let begin = (c - a).dot(along) - 0.5 * length;
        let (end, by) = (begin + cd.dot(along), way.dot(along));
        let (low, high) = (begin.min(end), begin.max(end));
        let turned = room * (Vec4::ONE + 2.0 * kept / length);
        let most = (0.5 * length + turned.max(TOUCHING as f32 * kept + room)) * ABOUT;
        apart | low.min(low - by).cmpgt(most) | high.max(high - by).cmplt(-most)
    }
}

/// Where two numbers are both above `most`, or both below −`most`.
#[inline]
fn beyond([one, other]: [Vec4; 2], most: Vec4) -> BVec4A {
    one.min(other).cmpgt(most) | one.max(other).cmplt(-most)
}
