//! Motion by keyframes: of pins and of solids.

use glam::{DMat3, DVec3};

use crate::geometry::pose::Pose;

/// Times closer together than this are the same time [s].
pub(crate) const MOMENT: f64 = 1e-8;

/// A motion: scaling and a turn about an axis, then a move, all interpolated between keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The keys, in increasing time; before the first and after the last the motion rests.
    pub keys: Vec<MotionKey>,
    /// How it passes from key to key.
    pub ease: Ease,
    /// A point on the axis of turning, which scaling leaves where it is \[m\].
    pub centre: DVec3,
    /// The axis of turning, of unit length.
    pub axis: DVec3,
}

/// Where a motion is at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionKey {
    /// When \[s\].
    pub time: f64,
    /// How far it has moved \[m\].
    pub offset: DVec3,
    /// How far it has turned \[rad\].
    pub angle: f64,
    /// How many times as large it has become, above zero.
    pub scale: f64,
}

impl Default for MotionKey {
    /// At the start, where and as large as it was made.
    fn default() -> Self {
        Self { time: 0.0, offset: DVec3::ZERO, angle: 0.0, scale: 1.0 }
    }
}

/// How a motion passes from one key to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ease {
    /// At constant speed: velocity jumps at the keys.
    Linear,
    /// Starting and stopping smoothly at each key.
    Smooth,
}

impl Motion {
    /// No motion.
    pub fn still() -> Self {
        Self { keys: Vec::new(), ease: Ease::Linear, centre: DVec3::ZERO, axis: DVec3::Y }
    }

    /// Moves in a straight line along keys of time and offset, at constant speed between them.
    pub fn path(keys: impl IntoIterator<Item = (f64, DVec3)>) -> Self {
        let key = |(time, offset)| MotionKey { time, offset, ..MotionKey::default() };
        Self { keys: keys.into_iter().map(key).collect(), ..Self::still() }
    }

    /// Where a point of the moving body is at a time, given where it is in the body.
    pub fn place(&self, point: DVec3, time: f64) -> DVec3 {
        let key = self.at(time);
        self.centre + self.rotation(key.angle) * ((point - self.centre) * key.scale) + key.offset
    }

    /// The point of the body that is at a place at a time: the inverse of [`Motion::place`].
    pub fn body_point(&self, place: DVec3, time: f64) -> DVec3 {
        let key = self.at(time);
        let turned = self.rotation(-key.angle) * (place - key.offset - self.centre);
        self.centre + turned / key.scale
    }

    /// A direction of the body, as turned by a time.
    pub fn turn(&self, direction: DVec3, time: f64) -> DVec3 {
        self.rotation(self.at(time).angle) * direction
    }

    /// What becomes of a vector that turns and grows with the body from one time to another.
    pub fn turned_between(&self, vector: DVec3, from: f64, to: f64) -> DVec3 {
        let (from, to) = (self.at(from), self.at(to));
        self.rotation(to.angle - from.angle) * (vector * (to.scale / from.scale))
    }

    /// Where the moving body is at a time.
    pub fn pose(&self, time: f64) -> Pose {
        let key = self.at(time);
        let turn = self.rotation(key.angle);
        let shift = self.centre + key.offset - turn * (self.centre * key.scale);
        Pose { turn, scale: key.scale, shift }
    }

    /// The first key that is not finite, not later than the one before, or of no size.
    pub(crate) fn bad_key(&self) -> Option<usize> {
        (0..self.keys.len()).find(|&i| {
            let key = &self.keys[i];
            let finite = key.time.is_finite() && key.offset.is_finite() && key.angle.is_finite();
            let later = i == 0 || self.keys[i - 1].time < key.time;
            !(finite && later && key.scale.is_finite() && key.scale > 0.0)
        })
    }

