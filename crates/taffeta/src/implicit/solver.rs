//! The implicit step with everything in it.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::gauges::Gauges;
use super::system::System;
use crate::collision::Surface;
use crate::constraint::Constraint;
use crate::contact::{Pinch, Row, Slide, Surroundings};
use crate::gauge::Gauge;
use crate::integrators::{ImplicitEuler, Newton, Refusal, Solved};
use crate::judge::Verdict;
use crate::limiters::{Limited, StageTimes};
use crate::model::Model;
use crate::momentum::Momenta;
use crate::passage::Passage;
use crate::phase::Phase;
use crate::setup::Setup;
use crate::state::State;
use crate::tally::Tally;

/// Particles whose work repays a hand-over to another thread.
const GRAIN: usize = 2048;
/// How far the ends of an edge may move against each other in a step, over its length.
const TURN: f64 = 0.15;
/// Elements are looked at where cloth is predicted to come to as long as their sides change by no more
/// than this, over their length.
const FAR_OFF: f64 = 0.15;
/// The longest step where there are limits to keep or something to touch [s].
const LONGEST: f64 = 1.0 / 240.0;
/// Steps for which pairs are found, at least and at most.
const LOOK_AHEAD: [u32; 2] = [2, 4];
/// Rows are prepared for what is so near beyond a thickness, over the mean length of an edge.
const REACH: f64 = 0.1;
/// The stiffness of a contact over the mass that it moves [1/s²], so that what meets turns round within
/// half a millisecond or so; of a particle of mean mass it is at least this, for small cloth, which is
/// thin [N/m]. And how much of it sticking has.
const STIFFNESS: f64 = 3.2e6;
const LEAST_STIFFNESS: f64 = 250.0;
const STICKING: f64 = 0.5;
/// Contacts that start nearer than half of what they keep are stiffer, up to the square of this.
const MOST_TIGHT: f64 = 50.0;
/// Contacts are held for a solve within this share of what they keep.
const HOLD: f64 = 0.1;
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
/// Turns of projected gauges and contacts.
const MOST_TURNS: u32 = 12;

/// Memory of implicit steps, planned once for a model. What is learnt from a step is forgotten when a
/// frame begins, so that a run that is resumed there has the same bits.
pub(crate) struct ImplicitSolver {
    max_solves: u32,
    newton: Option<Newton>,
    system: System,
    gauges: Option<Gauges>,
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
    surroundings: Surroundings,
    momenta: Momenta,
}

impl std::fmt::Debug for ImplicitSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "ImplicitSolver of {} particles", self.places.len())
    }
}

impl ImplicitSolver {
    /// Plans for a setup whose steps are implicit.
    pub fn new(setup: &Setup, settings: &ImplicitEuler, max_solves: u32) -> Result<Self, String> {
        let model = &setup.model;
        let particles = model.particles();
        let zero = vec![DVec3::ZERO; particles];
        let (mean_length, longest) = lengths(model);
        Ok(Self {
            max_solves,
            newton: settings.newton,
            system: System::new(model, settings)?,
            gauges: setup.limits.map(|limits| Gauges::new(model, limits)),
            corrected: None,
            mean_length,
            mean_mass: model.masses.iter().sum::<f64>() / particles.max(1) as f64,
            filters: vec![Filter::FREE; particles],
            w: vec![0.0; particles],
            places: zero.clone(),
            predicted: zero.clone(),
            solved: zero.clone(),
            turns: zero,
            surroundings: Surroundings::new(setup, longest, LOOK_AHEAD),
            momenta: Momenta::new(particles, &Surface::of(model).edges),
        })
    }

    /// The longest step that a state allows: directions hold for so long [s].
    pub fn longest_step(&self, model: &Model, state: &State) -> f64 {
        if !self.is_constrained() {
            return f64::INFINITY;
        }
        let rate = |gauge: &Gauge| gauge.vector(&state.velocities).length_squared();
        let fastest = model.gauges.iter().map(rate).fold(0.0, f64::max);
        (TURN / fastest.sqrt()).min(LONGEST)
    }

    /// The longest step whatever the state, if there is one [s].
    pub fn longest(&self) -> Option<f64> {
        self.is_constrained().then_some(LONGEST)
    }

    /// Whether there are limits to keep, or something to touch.
    fn is_constrained(&self) -> bool {
        self.gauges.is_some() || !self.surroundings.is_empty()
    }

    /// Moves `trial`, a copy of the state, to the end of the step.
    pub fn advance(
        &mut self,
        passage: &Passage,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
        (tally, clock): (&mut Tally, &mut Instant),
    ) -> Result<(Solved, Limited), Verdict> {
        self.predict(passage);
        if let Some(gauges) = &mut self.gauges {
            gauges.begin(&passage.setup.model, &passage.state.positions, passage.h);
        }
        self.guess(passage.h);
        tally.times.charge(Phase::Integrate, clock);
        match self.is_constrained() {
            true => self.find_contacts(passage)?,
            false if self.is_far_off(passage) => self.go_back(passage),
            false => {}
        }
        tally.times.charge(Phase::Detect, clock);
        let solved = self.iterate(passage, trial, tally, clock).map_err(|_| Verdict::Unsolved)?;
        let limited = self.finish_constraints(passage);
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
        let (model, state, h) = (&passage.setup.model, passage.state, passage.h);
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
        passage.setup.model.gauges.iter().any(|gauge| change(gauge) > FAR_OFF)
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
            let model = &passage.setup.model;
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
        match self.newton {
            Some(_) => 0.0,
            None if self.gauges.is_some() => ENOUGH_PROJECTED,
            None if self.is_constrained() => ENOUGH_TOUCHING,
            None => ENOUGH,
        }
    }

