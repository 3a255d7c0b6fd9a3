//! Ties: how implicit steps hold warp and weft of a split crossing together.
//!
//! Warp and weft are a spring apart whose rest is the thickness of the cloth along its normal, and
//! what they have slid within its plane. Friction holds up to the grip; beyond it they slide, until
//! the spring bears just the grip (the return mapping of a plastic spring). The paper holds the
//! closest points of their springs at that distance and has no friction (MBCN09 eq. 1); within a
//! slip that is small against the distance between yarns the closest points are the crossing.

use glam::DVec3;

use super::cloth::Woven;
use super::couples::normal;
use super::tears::{Bond, Tears};
use super::yarns::Thread;
use crate::elements::Tie;

/// How far a tie gives way before its yarns slide, as a share of the way after which they are apart.
const GIVE: f64 = 0.05;
/// The least force that ties are made for, so that they hold where there is no friction [N].
const LEAST_GRIP: f64 = 1e-3;

/// The directions at a crossing: along the warp, across it within the cloth, and from weft to warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    along: DVec3,
    across: DVec3,
    up: DVec3,
    thickness: f64,
}

impl Frame {
    /// From weft to warp, once they have slid.
    pub fn offset(&self, [along, across]: [f64; 2]) -> DVec3 {
        self.along * along + self.across * across + self.up * self.thickness
    }
}

impl Woven {
    /// The ties of all split crossings that hold; they still have to be turned.
    pub(super) fn ties(&self, tears: &Tears) -> Vec<Tie> {
        let held = |bond: &Bond| matches!(bond, Bond::Loose | Bond::Connected);
        let split = (0u32..).zip(&tears.bonds).filter(|(_, bond)| held(bond));
        let stiffness = self.tearing.grip.max(LEAST_GRIP) / (GIVE * self.tearing.slip);
        split
            .map(|(crossing, _)| Tie {
                ends: [crossing, tears.wefts[crossing as usize]],
                offset: DVec3::ZERO,
                stiffness,
            })
            .collect()
    }

    /// The directions at a crossing with the cloth at these places. Cloth that is folded flat onto
    /// itself at a crossing has no normal there; any will do, for a moment.
    pub(super) fn frame(&self, crossing: u32, positions: &[DVec3]) -> Frame {
        let beside = |thread, forth| self.beside(crossing, thread, forth).unwrap_or(crossing);
        let around = [
            beside(Thread::Warp, false),
            beside(Thread::Warp, true),
            beside(Thread::Weft, false),
            beside(Thread::Weft, true),
        ];
        let upright = normal(positions, around).unwrap_or(DVec3::Y);
        let way = positions[around[1] as usize] - positions[around[0] as usize];
        let along = (way - upright * way.dot(upright)).try_normalize();
        let along = along.unwrap_or_else(|| upright.any_orthonormal_vector());
        let up = if self.warp_over(crossing) { upright } else { -upright };
        Frame { along, across: upright.cross(along), up, thickness: self.thickness }
    }

    /// How far the yarns of a tie have slid after a step that ended at these places.
    pub(super) fn slid(&self, tie: &Tie, slip: [f64; 2], positions: &[DVec3]) -> [f64; 2] {
        let [warp, weft] = tie.ends.map(|end| positions[end as usize]);
        let frame = self.frame(tie.ends[0], positions);
        let apart = [(warp - weft).dot(frame.along), (warp - weft).dot(frame.across)];
        let over = [apart[0] - slip[0], apart[1] - slip[1]];
        let pull = tie.stiffness * libm::hypot(over[0], over[1]);
        if pull <= self.tearing.grip {
            return slip;
        }
        let slides = 1.0 - self.tearing.grip / pull;
        [slip[0] + slides * over[0], slip[1] + slides * over[1]]
    }
}
