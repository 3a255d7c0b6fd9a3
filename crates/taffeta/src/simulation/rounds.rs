//! The rounds in which a step is tried: the phases from Constrain to Respond, until nothing changes.

use std::time::{Duration, Instant};

use glam::DVec3;

use super::Simulation;
use crate::collision::respond::{Attempt, Watch};
use crate::constraint::Constraint;
use crate::contact::{Passage, Round, Tried};
use crate::integrators::{Refusal, Solved, Step};
use crate::judge::Verdict;
use crate::limiters::{LimitStep, Limited};
use crate::load::LoadForces;
use crate::model::Model;
use crate::passage;
use crate::phase::Phase;
use crate::setup::Setup;
use crate::state::State;
use crate::step_solver::StepSolver;
use crate::tally::Tally;
use crate::woven::Weaving;

impl Simulation {
    /// Constrains and integrates until no contact changes any more, and nothing has to respond.
    pub(super) fn try_rounds(
        &mut self,
        h: f64,
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<(Solved, Limited), Verdict> {
        let (mut total, mut kept, mut again) = (Solved::default(), Limited::default(), false);
        self.begin_rounds(h);
        tally.times.charge(Phase::Detect, clock);
        loop {
            // Whoever asked to stop is told so when the next step is tried.
            if self.signal.is_stopped() {
                return Err(Verdict::Unsolved);
            }
            self.signal.enter(Phase::Constrain);
            total.add(self.integrate(h, again, tally, clock)?);
            again = true;

            self.signal.enter(Phase::Limit);
            let limited = self.limit(h)?;
            tally.stages += limited.times;
            kept = Limited { iterations: kept.iterations + limited.iterations, ..limited };
            self.move_trial(h);
            tally.times.charge(Phase::Limit, clock);

            self.signal.enter(Phase::Detect);
            let mut round = self.settle(h);
            tally.times.charge(Phase::Detect, clock);
            if round == Round::Settled {
                self.signal.enter(Phase::Respond);
                round = self.respond(h, tally, clock)?;
            }
            match round {
                Round::Settled => return Ok((total, kept)),
                Round::Again => self.trial.rewind(&self.state),
                Round::Blocked { particle, solid } => {
                    return Err(Verdict::Blocked { particle, solid });
                }
            }
        }
    }

    /// A step by a solver that moves the cloth by itself: everything in one loop.
    pub(super) fn try_whole(
        &mut self,
        h: f64,
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<(Solved, Limited), Verdict> {
        self.targets.constrain(&self.state, h, &mut self.constraints);
        tally.times.charge(Phase::Constrain, clock);
        let Some(mut whole) = self.whole.take() else { return Err(Verdict::Unsolved) };
        let tried = self.advance_whole(&mut whole, h, (tally, clock));
        self.whole = Some(whole);
        tried
    }

    /// The step that such a solver has tried was good.
    pub(super) fn accept_whole(&mut self, h: f64) {
        if let Some(mut whole) = self.whole.take() {
            let trial = self.trial.time;
            let ends = (&self.constraints[..], trial, h);
            whole.accept(&whole_passage(&self.setup, &self.state, &self.loads, ends));
            self.whole = Some(whole);
        }
    }

    fn advance_whole(
        &mut self,
        whole: &mut StepSolver,
        h: f64,
        watch: (&mut Tally, &mut Instant),
    ) -> Result<(Solved, Limited), Verdict> {
        let ends = (&self.constraints[..], self.trial.time, h);
        let passage = whole_passage(&self.setup, &self.state, &self.loads, ends);
        let tried = whole.advance(&passage, &mut self.trial, &mut self.reactions, watch)?;
        whole.surroundings().forces(&passage, &mut self.contacts.forces);
        let time = self.state.time;
        self.targets.settle(&self.setup, time, &mut self.trial, &mut self.reactions);
        Ok(tried)
    }

    /// What touches where a step begins, cloth with solids and cloth with itself.
    fn begin_rounds(&mut self, h: f64) {
        let (state, model) = (&self.state, &self.setup.model);
        let passage = passage(&self.setup, &self.loads, state, (self.trial.time, h));
        self.targets.constrain(state, h, &mut self.constraints);
        self.contacts.begin(&passage, &self.constraints);
        if let Some(contact) = self.contact.as_mut().filter(|_| links_layers(&self.setup)) {
            let gain = |i: usize| passage.loads[i] * (h / model.masses[i]);
            contact.begin(state, |i| state.velocities[i] + gain(i), h);
        }
    }

    /// Candidate velocities under the constraints and links of this round.
    fn integrate(
        &mut self,
        h: f64,
        again: bool,
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<Solved, Verdict> {
        let before = passage(&self.setup, &self.loads, &self.state, (self.trial.time, h));
        self.contacts.constrain(&before, &mut self.constraints);
        self.refine_held().map_err(|_| Verdict::Unsolved)?;
        let passage = passage(&self.setup, &self.loads, &self.state, (self.trial.time, h));
        tally.times.charge(Phase::Constrain, clock);
        self.signal.enter(Phase::Solve);
        let (loads, drag) = self.contacts.loads(&passage);
        let links = self.contact.as_ref().map_or(&[][..], |contact| contact.links());
        let (model, constraints) = (&self.setup.model, &self.constraints[..]);
        let step = Step { model, loads, drag, constraints, links, again, h };
        let solved = self.memory.advance(&step, &mut self.trial, &mut self.reactions);
        tally.times.charge(Phase::Integrate, clock);
        let solving = solved.map_or(Duration::ZERO, |solved| solved.solving);
        tally.times.shift(Phase::Integrate, Phase::Solve, solving);
        solved.map_err(|Refusal| Verdict::Unsolved)
    }

    /// Changes the candidate velocities where gauges would be over their limits, or couples part.
    fn limit(&mut self, h: f64) -> Result<Limited, Verdict> {
        let (model, state, longest) = (&self.setup.model, &self.state, self.longest_step());
        let passage = passage(&self.setup, &self.loads, state, (self.trial.time, h));
        let (_, drag) = self.contacts.loads(&passage);
        let mut kept = Limited::default();
        if let Some(limits) = &self.setup.limits {
            let constraints = &self.constraints;
            let step = LimitStep { model, limits, constraints, drag, h, longest, state };
            let couples = self.weaving.as_mut().map(|weaving| &mut weaving.couples);
            let couples = couples.filter(|couples| !couples.is_empty());
            let after = (&mut self.trial, &mut self.reactions[..]);
            let limited = self.limiter.limit(&step, couples, after);
            kept = limited.map_err(|Refusal| Verdict::Unsolved)?;
        }
        if !self.limiter.couples() {
            let states = (model, state, &mut self.trial);
            hold_couples(&mut self.weaving, &self.constraints, h, states);
        }
        Ok(kept)
    }

    /// Moves particles by their candidate velocities, and what slides on a guide onto it.
    fn move_trial(&mut self, h: f64) {
        self.trial.move_by(h, &self.constraints);
        let time = self.state.time;
        self.targets.settle(&self.setup, time, &mut self.trial, &mut self.reactions);
    }

    /// Looks at a round: whether contacts or links have to change.
    fn settle(&mut self, h: f64) -> Round {
        let (state, trial) = (&self.state, &self.trial);
        let passage = passage(&self.setup, &self.loads, state, (trial.time, h));
        let tried = Tried {
            constraints: &self.constraints,
            reactions: &self.reactions,
            inertia: self.memory.inertia(&self.setup.model),
        };
        let round = self.contacts.settle(&passage, trial, &tried);
        let contact = self.contact.as_mut().filter(|_| links_layers(&self.setup));
        let relink = contact
            .is_some_and(|contact| contact.settle_links(self.memory.linked(), [state, trial]));
        if relink && round == Round::Settled { Round::Again } else { round }
    }

    /// Keeps cloth off itself; what that pushes into a solid makes another round.
    fn respond(
        &mut self,
        h: f64,
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<Round, Verdict> {
        let Some(contact) = &mut self.contact else { return Ok(Round::Settled) };
        let passage = passage(&self.setup, &self.loads, &self.state, (self.trial.time, h));
        let attempt = Attempt { constraints: &self.constraints, h };
        let (times, counts) = (&mut tally.times, &mut tally.contact);
        let watch = &mut Watch { times, clock, counts };
        let walls = |to: &[DVec3]| self.contacts.walls(&passage, to);
        let touching = contact.respond(&attempt, (&self.state, &mut self.trial), watch, walls);
        tally.times.charge(Phase::Respond, clock);
        touching.map_err(Verdict::Contact)?;
        let round = self.contacts.look_again(&passage, &self.trial);
        tally.times.charge(Phase::Detect, clock);
        Ok(round)
    }
}

/// A step as solvers see it that move the cloth by themselves.
fn whole_passage<'a>(
    setup: &'a Setup,
    state: &'a State,
    loads: &'a LoadForces,
    (constraints, end, h): (&'a [Constraint], f64, f64),
) -> passage::Passage<'a> {
    let (loads, drag) = (&loads.on_particles[..], &loads.slopes[..]);
    passage::Passage { setup, state, loads, drag, constraints, h, end }
}

/// A step as contacts with solids see it.
fn passage<'a>(
    setup: &'a Setup,
    loads: &'a LoadForces,
    state: &'a State,
    (end, h): (f64, f64),
) -> Passage<'a> {
    let (solids, masses) = (&setup.solids[..], &setup.model.masses[..]);
    let (loads, drag) = (&loads.on_particles[..], &loads.slopes[..]);
    Passage { solids, masses, loads, drag, state, end, h }
}

/// Keeps couples together where no limiter does.
fn hold_couples(
    weaving: &mut Option<Box<Weaving>>,
    constraints: &[Constraint],
    h: f64,
    (model, state, trial): (&Model, &State, &mut State),
) {
    let couples = weaving.as_mut().map(|weaving| &mut weaving.couples);
    if let Some(couples) = couples.filter(|couples| !couples.is_empty()) {
        couples.aim(&state.positions, h);
        couples.correct(&model.masses, constraints, h, (state, trial));
    }
}

/// Whether cloth that touches itself is linked within the solve, which explicit steps have not.
fn links_layers(setup: &Setup) -> bool {
    !setup.integrator.is_explicit()
}
