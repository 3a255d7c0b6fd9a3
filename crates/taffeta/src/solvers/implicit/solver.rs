//! The implicit step with everything in it.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::answers::{Answer, Scale, foretell, foretell_of_many, is_thought_to_push, slip_of};
use super::gauges::Gauges;
use super::system::System;
use crate::contact::Surroundings;
use crate::error::SetupError;
use crate::matter::gauge::Gauge;
use crate::matter::model::{Coarse, Model};
use crate::setup::integrator::ImplicitEuler;
use crate::setup::limiter::{Constraints, Limiter};
use crate::setup::piece::Piece;
use crate::solvers::limiters::{LimitStep, LimiterMemory};
use crate::solvers::momentum::Momenta;
use crate::state::State;
use crate::state::touch::Pinch;
use crate::step::judge::Verdict;
use crate::step::outcome::{Limited, Refusal, Solved};
use crate::step::passage::Passage;
use crate::step::phase::Phase;
use crate::step::stage::StageTimes;
use crate::step::tally::Tally;
use crate::woven::Couples;

/// Particles whose work repays a hand-over to another thread.
const GRAIN: usize = 2048;
/// How far the ends of an edge may move against each other in a step, over its length.
const TURN: f64 = 0.15;
/// Elements are looked at where cloth is predicted to come to as long as their sides change by no more
/// than this, over their length.
const FAR_OFF: f64 = 0.15;
/// The longest step where there are limits to keep, or cloth or bodies to touch [s].
const LONGEST: f64 = 1.0 / 240.0;
/// And on simple solids alone [s].
const LONGEST_ON_SOLIDS: f64 = 1.0 / 120.0;
/// Steps for which pairs are found, at least and at most.
const LOOK_AHEAD: [u32; 2] = [2, 4];
/// Rows are prepared for what is so near beyond a thickness, over the mean length of an edge.
const REACH: f64 = 0.1;
/// How many times the correction of the step before is guessed for this one, at most.
const MOST_GUESSED: f64 = 4.0;
/// What is left over its limits by less than this share of them is projected, not solved for again.
const NEAR: f64 = 0.1;
/// Residuals of solves are let pass at this many times the relative tolerance of what the loads make of the
/// cloth; where something is touched, more, and most where limits are projected afterwards.
const ENOUGH: f64 = 1.0;
const ENOUGH_TOUCHING: f64 = 30.0;
const ENOUGH_PROJECTED: f64 = 300.0;
/// A projection that does not come to an end goes on as long as a turn leaves no more than this share of
/// what the one before left too much.
const WORTHWHILE: f64 = 0.8;
/// Turns of projected gauges and contacts, and of a limiter after the solve and contacts.
const MOST_TURNS: u32 = 12;
const MOST_LIMITED_TURNS: u32 = 4;

/// Memory of implicit steps, planned once for a model. What is learnt from a step is forgotten when a
/// frame begins, so that a run that is resumed there has the same bits.
pub(crate) struct ImplicitSolver {
    max_solves: u32,
    settings: ImplicitEuler,
    system: System,
    /// Limits as constraints of the solve …
    gauges: Option<Gauges>,
    /// … or as a phase after it.
    limiter: LimiterMemory,
    /// How far the last step was corrected from where it was predicted to come to, and its length [m, s].
    corrected: Option<(Vec<DVec3>, f64)>,
    mean_length: f64,
    mean_mass: f64,
    filters: Vec<Filter>,
    /// Inverse masses; zero of what is held [1/kg].
    w: Vec<f64>,
    /// Where particles come to, as known so far, and how far that is from where their velocities
    /// alone carry them [m].
    places: Vec<DVec3>,
    predicted: Vec<DVec3>,
    /// What the last solve made of them [m].
    solved: Vec<DVec3>,
    turns: Vec<DVec3>,
    /// Velocities before a limiter corrects them [m/s].
    candidate: Vec<DVec3>,
    surroundings: Surroundings,
    momenta: Momenta,
}

impl std::fmt::Debug for ImplicitSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "ImplicitSolver of {} particles", self.places.len())
    }
}

