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

use glam::Vec3;

use super::TOUCHING;
use crate::collision::Pairing;

/// Edges whose angle has a smaller sine² count as parallel: where their lines are closest says
/// nothing.
const PARALLEL: f32 = 0.01;
/// Round-off in products of coordinates.
const ABOUT: f32 = 1.0 + 1e-4;

/// Four points, and how they move.
pub(super) struct Motion {
    pub pairing: Pairing,
    /// [m]
    pub points: [Vec3; 4],
    /// The way of the first feature relative to the second [m].
    pub way: Vec3,
    /// By how much their points may be off that [m].
    pub room: f32,
}

impl Motion {
    /// Whether the two can neither touch nor come nearer than `kept` with closest points inside.
    #[inline]
    pub fn is_beside(&self, kept: f32) -> bool {
        match self.pairing {
            Pairing::VertexTriangle => self.is_beside_triangle(kept),
            Pairing::EdgeEdge => self.is_beside_edge(kept),
        }
    }

    #[inline]
    fn is_beside_triangle(&self, kept: f32) -> bool {
        let Self { points: [p, a, b, c], way, room, .. } = *self;
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let normal = ab.cross(ac);
        let squared = normal.length_squared();
        let area = squared.sqrt();
        let height = ap.dot(normal);
        if beyond([height, height + way.dot(normal)], (kept + room) * area * ABOUT) {
            return true;
        }
        // The barycentric coordinates, times the area squared, and how the way changes them.
        let (to_b, to_c) = (ac.cross(normal), normal.cross(ab));
        let (at_b, at_c) = (ap.dot(to_b), ap.dot(to_c));
        let (by_b, by_c) = (way.dot(to_b), way.dot(to_c));
        let (at_a, by_a) = (squared - at_b - at_c, -by_b - by_c);
        let touching = TOUCHING as f32 * kept + room;
        // The distance to the outside of an edge, times its length and the area.
        let is_off = |at: f32, by: f32, edge: f32| {
            let most = (room * (area + 2.0 * kept * edge)).max(touching * area);
            at.max(at + by) < -most * edge * ABOUT
        };
        is_off(at_a, by_a, (c - b).length())
            || is_off(at_b, by_b, ac.length())
            || is_off(at_c, by_c, ab.length())
    }

    #[inline]
    fn is_beside_edge(&self, kept: f32) -> bool {
        let Self { points: [a, b, c, d], way, room, .. } = *self;
        let (ab, cd, ca) = (b - a, d - c, a - c);
        let normal = ab.cross(cd);
        let squared = normal.length_squared();
        let (one, other) = (ab.length_squared(), cd.length_squared());
        if squared < PARALLEL * one * other {
            return self.is_beside_parallel(kept);
        }
        let height = ca.dot(normal);
        let most = (kept + room) * squared.sqrt() * ABOUT;
        if beyond([height, height + way.dot(normal)], most) {
            return true;
        }
        let touching = TOUCHING as f32 * kept + room;
        let side = |edge: f32| (room * (edge + 2.0 * kept)).max(touching * edge) * ABOUT;
        let (side, other_side) = (side(one.sqrt()), side(other.sqrt()));
        let cosine = ab.dot(cd).abs();
        // By how much the closest points of both lines can be outside, as shares of the edges
        // times the square of the normal.
        let is_off = |to: Vec3, off: f32| {
            let (at, by) = (ca.dot(to), way.dot(to));
            beyond([at - 0.5 * squared, at + by - 0.5 * squared], 0.5 * squared + off)
        };
        is_off(normal.cross(cd), side * other + other_side * cosine)
            || is_off(normal.cross(ab), other_side * one + side * cosine)
    }

    /// Of edges that are nearly parallel: across both, or along the first.
    #[inline]
    fn is_beside_parallel(&self, kept: f32) -> bool {
        let Self { points: [a, b, c, d], way, room, .. } = *self;
        let length = (b - a).length();
        let along = (b - a) / length;
        let cd = d - c;
        let across = |v: Vec3| v - along * v.dot(along);
        let (from, by) = (across(a - c), across(way));
        let share = (-from.dot(by) / by.length_squared()).clamp(0.0, 1.0);
        let nearest = if share.is_nan() { from } else { from + by * share };
        if nearest.length() > (kept + room + across(cd).length()) * ABOUT {
            return true;
        }
        // Where the second begins and ends along the first, seen from its middle.
        let begin = (c - a).dot(along) - 0.5 * length;
        let (end, by) = (begin + cd.dot(along), way.dot(along));
        let (low, high) = (begin.min(end), begin.max(end));
        let most = (room * (1.0 + 2.0 * kept / length)).max(TOUCHING as f32 * kept + room);
        let most = (0.5 * length + most) * ABOUT;
        low.min(low - by) > most || high.max(high - by) < -most
    }
}

/// Whether two numbers are both above `most`, or both below −`most`.
#[inline]
fn beyond([one, other]: [f32; 2], most: f32) -> bool {
    one.min(other) > most || one.max(other) < -most
}
