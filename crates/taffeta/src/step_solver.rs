//! Solvers that move the cloth through a whole step by themselves: limits, solids, layers, friction
//! and pins at once.

use std::time::Instant;

use glam::DVec3;

use crate::contact::Surroundings;
use crate::error::SetupError;
use crate::implicit::ImplicitSolver;
use crate::integrators::{Integrator, LongestStep, Solved};
use crate::judge::Verdict;
use crate::limiters::Limited;
use crate::model::Model;
use crate::passage::Passage;
use crate::setup::Setup;
use crate::state::State;
use crate::strips::StripSolver;
use crate::tally::Tally;

/// One of them. Nothing in it bears on the next frame.
#[derive(Debug)]
pub(crate) enum StepSolver {
    Strips(Box<StripSolver>),
    Implicit(Box<ImplicitSolver>),
}

impl StepSolver {
    /// The one that a setup asks for, if any.
    pub fn new(setup: &Setup) -> Result<Option<Self>, SetupError> {
        if let Some(strips) = setup.strips() {
            return Ok(StripSolver::new(setup, strips).map(Box::new).map(Self::Strips));
        }
        let Some(max_solves) = setup.implicit_solves() else { return Ok(None) };
        let Integrator::Implicit(settings) = &setup.integrator else { return Ok(None) };
        let solver = ImplicitSolver::new(setup, settings, max_solves).map_err(SetupError::Plan)?;
        Ok(Some(Self::Implicit(Box::new(solver))))
    }

    /// How many tensions the state keeps.
    pub fn tensions(&self, setup: &Setup) -> usize {
        match self {
            Self::Strips(strips) => strips.tensions(),
            Self::Implicit(_) => setup.limits.map_or(0, |_| setup.model.gauges.len()),
        }
    }

    /// The longest step that a state allows \[s\].
    pub fn longest_step(&self, setup: &Setup, state: &State) -> f64 {
        match self {
            Self::Strips(strips) => strips.longest_step(state),
            Self::Implicit(implicit) => implicit.longest_step(&setup.model, state),
        }
    }

    /// The longest step whatever the state, where what is explicit has a bound of its own.
    pub fn bound(&self, explicit: Option<LongestStep>) -> Option<LongestStep> {
        match self {
            Self::Strips(strips) => Some(strips.bound(explicit)),
            Self::Implicit(implicit) => implicit.longest().map(|h| LongestStep { h, particle: 0 }),
        }
    }

    /// Moves `trial`, a copy of the state, to the end of the step.
    pub fn advance(
        &mut self,
        passage: &Passage,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
        watch: (&mut Tally, &mut Instant),
    ) -> Result<(Solved, Limited), Verdict> {
        match self {
            Self::Strips(strips) => {
                let limited = strips.advance(passage, trial, reactions, watch)?;
                Ok((Solved::default(), limited))
            }
            Self::Implicit(implicit) => implicit.advance(passage, trial, reactions, watch),
        }
    }

    /// The step was good.
    pub fn accept(&mut self, passage: &Passage) {
        match self {
            Self::Strips(strips) => strips.accept(passage),
            Self::Implicit(implicit) => implicit.accept(passage),
        }
    }

    /// The step is discarded, and leaves no trace; or a frame begins, or somebody else has `moved` the
    /// cloth.
    pub fn forget(&mut self, moved: bool) {
        match self {
            Self::Strips(strips) => strips.forget(moved),
            Self::Implicit(implicit) => implicit.forget(moved),
        }
    }

    /// Adds what takes cloth out of itself to the loads of a step \[N\].
    pub fn untangle(&mut self, setup: &Setup, state: &State, h: f64, loads: &mut [DVec3]) {
        let surroundings = match self {
            Self::Strips(strips) => strips.surroundings_mut(),
            Self::Implicit(implicit) => implicit.surroundings_mut(),
        };
        surroundings.untangle(setup, state, h, loads);
    }

    /// What its law of limits stores \[J\].
    pub fn energy(&self, model: &Model, state: &State) -> f64 {
        match self {
            Self::Strips(_) => 0.0,
            Self::Implicit(implicit) => implicit.energy(model, state),
        }
    }

    /// What the cloth touched in the step last advanced.
    pub fn surroundings(&self) -> &Surroundings {
        match self {
            Self::Strips(strips) => strips.surroundings(),
            Self::Implicit(implicit) => implicit.surroundings(),
        }
    }
}
