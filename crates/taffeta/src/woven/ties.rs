//! Ties: how implicit steps hold warp and weft of a split crossing together.
//!
//! Warp and weft are a spring apart, at first the thickness of the cloth along its normal. Friction
//! holds up to the grip; beyond it they slide, until the spring bears just the grip (the return
//! mapping of a plastic spring). The paper holds the closest points of their springs at the distance
//! of the thickness and has no friction (MBCN09 eq. 1); within a slip that is small against the
//! distance between yarns the closest points are the crossing. When cloth turns, ties turn with it
//! because they slide: that takes no more than the grip over the thickness.
//!
//! Within a step a tie is a spring, and gives up what is more than the grip at its end: yarns that
//! slide at a speed v in steps of h feel a drag of stiffness·v·h besides the grip.

use glam::DVec3;

use super::cloth::Woven;
use super::couples::normal;
use super::tears::Tears;
use crate::matter::elements::Tie;

/// How far a tie gives way before its yarns slide, as a share of the way after which they are apart.
const GIVE: f64 = 0.05;
/// The least force that ties are made for, so that they hold where there is no friction [N].
const LEAST_GRIP: f64 = 1e-3;

impl Woven {
    /// The ties of all split crossings that hold.
    pub(super) fn ties(&self, tears: &Tears) -> Vec<Tie> {
        let stiffness = self.tearing.grip.max(LEAST_GRIP) / (GIVE * self.tearing.slip);
        tears.couples().map(|ends| Tie { ends, stiffness }).collect()
    }

    /// From weft to warp at a crossing of whole cloth, by the particles around it (eq. 2). Where yarns
    /// end, or where cloth is folded flat onto itself, there may be no normal; any will do.
    pub(super) fn offset(&self, crossing: u32, around: [u32; 4], positions: &[DVec3]) -> DVec3 {
        let upright = normal(positions, around).unwrap_or(DVec3::Y);
        let sign = if self.warp_over(crossing) { 1.0 } else { -1.0 };
        upright * (sign * self.thickness)
    }

    /// What the yarns of a tie have come to after a step that ended at these places.
    pub(super) fn slid(&self, tie: &Tie, offset: DVec3, positions: &[DVec3]) -> DVec3 {
        let [warp, weft] = tie.ends.map(|end| positions[end as usize]);
        let over = warp - weft - offset;
        let pull = tie.stiffness * over.length();
        if pull <= self.tearing.grip {
            return offset;
        }
        offset + over * (1.0 - self.tearing.grip / pull)
    }
}
