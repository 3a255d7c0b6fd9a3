//! Inextensible strips (BB08): edges keep their rest length by impulses, strip after strip.
//!
//! The edges are cut into acyclic parts (`partition.rs`); the impulses of a part are found all at
//! once in linear time (`chains.rs`, `tree.rs`), group after group, until every edge is within the
//! limits or the user's patience ends. Every edge is brought to its rest length from both sides;
//! the limits are BB08's tolerance. As the strips keep the edges, explicit steps leave out the
//! springs along them.
//!
//! Three things are different from the paper, and make it converge in one or two sweeps where it
//! takes hundreds:
//! - Directions are those of the preview, not of the beginning of the step, where a taut row
//!   between two pins cannot be lifted by any pull along itself.
//! - Particles are as heavy as the geometric stiffness of their taut edges makes them, with the
//!   tension of the step before: h²·T/l, lumped so that it is nowhere below the exact matrix
//!   (Tournier, Nesme, Gilles & Faure 2015, Stable Constrained Dynamics, keep the matrix). All
//!   that changes velocities acts on that mass, loads too, so that at rest forces balance exactly
//!   and tensions are the true ones. What this slows down is motion across taut edges, less with
//!   the square of the step; the momentum of a loose piece is given back to it as a whole.
//! - Edges give way by next to nothing instead of by nothing at all, so that rows between two pins
//!   have a tension (`memory.rs`).
//!

mod memory;

pub(crate) use memory::StripsMemory;
