//! A step as solvers that move the cloth as a whole see it.

use glam::{DMat3, DVec3};

use crate::constraint::Constraint;
use crate::setup::Setup;
use crate::state::State;

/// The step being tried.
#[derive(Clone, Copy)]
pub(crate) struct Passage<'a> {
    pub setup: &'a Setup,
    /// Where it begins.
    pub state: &'a State,
    pub loads: &'a [DVec3],
    /// How drag grows with each particle's velocity, with the sign turned; explicit solvers have none
    /// [N·s/m].
    pub drag: &'a [DMat3],
    /// What pins prescribe.
    pub constraints: &'a [Constraint],
    pub h: f64,
    /// When it ends [s].
    pub end: f64,
}
