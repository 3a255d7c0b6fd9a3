//! Whether a straight path meets a simple shape.

use glam::DVec3;

use super::primitive::{Nearest, Shape};

/// A path that comes so near to a surface meets it, in the solid's frame \[m\].
const MEETING: f64 = 1e-9;

/// The most looks at the distance along one path. A path that needs more grazes the surface at
/// next to no distance, and counts as meeting it.
const MOST_LOOKS: usize = 256;

impl Shape {
    /// Where a path that starts on the allowed side first meets the surface, if it does; `start` is
    /// what is nearest to its beginning and `sign` makes distances positive on the allowed side.
    ///
    /// By conservative advancement: nothing is nearer than the distance, so the path is free for
    /// that length. All shapes are convex, which decides for paths that start on the surface.
    pub(super) fn meeting(&self, sign: f64, start: &Nearest, path: [DVec3; 2]) -> Option<Nearest> {
        let way = path[1] - path[0];
        let length = way.length();
        let (mut along, mut near) = (0.0, *start);
        for _ in 0..MOST_LOOKS {
            let distance = sign * near.distance;
            if distance <= MEETING {
                let leaves = along == 0.0 && sign * near.normal.dot(way) >= 0.0;
                return (!leaves).then_some(near);
            }
            along += distance;
            if along >= length {
                return None;
            }
            near = self.nearest(path[0] + way * (along / length));
        }
        Some(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(shape: &Shape, sign: f64, path: [DVec3; 2]) -> Option<Nearest> {
        shape.meeting(sign, &shape.nearest(path[0]), path)
    }

    #[test]
    fn a_path_through_a_thin_plate_meets_its_face() {
        let plate = Shape::Box { size: DVec3::new(1.0, 1e-6, 1.0) };
        for slant in [0.0, 0.1, 3.0] {
            let path = [DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.1 * slant, -0.1, 0.0)];
            let hit = meets(&plate, 1.0, path).unwrap();
            assert_eq!(hit.normal, DVec3::Y);
            assert!((hit.point.y - 5e-7).abs() < 1e-9);
        }
        let past = [DVec3::new(0.6, 0.1, 0.0), DVec3::new(0.6, -0.1, 0.0)];
        assert_eq!(meets(&plate, 1.0, past), None);
    }

    #[test]
    fn paths_that_leave_or_pass_are_free_and_paths_inside_end_at_the_wall() {
        let ball = Shape::Sphere { radius: 1.0 };
        assert_eq!(meets(&ball, 1.0, [DVec3::X, DVec3::X * 2.0]), None);
        assert_eq!(meets(&ball, 1.0, [DVec3::X, DVec3::new(1.0, 2.0, 0.0)]), None);
        assert_eq!(
            meets(&ball, 1.0, [DVec3::new(1.001, -2.0, 0.0), DVec3::new(1.001, 2.0, 0.0)]),
            None
        );
        let through = meets(&ball, 1.0, [DVec3::X * -3.0, DVec3::X * 3.0]).unwrap();
        assert!((through.normal + DVec3::X).length() < 1e-12);
        assert_eq!(meets(&ball, -1.0, [DVec3::ZERO, DVec3::X * 0.9]), None);
        let out = meets(&ball, -1.0, [DVec3::ZERO, DVec3::X * 1.1]).unwrap();
        assert!((out.point - DVec3::X).length() < 1e-9);
    }
}
