//! Limiters that are a phase of their own, after any integrator: they look where the candidate
//! velocities carry the cloth, and give particles impulses along the gauges that would be over
//! their limits, until they are not.

mod impulses;
mod preview;
mod sweeps;

use glam::DVec3;

use impulses::ImpulseMemory;
use sweeps::SweepMemory;

use crate::error::SetupError;
use crate::matter::model::Model;
use crate::setup::limiter::Limiter;
use crate::setup::limits::StrainLimits;
use crate::setup::piece::Piece;
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::step::outcome::{Limited, Refusal};
use crate::step::passage::Passage;
use crate::woven::Couples;

/// What a limiter is given.
#[derive(Clone, Copy)]
pub(crate) struct LimitStep<'a> {
    pub model: &'a Model,
    pub limits: &'a StrainLimits,
    pub constraints: &'a [Constraint],
    pub h: f64,
    /// The longest step that could be taken [s].
    pub longest: f64,
    /// The start of the step.
    pub state: &'a State,
}

impl<'a> LimitStep<'a> {
    /// Of a step whose cloth has these limits.
    pub fn new(passage: &Passage<'a>, limits: &'a StrainLimits) -> Self {
        let Passage { model, state, constraints, h, longest, .. } = *passage;
        Self { model, limits, constraints, h, longest, state }
    }
}

/// Memory a limiter keeps from step to step, so that steps do not allocate. It holds nothing that
/// bears on the next step: a run resumed from a snapshot has the same bits.
#[derive(Debug)]
pub(crate) enum LimiterMemory {
    /// There are no limits, or the solver of the step keeps them.
    None,
    Impulses(Box<ImpulseMemory>),
    Sweeps(Box<SweepMemory>),
}

impl LimiterMemory {
    /// Plans for a setup whose limits, if there are any, a limiter keeps after the integrator.
    pub fn new(piece: &Piece) -> Result<Self, SetupError> {
        let Piece { setup, model, .. } = piece;
        Ok(match &setup.limiter {
            _ if setup.limits.is_none() => Self::None,
            Limiter::Constraints(_) | Limiter::Strips(_) => Self::None,
            Limiter::Impulses(impulses) => {
                Self::Impulses(Box::new(ImpulseMemory::new(model, impulses)?))
            }
            Limiter::Sweeps(sweeps) => Self::Sweeps(Box::new(SweepMemory::new(model, sweeps))),
        })
    }

    /// Whether it takes turns with the couples of torn cloth.
    pub fn couples(&self) -> bool {
        matches!(self, Self::Sweeps(_))
    }

    /// Corrects the velocities of `candidate`, whose positions are still those of the start.
    ///
    /// Held directions are not touched: what impulses want of them is the constraints' to bear,
    /// and taken from `reactions`, the forces of the constraints.
    ///
    /// Sweeps take turns with the couples of torn cloth.
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
        }
    }
}
