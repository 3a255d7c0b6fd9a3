//! What can go wrong with a cache folder.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a cache could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is damaged.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it shows.
        why: String,
    },
    /// A file of another version of the format.
    #[error("{} has format version {found}; this Taffeta reads version {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version known here.
        known: u32,
    },
    /// A part of the folder is a link to another place.
    #[error("{} is a link to another place, and a run writes and removes files in its own folder only; remove the link, or choose another folder", path.display())]
    Linked {
        /// The link.
        path: PathBuf,
    },
    /// A file that is whole, but of another run.
    #[error("{} belongs to another run than run.json beside it", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
    },
    /// The folder holds no run.
    #[error("{} holds no Taffeta run (it has no run.json)", path.display())]
    NotACache {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error("{} holds files that are not a Taffeta run", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Somebody else is writing there.
    #[error("{} is in use by another run", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The frame is not there.
    #[error("{} holds no frame {frame}", path.display())]
    NoFrame {
        /// The folder.
        path: PathBuf,
        /// The frame asked for.
        frame: u32,
    },
}

impl CacheError {
    /// What is wrong with a file of a run, if that is why it cannot be read: "missing", say.
    pub fn flaw(&self) -> Option<String> {
        match self {
            Self::Damaged { why, .. } => Some(format!("damaged ({why})")),
            Self::Version { .. } => Some(format!("damaged ({self})")),
            Self::OtherRun { .. } => Some("another run's".into()),
            Self::NoFrame { .. } => Some("missing".into()),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("missing".into())
            }
            _ => None,
        }
    }
}
