//! Limiters: candidate velocities are corrected until the cloth keeps its strain limits.

mod tension;

pub use tension::Tension;

pub(crate) use tension::TensionMemory;

use crate::error::SetupError;

/// How strain limits are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limiter {
    /// Tensions along the yarns are unknowns of the implicit step itself.
    Tension(Tension),
}

impl Default for Limiter {
    fn default() -> Self {
        Self::Tension(Tension::default())
    }
}

impl Limiter {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        match self {
            Self::Tension(tension) => tension.check(),
        }
    }
}
