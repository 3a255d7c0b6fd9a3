//! How cloth touches itself.

use crate::error::SetupError;

/// How cloth touches itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfContact {
    /// The distance that layers keep from each other \[m\].
    pub thickness: f64,
    /// Coulomb's coefficient of friction between layers.
    pub friction: f64,
}

impl SelfContact {
    /// Whether the numbers make sense.
    pub(crate) fn check(&self) -> Result<(), SetupError> {
        if !(self.thickness.is_finite() && self.thickness > 0.0) {
            return Err(SetupError::ContactThickness(self.thickness));
        }
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Err(SetupError::ContactFriction(self.friction));
        }
        Ok(())
    }
}
