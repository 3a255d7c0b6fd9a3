//! The step of strips: predicted places, bent and sheared, then rows, columns, solids and layers in
//! turns.

use std::time::Instant;

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::beams::BendStart;
use super::group::is_partial;
use super::net::{ChainSet, Net, StripEdge, SweepStart};
use crate::contact::Surroundings;
use crate::setup::limiter::Strips;
use crate::setup::piece::Piece;
use crate::setup::stability::LongestStep;
use crate::solvers::forces::{ForceMemory, gather_forces};
use crate::solvers::momentum::Momenta;
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::state::touch::Pinch;
use crate::step::judge::Verdict;
use crate::step::outcome::Limited;
use crate::step::passage::Passage;
use crate::step::phase::Phase;
use crate::step::stage::StageTimes;
use crate::step::tally::Tally;

/// Particles, and edges, whose work repays a hand-over to another thread.
const GRAIN: usize = 2048;
/// Edges looked at as one.
const BLOCK: usize = 1024;

/// How much of the geometric stiffness of taut edges weighs on their particles: twice is the least that
/// is nowhere below the exact matrix. Where shear is solved for, its diagonals have their part of it,
/// and more than once feeds energy to stiff cloth.
const GEOMETRIC: f64 = 2.0;
const GEOMETRIC_WITH_SHEAR: f64 = 1.0;
/// The share of the pulls of diagonals that the next step starts from: all of it would be right at
/// rest, but feeds energy to stiff cloth and shakes what lies on itself.
const WARM: f64 = 0.75;
/// How often edges and diagonals take turns. Edges undo what diagonals do along them, so that shear is
/// too soft by 15, 8 and 6 % (100 N/m on edges of 25 mm) with one, two and three turns.
const SHEARS: u32 = 2;
/// Shear that is stable in explicit steps this much longer than the longest taken is left to them.
const EXPLICIT_SHARE: f64 = 1.5;
/// Sweeps end when no edge is longer than this share of its limit allows.
const WITHIN: f64 = 0.5;
/// Rows are prepared for what is so near beyond a thickness, over the mean length of an edge.
const REACH: f64 = 0.1;
/// Steps for which pairs are found, at least and at most.
const LOOK_AHEAD: [u32; 2] = [1, 16];
/// How far the ends of an edge may move against each other in a step, over its length.
const TURN: f64 = 0.15;
/// The longest step on edges of 20 mm [s]; it grows with the root of their length, as the time in
/// which they fall their own length does.
const LONGEST: f64 = 1.0 / 480.0;

/// Memory of strips, planned once for a model. Nothing in it bears on the next step.
#[derive(Debug)]
pub(crate) struct StripSolver {
    settings: Strips,
    net: Net,
    forces: ForceMemory,
    momenta: Momenta,
    mean_length: f64,
    filters: Vec<Filter>,
    /// One over the weight of each particle; zero of what is held [1/kg].
    w: Vec<f64>,
    /// Where each particle comes to, as corrected so far [m].
    places: Vec<DVec3>,
    within: Vec<bool>,
    surroundings: Surroundings,
}

impl StripSolver {
    /// Plans for a setup whose model strips suit.
    pub fn new(piece: &Piece, settings: &Strips) -> Option<Self> {
        let model = piece.model;
        let net = Net::new(model)?;
        let particles = model.particles();
        let ends: Vec<[u32; 2]> = net.edges.edges.iter().map(|edge| edge.ends).collect();
        Some(Self {
            settings: *settings,
            forces: ForceMemory::new(model, model.structural + model.shear..model.springs.len()),
            momenta: Momenta::new(particles, &ends),
            mean_length: mean_length(&net.edges.edges),
            filters: vec![Filter::FREE; particles],
            w: vec![0.0; particles],
            places: vec![DVec3::ZERO; particles],
            within: vec![true; ends.len().div_ceil(BLOCK)],
            surroundings: Surroundings::new(piece, longest_edge(&net.edges.edges), LOOK_AHEAD),
            net,
        })
    }

