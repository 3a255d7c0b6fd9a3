//! A garment that is cut and not yet put on, and what puts those of a scene on.

use taffeta::Pin;
use taffeta_garment::{Cut, Dressing, Pattern, Sewn};

use crate::format::Carried;

/// What has to be done before the simulation of a scene with garments can begin.
#[derive(Clone, Debug)]
pub struct Fitting {
    /// How they are put on.
    pub(crate) dressing: Dressing,
    /// The scene's pins, and what carries each from where its particles are by then.
    pub(crate) pins: Vec<(Pin, Option<Carried>)>,
}

/// A garment that is cut and not yet put on.
pub(crate) struct Garment {
    pub pattern: Pattern,
    /// Its panels, placed.
    pub cut: Cut,
    /// What they become when it is sewn.
    pub sewn: Sewn,
}