impl ImplicitSolver {
    /// Plans for a setup whose steps are implicit, by these settings.
    pub fn new(piece: &Piece, settings: &ImplicitEuler) -> Result<Self, SetupError> {
        let system = System::new(piece, settings)?;
        Self::around(system, piece, settings)
    }

    /// Plans for what the cloth has become where it tears.
    pub fn plan_again(&mut self, piece: &Piece) -> Result<(), SetupError> {
        let settings = self.settings;
        let nothing = Model::of_particles(Vec::new(), Vec::new());
        let nothing = Piece { model: &nothing, coarse: None, ..*piece };
        let nothing = System::new(&nothing, &settings)?;
        let mut system = std::mem::replace(&mut self.system, nothing);
        system.plan_again(piece, &settings)?;
        *self = Self::around(system, piece, &settings)?;
        Ok(())
    }

    /// Plans for the same particles where fewer of them follow others.
    pub fn refine(&mut self, piece: &Piece) -> Result<(), SetupError> {
        self.corrected = None;
        Ok(self.system.plan_again(piece, &self.settings)?)
    }

    fn around(system: System, piece: &Piece, settings: &ImplicitEuler) -> Result<Self, SetupError> {
        let Piece { setup, model, .. } = piece;
        let particles = model.particles();
        let zero = vec![DVec3::ZERO; particles];
        let (mean_length, longest) = model.lengths();
        let how = match setup.limiter {
            Limiter::Constraints(how) => how,
            _ => Constraints::default(),
        };
        let limits = setup.limits.filter(|_| matches!(setup.limiter, Limiter::Constraints(_)));
        Ok(Self {
            max_solves: how.max_solves,
            settings: *settings,
            system,
            gauges: limits.map(|limits| Gauges::new(piece, limits)),
            limiter: LimiterMemory::new(piece)?,
            corrected: None,
            mean_length,
            mean_mass: model.masses.iter().sum::<f64>() / particles.max(1) as f64,
            filters: vec![Filter::FREE; particles],
            w: vec![0.0; particles],
            places: zero.clone(),
            predicted: zero.clone(),
            solved: zero.clone(),
            turns: zero.clone(),
            candidate: zero,
            surroundings: Surroundings::new(piece, longest, LOOK_AHEAD),
            momenta: Momenta::new(particles, &model.joints()),
        })
    }

    /// The longest step that a state allows: directions hold for so long [s].
    pub fn longest_step(&self, model: &Model, state: &State) -> f64 {
        if self.gauges.is_none() {
            return f64::INFINITY;
        }
        let rate = |gauge: &Gauge| gauge.vector(&state.velocities).length_squared();
        let fastest = model.gauges.iter().map(rate).fold(0.0, f64::max);
        (TURN / fastest.sqrt()).min(LONGEST)
    }

    /// The longest step whatever the state, if there is one [s].
    pub fn longest(&self) -> Option<f64> {
        match self.gauges.is_some() || self.surroundings.has_layers() {
            true => Some(LONGEST),
            false => (!self.surroundings.is_empty()).then_some(LONGEST_ON_SOLIDS),
        }
    }

    /// Whether there are limits to keep, or something to touch.
    fn is_constrained(&self) -> bool {
        self.gauges.is_some() || !self.surroundings.is_empty()
    }

