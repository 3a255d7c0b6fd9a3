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

    /// Free only where both are free.
    ///
    /// Held directions that are within about 3° of each other count as one: what little they
    /// differ by would be a constraint of its own, and mostly round-off.
    pub fn intersect(&self, other: &Self) -> Self {
        let mut held = HeldDirections::of(self);
        for &direction in HeldDirections::of(other).as_slice() {
            held.add(direction);
        }
        held.filter()
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

/// Directions at right angles to each other in which a particle is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeldDirections {
    directions: [DVec3; 3],
    count: usize,
}

/// The sine of the angle from which on a direction counts as another one.
const ANOTHER: f64 = 0.05;

impl HeldDirections {
    /// The directions a filter holds.
    pub fn of(filter: &Filter) -> Self {
        let mut held = Self::default();
        let taken = DMat3::IDENTITY - filter.0;
        let mut columns = [taken.x_axis, taken.y_axis, taken.z_axis];
        // The longest first: its direction is the least spoilt by round-off.
        columns.sort_by(|a, b| b.length_squared().total_cmp(&a.length_squared()));
        for column in columns {
            if let Some(direction) = column.try_normalize().filter(|_| column.length() > 1e-6) {
                held.add(direction);
            }
        }
        held
    }

    /// Holds one more unit direction; returns the part of it that is new, of unit length, or
    /// nothing if it was held already.
    pub fn add(&mut self, direction: DVec3) -> Option<DVec3> {
        let mut rest = direction;
        // Twice is enough for directions at right angles to round-off.
        for _ in 0..2 {
            for held in self.as_slice() {
                rest -= *held * held.dot(rest);
            }
        }
        if self.count == 3 || rest.length() < ANOTHER {
            return None;
        }
        let unit = rest.normalize();
        self.directions[self.count] = unit;
        self.count += 1;
        Some(unit)
    }

    /// The directions.
    pub fn as_slice(&self) -> &[DVec3] {
        &self.directions[..self.count]
    }

    /// The filter that holds them.
    pub fn filter(&self) -> Filter {
        match self.as_slice() {
            [] => Filter::FREE,
            [a] => Filter::in_plane(*a),
            [a, b] => Filter::along_line(a.cross(*b).normalize()),
            _ => Filter::HELD,
        }
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
    fn an_intersection_is_free_where_both_are() {
        let n = DVec3::new(1.0, -2.0, 0.5).normalize();
        let m = DVec3::new(0.2, 0.3, 0.9).normalize();
        let close = |a: Filter, b: Filter| (a.0 - b.0).abs_diff_eq(DMat3::ZERO, 1e-14);
        let [plane, other] = [n, m].map(Filter::in_plane);
        let along = Filter::along_line(n.cross(m).normalize());
        assert!(close(plane.intersect(&other), along));
        assert!(close(plane.intersect(&plane), plane));
        assert!(close(plane.intersect(&Filter::FREE), plane));
        assert!(close(Filter::FREE.intersect(&plane), plane));
        assert!(close(plane.intersect(&Filter::along_line(n)), Filter::HELD));
        assert!(close(along.intersect(&plane), along));
        assert!(close(along.intersect(&Filter::in_plane(n.cross(m).normalize())), Filter::HELD));
        assert!(close(Filter::HELD.intersect(&plane), Filter::HELD));
        // Two planes that are one but for round-off.
        let nearly = Filter::in_plane((n + m * 1e-9).normalize());
        assert!((plane.intersect(&nearly).0 - plane.0).abs_diff_eq(DMat3::ZERO, 1e-8));
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
