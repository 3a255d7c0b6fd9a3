//! What acts on all of the cloth: gravity, and air that moves.

use glam::DVec3;

use crate::matter::elements::Air;
use crate::setup::fan::Fan;

/// Gravity, air and a fan in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loads {
    /// Acceleration of gravity \[m/s²\].
    pub gravity: DVec3,
    /// The air; none is a vacuum.
    pub air: Option<Air>,
    /// A fan that blows in it; without air it does nothing.
    pub fan: Option<Fan>,
}

impl Default for Loads {
    /// Earth's gravity along −y, and no air.
    fn default() -> Self {
        Self { gravity: DVec3::new(0.0, -9.81, 0.0), air: None, fan: None }
    }
}
