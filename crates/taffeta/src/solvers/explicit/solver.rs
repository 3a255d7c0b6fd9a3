//! The explicit step with everything in it.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use crate::contact::Surroundings;
use crate::error::SetupError;
use crate::setup::piece::Piece;
use crate::solvers::forces::{ForceMemory, gather_forces};
use crate::solvers::limiters::{LimitStep, LimiterMemory};
use crate::solvers::momentum::Momenta;
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::state::touch::Pinch;
use crate::step::judge::Verdict;
use crate::step::outcome::{Limited, Refusal};
use crate::step::passage::Passage;
use crate::step::phase::Phase;
use crate::step::tally::Tally;
use crate::woven::Couples;

/// Particles whose work repays a hand-over to another thread.
const GRAIN: usize = 4096;
/// Rows are prepared for what is so near beyond a thickness, over the longest edge.
const REACH: f64 = 0.1;
/// Steps for which pairs are found, at least and at most.
const LOOK_AHEAD: [u32; 2] = [1, 16];
/// Turns of a limiter and contacts, and sweeps over contacts in each.
const MOST_TURNS: u32 = 8;
const SWEEPS: u32 = 4;

/// Memory of explicit steps, planned once for a model. Nothing in it bears on the next step.
#[derive(Debug)]
pub(crate) struct ExplicitSolver {
    forces: ForceMemory,
    limiter: LimiterMemory,
    longest_edge: f64,
    /// Inverse masses; zero of what is held [1/kg].
    w: Vec<f64>,
    /// Where each particle comes to, as corrected so far, and before contacts corrected it [m].
    places: Vec<DVec3>,
    before: Vec<DVec3>,
    surroundings: Surroundings,
    momenta: Momenta,
}

impl ExplicitSolver {
    /// Plans for a setup whose steps are explicit.
    pub fn new(piece: &Piece) -> Result<Self, SetupError> {
        let model = piece.model;
        let (_, longest_edge) = model.lengths();
        let zero = vec![DVec3::ZERO; model.particles()];
        Ok(Self {
            forces: ForceMemory::new(model, 0..model.springs.len()),
            limiter: LimiterMemory::new(piece)?,
            longest_edge,
            w: vec![0.0; model.particles()],
            places: zero.clone(),
            before: zero,
            surroundings: Surroundings::new(piece, longest_edge, LOOK_AHEAD),
            momenta: Momenta::new(model.particles(), &model.joints()),
        })
    }

    /// Moves `trial`, a copy of the state, to the end of the step.
    pub fn advance(
        &mut self,
        passage: &Passage,
        mut couples: Option<&mut Couples>,
        (trial, reactions): (&mut State, &mut Vec<DVec3>),
        (tally, clock): (&mut Tally, &mut Instant),
    ) -> Result<Limited, Verdict> {
        self.integrate(passage, trial, reactions);
        tally.times.charge(Phase::Integrate, clock);
        let limited = self.limit(passage, couples.as_deref_mut(), (trial, reactions));
        let mut limited = limited.map_err(|Refusal| Verdict::Unsolved)?;
        self.look_ahead(passage, trial);
        tally.times.charge(Phase::Limit, clock);
        if !self.surroundings.is_empty() {
            self.find_contacts(passage, trial)?;
            tally.times.charge(Phase::Detect, clock);
            let turns = self.take_turns(passage, couples, (trial, reactions), &mut limited);
            turns.map_err(|Refusal| Verdict::Unsolved)?;
            self.restore_momenta(passage, trial);
            tally.times.charge(Phase::Respond, clock);
            let proved = self.surroundings.certify(passage, &self.places, &mut tally.contact);
            tally.times.charge(Phase::Detect, clock);
            proved?;
            let kept = (&mut trial.contacts, &mut trial.pushes);
            self.surroundings.keep(passage, &self.places, kept);
        }
        trial.positions.copy_from_slice(&self.places);
        tally.times.charge(Phase::Integrate, clock);
        Ok(limited)
    }

    /// Candidate velocities from the forces now, and the force of each pin: Δv = S·h·f/m + z.
    fn integrate(&mut self, passage: &Passage, trial: &mut State, reactions: &mut Vec<DVec3>) {
        let (model, h) = (passage.model, passage.h);
        let masses = &model.masses;
        fill(&mut self.w, GRAIN, |i| 1.0 / masses[i]);
        gather_forces(model, passage.loads, passage.state, &mut self.forces);
        reactions.clear();
        for Constraint { particle, filter, velocity_change, .. } in passage.constraints {
            let i = *particle as usize;
            let force = &mut self.forces.forces[i];
            let prescribed = *velocity_change * (masses[i] / h);
            reactions.push(prescribed - filter.held_part(*force));
            *force = filter.free_part(*force) + prescribed;
            if *filter == Filter::HELD {
                self.w[i] = 0.0;
            }
        }
        let forces = &self.forces.forces;
        update(&mut trial.velocities, GRAIN, |i, v| *v += forces[i] * (h / masses[i]));
    }