    fn most_solves(&self) -> u32 {
        let limited = if self.gauges.is_some() { self.max_solves } else { 1 };
        self.newton.map_or(limited.max(2), |newton| newton.max_iterations.max(limited))
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
        let Some(newton) = self.newton else { return true };
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
            let guess = self.corrected.as_ref().map(|_| &self.system.change[..]);
            let rows = self.surroundings.rows_mut();
            let (x, v) = (&passage.state.positions, &passage.state.velocities);
            let coasting = |i: u32| x[i as usize] + v[i as usize] * passage.h;
            rows.for_each(|row| {
                row.pushes = is_thought_to_push(row, &self.places, guess);
                match row.is_of_one() {
                    true => foretell(row, (&self.places, guess), &scale),
                    false => foretell_of_many(row, coasting, &scale),
                }
            });
        }
        for row in self.surroundings.rows_mut() {
            let answer = Answer::of(row, &self.places, &scale, first);
            row.slides = answer.slides;
            if answer.along > 0.0 || answer.force != DVec3::ZERO {
                self.system.add_row(row, answer.force, (answer.along, answer.across));
            }
        }
    }

    fn scale(&self, passage: &Passage) -> Scale {
        let stiffness = STIFFNESS.max(LEAST_STIFFNESS / self.mean_mass);
        Scale { stiffness, per: 1.0 / (passage.h * passage.h) }
    }

    /// The forces of contacts where the step ends.
    fn take_forces(&mut self, passage: &Passage) {
        let scale = self.scale(passage);
        for row in self.surroundings.rows_mut() {
            let Answer { force, .. } = Answer::of(row, &self.places, &scale, false);
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
        let model = &passage.setup.model;
        let mut limited = Limited { iterations: 0, converged: false, times: StageTimes::default() };
        // Where limits cannot be kept, elastic cloth shares what is too much better than a projection that
        // does not come to an end.
        passage.hold(&mut self.places);
        self.solved.copy_from_slice(&self.places);
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

    /// Solutions are only nearly those of the step: loose cloth gets its momentum back.
    fn restore_momenta(&mut self, passage: &Passage) {
        // Not by forces: what rests has some only within the last digits.
        self.momenta.look_at_held(passage.held().chain(self.surroundings.near(&self.places)));
        let (turns, solved, rate) = (&self.turns, &self.solved, 1.0 / passage.h);
        let (v, places) = (&passage.state.velocities, &mut self.places);
        let force = |i: usize| passage.loads[i] - passage.drag[i] * (turns[i] * rate);
        let moving = |i: usize, place: DVec3| v[i] + (turns[i] + (place - solved[i])) * rate;
        self.momenta.restore(passage, (force, moving), places);
    }

    /// Velocities from places, duals for the next step, forces on pins.
    fn finish(&mut self, passage: &Passage, trial: &mut State, reactions: &mut Vec<DVec3>) {
        let (model, per_step) = (&passage.setup.model, 1.0 / passage.h);
        let (places, solved, turns) = (&self.places, &self.solved, &self.turns);
        trial.positions.copy_from_slice(places);
        // Differences of places would lose digits far from the origin.
        let turned = |i: usize| turns[i] + (places[i] - solved[i]);
        update(&mut trial.velocities, GRAIN, |i, v| *v += turned(i) * per_step);
        for Constraint { particle, filter, velocity_change, .. } in passage.constraints {
            let i = *particle as usize;
            let held = passage.state.velocities[i] + *velocity_change;
            let v = &mut trial.velocities[i];
            *v = filter.free_part(*v) + filter.held_part(held);
        }
        if let Some(gauges) = &self.gauges {
            gauges.follow(model, places, &mut trial.tensions);
        }
        self.system.reactions(passage, reactions);
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

/// What contacts are measured by.
struct Scale {
    /// Stiffness for a unit of mass [1/s²].
    stiffness: f64,
    /// One over the square of the step [1/s²].
    per: f64,
}

/// What a contact does in a solve.
struct Answer {
    /// On its first point [N].
    force: DVec3,
    /// Stiffness along the normal and across [N/m].
    along: f64,
    across: f64,
    slides: Option<Slide>,
}

impl Answer {
    /// With the particles at `places`; of a `first` solve these are only predicted.
    fn of(row: &Row, places: &[DVec3], scale: &Scale, first: bool) -> Self {
        let stiffness = scale.stiffness_of(row);
        let apart = row.between(places);
        let short = row.offset - row.normal.dot(apart);
        let pushes = if first { row.pushes } else { short > 0.0 };
        let along = if pushes { stiffness } else { 0.0 };
        let force = row.normal * (along * short);
        let most = row.friction * row.expected * scale.per;
        if most <= 0.0 {
            return Self { force, along, across: 0.0, slides: None };
        }
        let slip = slip_of(row, apart);
        let across = STICKING * stiffness;
        let wanted = row.tangential_impulse * scale.per - slip * across;
        match row.sticks {
            true => Self { force: force + wanted, along, across, slides: None },
            // Sliding friction has no stiffness: its secant would take a third of it away.
            false => {
                // Nor does it turn from solve to solve.
                let known = row.slides.filter(|_| !first);
                let force_of = || wanted.normalize_or_zero() * most;
                let slide = known.unwrap_or_else(|| Slide { force: force_of(), slip });
                Self { force: force + slide.force, along, across: 0.0, slides: Some(slide) }
            }
        }
    }
}

impl Slide {
    /// The force that is known of it where the slip ends up like this: where it has turned round, as much
    /// as would have stopped it.
    fn as_far_as_it_brakes(&self, end: DVec3) -> DVec3 {
        let (before, after) = (self.force.dot(self.slip), self.force.dot(end));
        match after > 0.0 {
            true => self.force * (before.min(0.0) / (before.min(0.0) - after)),
            false => self.force,
        }
    }
}

/// How far the points of a contact have slipped, in a step that brings them so far apart [m].
fn slip_of(row: &Row, apart: DVec3) -> DVec3 {
    (apart - row.start).reject_from_normalized(row.normal)
}

impl Scale {
    /// The stiffness of a contact [N/m].
    fn stiffness_of(&self, row: &Row) -> f64 {
        let tight = (0.5 * row.kept / row.room.max(1e-6)).clamp(1.0, MOST_TIGHT);
        self.stiffness * row.inverse * tight * tight
    }
}

/// Whether a contact is taken to push in the first solve of a step, to `places` that are only predicted.
///
/// One that pushed in the step before stays even if the prediction leaves it, or else contacts would come
/// and go from step to step. One that did not, and as a `guess` by that step would have to pull, does not.
fn is_thought_to_push(row: &Row, places: &[DVec3], guess: Option<&[DVec3]>) -> bool {
    let gap = row.gap(places);
    match row.normal_impulse > 0.0 {
        true => gap < HOLD * row.kept,
        false => gap < 0.0 && guess.is_none_or(|by| gap + row.normal.dot(row.between(by)) < 0.0),
    }
}

/// Foretells what friction is taken from, and whether a particle sticks.
///
/// With what became of the step before as a `guess` at the change, the impulses of that step act on the
/// way to it already: they grow by what would keep the particle from coming nearer, and from slipping.
/// Without, the places are those of free motion.
fn foretell(row: &mut Row, (places, guess): (&[DVec3], Option<&[DVec3]>), scale: &Scale) {
    let stiffness = scale.stiffness_of(row) / scale.per;
    let (mut apart, known) = (row.between(places), row.normal_impulse);
    let mut before = DVec3::ZERO;
    if let Some(change) = guess {
        apart += row.between(change);
        before = row.tangential_impulse;
    }
    let needed = before - slip_of(row, apart) * row.inverse;
    row.expected = match guess.is_some() || known == 0.0 {
        true => {
            // What pushes has given way already.
            let short = row.offset - row.normal.dot(apart) - known / stiffness;
            (known + short * stops(row, stiffness)).max(0.0)
        }
        false => known,
    };
    row.sticks = needed.length() <= row.friction * row.expected;
}

/// The same where particles are in many contacts at once, and none of them knows its share. There friction
/// is taken from the push of the step before, so that in the end it has had its part of every push; and as
/// long as forces stay what they were, particles go on as they move.
fn foretell_of_many(row: &mut Row, coasting: impl Fn(u32) -> DVec3, scale: &Scale) {
    let stiffness = scale.stiffness_of(row) / scale.per;
    let corners = row.particles.iter().zip(row.weights);
    let apart = corners.map(|(&i, weight)| coasting(i) * weight).sum();
    let needed = row.tangential_impulse - slip_of(row, apart) * stops(row, STICKING * stiffness);
    row.expected = row.normal_impulse;
    row.sticks = needed.length() <= row.friction * row.expected;
}

/// What stops the masses of a contact over a unit of distance, through such a stiffness [kg].
fn stops(row: &Row, stiffness: f64) -> f64 {
    row.inverse * stiffness / (stiffness + row.inverse)
}

/// The mean length of a cloth's edges, and the longest [m].
fn lengths(model: &Model) -> (f64, f64) {
    let (mut sum, mut count, mut longest) = (0.0, 0, 0.0_f64);
    for [a, b, c] in model.faces.triangles() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let length = model.rest[from as usize].distance(model.rest[to as usize]);
            (sum, count, longest) = (sum + length, count + 1, longest.max(length));
        }
    }
    (sum / f64::from(count.max(1)), longest)
}
