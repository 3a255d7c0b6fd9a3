//! Simple shapes as meshes, for pictures and exports.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::Shape;
use crate::geometry::mesh::{Faces, Mesh};

/// Pieces of a full circle.
const AROUND: u32 = 64;

impl Shape {
    /// The surface as a mesh in the solid's own frame, fronts outwards; one that deforms as it is at
    /// first.
    pub fn mesh(&self) -> Mesh {
        self.mesh_at(f64::NEG_INFINITY)
    }

    /// The surface as a mesh in the solid's own frame at a time, fronts outwards.
    pub fn mesh_at(&self, time: f64) -> Mesh {
        match *self {
            Self::Mesh(ref mesh) => {
                let mut positions = Vec::new();
                mesh.positions_at(time, &mut positions);
                Mesh { positions, faces: mesh.faces().clone() }
            }
            Self::Plane { drawn } => square(0.5 * drawn),
            Self::Sphere { radius } => turned(&arc(radius, 0.0, [-0.5 * PI, 0.5 * PI])),
            Self::Capsule { radius, length } => {
                let mut profile = arc(radius, -0.5 * length, [-0.5 * PI, 0.0]);
                profile.extend(arc(radius, 0.5 * length, [0.0, 0.5 * PI]));
                turned(&profile)
            }
            Self::Cylinder { radius, length } => {
                let half = 0.5 * length;
                turned(&[[0.0, -half], [radius, -half], [radius, half], [0.0, half]])
            }
            Self::Box { size } => cuboid(0.5 * size),
        }
    }
}

fn square(half: f64) -> Mesh {
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
    let mut faces = Faces::new();
    faces.push(&[0, 1, 2, 3]);
    Mesh { positions: corners.map(|[x, z]| DVec3::new(x, 0.0, z) * half).to_vec(), faces }
}

fn cuboid(half: DVec3) -> Mesh {
    let sign = |i: u32, bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
    let corner = |i: u32| DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4)) * half;
    let mut faces = Faces::new();
    let sides =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    sides.iter().for_each(|side| faces.push(side));
    Mesh { positions: (0..8).map(corner).collect(), faces }
}

/// Points (distance from the axis, height) of an arc around a point of the axis.
fn arc(radius: f64, height: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let pieces = ((to - from) / TAU * f64::from(AROUND)).round().max(1.0);
    (0..=pieces as u32)
        .map(|i| {
            let (sin, cos) = libm::sincos(from + (to - from) * f64::from(i) / pieces);
            [radius * cos, height + radius * sin]
        })
        .collect()
}

/// A profile from the lower end of the y axis to the upper one, turned about it.
fn turned(profile: &[[f64; 2]]) -> Mesh {
    let rings = &profile[1..profile.len() - 1];
    let mut positions = vec![DVec3::Y * profile[0][1]];
    for &[reach, height] in rings {
        positions.extend((0..AROUND).map(|i| {
            let (sin, cos) = libm::sincos(TAU * f64::from(i) / f64::from(AROUND));
            DVec3::new(reach * cos, height, -reach * sin)
        }));
    }
    let last = positions.len() as u32;
    positions.push(DVec3::Y * profile[profile.len() - 1][1]);
    let at = |ring: u32, i: u32| 1 + ring * AROUND + i % AROUND;
    let mut faces = Faces::new();
    let top = rings.len() as u32 - 1;
    for i in 0..AROUND {
        faces.push(&[0, at(0, i + 1), at(0, i)]);
        for ring in 0..top {
            faces.push(&[at(ring, i), at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
        faces.push(&[last, at(top, i), at(top, i + 1)]);
    }
    Mesh { positions, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_closed_face_outwards_and_lie_on_the_surface() {
        let shapes = [
            (Shape::Sphere { radius: 0.7 }, 4.0 / 3.0 * PI * 0.343),
            (Shape::Capsule { radius: 0.3, length: 1.1 }, PI * 0.09 * (1.1 + 0.4)),
            (Shape::Cylinder { radius: 0.6, length: 0.9 }, PI * 0.36 * 0.9),
            (Shape::Box { size: DVec3::new(0.8, 1.3, 0.5) }, 0.8 * 1.3 * 0.5),
        ];
        for (shape, volume) in shapes {
            let mesh = shape.mesh();
            assert_eq!(mesh.problems(), [], "{shape:?}");
            assert!(mesh.faces.edges().iter().all(|edge| edge.faces.len() == 2));
            for &p in &mesh.positions {
                assert!(shape.nearest(p).distance.abs() < 1e-12, "{shape:?} {p}");
            }
            let pyramid = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c)) / 6.0;
            let triangles = mesh.faces.triangles();
            let found: f64 =
                triangles.map(|t| pyramid(t.map(|i| mesh.positions[i as usize]))).sum();
            assert!((found / volume - 1.0).abs() < 0.01, "{shape:?}: {found}, not {volume}");
        }
        let plane = Shape::Plane { drawn: 2.0 }.mesh();
        assert_eq!(plane.problems(), []);
        let [a, b, c] = [0, 1, 2].map(|i: usize| plane.positions[i]);
        assert!((b - a).cross(c - a).y > 0.0);
    }
}
