//! Solvers: each moves the cloth through a whole step, with everything that acts on it.

pub(crate) mod choice;
mod explicit;
mod forces;
mod implicit;
mod limiters;
mod momentum;
mod room;
pub(crate) mod step_solver;
mod strips;
