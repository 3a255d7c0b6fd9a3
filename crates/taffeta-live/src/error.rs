//! What can go wrong.

use std::path::PathBuf;

use taffeta::{SetupError, StepError};
use taffeta_io::cache::CacheError;
use taffeta_scene::{DressError, SceneError};
use thiserror::Error;

/// Why something cannot be shown, done or replayed.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The scene has mistakes.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A garment cannot be put on.
    #[error(transparent)]
    Dress(#[from] DressError),
    /// The simulator refuses.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A frame cannot be made.
    #[error("frame {frame} could not be made: {source}")]
    Step {
        /// The frame.
        frame: u32,
        /// Why.
        source: StepError,
    },
    /// A hand wants what cannot be.
    #[error("{0}")]
    Refused(String),
    /// A run's folder cannot be read or written.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A recording is not one.
    #[error("this is no recording of hands: {0}")]
    NoRecording(String),
    /// The server cannot start.
    #[error("the server cannot start: {0}")]
    Server(String),
}

impl LiveError {
    /// A refusal in plain words.
    pub(crate) fn refuse(words: impl Into<String>) -> Self {
        Self::Refused(words.into())
    }
}
