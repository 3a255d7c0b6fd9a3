//! The sharp parts of a solid: what could poke through between the particles of coarse cloth.

use glam::DVec3;

use super::{Shape, Side, Solid};
use crate::geometry::collision;
use crate::geometry::mesh::Mesh;

/// Faces of simple shapes whose normals differ by more than this, by its cosine, meet in a sharp
/// edge; the pieces of a round surface do not.
const SHARP: f64 = 0.9;

/// Vertices and edges of a solid, by the numbers of the points of its mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SharpParts {
    pub vertices: Vec<u32>,
    pub edges: Vec<[u32; 2]>,
    /// The triangles around them, if the solid has an inside: what tells in from out.
    pub around: Vec<[u32; 3]>,
}

impl SharpParts {
    /// Outwards at each point, of any length; nothing if the solid has no inside.
    pub fn outwards(&self, points: &[DVec3], to: &mut Vec<DVec3>) {
        to.clear();
        if self.around.is_empty() {
            return;
        }
        to.resize(points.len(), DVec3::ZERO);
        for corners in &self.around {
            let at = |i: usize| points[corners[i] as usize];
            let area = (at(1) - at(0)).cross(at(2) - at(0));
            corners.iter().for_each(|&corner| to[corner as usize] += area);
        }
    }
}

impl Solid {
    /// Its sharp parts: all of a mesh, the edges and corners of a box, the rims of a cylinder; none
    /// of what keeps cloth inside.
    pub(crate) fn sharp_parts(&self) -> SharpParts {
        let mesh = self.shape.mesh();
        let edges = match (&self.shape, self.side) {
            (_, Side::Inside) => Vec::new(),
            (Shape::Mesh(_), _) => collision::Surface::new(&mesh.faces, mesh.positions.len()).edges,
            (Shape::Box { .. } | Shape::Cylinder { .. }, _) => sharp_edges(&mesh),
            _ => Vec::new(),
        };
        let mut vertices: Vec<u32> = edges.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let around = match self.side {
            Side::Outside => mesh.faces.triangles().collect(),
            _ => Vec::new(),
        };
        SharpParts { vertices, edges, around }
    }

    /// The centre of a ball or the axis of a capsule or cylinder, with its points: all that is within the
    /// radius of it is inside. A cylinder shorter than it is wide has none.
    pub(crate) fn core_parts(&self) -> Option<(SharpParts, Vec<DVec3>)> {
        let half = match self.shape {
            Shape::Sphere { .. } => 0.0,
            Shape::Capsule { length, .. } => length / 2.0,
            Shape::Cylinder { radius, length } if length > 2.0 * radius => length / 2.0 - radius,
            _ => return None,
        };
        let (mut vertices, mut edges) = (vec![0, 1], vec![[0, 1]]);
        if half <= 0.0 {
            (vertices, edges) = (vec![0], Vec::new());
        }
        let parts = SharpParts { vertices, edges, around: Vec::new() };
        Some((parts, vec![DVec3::Y * -half, DVec3::Y * half]))
    }
}

fn sharp_edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let normal = |face: u32| {
        let corners = mesh.faces.corners(face as usize);
        let at = |i: usize| mesh.positions[corners[i] as usize];
        (at(1) - at(0)).cross(at(2) - at(0)).normalize_or_zero()
    };
    let sharp = |faces: &[u32]| {
        let normals: Vec<DVec3> = faces.iter().map(|&face| normal(face)).collect();
        normals.windows(2).any(|pair| pair[0].dot(pair[1]) < SHARP)
    };
    let edges = mesh.faces.edges();
    edges.iter().filter(|edge| sharp(&edge.faces)).map(|edge| edge.ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;

    #[test]
    fn boxes_have_corners_cylinders_rims_and_balls_nothing() {
        let parts = |shape: Shape| {
            let SharpParts { vertices, edges, .. } =
                Solid::resting(shape, Pose::IDENTITY).sharp_parts();
            (vertices.len(), edges.len())
        };
        assert_eq!(parts(Shape::Box { size: DVec3::new(1.0, 2.0, 0.1) }), (8, 12));
        assert_eq!(parts(Shape::Cylinder { radius: 0.3, length: 1.0 }), (128, 128));
        assert_eq!(parts(Shape::Sphere { radius: 0.3 }), (0, 0));
        assert_eq!(parts(Shape::Plane { drawn: 1.0 }), (0, 0));
    }
}
