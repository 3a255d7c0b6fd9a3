//! Limiters: candidate velocities are corrected until the cloth keeps its strain limits.
//!
//! Tensions and constraints are a part of the implicit step. Every other limiter is a phase of its own, after any
//! integrator: it looks where the candidate velocities carry the cloth, and gives particles
//! impulses along the gauges that would be over their limits.

mod constraints;
mod impulses;
mod preview;
mod stages;
mod strips;
mod sweeps;
mod tension;

use glam::{DMat3, DVec3};

pub use constraints::Constraints;
pub use impulses::{ImpulseSolver, ImpulseVariant, Impulses};
pub use stages::{Stage, StageTimes};
pub use strips::Strips;
pub use sweeps::Sweeps;
pub use tension::Tension;

pub(crate) use tension::TensionMemory;

use impulses::ImpulseMemory;
use strips::StripsMemory;
use sweeps::SweepMemory;

use crate::constraint::Constraint;
use crate::error::SetupError;
use crate::integrators::Refusal;
use crate::limits::StrainLimits;
use crate::model::Model;
use crate::setup::Setup;
use crate::state::State;
use crate::woven::Couples;

/// How strain limits are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limiter {
    /// Tensions along the yarns are unknowns of the implicit step itself.
    Tension(Tension),
    /// Limits, contacts and friction are constraints of the implicit step: one system for all.
    Constraints(Constraints),
    /// Impulses along all gauges at once, from linear systems.
    Impulses(Impulses),
    /// Gauge after gauge is moved to its limit.
    Sweeps(Sweeps),
    /// Strip after strip of edges is brought to its rest length.
    Strips(Strips),
}

impl Default for Limiter {
    fn default() -> Self {
        Self::Tension(Tension::default())
    }
}

impl Limiter {
    /// Whether its settings make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        match self {
            Self::Tension(tension) => tension.check(),
            Self::Constraints(constraints) => constraints.check(),
            Self::Impulses(impulses) => impulses.check(),
            Self::Sweeps(sweeps) => sweeps.check(),
            Self::Strips(strips) => strips.check(),
        }
    }

    /// Whether it is a part of the implicit step, and cannot follow an explicit one.
    pub fn needs_implicit(&self) -> bool {
        matches!(self, Self::Tension(_) | Self::Constraints(_))
    }

    /// Whether a step that ends over the limits is worth another try with half the length. Where
    /// the user fixed how much work goes into a step it is not: it is taken, and counted.
    pub(crate) fn tries_again(&self) -> bool {
        match self {
            Self::Tension(_) | Self::Constraints(_) => true,
            Self::Impulses(impulses) => impulses.variant != ImpulseVariant::Paper,
            Self::Sweeps(_) | Self::Strips(_) => false,
        }
    }

    /// Whether it stands in for the springs along the edges: explicit steps then leave them out.
    pub fn replaces_edges(&self) -> bool {
        matches!(self, Self::Strips(_))
    }

    /// Whether it can limit the gauges of a model.
    pub(crate) fn suits(&self, model: &Model) -> bool {
        match self {
            Self::Strips(_) => StripsMemory::suits(model),
            _ => true,
        }
    }

    /// What gauges with these tensions store [J]. Impulses store nothing.
    pub(crate) fn energy(&self, limits: &StrainLimits, model: &Model, tensions: &[f64]) -> f64 {
        match self {
            Self::Tension(_) => tension::energy(limits, model, tensions),
            _ => 0.0,
        }
    }

    /// Plans its memory for a setup.
    pub(crate) fn memory(&self, setup: &Setup) -> Result<LimiterMemory, SetupError> {
        Ok(match self {
            _ if setup.limits.is_none() || setup.strips().is_some() => LimiterMemory::None,
            Self::Tension(_) | Self::Constraints(_) => LimiterMemory::None,
            Self::Impulses(impulses) => {
                let memory = ImpulseMemory::new(&setup.model, impulses);
                LimiterMemory::Impulses(Box::new(memory.map_err(SetupError::Plan)?))
            }
            Self::Sweeps(sweeps) => {
                LimiterMemory::Sweeps(Box::new(SweepMemory::new(&setup.model, sweeps)))
            }
            Self::Strips(strips) => {
                LimiterMemory::Strips(Box::new(StripsMemory::new(&setup.model, strips)))
            }
        })
    }
}

/// What a limiter is given.
#[derive(Clone, Copy)]
pub(crate) struct LimitStep<'a> {
    pub model: &'a Model,
    pub limits: &'a StrainLimits,
    pub constraints: &'a [Constraint],
    /// The drag on each particle that the velocities have met, friction of what slides on solids
    /// included; empty where there is none [N·s/m].
    pub drag: &'a [DMat3],
    pub h: f64,
    /// The longest step that could be taken [s].
    pub longest: f64,
    /// The start of the step.
    pub state: &'a State,
}

/// What became of the limits in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limited {
    /// Sweeps, or linear solves.
    pub iterations: u32,
    /// Whether every gauge is within its limits, or as near as the limiter means to bring it.
    pub converged: bool,
    /// What solves of its own took.
    pub times: StageTimes,
}

impl Default for Limited {
    /// There was nothing to do.
    fn default() -> Self {
        Self { iterations: 0, converged: true, times: StageTimes::default() }
    }
}

/// Memory a limiter keeps from step to step, so that steps do not allocate. It holds nothing that
/// bears on the next step: a run resumed from a snapshot has the same bits.
#[derive(Debug)]
pub(crate) enum LimiterMemory {
    /// There are no limits, or the integrator keeps them.
    None,
    Impulses(Box<ImpulseMemory>),
    Sweeps(Box<SweepMemory>),
    Strips(Box<StripsMemory>),
}

impl LimiterMemory {
    /// Whether it takes turns with the couples of torn cloth.
    pub fn couples(&self) -> bool {
        matches!(self, Self::Sweeps(_) | Self::Strips(_))
    }

    /// Corrects the velocities of `candidate`, whose positions are still those of the start.
    ///
    /// Held directions are not touched: what impulses want of them is the constraints' to bear,
    /// and taken from `reactions`, the forces of the constraints.
    ///
    /// Strips and sweeps take turns with the couples of torn cloth.
    pub fn limit(
        &mut self,
        step: &LimitStep,
        couples: Option<&mut Couples>,
        (candidate, reactions): (&mut State, &mut [DVec3]),
    ) -> Result<Limited, Refusal> {
        match self {
            Self::None => Ok(Limited::default()),
            Self::Impulses(memory) => memory.limit(step, candidate, reactions),
            Self::Sweeps(memory) => Ok(memory.limit(step, couples, (candidate, reactions))),
            Self::Strips(memory) => Ok(memory.limit(step, couples, (candidate, reactions))),
        }
    }
}
