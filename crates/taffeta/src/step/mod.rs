//! A step: what those who move the cloth through it are given, and what they answer.

pub(crate) mod control;
pub(crate) mod judge;
pub(crate) mod load_forces;
pub(crate) mod outcome;
pub(crate) mod passage;
pub(crate) mod phase;
pub(crate) mod script;
pub(crate) mod stage;
pub(crate) mod tally;