    /// Moves `trial`, a copy of the state, to the end of the step.
    pub fn advance(
        &mut self,
        passage: &Passage,
        couples: Option<&mut Couples>,
        (trial, reactions): (&mut State, &mut Vec<DVec3>),
        (tally, clock): (&mut Tally, &mut Instant),
    ) -> Result<(Solved, Limited), Verdict> {
        self.predict(passage);
        if let Some(gauges) = &mut self.gauges {
            gauges.begin(passage.model, &passage.state.positions, passage.h);
        }
        self.guess(passage.h);
        tally.times.charge(Phase::Integrate, clock);
        if !self.surroundings.is_empty() {
            self.find_contacts(passage)?;
        }
        if self.is_far_off(passage) {
            self.go_back(passage);
        }
        if self.touches_followers(passage.coarse) {
            return Err(Verdict::TooCoarse);
        }
        tally.times.charge(Phase::Detect, clock);
        let solved = self.iterate(passage, trial, tally, clock).map_err(|_| Verdict::Unsolved)?;
        self.system.reactions(passage, reactions);
        passage.hold(&mut self.places);
        self.solved.copy_from_slice(&self.places);
        let limited = match self.limiter {
            LimiterMemory::None => self.finish_constraints(passage),
            _ => {
                let limited = self.limit_afterwards(passage, couples, (trial, reactions));
                limited.map_err(|Refusal| Verdict::Unsolved)?
            }
        };
        self.take_forces(passage);
        self.restore_momenta(passage);
        tally.times.charge(Phase::Limit, clock);
        let proved = self.surroundings.certify(passage, &self.places, &mut tally.contact);
        tally.times.charge(Phase::Detect, clock);
        proved?;
        self.finish(passage, trial, reactions);
        tally.times.charge(Phase::Integrate, clock);
        Ok((solved, limited))
    }

    /// Where velocities and loads alone would carry the particles, and pins those they hold.
    fn predict(&mut self, passage: &Passage) {
        let (model, state, h) = (passage.model, passage.state, passage.h);
        self.filters.fill(Filter::FREE);
        for constraint in passage.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        let (filters, masses) = (&self.filters, &model.masses);
        fill(&mut self.w, GRAIN, |i| match filters[i] == Filter::HELD {
            true => 0.0,
            false => 1.0 / masses[i],
        });
        let (loads, w) = (passage.loads, &self.w);
        fill(&mut self.turns, GRAIN, |i| loads[i] * (w[i] * h * h));
        if let Some(coarse) = passage.coarse {
            coarse.followers.follow(&mut self.turns);
        }
        for constraint in passage.constraints {
            let turn = &mut self.turns[constraint.particle as usize];
            *turn = constraint.filter.free_part(*turn) + constraint.velocity_change * h;
        }
        let (x, v, turns) = (&state.positions, &state.velocities, &self.turns);
        fill(&mut self.places, GRAIN, |i| x[i] + v[i] * h + turns[i]);
        for constraint in passage.constraints {
            self.places[constraint.particle as usize] += constraint.correction;
        }
        self.predicted.copy_from_slice(&self.places);
    }

    /// Whether the prediction turns or strains the cloth so much that elements there tell little.
    fn is_far_off(&self, passage: &Passage) -> bool {
        let x = &passage.state.positions;
        let change = |gauge: &Gauge| gauge.vector(&self.predicted).distance(gauge.vector(x));
        passage.model.gauges.iter().any(|gauge| change(gauge) > FAR_OFF)
    }

    /// Looks at elements where they are instead (BW98 eq. 6).
    fn go_back(&mut self, passage: &Passage) {
        let (x, v, h) = (&passage.state.positions, &passage.state.velocities, passage.h);
        for constraint in passage.constraints {
            let turn = &mut self.turns[constraint.particle as usize];
            *turn = constraint.filter.held_part(*turn + v[constraint.particle as usize] * h);
        }
        for i in 0..x.len() {
            let held = if self.filters[i] == Filter::FREE { DVec3::ZERO } else { self.turns[i] };
            self.turns[i] = held - v[i] * h;
            self.places[i] = x[i] + held;
            self.system.change[i] += self.predicted[i] - self.places[i];
        }
        for constraint in passage.constraints {
            self.places[constraint.particle as usize] += constraint.correction;
        }
    }

    /// Rows for all that may touch on the way to the predicted places, with the forces they had.
    fn find_contacts(&mut self, passage: &Passage) -> Result<(), Pinch> {
        let reach = (&self.w[..], REACH * self.mean_length);
        let (x, places, change) = (&passage.state.positions, &self.places, &self.system.change);
        let velocity = |i: usize| (places[i] + change[i] - x[i]) / passage.h;
        self.surroundings.find(passage, velocity, places, reach)?;
        self.surroundings.start_from(passage);
        Ok(())
    }

