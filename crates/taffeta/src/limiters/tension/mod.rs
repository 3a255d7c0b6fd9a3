//! Tensions as unknowns of the implicit step: limits of any tightness, at large steps.
//!
//! A step minimises ½‖x − x̃‖²_M / h² + E(x), where x̃ is where free flight would carry the cloth
//! and E holds the elements and the law of the limited gauges (`law.rs`). A plain Newton step on
//! this is useless for tight limits: the geometric stiffness of a gauge, its tension over its
//! length, is what holds taut cloth across its yarns, and near a stiff law the tension *now* is
//! noise, stiffness times round-off of the strain. So the tension is a variable of its own, as in
//! a primal-dual method: a linear solve gives the tension at its end, and the next solve, of this
//! step or the next, takes its geometric stiffness from there. The tension is part of the state.
//! (Tournier, Nesme, Gilles & Faure 2015, Stable Constrained Dynamics, keep geometric stiffness
//! for the same reason.) One solve a step is usually enough; a step whose strains are not within
//! the limits after it gets more.
//!
//! Ye08 measures its impulses in M; measured in the matrix of the implicit step they stay calm.

mod gauges;
mod law;
mod system;

pub(crate) use system::TensionMemory;

use taffeta_linalg::ordered_sum;

use crate::error::SetupError;
use crate::limits::StrainLimits;
use crate::model::Model;
use law::Law;

/// Settings of the tension limiter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tension {
    /// The most linear solves of a step, at least 1.
    pub max_solves: u32,
}

impl Default for Tension {
    fn default() -> Self {
        Self { max_solves: 8 }
    }
}

impl Tension {
    pub(super) fn check(&self) -> Result<(), SetupError> {
        if self.max_solves == 0 { Err(SetupError::NoSolves) } else { Ok(()) }
    }
}

/// What gauges with these tensions store \[J\]. It follows from the tensions, for next to so stiff a
/// law that of the positions is noise.
pub(super) fn energy(limits: &StrainLimits, model: &Model, tensions: &[f64]) -> f64 {
    let law = Law::new(limits);
    ordered_sum(tensions.len(), |g| law.energy(tensions[g]) * model.gauge_areas[g])
}