    /// Where it is at a time.
    pub fn at(&self, time: f64) -> MotionKey {
        let after = self.keys.partition_point(|key| key.time <= time);
        let (Some(from), Some(to)) = (self.keys.get(after.wrapping_sub(1)), self.keys.get(after))
        else {
            let resting = if after == 0 { self.keys.first() } else { self.keys.last() };
            return resting.copied().unwrap_or_default();
        };
        let linear = (time - from.time) / (to.time - from.time);
        let s = match self.ease {
            Ease::Linear => linear,
            Ease::Smooth => linear * linear * (3.0 - 2.0 * linear),
        };
        MotionKey {
            time,
            offset: from.offset + (to.offset - from.offset) * s,
            angle: from.angle + (to.angle - from.angle) * s,
            scale: from.scale + (to.scale - from.scale) * s,
        }
    }

    /// The turn about the axis by an angle, by Rodrigues' formula; libm for the same bits on
    /// every platform.
    fn rotation(&self, angle: f64) -> DMat3 {
        if angle == 0.0 {
            return DMat3::IDENTITY;
        }
        let (sin, cos) = libm::sincos(angle);
        let a = self.axis;
        let column =
            |unit: DVec3| unit * cos + a.cross(unit) * sin + a * (a.dot(unit) * (1.0 - cos));
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    fn turning() -> Motion {
        Motion {
            keys: vec![
                MotionKey { time: 1.0, ..MotionKey::default() },
                MotionKey {
                    time: 3.0,
                    offset: DVec3::new(0.0, 2.0, 0.0),
                    angle: FRAC_PI_2,
                    scale: 1.0,
                },
            ],
            ease: Ease::Linear,
            centre: DVec3::new(1.0, 0.0, 0.0),
            axis: DVec3::Z,
        }
    }

    #[test]
    fn rests_before_and_after_and_interpolates_between() {
        let motion = turning();
        let point = DVec3::new(2.0, 0.0, 0.5);
        assert_eq!(motion.place(point, 0.0), point);
        let end = DVec3::new(1.0, 3.0, 0.5);
        assert!((motion.place(point, 3.0) - end).length() < 1e-15);
        assert!((motion.place(point, 9.0) - end).length() < 1e-15);
        let half = 0.5f64.sqrt();
        let middle = DVec3::new(1.0 + half, 1.0 + half, 0.5);
        assert!((motion.place(point, 2.0) - middle).length() < 1e-15);
    }

    #[test]
    fn body_point_is_the_inverse_of_place() {
        let motion = Motion { ease: Ease::Smooth, axis: DVec3::new(0.6, 0.0, 0.8), ..turning() };
        let point = DVec3::new(0.3, -0.8, 2.0);
        for time in [0.0, 1.0, 1.3, 2.9, 4.0] {
            let back = motion.body_point(motion.place(point, time), time);
            assert!((back - point).length() < 1e-14, "{time}");
        }
    }

    #[test]
    fn the_pose_is_where_points_are_placed() {
        let mut motion = Motion { axis: DVec3::new(0.6, 0.0, 0.8), ..turning() };
        motion.keys[1].scale = 3.0;
        let point = DVec3::new(0.3, -0.8, 2.0);
        for time in [0.0, 1.3, 2.0, 4.0] {
            let pose = motion.pose(time);
            assert!((pose.apply(point) - motion.place(point, time)).length() < 1e-14, "{time}");
            assert!((motion.body_point(pose.apply(point), time) - point).length() < 1e-14);
        }
        assert_eq!(motion.pose(2.0).scale, 2.0);
    }

    #[test]
    fn smooth_motion_starts_and_stops_at_rest() {
        let motion = Motion { ease: Ease::Smooth, ..turning() };
        let speed = |t: f64| {
            let e = 1e-5;
            (motion.place(DVec3::X, t + e) - motion.place(DVec3::X, t - e)).length() / (2.0 * e)
        };
        assert!(speed(1.0) < 1e-4 && speed(3.0) < 1e-4 && speed(2.0) > 1.0);
    }
}
