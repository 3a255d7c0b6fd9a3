//! A pose: where something is, how it is turned and how large it is.

use glam::{DMat3, DVec3};

/// Scales, turns, then moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The turn, a rotation.
    pub turn: DMat3,
    /// How many times as large.
    pub scale: f64,
    /// Where the origin is put \[m\].
    pub shift: DVec3,
}

impl Pose {
    /// As it was made.
    pub const IDENTITY: Self = Self { turn: DMat3::IDENTITY, scale: 1.0, shift: DVec3::ZERO };

    /// Moved to a place.
    pub fn at(shift: DVec3) -> Self {
        Self { shift, ..Self::IDENTITY }
    }

    /// Where a point is put.
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.shift + self.turn * (point * self.scale)
    }

    /// The point that is put at a place: the inverse of [`Pose::apply`].
    #[inline]
    pub fn invert(&self, place: DVec3) -> DVec3 {
        self.turn.transpose() * (place - self.shift) / self.scale
    }

    /// First another pose, then this one.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            turn: self.turn * first.turn,
            scale: self.scale * first.scale,
            shift: self.apply(first.shift),
        }
    }

    /// Whether it is a place at all: finite, turned by a rotation, of some size.
    pub(crate) fn is_sound(&self) -> bool {
        let columns = [self.turn.x_axis, self.turn.y_axis, self.turn.z_axis];
        let upright = self.turn * self.turn.transpose();
        self.shift.is_finite()
            && self.scale.is_finite()
            && self.scale > 0.0
            && columns.iter().all(|column| column.is_finite())
            && upright.abs_diff_eq(DMat3::IDENTITY, 1e-9)
            && self.turn.determinant() > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_compose_and_invert() {
        let a = Pose { turn: DMat3::from_rotation_y(0.7), scale: 2.0, shift: DVec3::X };
        let b = Pose { turn: DMat3::from_rotation_x(-1.1), scale: 0.3, shift: DVec3::ONE };
        let point = DVec3::new(0.2, -0.4, 3.0);
        assert!((a.after(&b).apply(point) - a.apply(b.apply(point))).length() < 1e-14);
        assert!((a.invert(a.apply(point)) - point).length() < 1e-14);
        assert!(a.is_sound() && b.is_sound());
        assert!(!Pose { scale: 0.0, ..a }.is_sound());
        assert!(!Pose { turn: a.turn * 1.1, ..a }.is_sound());
    }
}
