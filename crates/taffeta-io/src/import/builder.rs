//! A mesh as it comes out of a file, face by face.

use glam::{DVec2, DVec3};
use taffeta::Mesh;
use taffeta::mesh::Faces;

use super::{Fault, Imported};

/// A mesh in the making.
pub(super) struct MeshBuilder {
    pub positions: Vec<DVec3>,
    pub notes: Vec<String>,
    faces: Faces,
    uvs: Vec<DVec2>,
    faces_without_uvs: usize,
    colours: Vec<u32>,
    corners_without_colours: usize,
}

impl MeshBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            positions: Vec::new(),
            notes: Vec::new(),
            faces: Faces::new(),
            uvs: Vec::new(),
            faces_without_uvs: 0,
            colours: Vec::new(),
            corners_without_colours: 0,
        }
    }

    /// Appends a face; texture coordinates are one per corner.
    pub fn face(&mut self, corners: &[u32], uvs: Option<&[DVec2]>) -> Result<(), Fault> {
        let total = self.faces.all_corners().len() + corners.len();
        if u32::try_from(total).is_err() {
            let what = format!("a mesh of {total} face corners");
            return Err(Fault::Unsupported { what, instead: "split it into smaller meshes" });
        }
        self.faces.push(corners);
        match uvs {
            Some(uvs) => self.uvs.extend_from_slice(uvs),
            None => self.faces_without_uvs += 1,
        }
        Ok(())
    }

    /// Gives the next corner of the faces its colour, as an sRGB code, if it has one.
    pub fn colour(&mut self, code: Option<u32>) {
        match code {
            Some(code) => self.colours.push(code),
            None => self.corners_without_colours += 1,
        }
    }

    /// The mesh; texture coordinates count only if all faces have them, colours if all corners do.
    pub fn finish(mut self) -> Imported {
        let bare = self.faces_without_uvs;
        if !self.uvs.is_empty() && !self.faces.set_uvs(self.uvs) {
            self.notes.push(format!(
                "texture coordinates were left out: {bare} of {} faces have none",
                self.faces.len()
            ));
        }
        let bare = self.corners_without_colours;
        if !self.colours.is_empty() && !self.faces.set_colours(self.colours) {
            self.notes.push(format!(
                "colours were left out: {bare} of {} corners of faces have none from 0 to 1",
                self.faces.all_corners().len()
            ));
        }
        Imported { mesh: Mesh { positions: self.positions, faces: self.faces }, notes: self.notes }
    }
}
