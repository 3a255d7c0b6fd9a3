//! Solvers that move the cloth through a whole step: limits, solids, layers, friction and pins at once.

use std::time::Instant;

use glam::DVec3;

use crate::contact::Surroundings;
use crate::error::SetupError;
use crate::matter::model::Model;
use crate::setup::integrator::Integrator;
use crate::setup::piece::Piece;
use crate::setup::stability::LongestStep;
use crate::solvers::explicit::ExplicitSolver;
use crate::solvers::implicit::ImplicitSolver;
use crate::solvers::strips::StripSolver;
use crate::state::State;
use crate::step::judge::Verdict;
use crate::step::outcome::{Limited, Solved};
use crate::step::passage::Passage;
use crate::step::tally::Tally;
use crate::woven::Couples;

/// One of them. Nothing in it bears on the next frame.
#[derive(Debug)]
pub(crate) enum StepSolver {
    Explicit(Box<ExplicitSolver>),
    Strips(Box<StripSolver>),
    Implicit(Box<ImplicitSolver>),
}

impl StepSolver {
    /// The one that a setup asks for.
    pub fn new(piece: &Piece) -> Result<Self, SetupError> {
        let setup = piece.setup;
        let strips = setup.strips().and_then(|strips| StripSolver::new(piece, strips));
        if let Some(solver) = strips {
            return Ok(Self::Strips(Box::new(solver)));
        }
        Ok(match &setup.integrator {
            Integrator::Explicit(_) => Self::Explicit(Box::new(ExplicitSolver::new(piece)?)),
            Integrator::Implicit(settings) => {
                Self::Implicit(Box::new(ImplicitSolver::new(piece, settings)?))
            }
        })
    }

    /// The same for what the cloth of a setup has become where it tears.
    pub fn plan_again(&mut self, piece: &Piece) -> Result<(), SetupError> {
        match self {
            Self::Implicit(solver) => solver.plan_again(piece)?,
            _ => *self = Self::new(piece)?,
        }
        Ok(())
    }

    /// The same for the same particles, of which fewer follow others.
    pub fn refine(&mut self, piece: &Piece) -> Result<(), SetupError> {
        match self {
            Self::Implicit(solver) => solver.refine(piece),
            Self::Explicit(_) | Self::Strips(_) => Ok(()),
        }
    }

    /// How many tensions the state keeps.
    pub fn tensions(&self, piece: &Piece) -> usize {
        match self {
            Self::Strips(strips) => strips.tensions(),
            _ if piece.setup.keeps_tensions() => piece.model.gauges.len(),
            _ => 0,
        }
    }

    /// The longest step that a state allows \[s\].
    pub fn longest_step(&self, model: &Model, state: &State) -> f64 {
        match self {
            Self::Explicit(_) => f64::INFINITY,
            Self::Strips(strips) => strips.longest_step(state),
            Self::Implicit(implicit) => implicit.longest_step(model, state),
        }
    }

    /// The longest step whatever the state, where what is explicit has a bound of its own.
    pub fn bound(&self, explicit: Option<LongestStep>) -> Option<LongestStep> {
        match self {
            Self::Explicit(_) => explicit,
            Self::Strips(strips) => Some(strips.bound(explicit)),
            Self::Implicit(implicit) => implicit.longest().map(|h| LongestStep { h, particle: 0 }),
        }
    }

    /// Moves `trial`, a copy of the state, to the end of the step, with the couples of torn cloth that no
    /// ties hold.
    pub fn advance(
        &mut self,
        passage: &Passage,
        couples: Option<&mut Couples>,
        after: (&mut State, &mut Vec<DVec3>),
        watch: (&mut Tally, &mut Instant),
    ) -> Result<(Solved, Limited), Verdict> {
        let limited = match self {
            Self::Implicit(solver) => return solver.advance(passage, couples, after, watch),
            Self::Explicit(solver) => solver.advance(passage, couples, after, watch)?,
            Self::Strips(solver) => solver.advance(passage, after.0, after.1, watch)?,
        };
        Ok((Solved::default(), limited))
    }

    /// The step was good.
    pub fn accept(&mut self, passage: &Passage) {
        match self {
            Self::Explicit(solver) => solver.accept(passage),
            Self::Strips(solver) => solver.accept(passage),
            Self::Implicit(solver) => solver.accept(passage),
        }
    }

    /// The step is discarded, and leaves no trace; or a frame begins, or somebody else has `moved` the
    /// cloth.
    pub fn forget(&mut self, moved: bool) {
        match self {
            Self::Explicit(solver) => solver.forget(moved),
            Self::Strips(solver) => solver.forget(moved),
            Self::Implicit(solver) => solver.forget(moved),
        }
    }

    /// Adds what takes cloth out of itself to the loads of a step \[N\].
    pub fn untangle(&mut self, masses: &[f64], state: &State, h: f64, loads: &mut [DVec3]) {
        let surroundings = match self {
            Self::Explicit(solver) => solver.surroundings_mut(),
            Self::Strips(solver) => solver.surroundings_mut(),
            Self::Implicit(solver) => solver.surroundings_mut(),
        };
        surroundings.untangle(masses, state, h, loads);
    }

    /// What its law of limits stores \[J\].
    pub fn energy(&self, model: &Model, state: &State) -> f64 {
        match self {
            Self::Explicit(_) | Self::Strips(_) => 0.0,
            Self::Implicit(implicit) => implicit.energy(model, state),
        }
    }

    /// What the cloth touched in the step last advanced.
    pub fn surroundings(&self) -> &Surroundings {
        match self {
            Self::Explicit(solver) => solver.surroundings(),
            Self::Strips(solver) => solver.surroundings(),
            Self::Implicit(solver) => solver.surroundings(),
        }
    }
}
