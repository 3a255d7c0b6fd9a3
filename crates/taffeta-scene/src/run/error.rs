//! Why a run failed.

use std::path::PathBuf;

use taffeta::{SetupError, StepError};
use taffeta_garment::DressError;
use taffeta_io::cache::CacheError;
use thiserror::Error;

/// Why a run failed. Frames made before are kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The cache could not be written or read.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A garment could not be put on.
    #[error(transparent)]
    Dress(DressError),
    /// The folder holds something that is not a run.
    #[error("{} holds files that are not a Taffeta run; choose another folder with --out", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds a run of another scene.
    #[error("{} holds frames of another scene ({scene}, or this one with other values); choose another folder with --out, or --overwrite them", folder.display())]
    OtherScene {
        /// The folder.
        folder: PathBuf,
        /// The scene in it.
        scene: String,
    },
    /// The folder holds a run of another version.
    #[error("{} was made by Taffeta {found}, this is {}; bits may differ, so it cannot be resumed: --overwrite it, or choose another folder with --out", folder.display(), env!("CARGO_PKG_VERSION"))]
    OtherVersion {
        /// The folder.
        folder: PathBuf,
        /// The version that made it.
        found: String,
    },
    /// The folder holds a part of this run.
    #[error("{} holds this scene up to frame {last}; --resume goes on from there, --overwrite starts again", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// The last frame there.
        last: u32,
    },
    /// The folder holds this run, but not as it was written.
    #[error("{}: {what}; --resume makes it good, --overwrite starts again", folder.display())]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder holds frames, but nothing that says which.
    #[error("{} holds frames, but what they belong to cannot be told: {source}; choose another folder with --out, or --overwrite them", folder.display())]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: CacheError,
    },
    /// There is nothing to go on from.
    #[error("{} holds no frame to resume from", folder.display())]
    NothingToResume {
        /// The folder.
        folder: PathBuf,
    },
    /// A frame was asked for that the scene does not have.
    #[error("the scene has frames {first} to {last}; frame {asked} is not among them")]
    NoSuchFrame {
        /// First frame of the scene.
        first: u32,
        /// Last frame of the scene.
        last: u32,
        /// The frame asked for.
        asked: u32,
    },
    /// The simulation could not be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The simulation could not go on.
    #[error("frame {frame} could not be made: {source}")]
    Step {
        /// The frame that could not be made.
        frame: u32,
        /// Why.
        source: StepError,
    },
    /// Somebody who watches the frames failed.
    #[error("frame {frame}: {source}")]
    Sink {
        /// The frame.
        frame: u32,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no thread to write frames.
    #[error("cannot start the thread that writes frames: {0}")]
    Thread(std::io::Error),
    /// A line of the report could not be put into words.
    #[error("the report of frame {frame} could not be written: {source}")]
    Report {
        /// The frame.
        frame: u32,
        /// Why.
        source: serde_json::Error,
    },
}
