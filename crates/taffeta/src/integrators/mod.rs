//! Integrators: from forces and constraints to candidate velocities.

mod explicit;

use glam::DVec3;

pub use explicit::ExplicitEuler;

use crate::constraint::Constraint;
use crate::error::SetupError;
use crate::model::Model;
use crate::state::State;

/// How a step is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Symplectic Euler: cheap steps, bounded by the stiffest spring.
    Explicit(ExplicitEuler),
}

impl Default for Integrator {
    fn default() -> Self {
        Self::Explicit(ExplicitEuler::default())
    }
}

impl Integrator {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        match self {
            Self::Explicit(explicit) => explicit.check(),
        }
    }

    /// The longest step it can take on a model, and the particle that bounds it.
    pub fn longest_step(&self, model: &Model) -> LongestStep {
        match self {
            Self::Explicit(explicit) => explicit.longest_step(model),
        }
    }

    /// Gives `trial`, which starts as a copy of the state, its velocities after a step.
    pub(crate) fn advance(&self, step: &Step, trial: &mut State, memory: &mut IntegratorMemory) {
        match self {
            Self::Explicit(_) => explicit::advance(step, trial, memory),
        }
    }
}

/// A bound on the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongestStep {
    /// Seconds.
    pub h: f64,
    /// The particle that bounds it.
    pub particle: u32,
}

/// What an integrator is given.
pub(crate) struct Step<'a> {
    pub model: &'a Model,
    pub loads: &'a [DVec3],
    pub constraints: &'a [Constraint],
    pub h: f64,
}

/// Memory an integrator keeps from step to step, so that steps do not allocate.
#[derive(Debug, Default)]
pub(crate) struct IntegratorMemory {
    /// Force of each spring on its first end [N].
    pub spring_forces: Vec<DVec3>,
    /// All forces on each particle [N].
    pub forces: Vec<DVec3>,
    /// The force each constraint exerted on its particle [N], in the order of the constraints.
    pub reactions: Vec<DVec3>,
}

impl IntegratorMemory {
    pub fn new(model: &Model) -> Self {
        Self {
            spring_forces: vec![DVec3::ZERO; model.springs.len()],
            forces: vec![DVec3::ZERO; model.particles()],
            reactions: Vec::new(),
        }
    }
}
