//! All solids of a scene during one step.

use super::{LEAD_OUT, Placed, Solid, SolidSurface};
use crate::geometry::pose::Pose;

/// Where the solids are at both ends of a step.
#[derive(Debug)]
pub(crate) struct PosedSolids {
    poses: Vec<[Pose; 2]>,
    surfaces: Vec<SolidSurface>,
}

impl PosedSolids {
    pub fn new(solids: &[Solid]) -> Self {
        Self {
            poses: vec![[Pose::IDENTITY; 2]; solids.len()],
            surfaces: solids.iter().map(|solid| SolidSurface::new(&solid.shape)).collect(),
        }
    }

    /// Moves on to a step between two times.
    pub fn place(&mut self, solids: &[Solid], times: [f64; 2]) {
        let places = self.poses.iter_mut().zip(&mut self.surfaces);
        for ((poses, surface), solid) in places.zip(solids) {
            *poses = times.map(|time| solid.pose_at(time));
            surface.place(&solid.shape, times);
        }
    }

    /// One of them, in a step of this length [s].
    pub fn placed<'a>(&'a self, solids: &'a [Solid], solid: u32, h: f64) -> Placed<'a> {
        let [from, to] = self.poses[solid as usize];
        Placed {
            solid: &solids[solid as usize],
            surface: &self.surfaces[solid as usize],
            from,
            to,
            lead: LEAD_OUT * h,
        }
    }
}
