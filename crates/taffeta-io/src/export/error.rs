//! Why an export failed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::FORMATS;
use crate::SourceError;

/// Why an export failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The extension names no format.
    #[error("{} names no format; these extensions work: {}", path.display(), extensions())]
    UnknownExtension {
        /// The path asked for.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A frame could not be read.
    #[error("cannot read frame {frame}: {source}")]
    Read {
        /// The frame's number.
        frame: u32,
        /// What went wrong.
        source: SourceError,
    },
    /// There is nothing to export.
    #[error("there is no frame to export; simulate some first")]
    NoFrames,
    /// Frames per second that no player could keep.
    #[error("{rate} frames per second is no frame rate; it must be finite and above zero")]
    BadRate {
        /// The rate the source names.
        rate: f64,
    },
    /// A value that is NaN, infinite or beyond single precision.
    #[error(
        "the {what} of vertex {vertex} in frame {frame} is not finite in single precision; the \
         run broke down at or before this frame: export earlier frames, or simulate with smaller \
         steps"
    )]
    NotFinite {
        /// The frame's number.
        frame: u32,
        /// The vertex.
        vertex: u32,
        /// Which of its values.
        what: &'static str,
    },
    /// The format holds one topology, and the run has several.
    #[error(
        "the mesh changes at frame {frame}, and {extension} holds one mesh for all frames; {} can \
         hold a mesh that changes",
        changing()
    )]
    TopologyChanges {
        /// The first frame with another mesh.
        frame: u32,
        /// The format's extension.
        extension: &'static str,
    },
    /// The format cannot hold a mesh without faces.
    #[error("the mesh has no faces, and {extension} cannot hold an empty mesh")]
    EmptyMesh {
        /// The format's extension.
        extension: &'static str,
    },
    /// The file would break a limit of its format.
    #[error("{} would be too large for its format: {why}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Which limit, with figures.
        why: String,
    },
}

fn extensions() -> String {
    FORMATS.iter().map(|format| format.extension).collect::<Vec<_>>().join(", ")
}

fn changing() -> String {
    let able = FORMATS.iter().filter(|format| format.changes);
    able.map(|format| format.extension).collect::<Vec<_>>().join(", ")
}
