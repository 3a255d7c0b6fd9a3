//! Explicit steps: symplectic Euler, then limits and contacts in turns, contacts last.

mod solver;

pub(crate) use solver::ExplicitSolver;
