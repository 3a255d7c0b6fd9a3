//! Integrators: from forces and constraints to candidate velocities.

mod explicit;
mod grid;
mod implicit;

use glam::{DMat3, DVec3};

pub use explicit::ExplicitEuler;
pub(crate) use explicit::longest_spring_step;
pub(crate) use grid::{Contribution, GridPlans, members as grid_members};
pub use implicit::{ImplicitEuler, Solver};

use grid::GridForces;
use implicit::ImplicitMemory;

use crate::constraint::Constraint;
use crate::error::SetupError;
use crate::limiters::{Limiter, TensionMemory};
use crate::model::Model;
use crate::setup::Setup;
use crate::state::State;

/// How a step is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Symplectic Euler: cheap steps, bounded by the stiffest spring.
    Explicit(ExplicitEuler),
    /// Backward Euler: large steps, each with a linear solve.
    Implicit(ImplicitEuler),
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
            Self::Implicit(implicit) => implicit.check(),
        }
    }

    /// The longest step it can take on a model, and the particle that bounds it, if any does.
    pub fn longest_step(&self, model: &Model) -> Option<LongestStep> {
        match self {
            Self::Explicit(explicit) => Some(explicit.longest_step(model)),
            Self::Implicit(_) => None,
        }
    }

    /// Whether its steps are bounded by stiffness and drag, and need no derivatives.
    pub fn is_explicit(&self) -> bool {
        matches!(self, Self::Explicit(_))
    }

    /// Whether it can simulate a model: explicit steps know springs only, so far.
    pub fn suits(&self, model: &Model) -> bool {
        match self {
            Self::Explicit(_) => model.membranes.is_empty(),
            Self::Implicit(_) => true,
        }
    }

    /// Plans its memory for a setup.
    pub(crate) fn memory(&self, setup: &Setup) -> Result<IntegratorMemory, SetupError> {
        let (model, longest) = (&setup.model, setup.step.max);
        Ok(match (self, setup.limits, &setup.limiter) {
            (Self::Explicit(_), ..) => IntegratorMemory::Explicit(ForceMemory::new(model)),
            (Self::Implicit(_), Some(limits), Limiter::Tension(tension)) => {
                let memory = TensionMemory::new(model, limits, tension, longest);
                IntegratorMemory::Tension(Box::new(memory.map_err(SetupError::Plan)?))
            }
            (Self::Implicit(implicit), ..) => {
                let memory = ImplicitMemory::new(model, implicit).map_err(SetupError::Plan)?;
                IntegratorMemory::Implicit(Box::new(memory))
            }
        })
    }
}

/// A step's linear solves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    /// Iterations spent.
    pub iterations: u32,
    /// Solves that did not reach their tolerance.
    pub unconverged: u32,
}

/// The step cannot be solved; a shorter one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal;

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
    /// How drag grows with each particle's velocity, with the sign turned [N·s/m].
    pub drag: &'a [DMat3],
    pub constraints: &'a [Constraint],
    pub h: f64,
}

/// Memory an integrator keeps from step to step, so that steps do not allocate.
#[derive(Debug)]
pub(crate) enum IntegratorMemory {
    Explicit(ForceMemory),
    Implicit(Box<ImplicitMemory>),
    /// Implicit, with tensions among the unknowns.
    Tension(Box<TensionMemory>),
}

impl IntegratorMemory {
    /// Gives `trial`, which starts as a copy of the state, its velocities after a step, and
    /// `reactions` the force of each constraint.
    pub fn advance(
        &mut self,
        step: &Step,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
    ) -> Result<Solved, Refusal> {
        match self {
            Self::Explicit(memory) => {
                explicit::advance(step, trial, memory, reactions);
                Ok(Solved::default())
            }
            Self::Implicit(memory) => memory.advance(step, trial, reactions),
            Self::Tension(memory) => memory.advance(step, trial, reactions),
        }
    }
}

/// Forces of springs and on particles.
#[derive(Debug)]
pub(crate) struct ForceMemory {
    /// Force of each spring on its first end [N].
    pub spring_forces: Vec<DVec3>,
    /// Forces of the grid elements.
    pub grid_forces: GridForces,
    /// All forces on each particle [N].
    pub forces: Vec<DVec3>,
}

impl ForceMemory {
    pub fn new(model: &Model) -> Self {
        Self {
            spring_forces: vec![DVec3::ZERO; model.springs.len()],
            grid_forces: GridForces::new(&model.grid),
            forces: vec![DVec3::ZERO; model.particles()],
        }
    }
}
