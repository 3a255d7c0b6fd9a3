//! Which particles of a frame are inside a solid.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use taffeta::solid::SLACK;
use taffeta::{Mesh, Pin, Pinch, Setup, Shape, Side, Solid, State};

/// The particles that pins hold inside solids, at a point or by letting them slide another way than out,
/// once for each solid.
pub fn held_inside(setup: &Setup, state: &State) -> Vec<Pinch> {
    let holds = |pin: &&Pin| pin.from <= state.time && state.time <= pin.until;
    let held: Vec<u32> =
        setup.pins.iter().filter(holds).flat_map(|pin| &pin.particles).copied().collect();
    let places: Vec<DVec3> =
        held.iter().map(|&particle| state.positions[particle as usize]).collect();
    if held.is_empty() {
        return Vec::new();
    }
    let of_solid = |(solid, body): (u32, &Solid)| {
        let depths = body.depths(&places, state.time);
        let inside = held.iter().zip(depths).filter(|(_, depth)| *depth > SLACK);
        inside.map(|(&particle, _)| Pinch { particle, solid }).collect::<Vec<_>>()
    };
    (0..).zip(&setup.solids).flat_map(of_solid).collect()
}

/// The particles inside a solid at a time, in order; none of a solid that has two sides. From the
/// shapes themselves, without any of the distances that the simulation goes by.
pub fn particles_inside(solid: &Solid, time: f64, positions: &[DVec3]) -> Vec<u32> {
    if solid.side == Side::Both {
        return Vec::new();
    }
    let pose = solid.pose_at(time);
    let body = Body::new(&solid.shape, time);
    let wrong = |p: &DVec3| body.encloses(pose.invert(*p)) == (solid.side == Side::Outside);
    let inside = positions.iter().zip(0..).filter(|(p, _)| wrong(p));
    inside.map(|(_, particle)| particle).collect()
}

/// A shape in its own frame at one time.
enum Body<'a> {
    Simple(&'a Shape),
    Mesh { triangles: Vec<[DVec3; 3]>, extent: [DVec3; 2] },
}

impl<'a> Body<'a> {
    fn new(shape: &'a Shape, time: f64) -> Self {
        if !matches!(shape, Shape::Mesh(_)) {
            return Self::Simple(shape);
        }
        let Mesh { positions, faces } = shape.mesh_at(time);
        let triangle = |corners: [u32; 3]| corners.map(|corner| positions[corner as usize]);
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let extent = positions.iter().fold(start, |[low, high], &p| [low.min(p), high.max(p)]);
        Self::Mesh { triangles: faces.triangles().map(triangle).collect(), extent }
    }

    /// Whether a point is in it, borders excluded.
    fn encloses(&self, p: DVec3) -> bool {
        match self {
            Self::Simple(shape) => encloses(shape, p),
            Self::Mesh { triangles, extent: [low, high] } => {
                p.cmpge(*low).all() && p.cmple(*high).all() && winding(triangles, p) > 0.5
            }
        }
    }
}

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
        Shape::Mesh(_) => false,
    }
}

/// How often a closed mesh winds around a point: the solid angles of its triangles, by
/// Van Oosterom & Strackee 1983, over that of the full sphere; no tree, no nearest point.
fn winding(triangles: &[[DVec3; 3]], p: DVec3) -> f64 {
    let angle = |corners: &[DVec3; 3]| {
        let [a, b, c] = [corners[0] - p, corners[1] - p, corners[2] - p];
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * libm::atan2(a.dot(b.cross(c)), below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taffeta::{Pose, SolidMesh};

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
        let ball = SolidMesh::new(Shape::Sphere { radius: 0.5 }.mesh()).unwrap();
        let ball = Shape::Mesh(Arc::new(ball));
        assert_eq!(inside(ball.clone(), Side::Outside), [0, 1, 2]);
        assert_eq!(inside(ball, Side::Inside), [3]);
    }
}
