//! A garment that is cut and not yet put on.

use taffeta_garment::{Cut, Pattern, Sewn};

/// A garment that is cut and not yet put on.
pub(crate) struct Garment {
    pub pattern: Pattern,
    /// Its panels, placed.
    pub cut: Cut,
    /// What they become when it is sewn.
    pub sewn: Sewn,
}