    /// Changes the candidate velocities where gauges would be over their limits, or couples part.
    fn limit(
        &mut self,
        passage: &Passage,
        mut couples: Option<&mut Couples>,
        (trial, reactions): (&mut State, &mut [DVec3]),
    ) -> Result<Limited, Refusal> {
        let (state, h) = (passage.state, passage.h);
        let mut limited = Limited::default();
        if let Some(limits) = &passage.setup.limits {
            let step = LimitStep::new(passage, limits);
            limited = self.limiter.limit(&step, couples.as_deref_mut(), (trial, reactions))?;
        }
        if let Some(couples) = couples.filter(|_| !self.limiter.couples()) {
            let masses = &passage.model.masses;
            couples.aim(&state.positions, h);
            couples.correct(masses, passage.constraints, h, (state, trial));
        }
        Ok(limited)
    }

    /// Where the candidate velocities lead.
    fn look_ahead(&mut self, passage: &Passage, trial: &State) {
        let (x, v, h) = (&passage.state.positions, &trial.velocities, passage.h);
        fill(&mut self.places, GRAIN, |i| x[i] + v[i] * h);
        for constraint in passage.constraints {
            self.places[constraint.particle as usize] += constraint.correction;
        }
    }

    /// Rows for all that may touch on the way there.
    fn find_contacts(&mut self, passage: &Passage, trial: &State) -> Result<(), Pinch> {
        let reach = (&self.w[..], REACH * self.longest_edge);
        let velocity = |i: usize| trial.velocities[i];
        self.surroundings.find(passage, velocity, &self.places, reach)
    }

    /// Contacts, and a limiter where they have broken limits, until nothing is left to do; contacts last.
    fn take_turns(
        &mut self,
        passage: &Passage,
        mut couples: Option<&mut Couples>,
        (trial, reactions): (&mut State, &mut [DVec3]),
        limited: &mut Limited,
    ) -> Result<(), Refusal> {
        for turn in 1.. {
            self.push_apart(passage, trial, reactions);
            let apart = self.surroundings.layers_are_apart(&self.places)
                && self.surroundings.solids_are_clear(passage, &self.places, &self.w);
            let kept = passage.keeps_limits(&self.places);
            if apart && kept || turn == MOST_TURNS {
                break;
            }
            if !kept {
                let tensions = trial.tensions.clone();
                let more = self.limit(passage, couples.as_deref_mut(), (trial, reactions))?;
                trial.tensions.iter_mut().zip(tensions).for_each(|(sum, before)| *sum += before);
                limited.add(more);
                self.look_ahead(passage, trial);
            }
        }
        Ok(())
    }

    /// Sweeps over contacts: what they move changes velocities, and what they move against pins is theirs
    /// to bear.
    fn push_apart(&mut self, passage: &Passage, trial: &mut State, reactions: &mut [DVec3]) {
        let (h, per_step) = (passage.h, 1.0 / passage.h);
        self.before.copy_from_slice(&self.places);
        for _ in 0..SWEEPS {
            self.surroundings.solve(&mut self.places, &self.w);
        }
        for (Constraint { particle, filter, .. }, force) in
            passage.constraints.iter().zip(reactions)
        {
            let i = *particle as usize;
            let withheld = filter.held_part(self.places[i] - self.before[i]);
            self.places[i] -= withheld;
            *force -= withheld * (passage.model.masses[i] / (h * h));
        }
        let (places, before) = (&self.places, &self.before);
        update(&mut trial.velocities, GRAIN, |i, v| *v += (places[i] - before[i]) * per_step);
    }

    /// Points that push each other are not always along their normal from each other where the step begins,
    /// and rub a thickness apart: loose cloth gets its angular momentum back.
    fn restore_momenta(&mut self, passage: &Passage, trial: &mut State) {
        let (pushed, joined) = self.surroundings.pushing();
        self.momenta.look_at(passage.held().chain(pushed), joined);
        let (forces, velocities) = (&self.forces.forces, &trial.velocities);
        self.before.copy_from_slice(&self.places);
        let moving = |i: usize, _| velocities[i];
        self.momenta.restore(passage, (|i| forces[i], moving), &mut self.places);
        let (places, before, per_step) = (&self.places, &self.before, 1.0 / passage.h);
        update(&mut trial.velocities, GRAIN, |i, v| *v += (places[i] - before[i]) * per_step);
    }

    /// The step was good.
    pub fn accept(&mut self, passage: &Passage) {
        self.surroundings.accept(passage, &self.places);
    }

    /// The step is discarded, and leaves no trace; or a frame begins, or somebody else has `moved` the
    /// cloth.
    pub fn forget(&mut self, moved: bool) {
        self.surroundings.forget(moved);
    }

    /// What the cloth can touch.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub fn surroundings_mut(&mut self) -> &mut Surroundings {
        &mut self.surroundings
    }
}
