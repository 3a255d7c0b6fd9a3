//! What can be wrong with a solid.

use glam::DVec3;
use thiserror::Error;

use super::{Shape, Side, Solid, SolidMesh};

/// A solid that moves faster than this between two keys is taken for one that jumps \[m/s\].
const FASTEST: f64 = 1000.0;

/// What is wrong with a solid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SolidProblem {
    /// A length of its shape makes no sense.
    #[error("its {what} is {value} m; it must be finite and above zero")]
    Length {
        /// Which length.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// Its thickness makes no sense.
    #[error("its thickness is {0} m; it must be finite and not negative")]
    Thickness(f64),
    /// It has two sides that cannot be told apart.
    #[error(
        "it is a mesh or keeps cloth on both sides, so its thickness must be above zero: on the surface there is no side"
    )]
    NoThickness,
    /// Its mesh has an inside that is none.
    #[error(
        "its mesh is not closed, so it has no inside: keep cloth on both sides, or close its borders"
    )]
    NoInside,
    /// Its friction makes no sense.
    #[error("its friction is {0}; it must be finite and not negative")]
    Friction(f64),
    /// It is nowhere.
    #[error("its place is not finite, its scale not above zero, or its rotation none")]
    Pose,
    /// Its motion turns about nothing.
    #[error("the axis of its motion is not of length 1, or its centre not finite")]
    Axis,
    /// Keys out of order, not finite or of no size.
    #[error(
        "key {0} of its motion is not finite, not later than the one before, or has a scale that is not above zero"
    )]
    Key(usize),
    /// It jumps from one key to the next.
    #[error(
        "from key {} to key {key} it moves at {speed:.0} m/s, which is a jump: give it more time, for cloth in its way would be torn", key - 1
    )]
    Jump {
        /// The key it jumps to.
        key: usize,
        /// Its speed [m/s].
        speed: f64,
    },
}

impl Solid {
    /// The first thing that keeps it from being simulated, if there is one.
    pub fn problem(&self) -> Option<SolidProblem> {
        self.shape
            .problem()
            .or_else(|| self.surface_problem())
            .or_else(|| (!self.pose.is_sound()).then_some(SolidProblem::Pose))
            .or_else(|| self.motion_problem())
    }

    fn mesh(&self) -> Option<&SolidMesh> {
        match &self.shape {
            Shape::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    fn surface_problem(&self) -> Option<SolidProblem> {
        let negative = |value: f64| !(value.is_finite() && value >= 0.0);
        if negative(self.thickness) {
            Some(SolidProblem::Thickness(self.thickness))
        } else if self.thickness == 0.0 && (self.side == Side::Both || self.mesh().is_some()) {
            Some(SolidProblem::NoThickness)
        } else if self.side != Side::Both && self.mesh().is_some_and(|mesh| !mesh.is_closed()) {
            Some(SolidProblem::NoInside)
        } else if negative(self.friction) {
            Some(SolidProblem::Friction(self.friction))
        } else {
            None
        }
    }

    fn motion_problem(&self) -> Option<SolidProblem> {
        let (motion, axis) = (&self.motion, self.motion.axis);
        let unit = axis.is_finite() && (axis.length() - 1.0).abs() <= 1e-9;
        if !(unit && motion.centre.is_finite()) {
            return Some(SolidProblem::Axis);
        }
        if let Some(key) = motion.bad_key() {
            return Some(SolidProblem::Key(key));
        }
        (1..motion.keys.len()).find_map(|key| {
            let [from, to] = [motion.keys[key - 1].time, motion.keys[key].time];
            let place = |time: f64| self.pose_at(time).apply(DVec3::ZERO);
            let speed = place(to).distance(place(from)) / (to - from);
            (speed > FASTEST).then_some(SolidProblem::Jump { key, speed })
        })
    }
}

impl Shape {
    fn problem(&self) -> Option<SolidProblem> {
        let lengths: &[(&'static str, f64)] = match *self {
            Self::Mesh(_) => &[],
            Self::Plane { drawn } => &[("drawn side", drawn)],
            Self::Sphere { radius } => &[("radius", radius)],
            Self::Capsule { radius, length } | Self::Cylinder { radius, length } => {
                &[("radius", radius), ("length", length)]
            }
            Self::Box { size } => {
                &[("size along x", size.x), ("size along y", size.y), ("size along z", size.z)]
            }
        };
        let wrong = lengths.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0));
        wrong.map(|&(what, value)| SolidProblem::Length { what, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Motion, MotionKey, Pose};

    fn ball() -> Solid {
        Solid::resting(Shape::Sphere { radius: 1.0 }, Pose::IDENTITY)
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert_eq!(ball().problem(), None);
        let shaped = |shape: Shape| Solid { shape, ..ball() }.problem().map(|p| p.to_string());
        let says = |problem: Option<String>, what: &str| {
            assert!(problem.as_ref().is_some_and(|p| p.contains(what)), "{problem:?}, not {what}");
        };
        says(shaped(Shape::Sphere { radius: -1.0 }), "radius is -1 m");
        says(shaped(Shape::Capsule { radius: 1.0, length: f64::NAN }), "length is NaN");
        says(shaped(Shape::Box { size: DVec3::new(1.0, 0.0, 1.0) }), "size along y is 0 m");
        let thin = Solid { thickness: 0.0, ..ball() };
        assert_eq!(thin.problem(), None);
        let shell = Solid { side: Side::Both, ..thin };
        assert_eq!(shell.problem(), Some(SolidProblem::NoThickness));
        let slippery = Solid { friction: -0.1, ..ball() };
        assert_eq!(slippery.problem(), Some(SolidProblem::Friction(-0.1)));
        let nowhere = Solid { pose: Pose::at(DVec3::NAN), ..ball() };
        assert_eq!(nowhere.problem(), Some(SolidProblem::Pose));
    }

    #[test]
    fn motion_that_makes_no_sense_is_named() {
        let moved = |keys: &[(f64, f64)]| {
            let path = keys.iter().map(|&(time, x)| (time, DVec3::X * x));
            Solid { motion: Motion::path(path), ..ball() }.problem()
        };
        assert_eq!(moved(&[(0.0, 0.0), (1.0, 5.0)]), None);
        assert_eq!(moved(&[(1.0, 0.0), (0.0, 5.0)]), Some(SolidProblem::Key(1)));
        let jump = moved(&[(0.0, 0.0), (1.0, 1.0), (1.001, 5.0)]);
        assert!(matches!(jump, Some(SolidProblem::Jump { key: 2, .. })), "{jump:?}");
        let mut flat = Solid { motion: Motion::still(), ..ball() };
        flat.motion.keys = vec![MotionKey { scale: 0.0, ..MotionKey::default() }];
        assert_eq!(flat.problem(), Some(SolidProblem::Key(0)));
        flat.motion = Motion { axis: DVec3::X * 2.0, ..Motion::still() };
        assert_eq!(flat.problem(), Some(SolidProblem::Axis));
    }
}
