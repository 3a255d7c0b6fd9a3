//! Integrators: from forces and constraints to candidate velocities.

mod explicit;
mod grid;
mod implicit;
mod linear;
mod links;

use std::ops::Range;
use std::time::Duration;

use glam::{DMat3, DVec3};

pub use explicit::ExplicitEuler;
pub(crate) use explicit::{gather_forces, longest_spring_step};
pub(crate) use implicit::{Contribution, ElementPlans};
pub use implicit::{ImplicitEuler, Newton, Solver};

pub(crate) use linear::LinearSolver;
pub(crate) use links::{LinkMemory, Linked, Unknowns};

use grid::GridForces;
use implicit::ImplicitMemory;

use crate::constraint::{Constraint, Link};
use crate::error::SetupError;
use crate::limiters::{Limiter, TensionMemory};
use crate::model::{Incidence, Model};
use crate::pull::Pull;
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

    /// The longest step it can take on a model with these pulls, and the particle that bounds it,
    /// if any does.
    pub fn longest_step(&self, model: &Model, pulls: &[Pull]) -> Option<LongestStep> {
        self.longest_step_of(model, pulls, 0..model.springs.len())
    }

    /// The same where only some of the springs are integrated.
    pub(crate) fn longest_step_of(
        &self,
        model: &Model,
        pulls: &[Pull],
        springs: Range<usize>,
    ) -> Option<LongestStep> {
        match self {
            Self::Explicit(explicit) => Some(explicit.longest_step(model, pulls, springs)),
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
            (Self::Explicit(_), ..) => {
                IntegratorMemory::Explicit(ForceMemory::new(model, setup.integrated_springs()))
            }
            _ if setup.implicit_solves().is_some() => IntegratorMemory::None,
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
    /// Iterations of Newton's method.
    pub newton: u32,
    /// One if Newton's method did not reach its tolerance.
    pub newton_unconverged: u32,
    /// Time spent in linear solves.
    pub solving: Duration,
}

impl Solved {
    /// Takes the solves of another round in.
    pub fn add(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.unconverged += other.unconverged;
        self.newton += other.newton;
        self.newton_unconverged += other.newton_unconverged;
        self.solving += other.solving;
    }
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
    /// Where cloth pushes itself apart; explicit steps leave that to what comes after.
    pub links: &'a [Link],
    /// Whether the step was tried before with other constraints: solutions are not far from those
    /// found then.
    pub again: bool,
    pub h: f64,
}

/// Memory an integrator keeps from step to step, so that steps do not allocate.
#[derive(Debug)]
pub(crate) enum IntegratorMemory {
    /// A solver moves the cloth by itself.
    None,
    Explicit(ForceMemory),
    Implicit(Box<ImplicitMemory>),
    /// Implicit, with tensions among the unknowns.
    Tension(Box<TensionMemory>),
}

impl IntegratorMemory {
    /// Plans for what the cloth of a setup has become.
    pub fn plan_again(&mut self, setup: &Setup) -> Result<(), SetupError> {
        match self {
            Self::Implicit(memory) => memory.plan_again(&setup.model).map_err(SetupError::Plan),
            _ => {
                *self = setup.integrator.memory(setup)?;
                Ok(())
            }
        }
    }

    /// Gives `trial`, which starts as a copy of the state, its velocities after a step, and
    /// `reactions` the force of each constraint.
    pub fn advance(
        &mut self,
        step: &Step,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
    ) -> Result<Solved, Refusal> {
        match self {
            Self::None => Err(Refusal),
            Self::Explicit(memory) => {
                explicit::advance(step, trial, memory, reactions);
                Ok(Solved::default())
            }
            Self::Implicit(memory) => memory.advance(step, trial, reactions),
            Self::Tension(memory) => memory.advance(step, trial, reactions),
        }
    }
}

impl IntegratorMemory {
    /// How each particle resists being moved by a force in the step last advanced, its neighbours
    /// being held [kg]: its mass, and in implicit steps the elements around it; without the
    /// step's drag.
    pub fn inertia<'a>(&'a self, model: &'a Model) -> &'a [f64] {
        match self {
            Self::None | Self::Explicit(_) => &model.masses,
            Self::Implicit(memory) => memory.inertia(),
            Self::Tension(memory) => memory.inertia(),
        }
    }
}

impl IntegratorMemory {
    /// What the step last advanced made of its links; nothing of steps that know none.
    pub fn linked(&self) -> &[Linked] {
        match self {
            Self::None | Self::Explicit(_) => &[],
            Self::Implicit(memory) => memory.linked(),
            Self::Tension(memory) => memory.linked(),
        }
    }
}

/// Forces of springs and on particles.
#[derive(Debug)]
pub(crate) struct ForceMemory {
    /// The springs that are integrated.
    pub springs: Range<usize>,
    /// Which of them are at each particle, counted from the first.
    pub incidence: Incidence,
    /// Force of each on its first end [N].
    pub spring_forces: Vec<DVec3>,
    /// Forces of the grid elements.
    pub grid_forces: GridForces,
    /// All forces on each particle [N].
    pub forces: Vec<DVec3>,
}

impl ForceMemory {
    pub fn new(model: &Model, springs: Range<usize>) -> Self {
        let ends = model.springs[springs.clone()].iter().map(|spring| spring.ends);
        Self {
            incidence: Incidence::new(model.particles(), ends),
            spring_forces: vec![DVec3::ZERO; springs.len()],
            grid_forces: GridForces::new(&model.grid),
            forces: vec![DVec3::ZERO; model.particles()],
            springs,
        }
    }
}
