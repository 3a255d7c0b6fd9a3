//! Texture coordinates belong to corners, but many formats want them by index: one point for
//! every pair of a vertex and a (u, v) it is used with.

use std::collections::BTreeMap;

use glam::Vec2;
use taffeta::mesh::Faces;

/// The vertices of a mesh, doubled where two faces give them different texture coordinates.
pub(super) struct SeamPoints {
    /// The vertex of each point: every vertex in order, then the doubles along seams.
    pub vertices: Vec<u32>,
    /// The texture coordinates of each point; empty if the mesh has none.
    pub uvs: Vec<Vec2>,
    /// The same faces, over points.
    pub faces: Faces,
}

impl SeamPoints {
    /// Finds the points; texture coordinates count as different if they differ as single floats.
    pub fn new(faces: &Faces, vertex_count: usize) -> Self {
        let vertices = (0..vertex_count as u32).collect();
        if faces.all_uvs().is_empty() {
            return Self { vertices, uvs: Vec::new(), faces: faces.clone() };
        }
        let mut points =
            Points { vertices, uvs: vec![None; vertex_count], doubles: BTreeMap::new() };
        let mut faces_of_points = Faces::new();
        for (face, corners) in faces.iter().enumerate() {
            let uvs = faces.corner_uvs(face).unwrap_or_default();
            let corners: Vec<u32> = corners
                .iter()
                .zip(uvs)
                // Adding zero turns −0 into +0, which has other bits but is the same place.
                .map(|(&vertex, uv)| points.find_or_add(vertex, uv.as_vec2() + Vec2::ZERO))
                .collect();
            faces_of_points.push(&corners);
        }
        let uvs = points.uvs.iter().map(|uv| uv.unwrap_or_default()).collect();
        Self { vertices: points.vertices, uvs, faces: faces_of_points }
    }
}

struct Points {
    vertices: Vec<u32>,
    uvs: Vec<Option<Vec2>>,
    doubles: BTreeMap<(u32, [u32; 2]), u32>,
}

impl Points {
    fn find_or_add(&mut self, vertex: u32, uv: Vec2) -> u32 {
        let first = *self.uvs[vertex as usize].get_or_insert(uv);
        if first == uv {
            return vertex;
        }
        let next = self.vertices.len() as u32;
        let point = *self.doubles.entry((vertex, uv.to_array().map(f32::to_bits))).or_insert(next);
        if point == next {
            self.vertices.push(vertex);
            self.uvs.push(Some(uv));
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use taffeta::mesh::Sheet;

    use super::*;

    #[test]
    fn a_sheet_has_no_seam() {
        let sheet = Sheet { width: 1.0, height: 2.0, columns: 4, rows: 3 }.mesh();
        let points = SeamPoints::new(&sheet.faces, 12);
        assert_eq!(points.vertices, (0..12).collect::<Vec<_>>());
        assert_eq!(points.faces.all_corners(), sheet.faces.all_corners());
    }

    #[test]
    fn every_corner_keeps_its_vertex_and_its_uv_and_no_point_is_there_twice() {
        let mut faces = Faces::new();
        faces.push(&[0, 1, 2]);
        faces.push(&[0, 2, 3]);
        faces.push(&[0, 3, 4, 1]);
        let uv = |u: f64| DVec2::new(u, -u);
        let uvs = [0.0, 1.0, 2.0, 0.5, 2.0, 3.0, 0.5, 3.5, 4.0, 1.0].map(uv).to_vec();
        assert!(faces.set_uvs(uvs.clone()));
        // Vertex 5 is in no face, and must stay.
        let points = SeamPoints::new(&faces, 6);
        assert_eq!(points.vertices, [0, 1, 2, 3, 4, 5, 0, 3]);
        for (corner, &point) in points.faces.all_corners().iter().enumerate() {
            assert_eq!(points.vertices[point as usize], faces.all_corners()[corner]);
            assert_eq!(points.uvs[point as usize], uvs[corner].as_vec2());
        }
    }
}
