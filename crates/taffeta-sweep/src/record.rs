//! What became of a task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::task::Task;

/// How a task ended.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every frame is made and measured.
    Done,
    /// It cannot be done; the message says why.
    Failed,
    /// Somebody asked to stop; it goes on another time.
    Stopped,
}

/// What became of a task.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Record {
    /// The task, with its settings.
    #[serde(flatten)]
    pub task: Task,
    /// How it ended.
    pub state: Outcome,
    /// A fingerprint of all frames: equal ones have equal bits.
    pub fingerprint: Option<String>,
    /// What was measured, by name; what could not be is not a number, and none.
    pub measures: BTreeMap<String, Option<f64>>,
    /// Why it failed.
    pub message: Option<String>,
    /// How long it took, all in all, this time \[s\].
    pub seconds: f64,
    /// The part of that spent before and after the frames were computed \[s\].
    pub overhead: f64,
    /// Where.
    pub machine: String,
    /// The fingerprint from another worker, if it was run there again to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
}
