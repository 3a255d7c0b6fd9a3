//! Animations out: a run of frames to the formats other programs read, chosen by extension.

mod alembic;
mod error;
mod frames;
mod glb;
mod mdd;
mod normals;
mod npy;
mod npz;
mod obj;
mod output;
mod pc2;
mod ply;
mod point_cache;
mod seams;
mod sequence;
mod singles;
mod stl;
mod usda;
mod zip;

use std::path::{Path, PathBuf};

pub use error::ExportError;

use crate::FrameSource;

/// What an export wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The files, in the order they were written.
    pub files: Vec<PathBuf>,
    /// How many frames they hold together.
    pub frames: usize,
}

/// A format that frames can be written to.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The file name extension, without the dot.
    pub extension: &'static str,
    /// What it is, for people.
    pub description: &'static str,
    write: fn(&mut dyn FrameSource, &Path) -> Result<Exported, ExportError>,
}

/// Every format, in the order they are listed to users.
pub const FORMATS: &[Format] = &[
    Format { extension: "abc", description: "Alembic", write: alembic::write },
    Format { extension: "usda", description: "USD, text", write: usda::write },
    Format { extension: "glb", description: "glTF, one morph target a frame", write: glb::write },
    Format { extension: "obj", description: "OBJ, one file a frame", write: obj::write },
    Format { extension: "ply", description: "PLY, one file a frame", write: ply::write },
    Format { extension: "stl", description: "STL, one file a frame", write: stl::write },
    Format { extension: "pc2", description: "PC2 point cache and an OBJ", write: pc2::write },
    Format { extension: "mdd", description: "MDD point cache and an OBJ", write: mdd::write },
    Format { extension: "npz", description: "NumPy arrays", write: npz::write },
];

impl Format {
    /// The format a path's extension asks for.
    pub fn of(path: &Path) -> Result<Self, ExportError> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        FORMATS
            .iter()
            .find(|format| format.extension == extension)
            .copied()
            .ok_or_else(|| ExportError::UnknownExtension { path: path.to_path_buf() })
    }
}

/// Writes every frame of a source to a file, or a sequence of files, of the format the extension
/// of `to` names.
pub fn export(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    (Format::of(to)?.write)(source, to)
}
