//! Inextensible strips (BB08): cloth of quads as chains of edges, with everything that touches it in
//! the same loop.
//!
//! A step predicts where particles come to, bends and shears the cloth implicitly along its lines,
//! and then sweeps over rows, columns, solids and layers of cloth until every edge is well within
//! its limit and nothing is too near. What makes that work is one weight for everything: a particle
//! is as heavy as the geometric stiffness of its taut edges makes it, whether a load, a strip, a
//! solid or another layer moves it.
//!
//! | file | what |
//! |---|---|
//! | `net.rs` | edges, diagonals and beams of a model |
//! | `partition.rs`, `lines.rs` | chains that share no particle |
//! | `chains.rs`, `tree.rs`, `lanes.rs`, `group.rs` | their pulls in linear time |
//! | `beams.rs` | bending along lines |
//! | `solver.rs` | the step |

mod beams;
pub(crate) mod chains;
pub(crate) mod group;
pub(crate) mod lanes;
pub(crate) mod lines;
mod net;
pub(crate) mod partition;
mod solver;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub(crate) use net::Net;
pub(crate) use solver::StripSolver;
