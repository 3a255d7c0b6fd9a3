//! A solid during one step: where it is at both ends, and what comes too near to it.

use glam::DVec3;

use super::primitive::{Nearest, Shape};
use super::{SLACK, Side, Solid};
use crate::pose::Pose;

/// A solid at the two ends of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub solid: &'a Solid,
    /// At the beginning.
    pub from: Pose,
    /// At the end.
    pub to: Pose,
    /// How far a particle inside is led out in the step [m].
    pub lead: f64,
}

/// The plane that a particle has to stay above, in the solid's own frame at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// A point of the surface.
    pub point: DVec3,
    /// Towards the allowed side, of unit length.
    pub normal: DVec3,
}

/// Where a particle is when a step begins, as seen from a solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outset {
    /// In the solid's own frame.
    pub at: DVec3,
    near: Nearest,
    sign: f64,
    /// The distance a contact brings it to by the end of the step [m].
    pub wanted: f64,
    /// The distance it has to have at the end of the step without a contact [m].
    allowed: f64,
}

impl<'a> Placed<'a> {
    /// Where a particle starts from. One that is nearer than the solid's thickness, or inside,
    /// must not come nearer; a contact leads it away slowly, and it needs one unless it goes by
    /// itself, if only at a thousandth of that speed.
    pub fn outset(&self, position: DVec3) -> Outset {
        let at = self.from.invert(position);
        let near = self.shape().nearest(at);
        let sign = self.solid.side.sign(near.distance);
        let gap = sign * near.distance * self.from.scale;
        let nearer = |lead: f64| self.solid.thickness.min(gap + lead);
        Outset { at, near, sign, wanted: nearer(self.lead), allowed: nearer(1e-3 * self.lead) }
    }

    /// Whether a particle that moves to a position meets the solid on the way or ends too near.
    pub fn touch(&self, position: DVec3, candidate: DVec3) -> Option<Touch> {
        // Positions that are no numbers are the judge's affair.
        if !candidate.is_finite() {
            return None;
        }
        let outset = self.outset(position);
        let to = self.to.invert(candidate);
        let distance = outset.sign * outset.near.distance;
        let allowed = (outset.allowed - SLACK) / self.to.scale;
        // Nothing can come nearer than by the way it goes.
        if distance - outset.at.distance(to) >= allowed.max(0.0) {
            return None;
        }
        let began_outside = distance * self.from.scale >= -SLACK;
        let met = match began_outside {
            true => self.shape().meeting(outset.sign, &outset.near, [outset.at, to]),
            false => None,
        };
        let near = met.or_else(|| {
            let near = self.shape().nearest(to);
            (outset.sign * near.distance < allowed).then_some(near)
        })?;
        Some(Touch { point: near.point, normal: near.normal * outset.sign })
    }

    /// The plane under a particle that is in touch, at a point of the solid's own frame.
    pub fn plane_at(&self, outset: &Outset, at: DVec3) -> Option<Touch> {
        let near = self.shape().nearest(at);
        Some(Touch { point: near.point, normal: near.normal * outset.sign })
    }

    /// Whether the surface still is where a plane has it, under a point of the solid's own frame,
    /// to within a reach [m].
    pub fn has_below(&self, at: DVec3, plane: &Touch, reach: f64) -> bool {
        let foot = at - plane.normal * plane.normal.dot(at - plane.point);
        self.shape().nearest(foot).distance.abs() * self.to.scale <= reach
    }

    /// How far a particle is from the surface when the step begins [m].
    pub fn gap(&self, outset: &Outset) -> f64 {
        outset.sign * outset.near.distance * self.from.scale
    }

    /// How far the solid carries in this step what is at a point of its own frame now [m].
    pub fn travel(&self, at: DVec3) -> DVec3 {
        self.to.apply(at) - self.from.apply(at)
    }

    fn shape(&self) -> &'a Shape {
        &self.solid.shape
    }
}

impl Solid {
    /// How far inside the solid a point is at a time \[m\]; negative outside. Of a two-sided solid
    /// there is no inside: a point is never deeper than the surface.
    pub fn depth(&self, point: DVec3, time: f64) -> f64 {
        let pose = self.pose_at(time);
        let distance = self.shape.nearest(pose.invert(point)).distance * pose.scale;
        match self.side {
            Side::Outside => -distance,
            Side::Inside => distance,
            Side::Both => -distance.abs(),
        }
    }
}
