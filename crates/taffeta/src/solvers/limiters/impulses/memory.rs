//! One step of the impulse limiter.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::fill;

use super::rows::{self, ImpulseRow};
use super::solver::PlannedSolver;
use super::system::{ImpulseSystem, REGULARISATION};
use crate::error::PlanError;
use crate::matter::gauge::Gauge;
use crate::matter::model::{Incidence, Model};
use crate::setup::limiter::{ImpulseVariant, Impulses};
use crate::solvers::limiters::LimitStep;
use crate::solvers::limiters::preview::{Preview, RECOVERY};
use crate::state::State;
use crate::step::outcome::{Limited, Refusal};
use crate::step::stage::{Stage, StageTimes};

/// Gauges, or particles, whose work repays a hand-over to another thread.
const GRAIN: usize = 4096;

/// The most that impulses of one solve may turn or stretch a gauge, as a fraction of its length at
/// rest. Where more is asked for, the system is nearly singular: taut cloth that cannot give way
/// along its yarns would be thrown out of its plane.
const FARTHEST: f64 = 0.3;

/// And how fast, so that ever shorter steps do not throw it ever faster [1/s].
const FASTEST: f64 = 300.0;

/// Where that happens gauges are made to give way, by this much at first, then by ever more.
const FIRST_COMPLIANCE: f64 = 1e-4;
const MORE_COMPLIANCE: f64 = 100.0;
const MOST_COMPLIANCE: f64 = 1.0;

/// Solves without progress after which a step gives up: its limits cannot be kept.
const HOPELESS: u32 = 3;

/// Memory of the impulse limiter, planned once for a model.
#[derive(Debug)]
pub(crate) struct ImpulseMemory {
    variant: ImpulseVariant,
    system: ImpulseSystem,
    solver: PlannedSolver,
    incidence: Incidence,
    preview: Preview,
    rows: Vec<ImpulseRow>,
    /// What each gauge has pulled so far [N·s, times its length at rest].
    pulls: Vec<f64>,
    /// What it pulls by the last solve.
    changes: Vec<f64>,
    /// What the last solve does to each velocity [m/s].
    kicks: Vec<DVec3>,
    /// How much gauges give way now; see [`ImpulseSystem::give_way`].
    compliance: f64,
    /// Times of planning, told with the first step.
    times: StageTimes,
}

impl ImpulseMemory {
    /// Plans the system of a model.
    pub fn new(model: &Model, settings: &Impulses) -> Result<Self, PlanError> {
        let mut times = StageTimes::default();
        let system = ImpulseSystem::new(model);
        let solver = PlannedSolver::new(model, &system, settings.solver, &mut times)?;
        let gauges = model.gauges.len();
        let members = model.gauges.iter().map(|gauge| gauge.corners().map(|(p, _)| p));
        Ok(Self {
            variant: settings.variant,
            system,
            solver,
            incidence: Incidence::new(model.particles(), members),
            preview: Preview::new(model),
            rows: vec![ImpulseRow::default(); gauges],
            pulls: vec![0.0; gauges],
            changes: vec![0.0; gauges],
            kicks: vec![DVec3::ZERO; model.particles()],
            compliance: REGULARISATION,
            times,
        })
    }

    /// See [`crate::solvers::limiters::LimiterMemory::limit`].
    pub fn limit(
        &mut self,
        step: &LimitStep,
        candidate: &mut State,
        reactions: &mut [DVec3],
    ) -> Result<Limited, Refusal> {
        let mut limited = Limited { times: std::mem::take(&mut self.times), ..Limited::default() };
        let (most, recovery) = match self.variant {
            ImpulseVariant::Paper => (1, step.longest),
            ImpulseVariant::Refined { max_solves } => (max_solves, RECOVERY),
        };
        self.preview.start(step, candidate, recovery);
        self.pulls.fill(0.0);
        self.compliance = REGULARISATION;
        let mut excess = self.preview.worst_excess(step);
        let (mut least, mut failed) = (excess, 0);
        while excess > 0.0 && limited.iterations < most && failed < HOPELESS {
            self.set_rows(step, candidate, limited.iterations == 0);
            self.solve(step, &mut limited)?;
            self.apply(step);
            self.preview.look_ahead(step, candidate);
            excess = self.preview.worst_excess(step);
            failed = if excess < least { 0 } else { failed + 1 };
            least = least.min(excess);
        }
        limited.converged &= excess <= 0.0;
        self.preview.finish(step, candidate, reactions);
        self.keep_tensions(step, candidate);
        Ok(limited)
    }

