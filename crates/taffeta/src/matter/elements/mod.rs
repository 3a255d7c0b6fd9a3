//! Elements: pure functions from a few particles to energy, force and derivatives.

mod air;
mod bending;
mod buckle;
mod condition;
mod corner;
mod fold;
mod hinge;
pub(crate) mod local;
pub(crate) mod membrane;
mod panel;
mod spring;
mod strut;
mod tie;

pub use air::{Air, Drag, Face};
pub use bending::{Bending, BendingMemory, Rigidity};
pub use buckle::Buckle;
pub use condition::{Condition, Response};
pub use corner::Corner;
pub use fold::Fold;
pub use hinge::Hinge;
pub(crate) use local::outer;
pub use local::{Blocks, Local};
pub use membrane::Membrane;
pub use panel::Panel;
pub use spring::Spring;
pub use strut::Strut;
pub use tie::Tie;
