//! How much room the parts of a GLB file take, known before any frame is written.

use std::path::Path;

use super::super::ExportError;
use super::super::seams::SeamPoints;

/// Bytes of the file's header and of those before the document and the binary part.
const HEADERS: u64 = 12 + 8 + 8;

/// What the binary part holds, in this order: indices, texture coordinates, key times, weights,
/// and for each frame positions and normals.
pub(super) struct Sizes {
    pub indices: u64,
    pub points: u64,
    pub has_uvs: bool,
    pub frames: u64,
}

impl Sizes {
    pub fn new(points: &SeamPoints, frames: usize) -> Self {
        Self {
            indices: 3 * points.faces.triangles().count() as u64,
            points: points.vertices.len() as u64,
            has_uvs: !points.uvs.is_empty(),
            frames: frames as u64,
        }
    }

    /// Morph targets: one for each frame after the first.
    pub fn targets(&self) -> u64 {
        self.frames - 1
    }

    pub fn index_bytes(&self) -> u64 {
        4 * self.indices
    }

    pub fn uv_bytes(&self) -> u64 {
        if self.has_uvs { 8 * self.points } else { 0 }
    }

    pub fn time_bytes(&self) -> u64 {
        if self.targets() == 0 { 0 } else { 4 * self.frames }
    }

    /// Weights, one byte each.
    pub fn weights(&self) -> u64 {
        self.frames.saturating_mul(self.targets())
    }

    /// The positions, or the normals, of one frame.
    pub fn vector_bytes(&self) -> u64 {
        12 * self.points
    }

    pub fn all_vector_bytes(&self) -> u64 {
        (2 * self.vector_bytes()).saturating_mul(self.frames)
    }

    /// The whole binary part.
    pub fn binary(&self) -> u64 {
        [self.index_bytes(), self.uv_bytes(), self.time_bytes(), self.weights()]
            .into_iter()
            .fold(self.all_vector_bytes(), u64::saturating_add)
            .checked_next_multiple_of(4)
            .unwrap_or(u64::MAX)
    }

    /// The length of the file with a document of so many bytes; the format states it in 32 bits.
    pub fn file_length(&self, path: &Path, document: usize) -> Result<u32, ExportError> {
        file_length(std::iter::once(self), path, document)
    }
}

/// The length of a file of several meshes with a document of so many bytes.
pub(super) fn file_length<'a>(
    meshes: impl Iterator<Item = &'a Sizes> + Clone,
    path: &Path,
    document: usize,
) -> Result<u32, ExportError> {
    let binary = meshes.clone().map(Sizes::binary).fold(0, u64::saturating_add);
    let length = binary.saturating_add(HEADERS + document as u64);
    u32::try_from(length).map_err(|_| {
        let frames = meshes.clone().map(|sizes| sizes.frames).max().unwrap_or(0);
        let points = meshes.map(|sizes| sizes.points).fold(0, u64::saturating_add);
        let why = format!(
            "{frames} frames of {points} vertices take {:.1} GiB, and a GLB file holds less than 4; \
             export fewer frames, or to .abc or .usda, which have no limit",
            length as f64 / f64::from(1 << 30),
        );
        ExportError::TooLarge { path: path.to_path_buf(), why }
    })
}

/// Bytes up to the next multiple of four.
pub(super) fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(points: u64, frames: u64) -> Sizes {
        Sizes { indices: 3, points, has_uvs: true, frames }
    }

    #[test]
    fn a_file_of_four_gibibytes_or_more_is_refused_with_figures() {
        let path = Path::new("long.glb");
        assert!(sizes(25_921, 6_000).file_length(path, 1000).is_ok());
        let error = sizes(25_921, 8_000).file_length(path, 1000).unwrap_err().to_string();
        assert!(error.contains("8000 frames of 25921 vertices take 4.7 GiB"), "{error}");
    }

    #[test]
    fn sizes_beyond_all_machines_do_not_wrap_around() {
        let most = u64::from(u32::MAX);
        assert!(sizes(most, most).file_length(Path::new("a.glb"), 0).is_err());
    }
}
