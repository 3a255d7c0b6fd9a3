//! Elements: pure functions from a few particles to energy, force and derivatives.

mod air;
mod bending;
mod hinge;
mod local;
mod membrane;
mod panel;
mod spring;

pub use air::{Air, Drag, Face};
pub use bending::{Bending, BendingMemory, Rigidity};
pub use hinge::Hinge;
pub(crate) use local::outer;
pub use local::{Blocks, Local};
pub use membrane::Membrane;
pub use panel::Panel;
pub use spring::Spring;
