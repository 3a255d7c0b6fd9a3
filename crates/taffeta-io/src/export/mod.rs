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
mod objects;
mod output;
mod pc2;
mod ply;
mod point_cache;
mod seams;
mod sequence;
mod singles;
mod stl;
mod usda;
mod yarns;
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
    /// Whether it can hold a mesh that changes from frame to frame.
    pub changes: bool,
    write: Write,
}

type Write = fn(&mut dyn FrameSource, &Path) -> Result<Exported, ExportError>;

/// Every format, in the order they are listed to users.
pub const FORMATS: &[Format] = &[
    Format::new("abc", "Alembic", alembic::write).with_changes(),
    Format::new("usda", "USD, text", usda::write).with_changes(),
    Format::new("glb", "glTF, one morph target a frame", glb::write),
    Format::new("obj", "OBJ, one file a frame", obj::write).with_changes(),
    Format::new("ply", "PLY, one file a frame", ply::write).with_changes(),
    Format::new("stl", "STL, one file a frame", stl::write).with_changes(),
    Format::new("pc2", "PC2 point cache and an OBJ", pc2::write),
    Format::new("mdd", "MDD point cache and an OBJ", mdd::write),
    Format::new("npz", "NumPy arrays", npz::write),
];

impl Format {
    const fn new(extension: &'static str, description: &'static str, write: Write) -> Self {
        Self { extension, description, changes: false, write }
    }

    const fn with_changes(self) -> Self {
        Self { changes: true, ..self }
    }

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