    /// Whether something touches particles that follow others, and cannot move by themselves.
    fn touches_followers(&mut self, coarse: Option<&Coarse>) -> bool {
        let Some(coarse) = coarse else { return false };
        let follows = |particle: &u32| coarse.followers.get(*particle).is_some();
        self.surroundings.rows_mut().any(|row| row.particles.iter().any(follows))
    }

    /// Solves until the limits are kept, or nearly.
    fn iterate(
        &mut self,
        passage: &Passage,
        trial: &mut State,
        tally: &mut Tally,
        clock: &mut Instant,
    ) -> Result<Solved, Refusal> {
        let mut solved = Solved::default();
        for round in 0..self.most_solves() {
            let at = (&self.places[..], &self.turns[..]);
            let gauges = self.gauges.as_ref().map(|gauges| (gauges, &trial.tensions[..]));
            self.system.assemble(passage, at, gauges, round == 0);
            self.add_contacts(passage, round == 0);
            tally.times.charge(Phase::Integrate, clock);
            let at = (&self.places[..], self.enough());
            solved.add(self.system.solve(passage, &self.filters, at)?);
            solved.newton += 1;
            tally.times.charge(Phase::Solve, clock);
            let change = &self.system.change;
            update(&mut self.places, GRAIN, |i, place| *place += change[i]);
            update(&mut self.turns, GRAIN, |i, turn| *turn += change[i]);
            let model = passage.model;
            let excess = self.gauges.as_ref().map(|gauges| gauges.excess(model, &self.places));
            let over = excess.is_some_and(|excess| excess > NEAR);
            let again = over && round + 1 < self.max_solves || round == 0 && self.contacts_pull();
            if !again && self.is_settled(model, &mut solved) {
                break;
            }
            self.system.change.fill(DVec3::ZERO);
        }
        Ok(solved)
    }

    /// The residual of a solve that is let pass, over the loads and the relative tolerance.
    fn enough(&self) -> f64 {
        match self.settings.newton {
            Some(_) => 0.0,
            None if self.gauges.is_some() => ENOUGH_PROJECTED,
            None if self.is_constrained() => ENOUGH_TOUCHING,
            None => ENOUGH,
        }
    }

    fn most_solves(&self) -> u32 {
        let limited = if self.gauges.is_some() { self.max_solves } else { 1 };
        self.settings.newton.map_or(limited.max(2), |newton| newton.max_iterations.max(limited))
    }

    /// Whether contacts that were thought to push, with nothing known of the step before, would have to
    /// pull.
    fn contacts_pull(&mut self) -> bool {
        let (known, places) = (self.corrected.is_some(), &self.places);
        !known && self.surroundings.rows_mut().any(|row| row.pushes && row.gap(places) > 0.0)
    }

    /// Whether the last change strains and turns the cloth so little that Newton's method ends, if it is
    /// asked for.
    fn is_settled(&self, model: &Model, solved: &mut Solved) -> bool {
        let Some(newton) = self.settings.newton else { return true };
        let turn = |gauge: &Gauge| gauge.vector(&self.system.change).length_squared();
        let largest = model.gauges.iter().map(turn).fold(0.0, f64::max).sqrt();
        solved.newton_unconverged = u32::from(largest > newton.tolerance);
        largest <= newton.tolerance
    }

    /// A first guess at the change: what became of the step before.
    fn guess(&mut self, h: f64) {
        match &self.corrected {
            Some((corrected, before)) => {
                let share = (h / before).powi(2).min(MOST_GUESSED);
                fill(&mut self.system.change, GRAIN, |i| corrected[i] * share);
            }
            None => self.system.change.fill(DVec3::ZERO),
        }
    }

