//! Continuous collision detection: do a vertex and a triangle, or two edges, come together while
//! their points move along straight lines?
//!
//! Conservative advancement (Mirtich 1996) by proved slabs: at any time the closest points of two
//! convex things give a direction along which they are apart; how long a gap along that direction
//! lasts is a linear question, answered with bounds on round-off. Time advances only over what is
//! proved free, so nothing is missed, whatever is degenerate or nearly so; a wrongly computed
//! closest point costs an advance, never the truth. A grazing motion needs two or three slabs; a
//! meeting is approached by steps that shrink quadratically.
//!
//! Compared with additive advancement (Li et al. 2021), which divides the distance by the largest
//! speed there is, a slab does not care how fast things slide along it.

mod slab;

use glam::DVec3;

use super::proximity::{Closest, Pairing};
use slab::proved_gap;

/// Advances after which the rest of the motion counts as a meeting, uncertain.
const MOST_ADVANCES: u32 = 128;
/// An advance below this, as a share of the motion, is none.
const LEAST_ADVANCE: f64 = 1e-12;
/// Things have met that are nearer than the separation and this share of it…
const NEAR: f64 = 0.01;
/// … and this share of the extent of their motion.
const MET: f64 = 1e-9;

/// A meeting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// A time from 0 to 1, at or before the first meeting: until then all is proved free.
    pub time: f64,
    /// Whether they were seen to meet, to within 1e-9 of the extent of their motion and 1 % of the
    /// separation; if not, the search was given up and they may just as well pass.
    pub certain: bool,
    /// The direction, of length 1, from the second to the first of the pair when they meet.
    pub normal: DVec3,
    /// The points that meet: weights of the four points, as in [`Closest`].
    pub weights: [f64; 4],
}

/// Whether a pair comes nearer than `separation` \[m\] while its four points move in straight lines
/// from one place to another; touching counts.
///
/// The answer never misses a meeting. A pair that starts nearer than `separation` meets at once.
pub fn impact(pairing: Pairing, motion: [&[DVec3; 4]; 2], separation: f64) -> Option<Impact> {
    let near = separation * (1.0 + NEAR) + MET * scale(motion);
    let mut time = 0.0;
    let mut normal = None;
    for _ in 0..MOST_ADVANCES {
        let closest = pairing.closest(&places(motion, time));
        let (next, by) = advance(pairing, motion, separation, (time, &closest));
        if next >= 1.0 {
            return None;
        }
        normal = by.or(normal);
        let met_now = closest.apart.length_squared() <= near * near;
        if next - time <= LEAST_ADVANCE || (met_now && separation > 0.0) {
            return Some(met(motion, time, met_now, (&closest, normal)));
        }
        time = next;
    }
    let closest = pairing.closest(&places(motion, time));
    Some(met(motion, time, closest.apart.length() <= near, (&closest, normal)))
}

/// How far time can go from the closest points at one time, and the direction that proves it.
fn advance(
    pairing: Pairing,
    motion: [&[DVec3; 4]; 2],
    separation: f64,
    (time, closest): (f64, &Closest),
) -> (f64, Option<DVec3>) {
    let mut farthest = (time, None);
    // Of things very close together the difference of points is mostly round-off; their common
    // normal is not.
    for direction in [closest.apart, closest.normal, -closest.normal] {
        let Some(normal) = direction.try_normalize() else { continue };
        let (begin, end) = proved_gap(pairing, motion, normal, separation);
        if begin <= time && end > farthest.0 {
            farthest = (end, Some(normal));
            if end - time > LEAST_ADVANCE {
                break;
            }
        }
    }
    farthest
}

fn met(
    [from, to]: [&[DVec3; 4]; 2],
    time: f64,
    certain: bool,
    (closest, normal): (&Closest, Option<DVec3>),
) -> Impact {
    // Things that touch from the start show no direction but against their motion.
    let against = || {
        let travel: DVec3 = (0..4).map(|i| (to[i] - from[i]) * closest.weights[i]).sum();
        let side = if closest.normal.dot(travel) > 0.0 { -1.0 } else { 1.0 };
        let common = (closest.normal * side).try_normalize();
        common.or(closest.apart.try_normalize()).or((-travel).try_normalize())
    };
    let normal = normal.or_else(against).unwrap_or(DVec3::Y);
    Impact { time, certain, normal, weights: closest.weights }
}

/// Where the four points are at a time.
#[inline]
fn places([from, to]: [&[DVec3; 4]; 2], time: f64) -> [DVec3; 4] {
    let at = |i: usize| from[i] + (to[i] - from[i]) * time;
    [at(0), at(1), at(2), at(3)]
}

/// The longest distance between the points of a pair, or of their motion \[m\], about.
fn scale([from, to]: [&[DVec3; 4]; 2]) -> f64 {
    (0..4).map(|i| (from[i] - from[0]).length() + (to[i] - from[i]).length()).fold(0.0, f64::max)
}
