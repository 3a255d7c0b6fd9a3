//! Patches seen as four corners: a direction that keeps two of them apart spares looking at their
//! features.
//!
//! Boxes of patches that are a few edges apart in a fine mesh overlap, for they are grown by the
//! thickness. But such neighbours keep only half their distance at rest. Along a direction u the
//! gap u·(z − y) between a point of one patch and a point of the other is linear in both, so that
//! corners tell: if for any two of them u·(z − y) > min(thickness, ½·|z − y| at rest), then every
//! pair of features is farther apart than it keeps.

use glam::{DVec3, Vec4};

use super::aabb::Aabb;
use super::patches::Patch;

/// Round-off of single precision in a sum of products of coordinates, as a share of their size.
const ROUND_OFF: f32 = 16.0 * f32::EPSILON;

/// Four corners, coordinate by coordinate [m].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corners {
    at: [Vec4; 3],
}

impl Corners {
    /// Of a patch, from some origin; of fewer than four the last is repeated.
    pub fn of(patch: &Patch, positions: &[DVec3], origin: DVec3) -> Self {
        let mut at = [Vec4::ZERO; 3];
        for (k, &particle) in patch.outline.iter().enumerate() {
            let place = (positions[particle as usize] - origin).as_vec3();
            (at[0][k], at[1][k], at[2][k]) = (place.x, place.y, place.z);
        }
        Self { at }
    }

    fn sum(&self) -> [f32; 3] {
        self.at.map(Vec4::element_sum)
    }
}

/// A patch on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    pub corners: Corners,
    /// Around the moves of its corners along their predicted ways [m].
    pub moves: Aabb,
    /// By how much they may leave those at most [m].
    pub allowance: f32,
}

impl Outline {
    pub const NONE: Self =
        Self { corners: Corners { at: [Vec4::ZERO; 3] }, moves: Aabb::EMPTY, allowance: 0.0 };
}

/// What is the same for all patches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// [m]
    pub thickness: f32,
    /// What coordinates are wrong by at most [m].
    pub round_off: f32,
}

impl Scale {
    /// For coordinates up to a size.
    pub fn new(thickness: f64, size: f64) -> Self {
        Self { thickness: (thickness as f32).next_up(), round_off: size as f32 * ROUND_OFF }
    }
}

/// Whether no features of two patches can come nearer than they keep, as the direction between
/// their centres tells; `rest` are their corners at rest, if they are of one piece.
#[inline]
pub(super) fn apart(both: [&Outline; 2], rest: Option<[&Corners; 2]>, scale: &Scale) -> bool {
    let [first, second] = both;
    let (from, to) = (first.corners.sum(), second.corners.sum());
    let [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let length = (x * x + y * y + z * z).sqrt();
    let along = |corners: &Corners| {
        let [cx, cy, cz] = corners.at;
        (cx * x + cy * y + cz * z) / length
    };
    let (own, other) = (along(&first.corners), along(&second.corners));
    let moves = (first.moves.high - second.moves.low).max(second.moves.high - first.moves.low);
    let slack = moves.truncate().length() + first.allowance + second.allowance + scale.round_off;
    let mut all = u32::MAX;
    for corner in 0..4 {
        let gap = other - Vec4::splat(own[corner] + slack * 1.0001);
        let mut clear = gap.cmpgt(Vec4::splat(scale.thickness));
        if let Some([own, other]) = rest {
            let off = |k: usize| other.at[k] - Vec4::splat(own.at[k][corner]);
            let at_rest = off(0) * off(0) + off(1) * off(1) + off(2) * off(2);
            clear |= gap.cmpgt(Vec4::ZERO) & (gap * gap * 3.999).cmpgt(at_rest);
        }
        all &= clear.bitmask();
    }
    all == 0b1111
}