    /// Contacts as forces and stiffnesses of the system.
    fn add_contacts(&mut self, passage: &Passage, first: bool) {
        let scale = self.scale(passage);
        if first {
            let known = self.corrected.is_some();
            let rows = self.surroundings.rows_mut();
            let (x, v) = (&passage.state.positions, &passage.state.velocities);
            let coasting = |i: u32| x[i as usize] + v[i as usize] * passage.h;
            rows.for_each(|row| {
                let free = row.between(&self.predicted);
                let guess = || row.between(&self.places) + row.between(&self.system.change);
                let apart = (free, known.then(guess));
                row.pushes = is_thought_to_push(row, apart);
                match row.is_of_one() {
                    true => foretell(row, apart, &scale),
                    false => foretell_of_many(row, coasting, &scale),
                }
            });
        }
        for row in self.surroundings.rows_mut() {
            let predicted = first.then(|| row.between(&self.predicted));
            let answer = Answer::of(row, &self.places, &scale, predicted);
            row.slides = answer.slides;
            if answer.along > 0.0 || answer.force != DVec3::ZERO {
                self.system.add_row(row, answer.force, (answer.along, answer.across));
            }
        }
    }

    fn scale(&self, passage: &Passage) -> Scale {
        Scale::new(self.mean_mass, passage.h)
    }

    /// The forces of contacts where the step ends.
    fn take_forces(&mut self, passage: &Passage) {
        let scale = self.scale(passage);
        for row in self.surroundings.rows_mut() {
            let Answer { force, .. } = Answer::of(row, &self.places, &scale, None);
            let push = row.normal.dot(force).max(0.0);
            let rub = match row.slides {
                Some(slide) => slide.as_far_as_it_brakes(slip_of(row, row.between(&self.places))),
                None => force.reject_from_normalized(row.normal),
            };
            let rub = rub.clamp_length_max(row.friction * push);
            row.normal_impulse = push / scale.per;
            row.tangential_impulse = rub / scale.per;
        }
    }

    /// Brings what the solve left over to its end: gauges onto their limits, contacts apart and within
    /// their cones, in turns.
    fn finish_constraints(&mut self, passage: &Passage) -> Limited {
        let model = passage.model;
        let mut limited = Limited { iterations: 0, converged: false, times: StageTimes::default() };
        // Where limits cannot be kept, elastic cloth shares what is too much better than a projection that
        // does not come to an end.
        let (mut hopeless, mut last) = (false, f64::INFINITY);
        while !limited.converged && limited.iterations < MOST_TURNS {
            let within = match &mut self.gauges {
                Some(_) if hopeless => true,
                Some(gauges) => gauges.project(model, &mut self.places, (&self.w, &self.filters)),
                None => true,
            };
            let projected = |gauges: &Gauges| gauges.excess(model, &self.places);
            let left = if within { 0.0 } else { self.gauges.as_ref().map_or(0.0, projected) };
            if left > WORTHWHILE * last || left > 0.0 && limited.iterations + 1 == MOST_TURNS {
                self.places.copy_from_slice(&self.solved);
                self.gauges.iter_mut().for_each(|gauges| gauges.withheld.fill(DVec3::ZERO));
                hopeless = true;
            }
            last = left;
            self.surroundings.lift(&mut self.places, &self.w);
            passage.hold(&mut self.places);
            limited.iterations += 1;
            let excess = |gauges: &Gauges| gauges.excess(model, &self.places);
            let over = |gauges: &Gauges| excess(gauges) > 0.0 && !hopeless;
            limited.converged = !self.gauges.as_ref().is_some_and(over)
                && self.surroundings.solids_are_clear_enough(passage, &self.places, &self.w);
        }
        limited
    }

