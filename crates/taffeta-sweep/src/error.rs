//! Why a sweep cannot go on.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a sweep cannot go on; tasks that fail do not stop it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A file or folder cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder holds something else.
    #[error("{} holds files that are not a Taffeta sweep; choose another folder with --out", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds another sweep.
    #[error("{} belongs to another plan, or to this one with other values, another scene or other measures; choose another folder with --out", folder.display())]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no such task.
    #[error("the plan has {tasks} tasks, counted from 0; there is no task {task}")]
    NoSuchTask {
        /// The task asked for.
        task: u32,
        /// How many there are.
        tasks: usize,
    },
    /// Results cannot be put into words.
    #[error("what task {task} gave cannot be written: {why}")]
    Record {
        /// The task.
        task: u32,
        /// Why.
        why: String,
    },
    /// Plots cannot be made.
    #[error("the plot {} cannot be made: {why}", path.display())]
    Plot {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl SweepError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}
