//! A solid during one step: where it is at both ends, and what comes too near to it.

use glam::DVec3;
use taffeta_linalg::fill;

use super::primitive::Nearest;
use super::surface::{MeshSurface, SolidSurface};
use super::{EASE, SLACK, Side, Solid};
use crate::geometry::collision::Bounds;
use crate::geometry::pose::Pose;

/// Particles whose ways repay a hand-over to another thread.
const GRAIN: usize = 4096;

/// A solid at the two ends of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub solid: &'a Solid,
    pub surface: &'a SolidSurface,
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
    /// The surface there, unless it is out of reach.
    near: Option<Nearest>,
    /// Makes distances positive on the allowed side.
    sign: f64,
    /// The distance a contact brings it to by the end of the step [m].
    pub wanted: f64,
    /// The distance it has to have at the end of the step without a contact [m].
    allowed: f64,
}

/// The plane under a particle that comes near to a solid, at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// In the solid's own frame.
    pub touch: Touch,
    /// In space, towards the allowed side, of unit length.
    pub normal: DVec3,
    /// How far along the normal the particle has to be [m].
    pub offset: f64,
}

impl Placed<'_> {
    /// How far each particle comes nearer to the surface at most on its way to its candidate, seen
    /// from the solid [m].
    pub fn ways(&self, positions: &[DVec3], candidates: &[DVec3], ways: &mut [f64]) {
        let shift = match self.surface {
            SolidSurface::Simple => 0.0,
            SolidSurface::Mesh(mesh) => mesh.largest_shift() * self.from.scale.max(self.to.scale),
        };
        if self.from == self.to {
            return fill(ways, GRAIN, |i| positions[i].distance(candidates[i]) + shift);
        }
        let largest = self.from.scale.max(self.to.scale);
        // A solid that grows comes nearer by itself.
        let growth = (self.to.scale / self.from.scale - 1.0).abs();
        fill(ways, GRAIN, |i| {
            let (from, to) = (self.from.invert(positions[i]), self.to.invert(candidates[i]));
            from.distance(to) * largest + growth * from.length() * largest + shift
        });
    }

    /// The distance from the surface when the step begins, on the allowed side, where it is less
    /// than a reach [m]; otherwise the reach.
    pub fn gap_within(&self, position: DVec3, reach: f64) -> f64 {
        let at = self.from.invert(position);
        let scale = self.from.scale;
        let near = match self.surface {
            SolidSurface::Simple => Some(self.solid.shape.nearest(at)),
            SolidSurface::Mesh(mesh) => {
                let around = Bounds::around([at]).grown(reach / scale);
                match around.overlaps(&mesh.bounds()) {
                    true if self.solid.side == Side::Both => {
                        mesh.nearest_at_start(at, reach / scale, false)
                    }
                    true => mesh.nearest_at_start(at, reach / scale, true),
                    false => None,
                }
            }
        };
        let signed = |near: Nearest| self.solid.side.sign(near.distance) * near.distance * scale;
        near.map_or(reach, signed).min(reach)
    }

    /// The plane that a particle has to stay above on its way to a candidate, if it would meet the
    /// solid or end within its thickness and a reach [m].
    pub fn approach(&self, position: DVec3, candidate: DVec3, reach: f64) -> Option<Approach> {
        let touch = self.touch(position, candidate);
        let outset = self.outset(position);
        let touch = touch.or_else(|| self.below(&outset, self.to.invert(candidate), reach))?;
        let normal = self.to.turn * touch.normal;
        let offset = normal.dot(self.to.apply(touch.point)) + outset.wanted;
        Some(Approach { touch, normal, offset })
    }

    /// The surface under a place in the solid's own frame at the end of the step, if it is within
    /// the thickness and a reach [m].
    fn below(&self, outset: &Outset, to: DVec3, reach: f64) -> Option<Touch> {
        let within = (self.solid.thickness + reach) / self.to.scale;
        let near = match self.surface {
            SolidSurface::Simple => self.solid.shape.nearest(to),
            SolidSurface::Mesh(_) if self.gap(outset) <= 0.0 => return None,
            SolidSurface::Mesh(mesh) => {
                let near = mesh.nearest_at_end(to, within)?;
                return Some(Touch { point: near.point, normal: near.normal });
            }
        };
        let distance = outset.sign * near.distance;
        let touch = Touch { point: near.point, normal: near.normal * outset.sign };
        (distance < within).then_some(touch)
    }

    /// Where a particle starts from. One that is nearer than the solid's thickness, or inside,
    /// must not come nearer; a contact leads it away slowly, and it needs one unless it goes by
    /// itself, if only at a thousandth of that speed.
    pub fn outset(&self, position: DVec3) -> Outset {
        let at = self.from.invert(position);
        let near = self.nearest_at_start(at);
        let sign = self.solid.side.sign(near.map_or(0.0, |near| near.distance));
        let mut outset = Outset { at, near, sign, wanted: 0.0, allowed: 0.0 };
        let gap = self.gap(&outset);
        let thickness = self.solid.thickness;
        outset.wanted = thickness.min(gap + self.lead);
        outset.allowed = (thickness * (1.0 - EASE)).min(gap + 1e-3 * self.lead);
        outset
    }

    /// Whether a particle that moves to a position meets the solid on the way or ends too near.
    pub fn touch(&self, position: DVec3, candidate: DVec3) -> Option<Touch> {
        // Positions that are no numbers are the judge's affair.
        if !candidate.is_finite() {
            return None;
        }
        let to = self.to.invert(candidate);
        match self.surface {
            SolidSurface::Simple => self.touch_simple(&self.outset(position), to),
            SolidSurface::Mesh(mesh) => {
                let path = Bounds::around([self.from.invert(position), to]);
                let reach = self.solid.thickness / self.from.scale.min(self.to.scale);
                // What is wholly outside a container has no way back but along the surface.
                let far = !path.grown(reach).overlaps(&mesh.bounds());
                if far { None } else { self.touch_mesh(mesh, &self.outset(position), to) }
            }
        }
    }

    fn touch_simple(&self, outset: &Outset, to: DVec3) -> Option<Touch> {
        let (shape, near) = (&self.solid.shape, outset.near?);
        let distance = outset.sign * near.distance;
        let allowed = (outset.allowed - SLACK) / self.to.scale;
        // Nothing can come nearer than by the way it goes.
        if distance - outset.at.distance(to) >= allowed.max(0.0) {
            return None;
        }
        let began_outside = distance * self.from.scale >= -SLACK;
        let met = match began_outside {
            true => shape.meeting(outset.sign, &near, [outset.at, to]),
            false => None,
        };
        let near = met.or_else(|| {
            let near = shape.nearest(to);
            (outset.sign * near.distance < allowed).then_some(near)
        })?;
        Some(Touch { point: near.point, normal: near.normal * outset.sign })
    }

    /// A particle on the allowed side is kept from crossing any triangle, so it stays there
    /// whatever the mesh is like; one inside a closed mesh is led to the nearest triangle.
    fn touch_mesh(&self, mesh: &MeshSurface, outset: &Outset, to: DVec3) -> Option<Touch> {
        let (gap, path) = (self.gap(outset), [outset.at, to]);
        let least = gap.abs().min(self.solid.thickness) / self.from.scale;
        let met = mesh.meeting(path, least);
        let allowed = (outset.allowed - SLACK) / self.to.scale;
        if gap > 0.0 {
            let near = met.or_else(|| mesh.nearest_at_end(to, allowed))?;
            return Some(Touch { point: near.point, normal: near.normal });
        }
        if met.is_some() {
            return None;
        }
        let near = mesh.nearest_at_end(to, path[0].distance(to) - gap / self.from.scale + least)?;
        (near.distance > -allowed).then_some(Touch { point: near.point, normal: -near.normal })
    }

    /// How far a particle is from the surface when the step begins, on the allowed side [m].
    pub fn gap(&self, outset: &Outset) -> f64 {
        let gap = |near: Nearest| outset.sign * near.distance * self.from.scale;
        outset.near.map_or(f64::INFINITY, gap)
    }

    /// How far the solid carries in this step what is at the particle's place now [m].
    pub fn travel(&self, outset: &Outset) -> DVec3 {
        let shift = outset.near.map_or(DVec3::ZERO, |near| near.shift);
        self.to.apply(outset.at + shift) - self.from.apply(outset.at)
    }

    fn nearest_at_start(&self, at: DVec3) -> Option<Nearest> {
        let mesh = match self.surface {
            SolidSurface::Simple => return Some(self.solid.shape.nearest(at)),
            SolidSurface::Mesh(mesh) => mesh,
        };
        // A little farther than what is kept, for particles that hover over a bent surface.
        let reach = 2.0 * (self.solid.thickness + self.lead) / self.from.scale;
        if self.solid.side == Side::Both {
            return mesh.nearest_at_start(at, reach, false);
        }
        let bounds = mesh.bounds();
        let size = (bounds.high - bounds.low).length();
        let outside = !Bounds::around([at]).overlaps(&bounds);
        if outside && self.solid.side == Side::Outside {
            return mesh.nearest_at_start(at, reach, false);
        }
        // What is deep inside has to find out.
        let mut reach = reach;
        loop {
            let found = mesh.nearest_at_start(at, reach, true);
            if found.is_some() || reach > size {
                return found;
            }
            reach *= 4.0;
        }
    }
}

impl Solid {
    /// How far inside the solid points are at a time \[m\]; negative outside, and without end far
    /// away from a mesh. Of a two-sided solid there is no inside: a point is never deeper than the
    /// surface.
    pub fn depths(&self, points: &[DVec3], time: f64) -> Vec<f64> {
        let mut surface = SolidSurface::new(&self.shape);
        surface.place(&self.shape, [time; 2]);
        let pose = self.pose_at(time);
        let placed = Placed { solid: self, surface: &surface, from: pose, to: pose, lead: 0.0 };
        points.iter().map(|&point| -placed.gap(&placed.outset(point))).collect()
    }
}