    /// Lets a limiter correct the velocities that the solve has found, in turns with contacts, contacts
    /// last.
    fn limit_afterwards(
        &mut self,
        passage: &Passage,
        mut couples: Option<&mut Couples>,
        (trial, reactions): (&mut State, &mut [DVec3]),
    ) -> Result<Limited, Refusal> {
        let Some(limits) = passage.setup.limits else { return Ok(Limited::default()) };
        let step = LimitStep::new(passage, &limits);
        let (h, per_step) = (passage.h, 1.0 / passage.h);
        let mut total = Limited::default();
        let mut tensions = vec![0.0; trial.tensions.len()];
        for _ in 0..MOST_LIMITED_TURNS {
            let (v, turns) = (&passage.state.velocities, &self.turns);
            let (places, solved) = (&self.places, &self.solved);
            fill(&mut self.candidate, GRAIN, |i| {
                v[i] + (turns[i] + (places[i] - solved[i])) * per_step
            });
            passage.hold_velocities(&mut self.candidate);
            trial.velocities.copy_from_slice(&self.candidate);
            let couples = couples.as_deref_mut();
            let limited = self.limiter.limit(&step, couples, (trial, reactions))?;
            tensions.iter_mut().zip(&trial.tensions).for_each(|(sum, more)| *sum += *more);
            total.add(limited);
            let (corrected, candidate) = (&trial.velocities, &self.candidate);
            update(&mut self.places, GRAIN, |i, place| *place += (corrected[i] - candidate[i]) * h);
            self.surroundings.lift(&mut self.places, &self.w);
            passage.hold(&mut self.places);
            let clear = self.surroundings.solids_are_clear_enough(passage, &self.places, &self.w);
            if self.surroundings.is_empty() || clear && passage.keeps_limits(&self.places) {
                break;
            }
        }
        trial.tensions.copy_from_slice(&tensions);
        Ok(total)
    }

    /// Solutions are only nearly those of the step: loose cloth gets its momentum back.
    fn restore_momenta(&mut self, passage: &Passage) {
        // Not by forces: what rests has some only within the last digits.
        let (pushed, joined) = self.surroundings.near(&self.places);
        self.momenta.look_at(passage.held().chain(pushed), joined);
        let (turns, solved, rate) = (&self.turns, &self.solved, 1.0 / passage.h);
        let (v, places) = (&passage.state.velocities, &mut self.places);
        let force = |i: usize| passage.loads[i] - passage.drag[i] * (turns[i] * rate);
        let moving = |i: usize, place: DVec3| v[i] + (turns[i] + (place - solved[i])) * rate;
        self.momenta.restore(passage, (force, moving), places);
    }

    /// Velocities from places, duals for the next step, forces on pins.
    fn finish(&mut self, passage: &Passage, trial: &mut State, reactions: &mut [DVec3]) {
        let (model, per_step) = (passage.model, 1.0 / passage.h);
        let (places, solved, turns) = (&self.places, &self.solved, &self.turns);
        trial.positions.copy_from_slice(places);
        // Differences of places would lose digits far from the origin.
        let turned = |i: usize| turns[i] + (places[i] - solved[i]);
        let before = &passage.state.velocities;
        fill(&mut trial.velocities, GRAIN, |i| before[i] + turned(i) * per_step);
        passage.hold_velocities(&mut trial.velocities);
        if let Some(gauges) = &self.gauges {
            gauges.follow(model, places, &mut trial.tensions);
        }
        if let Some(gauges) = &self.gauges {
            for (force, held) in reactions.iter_mut().zip(passage.held()) {
                *force -= gauges.withheld[held as usize] * (per_step * per_step);
            }
        }
        let kept = (&mut trial.contacts, &mut trial.pushes);
        self.surroundings.keep(passage, &self.places, kept);
    }

    /// The step was good.
    pub fn accept(&mut self, passage: &Passage) {
        let Self { corrected, places, predicted, .. } = self;
        let (differences, length) = corrected.get_or_insert_with(|| (places.clone(), 0.0));
        fill(differences, GRAIN, |i| places[i] - predicted[i]);
        *length = passage.h;
        self.surroundings.accept(passage, &self.places);
    }

    /// The step is discarded, and leaves no trace; or a frame begins, or somebody else has `moved` the
    /// cloth.
    pub fn forget(&mut self, moved: bool) {
        self.corrected = None;
        self.system.forget();
        self.surroundings.forget(moved);
    }

    /// What the cloth can touch.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub fn surroundings_mut(&mut self) -> &mut Surroundings {
        &mut self.surroundings
    }

    /// What the law of limits stores [J].
    pub fn energy(&self, model: &Model, state: &State) -> f64 {
        self.gauges.as_ref().map_or(0.0, |gauges| gauges.energy(model, &state.positions))
    }
}