    fn set_rows(&mut self, step: &LimitStep, candidate: &State, first: bool) {
        let (preview, pulls) = (&self.preview, &self.pulls);
        match self.variant {
            ImpulseVariant::Paper => {
                fill(&mut self.rows, GRAIN, |g| rows::paper(step, preview, candidate, g));
            }
            ImpulseVariant::Refined { .. } if first => {
                fill(&mut self.rows, GRAIN, |g| rows::expected(step, preview, g));
            }
            ImpulseVariant::Refined { .. } => {
                fill(&mut self.rows, GRAIN, |g| rows::refined(step, preview, pulls[g], g));
            }
        }
    }

    /// Solves for the changes of the pulls; more damped as long as cloth would be thrown about.
    fn solve(&mut self, step: &LimitStep, limited: &mut Limited) -> Result<(), Refusal> {
        let clock = &mut Instant::now();
        self.system.fill(&self.rows, &self.preview.filters);
        self.system.give_way(self.compliance);
        limited.times.charge(Stage::Assembly, clock);
        loop {
            self.set_right_side();
            let solved = self.solver.solve(&self.system, &mut self.changes, &mut limited.times)?;
            limited.converged &= solved;
            limited.iterations += 1;
            self.keep_signs();
            self.kick(step);
            if self.is_moderate(step)? {
                self.compliance = (self.compliance / MORE_COMPLIANCE).max(REGULARISATION);
                return Ok(());
            }
            if self.compliance >= MOST_COMPLIANCE {
                return self.shorten(step);
            }
            self.compliance =
                (self.compliance * MORE_COMPLIANCE).clamp(FIRST_COMPLIANCE, MOST_COMPLIANCE);
            self.system.give_way(self.compliance);
        }
    }

    /// Whether the kicks turn or stretch no gauge too far.
    fn is_moderate(&self, step: &LimitStep) -> Result<bool, Refusal> {
        let turn = |gauge: &Gauge| step.h * gauge.vector(&self.kicks).length();
        let mut farthest: f64 = 0.0;
        for gauge in &step.model.gauges {
            let turn = turn(gauge);
            if !turn.is_finite() {
                return Err(Refusal);
            }
            farthest = farthest.max(turn);
        }
        Ok(farthest <= FARTHEST.min(FASTEST * step.h))
    }

    /// Halves the kicks, which keeps momentum, until they are moderate.
    fn shorten(&mut self, step: &LimitStep) -> Result<(), Refusal> {
        while !self.is_moderate(step)? {
            self.changes.iter_mut().for_each(|change| *change *= 0.5);
            self.kicks.iter_mut().for_each(|kick| *kick *= 0.5);
        }
        Ok(())
    }

    fn keep_tensions(&self, step: &LimitStep, candidate: &mut State) {
        let (pulls, areas) = (&self.pulls, &step.model.gauge_areas);
        fill(&mut candidate.tensions, GRAIN, |g| pulls[g] / (step.h * areas[g]));
    }

    fn set_right_side(&mut self) {
        let (rows, diagonal) = (&self.rows, &self.system.diagonal);
        // A row that nothing can move has nothing to ask for.
        fill(&mut self.changes, GRAIN, |g| if diagonal[g] > 0.0 { rows[g].slower } else { 0.0 });
    }

    /// A gauge takes back what it pulled, but does not push; see [`crate::setup::limits::LimitSide::allowed`].
    fn keep_signs(&mut self) {
        for ((change, row), pull) in self.changes.iter_mut().zip(&self.rows).zip(&self.pulls) {
            if let Some(side) = row.side {
                *change = side.allowed(pull + *change) - pull;
            }
        }
    }

    /// What the changes do to each velocity, gathered per particle in the order of the gauges.
    fn kick(&mut self, step: &LimitStep) {
        let (model, filters) = (step.model, &self.preview.filters);
        let (rows, changes, incidence) = (&self.rows, &self.changes, &self.incidence);
        fill(&mut self.kicks, GRAIN, |i| {
            filters[i].free_part(gathered(model, incidence, rows, changes, i)) / model.masses[i]
        });
    }

    /// Adds the changes to the pulls and to the impulses on particles.
    fn apply(&mut self, step: &LimitStep) {
        for (pull, change) in self.pulls.iter_mut().zip(&self.changes) {
            *pull += change;
        }
        let (rows, changes, incidence) = (&self.rows, &self.changes, &self.incidence);
        let impulses = &mut self.preview.impulses;
        taffeta_linalg::update(impulses, GRAIN, |i, impulse| {
            *impulse += gathered(step.model, incidence, rows, changes, i);
        });
    }
}

/// The impulse of the gauges' pulls on one particle [N·s].
fn gathered(
    model: &Model,
    incidence: &Incidence,
    rows: &[ImpulseRow],
    pulls: &[f64],
    particle: usize,
) -> DVec3 {
    incidence.at(particle).iter().fold(DVec3::ZERO, |sum, &(g, corner)| {
        let g = g as usize;
        sum - rows[g].direction * (model.gauges[g].weight(corner as usize) * pulls[g])
    })
}
