//! What a particle may still do: the 3×3 projections S of BW98 §5.1.

use glam::{DMat3, DVec3};

/// An orthogonal projection onto the directions in which a particle is free.
///
/// S = I (free), I − p pᵀ (free in a plane), n nᵀ (free along a line) or 0 (held).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter(DMat3);

impl Filter {
    /// All three directions are free.
    pub const FREE: Self = Self(DMat3::IDENTITY);
    /// No direction is free.
    pub const HELD: Self = Self(DMat3::ZERO);

    /// Free in the plane with this unit normal.
    pub fn in_plane(normal: DVec3) -> Self {
        Self(DMat3::IDENTITY - outer(normal))
    }

    /// Free along this unit direction.
    pub fn along_line(direction: DVec3) -> Self {
        Self(outer(direction))
    }

    /// The projection as a matrix.
    pub fn matrix(&self) -> DMat3 {
        self.0
    }

    /// The part of a vector the particle may follow.
    pub fn free_part(&self, vector: DVec3) -> DVec3 {
        self.0 * vector
    }

    /// The part of a vector the constraint takes away.
    pub fn held_part(&self, vector: DVec3) -> DVec3 {
        vector - self.0 * vector
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_projections_with_the_right_number_of_free_directions() {
        let n = DVec3::new(1.0, -2.0, 0.5).normalize();
        let cases = [
            (Filter::FREE, 3.0),
            (Filter::in_plane(n), 2.0),
            (Filter::along_line(n), 1.0),
            (Filter::HELD, 0.0),
        ];
        for (filter, free) in cases {
            let m = filter.0;
            let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
            assert!((trace - free).abs() < 1e-15, "{filter:?}");
            assert!((m * m - m).abs_diff_eq(DMat3::ZERO, 1e-15), "{filter:?}");
            assert_eq!(m, m.transpose(), "{filter:?}");
        }
    }

    #[test]
    fn the_two_parts_make_the_whole() {
        let n = DVec3::new(0.3, 0.1, -0.7).normalize();
        let v = DVec3::new(1.0, 2.0, 3.0);
        let filter = Filter::in_plane(n);
        assert!((filter.free_part(v) + filter.held_part(v) - v).length() < 1e-15);
        assert!(filter.free_part(v).dot(n).abs() < 1e-15);
        assert!(filter.held_part(v).cross(n).length() < 1e-15);
    }
}
