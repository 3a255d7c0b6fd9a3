//! Contact constraints: what the cloth touches in a step, with dual variables (normal and tangential
//! impulses) that live in the state and warm-start the next step.
//!
//! Cloth against simple solids, against bodies of any shape and against itself all make the same
//! [`ContactRow`]: two points keep a distance along a normal, with Coulomb's friction across it. Solvers of
//! steps see them as [`Surroundings`]; how they solve the rows is theirs. That nothing passes through
//! anything on the way is proved by certificates (`detection`), not by convergence.
//!
//! | file | what |
//! |---|---|
//! | `row.rs` | the constraint, and its projected Gauss–Seidel |
//! | `solids.rs`, `features.rs` | particles on simple solids; edges and corners of solids on faces of cloth |
//! | `layers.rs`, `inheritance.rs` | cloth on itself and on bodies; pairs that slide from triangle to triangle |
//! | `bodies.rs` | solids of any shape, as surfaces beside the cloth's |
//! | `tangle.rs`, `untangle.rs` | cloth that starts through itself |
//! | `surroundings.rs` | all of it |

mod bodies;
mod features;
mod inheritance;
mod layers;
mod row;
mod solids;
mod surroundings;
mod tangle;
mod untangle;

pub(crate) use row::{ContactRow, Slide};
pub(crate) use surroundings::Surroundings;