    /// How many tensions the state keeps: of edges [N/m], then of diagonals [N].
    pub fn tensions(&self) -> usize {
        self.net.edges.edges.len() + self.net.diagonals.edges.len()
    }

    /// The longest step that a state allows: directions of edges hold for so long [s].
    pub fn longest_step(&self, state: &State) -> f64 {
        let v = &state.velocities;
        let fastest = self.net.edges.edges.iter().fold(0.0, |most: f64, edge| {
            let [a, b] = edge.ends.map(|end| end as usize);
            most.max((v[b] - v[a]).length_squared() / (edge.rest * edge.rest))
        });
        (TURN / fastest.sqrt()).min(self.longest())
    }

    /// The longest step whatever the state [s].
    pub fn longest(&self) -> f64 {
        LONGEST * (self.mean_length / 0.02).sqrt()
    }

    /// The longest step, where what is still explicit has a bound of its own.
    pub fn bound(&self, explicit: Option<LongestStep>) -> LongestStep {
        let own = LongestStep { h: self.longest(), particle: 0 };
        explicit.filter(|bound| bound.h < own.h).unwrap_or(own)
    }

    /// Moves `trial`, a copy of the state, to the end of the step.
    pub fn advance(
        &mut self,
        passage: &Passage,
        trial: &mut State,
        reactions: &mut Vec<DVec3>,
        (tally, clock): (&mut Tally, &mut Instant),
    ) -> Result<Limited, Verdict> {
        self.begin(passage);
        self.weigh(passage);
        tally.times.charge(Phase::Integrate, clock);
        self.predict(passage);
        tally.times.charge(Phase::Integrate, clock);
        self.find_contacts(passage)?;
        tally.times.charge(Phase::Detect, clock);
        self.bend(passage);
        self.shear(passage);
        let limited = self.sweep(passage);
        self.restore_momenta(passage);
        tally.times.charge(Phase::Limit, clock);
        let proved = self.surroundings.certify(passage, &self.places, &mut tally.contact);
        tally.times.charge(Phase::Detect, clock);
        proved?;
        self.finish(passage, trial, reactions);
        tally.times.charge(Phase::Limit, clock);
        Ok(limited)
    }

