//! The first frame, from which the others are displaced.

use glam::{DVec3, Vec3};
use taffeta::Frame;
use taffeta::mesh::Faces;

use super::super::ExportError;
use super::super::frames::OneMesh;
use super::super::normals::vertex_normals;
use super::super::output::Output;
use super::super::seams::SeamPoints;
use super::super::singles::{bytes, singles};

/// The mesh at the first frame, in single precision as it is written.
pub(super) struct Rest {
    pub one_mesh: OneMesh,
    pub points: SeamPoints,
    first: u32,
    faces: Faces,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Rest {
    /// Keeps a copy of the first frame.
    pub fn of(frame: &Frame<'_>) -> Self {
        Self {
            one_mesh: OneMesh::of(frame, "glb"),
            points: SeamPoints::new(frame.faces, frame.positions.len()),
            first: frame.number,
            faces: frame.faces.clone(),
            positions: singles(frame.positions).collect(),
            normals: singles(&vertex_normals(frame.faces, frame.positions)).collect(),
        }
    }

    /// Writes indices and texture coordinates.
    pub fn write_topology(&self, output: &mut Output) -> Result<(), ExportError> {
        for corner in self.points.faces.triangles().flatten() {
            output.write(&corner.to_le_bytes())?;
        }
        for uv in &self.points.uvs {
            // glTF's v runs down.
            output.write(&uv.x.to_le_bytes())?;
            output.write(&(1.0 - uv.y).to_le_bytes())?;
        }
        Ok(())
    }

    /// What is written for a frame's positions: themselves for the first, displacements later.
    pub fn positions(&self, frame: &Frame<'_>) -> Vec<Vec3> {
        self.displaced(frame, &self.positions, frame.positions)
    }

    /// Writes positions and normals of a frame.
    pub fn write_displaced(
        &self,
        output: &mut Output,
        frame: &Frame<'_>,
    ) -> Result<(), ExportError> {
        let normals = vertex_normals(&self.faces, frame.positions);
        for values in [self.positions(frame), self.displaced(frame, &self.normals, &normals)] {
            let points = self.points.vertices.iter().map(|&vertex| values[vertex as usize]);
            output.write(&bytes(points))?;
        }
        Ok(())
    }

    /// Displacements are from the first frame as written, so that its rounding is undone.
    fn displaced(&self, frame: &Frame<'_>, rest: &[Vec3], now: &[DVec3]) -> Vec<Vec3> {
        if frame.number == self.first {
            return rest.to_vec();
        }
        rest.iter().zip(now).map(|(rest, now)| (now - rest.as_dvec3()).as_vec3()).collect()
    }
}
