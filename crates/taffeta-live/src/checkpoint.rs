//! A state to start from.

use taffeta::Snapshot;

/// A state to start from, and which frame it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The frame's number.
    pub frame: u32,
    /// The state.
    pub snapshot: Snapshot,
}
