//! Meshes in: OBJ, PLY and glTF; bodies that move: glTF, NPZ and BVH; sewing patterns in: GarmentCode and SVG; and maps in: PNG.
//!
//! Readers pass on what the file says. They do not mend or judge the mesh: faces of any number of
//! corners, stray vertices and coordinates that are NaN come through as they are, and
//! [`Mesh::problems`] finds them. What a reader cannot pass on is either an error, with the line
//! or element it is about, or a note in [`Imported::notes`]; nothing is dropped in silence, except
//! what is not shape to begin with: normals, materials and names. Colours of vertices come through.

mod builder;
mod bvh;
mod colour;
mod error;
mod garmentcode;
mod gltf;
mod map;
mod npz;
mod obj;
mod ply;
mod svg;
mod turns;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use bvh::{SkeletonMotion, read_bvh};
pub use error::{Fault, FormatError, ImportError, Place};
pub use garmentcode::{ImportedPattern, read_garmentcode};
use glam::DVec3;
pub use gltf::{MotionWish, RetargetWish, read_gltf, read_gltf_motion, read_gltf_retargeted};
pub use map::{GreyMap, MapError};
pub use npz::read_npz_motion;
pub use obj::read_obj;
pub use ply::read_ply;
pub use svg::read_svg;
use taffeta::Mesh;
use taffeta::mesh::Faces;

/// The extensions of the files that [`read_mesh`] reads.
pub const EXTENSIONS: &[&str] = &["obj", "ply", "gltf", "glb"];

/// A mesh from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The mesh, in the units of the file.
    pub mesh: Mesh,
    /// What the reader changed or left out, a sentence each.
    pub notes: Vec<String>,
}

/// A mesh that moves, from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The faces, the same all the time.
    pub faces: Faces,
    /// Where the vertices are, from the first moment of the motion on.
    pub moments: Vec<Moment>,
    /// What the reader changed or left out, a sentence each.
    pub notes: Vec<String>,
}

/// The vertices of a mesh at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Since the first \[s\].
    pub time: f64,
    /// In the units of the file.
    pub positions: Vec<DVec3>,
}

/// Reads an animated body: skeletons, morph targets and moving nodes of a glTF file, or vertices over
/// time from an NPZ file, at the moments that it has.
pub fn read_motion(path: &Path, wish: MotionWish) -> Result<Motion, ImportError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["gltf", "glb", "npz"].contains(&extension.as_str()) {
        return Err(ImportError::NoMotion { path: path.to_path_buf() });
    }
    let bytes =
        fs::read(path).map_err(|source| ImportError::Read { path: path.to_path_buf(), source })?;
    let read = match extension.as_str() {
        "npz" if wish.animation.is_some() => {
            let what = "an NPZ file has one motion, which has no name; leave the name out";
            Err(Fault::malformed(what).in_part("the archive"))
        }
        "npz" => read_npz_motion(&bytes),
        _ => read_gltf_motion(&bytes, wish, &|name| read_beside(path, name)),
    };
    read.map_err(|source| ImportError::Format { path: path.to_path_buf(), source })
}

/// Reads a body with bones from a glTF file, and moves it by a skeleton's motion from a BVH file.
pub fn read_retargeted(
    body: &Path,
    motion: &Path,
    wish: RetargetWish,
) -> Result<Motion, ImportError> {
    let is = |path: &Path, known: &[&str]| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        known.contains(&extension.as_str())
    };
    if !is(motion, &["bvh"]) {
        return Err(ImportError::NoSkeletonMotion { path: motion.to_path_buf() });
    }
    if !is(body, &["gltf", "glb"]) {
        return Err(ImportError::NoBones { path: body.to_path_buf() });
    }
    let open = |path: &Path| {
        fs::read(path).map_err(|source| ImportError::Read { path: path.to_path_buf(), source })
    };
    let wrong = |path: &Path, source| ImportError::Format { path: path.to_path_buf(), source };
    let skeleton = read_bvh(&open(motion)?).map_err(|source| wrong(motion, source))?;
    read_gltf_retargeted(&open(body)?, &skeleton, wish, &|name| read_beside(body, name))
        .map_err(|source| wrong(body, source))
}

/// Whether a pattern's file is a drawing, in which nothing is sewn or placed.
pub fn is_drawing(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

/// Reads a sewing pattern: a drawing, or GarmentCode's JSON.
pub fn read_pattern(path: &Path) -> Result<ImportedPattern, ImportError> {
    let bytes =
        fs::read(path).map_err(|source| ImportError::Read { path: path.to_path_buf(), source })?;
    let read = if is_drawing(path) { read_svg(&bytes) } else { read_garmentcode(&bytes) };
    read.map_err(|source| ImportError::Format { path: path.to_path_buf(), source })
}

/// Reads a mesh in the format that the extension names.
pub fn read_mesh(path: &Path) -> Result<Imported, ImportError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(ImportError::UnknownExtension { path: path.to_path_buf() });
    }
    let bytes =
        fs::read(path).map_err(|source| ImportError::Read { path: path.to_path_buf(), source })?;
    let imported = match extension.as_str() {
        "obj" => read_obj(&bytes),
        "ply" => read_ply(&bytes),
        _ => read_gltf(&bytes, &|name| read_beside(path, name)),
    };
    imported.map_err(|source| ImportError::Format { path: path.to_path_buf(), source })
}

/// Reads a file that another one names, from the same folder or a folder in it.
fn read_beside(path: &Path, name: &str) -> io::Result<Vec<u8>> {
    let name = Path::new(name);
    if !name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        let what = "only files in the same folder or below are read; move it there";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    fs::read(path.with_file_name("").join(name))
}

/// The files that a mesh's file needs beside it: the buffers of a glTF. None of one that cannot be
/// read, which is for [`read_mesh`] to tell.
pub fn files_named_in(path: &Path) -> Vec<PathBuf> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if extension != "gltf" {
        return Vec::new();
    }
    let names = fs::read(path).map(|bytes| gltf::buffers_named_in(&bytes)).unwrap_or_default();
    names.iter().map(|name| path.with_file_name("").join(name)).collect()
}
