//! Solids as bodies of one quiet colour.

use glam::DVec3;
use taffeta::Mesh;
use taffeta::mesh::Faces;

use crate::scene::{Finish, Material, Shape, Solid};

/// Faces whose normals differ by more than this, by its cosine, meet in a crease.
const CREASE: f64 = 0.8;

/// A mesh as a body to be seen.
pub fn body(mesh: &Mesh) -> Solid {
    let material = Material::new(0x8d_9a_a5, Finish::Matte);
    let Mesh { positions, faces } = creased(mesh);
    Solid { shape: Shape::Mesh { positions, faces }, material }
}

/// The same surface with a vertex for each side of a crease, which is then shaded sharply.
fn creased(mesh: &Mesh) -> Mesh {
    let mut copies: Vec<Vec<(DVec3, u32)>> = vec![Vec::new(); mesh.positions.len()];
    let mut creased = Mesh { positions: Vec::new(), faces: Faces::new() };
    let mut corners = Vec::new();
    for face in mesh.faces.iter() {
        let normal = normal_of(face, &mesh.positions);
        corners.clear();
        for &vertex in face {
            let own = &mut copies[vertex as usize];
            let smooth = own.iter().find(|(other, _)| other.dot(normal) > CREASE).map(|c| c.1);
            corners.push(smooth.unwrap_or_else(|| {
                let copy = creased.positions.len() as u32;
                creased.positions.push(mesh.positions[vertex as usize]);
                own.push((normal, copy));
                copy
            }));
        }
        creased.faces.push(&corners);
    }
    creased
}

fn normal_of(face: &[u32], positions: &[DVec3]) -> DVec3 {
    let from_first = |i: usize| positions[face[i] as usize] - positions[face[0] as usize];
    let sum: DVec3 = (2..face.len()).map(|i| from_first(i - 1).cross(from_first(i))).sum();
    sum.normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use taffeta::Shape;

    use super::*;

    #[test]
    fn a_box_has_creases_and_a_ball_has_none() {
        let cube = Shape::Box { size: DVec3::ONE }.mesh();
        assert_eq!(creased(&cube).positions.len(), 24);
        let ball = Shape::Sphere { radius: 1.0 }.mesh();
        assert_eq!(creased(&ball).positions.len(), ball.positions.len());
        assert_eq!(creased(&ball).faces.len(), ball.faces.len());
    }
}
