//! Which particles of a frame are inside a solid: from the shapes themselves, without any of the
//! distances that the simulation goes by.

use glam::{DVec2, DVec3};
use taffeta::{Shape, Side, Solid};

/// The particles inside a solid at a time, in order; none of a solid that has two sides.
pub fn particles_inside(solid: &Solid, time: f64, positions: &[DVec3]) -> Vec<u32> {
    if solid.side == Side::Both {
        return Vec::new();
    }
    let pose = solid.pose_at(time);
    let wrong =
        |p: &DVec3| encloses(&solid.shape, pose.invert(*p)) == (solid.side == Side::Outside);
    let inside = positions.iter().zip(0..).filter(|(p, _)| wrong(p));
    inside.map(|(_, particle)| particle).collect()
}

/// Whether a point of a shape's own frame is in the shape, borders excluded.
fn encloses(shape: &Shape, p: DVec3) -> bool {
    let from_axis = DVec2::new(p.x, p.z).length_squared();
    match *shape {
        Shape::Plane { .. } => p.y < 0.0,
        Shape::Sphere { radius } => p.length_squared() < radius * radius,
        Shape::Capsule { radius, length } => {
            let beyond = (p.y.abs() - 0.5 * length).max(0.0);
            from_axis + beyond * beyond < radius * radius
        }
        Shape::Cylinder { radius, length } => {
            from_axis < radius * radius && p.y.abs() < 0.5 * length
        }
        Shape::Box { size } => p.abs().cmplt(0.5 * size).all(),
    }
}

#[cfg(test)]
mod tests {
    use taffeta::Pose;

    use super::*;

    #[test]
    fn what_is_inside_is_told() {
        let points: Vec<DVec3> = [0.0, 0.5, 0.9, 1.1].map(|y| DVec3::new(0.3, y, 0.0)).to_vec();
        let inside = |shape: Shape, side: Side| {
            let at = Pose { scale: 2.0, ..Pose::at(DVec3::new(0.3, 0.0, 0.0)) };
            particles_inside(&Solid { side, ..Solid::resting(shape, at) }, 3.0, &points)
        };
        assert_eq!(inside(Shape::Sphere { radius: 0.5 }, Side::Outside), [0, 1, 2]);
        assert_eq!(inside(Shape::Sphere { radius: 0.5 }, Side::Inside), [3]);
        assert_eq!(inside(Shape::Sphere { radius: 0.5 }, Side::Both), [] as [u32; 0]);
        assert_eq!(inside(Shape::Plane { drawn: 1.0 }, Side::Outside), [] as [u32; 0]);
        assert_eq!(inside(Shape::Capsule { radius: 0.1, length: 0.4 }, Side::Outside), [0, 1]);
        assert_eq!(inside(Shape::Cylinder { radius: 0.1, length: 0.9 }, Side::Outside), [0, 1]);
        assert_eq!(inside(Shape::Box { size: DVec3::splat(1.0) }, Side::Outside), [0, 1, 2]);
    }
}
