//! What can go wrong with a picture.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A position that is no place.
    #[error("vertex {vertex} of {what} is at {position}, which is no place in space")]
    NotFinite {
        /// Which item of the scene.
        what: &'static str,
        /// Which of its vertices.
        vertex: usize,
        /// The coordinates, as text.
        position: String,
    },
    /// A face or a list that does not fit its vertices.
    #[error("{what} has {found} where {wanted} are needed")]
    Mismatch {
        /// Which list.
        what: &'static str,
        /// What it has.
        found: String,
        /// What it should have.
        wanted: String,
    },
    /// A camera that cannot look.
    #[error("the camera {why}")]
    Camera {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Keys of a camera that are no way.
    #[error("the camera's keys: {why}")]
    Track {
        /// What is wrong with them.
        why: String,
    },
    /// Somebody asked to stop.
    #[error("stopped before the picture was finished")]
    Stopped,
    /// A size or a number of samples that makes no picture.
    #[error("a picture of {width} × {height} pixels with {samples} samples a pixel: {why}")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Samples for each pixel.
        samples: u32,
        /// What is wrong with it.
        why: String,
    },
    /// A scene with too many faces or curves.
    #[error(
        "the picture would take {:.1} GiB of memory, of {:.1} GiB allowed: its cloth is too fine",
        *needed as f64 / f64::from(1u32 << 30), *allowed as f64 / f64::from(1u32 << 30)
    )]
    Memory {
        /// Bytes it would take.
        needed: u64,
        /// Bytes it may take.
        allowed: u64,
    },
    /// A picture for cloth that cannot be read.
    #[error("cannot use the texture {}: {why}", path.display())]
    Texture {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A picture on cloth needs to know where it goes.
    #[error(
        "the mesh has no texture coordinates, or all the same, to place a picture by: leave the \
         texture out, or unwrap the mesh"
    )]
    NoPlaces,
    /// Yarns need rows and columns.
    #[error(
        "{why}; yarns are drawn along the rows and columns of a mesh of quads: use another look"
    )]
    NoWeave {
        /// What is in the way.
        why: String,
    },
    /// A file name that asks for no format we write.
    #[error("{}: no {kind} is written with this extension; these work: {known}", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Pictures or plots.
        kind: &'static str,
        /// The extensions that work.
        known: String,
    },
    /// The system refused to write.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An encoder refused.
    #[error("cannot write {}: {why}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What it said.
        why: String,
    },
}
