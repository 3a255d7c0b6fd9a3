//! Limits as constraints of the implicit step, beside contacts and friction.

use crate::error::SetupError;

/// Settings of limits in implicit steps that solve for everything at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraints {
    /// The most linear solves of a step, at least 1.
    pub max_solves: u32,
}

impl Default for Constraints {
    fn default() -> Self {
        Self { max_solves: 8 }
    }
}

impl Constraints {
    pub(super) fn check(&self) -> Result<(), SetupError> {
        if self.max_solves == 0 { Err(SetupError::NoSolves) } else { Ok(()) }
    }
}
