//! Elements: pure functions from a few particles to energy and force.

mod air;
mod spring;

pub use air::Air;
pub use spring::Spring;
