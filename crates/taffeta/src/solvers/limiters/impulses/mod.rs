//! Impulses along all gauges at once, from one linear system (YWG05 §3, Ye08 §3–7).
//!
//! A gauge p pulls with an impulse s_p along its direction x̂_p. What all pulls together do to the
//! rate at which each gauge lengthens is −A s, with A = J M⁻¹ S Jᵀ (Ye08 eq. 9–10): J has a row
//! w·x̂ᵀ for each gauge, S is what constraints leave of each particle's freedom. For edges these
//! are the paper's rows divided by the rest length; gauges of triangles have three particles.
//!
//! Impulses act between particles along the line that joins them, so they conserve linear
//! momentum always, and angular momentum about the places that the directions are taken from.

mod cg;
#[cfg(test)]
mod laws;
mod memory;
mod rows;
mod solver;
mod system;

pub(crate) use memory::ImpulseMemory;
