//! Smooth normals.

use glam::DVec3;
use taffeta::mesh::Faces;

/// The unit normal of each vertex: the mean over its triangles, by area.
///
/// A vertex without area around it (in no face, or folded flat) has none of its own; it gets +y,
/// since every format that holds normals wants them of length one.
pub(super) fn vertex_normals(faces: &Faces, positions: &[DVec3]) -> Vec<DVec3> {
    let normals = area_normals(faces, positions);
    normals.into_iter().map(|normal| normal.normalize_or(DVec3::Y)).collect()
}

/// The normals of each vertex's triangles, summed by area; zero for a vertex in no face.
pub(super) fn area_normals(faces: &Faces, positions: &[DVec3]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for triangle in faces.triangles() {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        let area = (b - a).cross(c - a);
        for vertex in triangle {
            normals[vertex as usize] += area;
        }
    }
    normals
}

#[cfg(test)]
mod tests {
    use taffeta::mesh::Sheet;

    use super::*;

    #[test]
    fn normals_are_unit_and_turn_with_the_cloth() {
        let mut mesh = Sheet { width: 1.0, height: 1.0, columns: 5, rows: 4 }.mesh();
        for normal in vertex_normals(&mesh.faces, &mesh.positions) {
            assert_eq!(normal, DVec3::Y);
        }
        for position in &mut mesh.positions {
            *position = DVec3::new(position.y, position.z, position.x);
        }
        for normal in vertex_normals(&mesh.faces, &mesh.positions) {
            assert_eq!(normal, DVec3::X);
        }
    }

    #[test]
    fn a_vertex_without_area_still_has_a_unit_normal() {
        let mut faces = Faces::new();
        faces.push(&[0, 1, 2]);
        let normals = vertex_normals(&faces, &[DVec3::ZERO; 4]);
        assert!(normals.iter().all(|normal| normal.length() == 1.0));
    }
}