    /// Rows for all that may touch on the way to the predicted places.
    fn find_contacts(&mut self, passage: &Passage) -> Result<(), Pinch> {
        let reach = (&self.w[..], REACH * self.mean_length);
        let velocity = |i: usize| passage.state.velocities[i];
        self.surroundings.find(passage, velocity, &self.places, reach)
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

    fn begin(&mut self, passage: &Passage) {
        self.filters.fill(Filter::FREE);
        for constraint in passage.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        let partial = passage.constraints.iter().filter(|c| is_partial(&c.filter));
        let partial = partial.map(|constraint| constraint.particle);
        self.net.edges.look_at_filters(&partial);
        self.net.diagonals.look_at_filters(&partial);
    }

    /// One weight for everything: mass, and the geometric stiffness of taut edges and diagonals with
    /// the tensions of the step before.
    fn weigh(&mut self, passage: &Passage) {
        let (model, state, h) = (passage.model, passage.state, passage.h);
        let (edges, diagonals) = (&self.net.edges, &self.net.diagonals);
        let (tensions, across) = state.tensions.split_at(edges.edges.len());
        let stiffness = |set: &ChainSet, tensions: &[f64], i: usize| {
            set.incidence.at(i).iter().fold(0.0, |sum, &(edge, _)| {
                let StripEdge { rest, width, .. } = set.edges[edge as usize];
                sum + tensions[edge as usize].max(0.0) * width / rest
            })
        };
        let share = match self.shears_implicitly() {
            true => GEOMETRIC_WITH_SHEAR,
            false => GEOMETRIC,
        };
        let (filters, masses) = (&self.filters, &model.masses);
        fill(&mut self.w, GRAIN, |i| {
            if filters[i] == Filter::HELD {
                return 0.0;
            }
            let taut = stiffness(edges, tensions, i) + stiffness(diagonals, across, i);
            1.0 / (masses[i] + share * h * h * taut)
        });
    }

    /// Whether shear is too stiff to be a load: then it is solved for.
    fn shears_implicitly(&self) -> bool {
        self.net.explicit_shear < EXPLICIT_SHARE * self.longest()
    }

    /// Where loads take the particles.
    fn predict(&mut self, passage: &Passage) {
        let (model, state, h) = (passage.model, passage.state, passage.h);
        gather_forces(model, passage.loads, state, &mut self.forces);
        if !self.shears_implicitly() {
            let damping = self.net.shear_damping;
            self.net.diagonals.add_forces(damping, state, &mut self.forces.forces);
        }
        let (x, v, w) = (&state.positions, &state.velocities, &self.w);
        let forces = &self.forces.forces;
        update(&mut self.places, GRAIN, |i, place| {
            *place = x[i] + (v[i] + forces[i] * (h * w[i])) * h;
        });
        for constraint in passage.constraints {
            let i = constraint.particle as usize;
            let change = constraint.filter.free_part((self.places[i] - x[i]) / h - v[i]);
            let velocity = v[i] + change + constraint.velocity_change;
            self.places[i] = x[i] + velocity * h + constraint.correction;
        }
    }

    /// Bends line after line, implicitly.
    fn bend(&mut self, passage: &Passage) {
        let damping = self.net.bend_damping;
        for group in &mut self.net.beams {
            let (x, p) = (&passage.state.positions[..], &self.places[..]);
            let bend = BendStart { x, p, w: &self.w, h: passage.h, damping };
            group.solve(&bend);
            let filters = &self.filters;
            update(&mut self.places, GRAIN, |i, place| match group.moved(i) {
                Some(moved) if filters[i] == Filter::FREE => *place = moved,
                Some(moved) => *place += filters[i].free_part(moved - *place),
                None => {}
            });
        }
    }

    /// Shears implicitly: strips once, then each family of diagonals once, from a part of the pulls
    /// they had in the step before.
    fn shear(&mut self, passage: &Passage) {
        if !self.shears_implicitly() {
            return;
        }
        let (state, h) = (passage.state, passage.h);
        let to = (&self.w[..], &mut self.places[..]);
        let across = &state.tensions[self.net.edges.edges.len()..];
        let warm = WARM * h * h;
        self.net.diagonals.begin(&state.positions, |i| across[i] * warm, to);
        passage.hold(&mut self.places);
        let sweep = SweepStart {
            w: &self.w,
            filters: &self.filters,
            h,
            first: true,
            damping: 0.0,
            keep: 0.0,
        };
        let damping = self.net.shear_damping / h;
        let elastic =
            SweepStart { first: false, damping, keep: damping / (1.0 + damping), ..sweep };
        for round in 0..SHEARS {
            self.net.edges.sweep(&SweepStart { first: round == 0, ..sweep }, &mut self.places);
            self.net.diagonals.sweep(&elastic, &mut self.places);
        }
    }

    /// Strips and contacts in turns, contacts last.
    fn sweep(&mut self, passage: &Passage) -> Limited {
        let mut limited = Limited { iterations: 0, converged: false, times: StageTimes::default() };
        let first = !self.shears_implicitly();
        while !limited.converged && limited.iterations < self.settings.max_iterations {
            let sweep = SweepStart {
                w: &self.w,
                filters: &self.filters,
                h: passage.h,
                first: first && limited.iterations == 0,
                damping: 0.0,
                keep: 0.0,
            };
            self.net.edges.sweep(&sweep, &mut self.places);
            self.surroundings.solve(&mut self.places, &self.w);
            passage.hold(&mut self.places);
            limited.iterations += 1;
            limited.converged = self.surroundings.layers_are_apart(&self.places)
                && self.is_within(passage, WITHIN)
                && self.surroundings.solids_are_clear(passage, &self.places, &self.w);
        }
        limited.converged = limited.converged || self.is_within(passage, 1.0);
        limited
    }

    /// Whether every edge is within this share of its limits.
    fn is_within(&mut self, passage: &Passage, share: f64) -> bool {
        let Some(limits) = passage.setup.limits else { return true };
        let (places, edges) = (&self.places, &self.net.edges.edges);
        // What is shorter than at rest breaks no promise, but would spring back in the next step.
        let least = limits.compression.map_or(limits.extension, |limit| share * limit);
        let least = (1.0 - least).max(0.0).powi(2);
        let most = (1.0 + share * limits.extension).powi(2);
        let is_within = |edge: &StripEdge| {
            let offset = places[edge.ends[1] as usize] - places[edge.ends[0] as usize];
            let squared = offset.length_squared() / (edge.rest * edge.rest);
            squared >= least && squared <= most
        };
        fill(&mut self.within, GRAIN / BLOCK, |block| {
            edges[block * BLOCK..edges.len().min((block + 1) * BLOCK)].iter().all(is_within)
        });
        self.within.iter().all(|&within| within)
    }

    /// Velocities from places, tensions and contacts for the next step, forces on pins.
    fn finish(&mut self, passage: &Passage, trial: &mut State, reactions: &mut Vec<DVec3>) {
        let (state, h) = (passage.state, passage.h);
        let (per_step, per_pull) = (1.0 / h, 1.0 / (h * h));
        let (x, places) = (&state.positions, &self.places);
        trial.positions.copy_from_slice(places);
        update(&mut trial.velocities, GRAIN, |i, v| *v = (places[i] - x[i]) * per_step);
        let (edges, diagonals) = (&self.net.edges, &self.net.diagonals);
        let (count, implicit) = (edges.edges.len(), self.shears_implicitly());
        fill(&mut trial.tensions, GRAIN, |i| match i.checked_sub(count) {
            None => edges.pull(i) * per_pull / edges.edges[i].width,
            Some(across) if implicit => diagonals.pull(across) * per_pull,
            Some(_) => 0.0,
        });
        reactions.clear();
        for constraint in passage.constraints {
            let i = constraint.particle as usize;
            trial.velocities[i] -= constraint.correction * per_step;
            reactions.push(self.reaction(passage, constraint, trial));
        }
        let kept = (&mut trial.contacts, &mut trial.pushes);
        self.surroundings.keep(passage, &self.places, kept);
    }

    /// The force that holds a constrained particle.
    fn reaction(&self, passage: &Passage, constraint: &Constraint, trial: &State) -> DVec3 {
        let i = constraint.particle as usize;
        let mass = passage.model.masses[i];
        let change = trial.velocities[i] - passage.state.velocities[i];
        let count = self.net.edges.edges.len();
        let sets = [(&self.net.edges, 0), (&self.net.diagonals, count)];
        let pull: DVec3 = sets
            .into_iter()
            .map(|(set, first)| {
                let here = self.places[i];
                set.incidence.at(i).iter().fold(DVec3::ZERO, |sum, &(edge, end)| {
                    let StripEdge { ends, width, .. } = set.edges[edge as usize];
                    let other = self.places[ends[1 - end as usize] as usize];
                    let tension = trial.tensions[first + edge as usize] * width;
                    sum + (other - here).normalize_or_zero() * tension
                })
            })
            .sum();
        let others = self.forces.forces[i] + pull;
        constraint.filter.held_part(change * (mass / passage.h) - others)
    }

    /// Weights slow loose cloth down as a whole, which nothing but loads may: it gets its momentum
    /// back by a motion that strains nothing.
    fn restore_momenta(&mut self, passage: &Passage) {
        let forces = &self.forces.forces;
        let (pushed, joined) = self.surroundings.pushing();
        self.momenta.look_at(passage.held().chain(pushed), joined);
        let (x, h) = (&passage.state.positions, passage.h);
        let moving = |i: usize, place: DVec3| (place - x[i]) / h;
        self.momenta.restore(passage, (|i| forces[i], moving), &mut self.places);
    }
}

fn mean_length(edges: &[StripEdge]) -> f64 {
    edges.iter().map(|edge| edge.rest).sum::<f64>() / edges.len().max(1) as f64
}

fn longest_edge(edges: &[StripEdge]) -> f64 {
    edges.iter().map(|edge| edge.rest).fold(0.0, f64::max)
}
