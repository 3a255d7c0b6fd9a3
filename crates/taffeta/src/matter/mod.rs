//! Matter: what cloth is made of, as elements with energies, forces and their derivatives. No state,
//! no step.

pub mod elements;
pub(crate) mod fabric;
pub(crate) mod gauge;
pub(crate) mod model;
pub(crate) mod presets;
