//! Inextensible strips (BB08): cloth of quads as chains of edges, with everything that touches it in
//! the same loop.
//!
//! A step predicts where particles come to, bends and shears the cloth implicitly along its lines,
//! and then sweeps over rows, columns, solids and layers of cloth until every edge is well within
//! its limit and nothing is too near. What makes that work is one weight for everything: a particle
//! is as heavy as the geometric stiffness of its taut edges makes it (with the tension T of the step
//! before h²·T/l, lumped so that it is nowhere below the exact matrix, which Tournier, Nesme, Gilles &
//! Faure 2015, Stable Constrained Dynamics, keep), whether a load, a strip, a solid or another layer
//! moves it.
//!
//! Unlike in the paper, directions are those of the preview, not of the beginning of the step, where a
//! taut row between two pins cannot be lifted by any pull along itself; and edges give way by next to
//! nothing instead of by nothing at all, so that such rows have a tension.
//!
//! | file | what |
//! |---|---|
//! | `net.rs` | edges, diagonals and beams of a model |
//! | `partition.rs`, `lines.rs` | chains that share no particle |
//! | `chains.rs`, `tree.rs`, `lanes.rs`, `group.rs` | their pulls in linear time |
//! | `beams.rs` | bending along lines |
//! | `solver.rs` | the step |

mod beams;
mod chains;
mod group;
mod lanes;
mod lines;
mod net;
mod partition;
mod solver;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use net::Net;
pub(crate) use solver::StripSolver;
