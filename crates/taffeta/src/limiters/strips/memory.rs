//! The strips of a step.

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::Strips;
use super::group::{Group, Home, is_partial};
use super::momentum::{Bodies, Momentum, Pieces};
use super::partition::partition;
use super::tree::Sight;
use crate::gauge::{Along, Gauge};
use crate::limiters::{LimitStep, Limited};
use crate::limits::StrainLimits;
use crate::model::{Incidence, Model};
use crate::state::State;

/// Particles, or edges, whose work repays a hand-over to another thread.
const GRAIN: usize = 4096;

/// Memory of the strips, planned once for a model.
#[derive(Debug)]
pub(crate) struct StripsMemory {
    settings: Strips,
    /// The step in which errors are corrected as a whole [s]. Shorter ones correct their share:
    /// after a discarded step, the next one has to be gentler.
    whole: f64,
    groups: Vec<Group>,
    /// Where each edge is: its group, and its place there.
    homes: Vec<(u32, Home)>,
    /// Which edges are at a particle, and by which end.
    touching: Incidence,
    pieces: Pieces,
    filters: Vec<Filter>,
    /// One over the mass of each particle, with what taut edges add to it; of held ones zero [1/kg].
    mobilities: Vec<f64>,
    /// Velocities before corrections [m/s].
    velocities: Vec<DVec3>,
    /// Where each particle is at the end of the step, as corrected so far [m].
    places: Vec<DVec3>,
    /// How far each particle has been moved from where it would have been [m].
    corrections: Vec<DVec3>,
    /// The pull of each edge over the step, times the step squared [kg·m].
    pulls: Vec<f64>,
    /// The geometric stiffness [N/m] of each edge for a unit of tension [N/m].
    stiffening: Vec<f64>,
    /// The momenta of loose pieces before corrections.
    wanted: Vec<Momentum>,
    /// Whether each block of edges is within its limits.
    within: Vec<bool>,
}

impl StripsMemory {
    /// Plans the strips of a model, all of whose gauges run along edges, for steps of at most
    /// `longest` seconds.
    pub fn new(model: &Model, settings: &Strips, longest: f64) -> Self {
        let particles = model.particles();
        let edges: Vec<[u32; 2]> =
            model.gauges.iter().map(|gauge| [gauge.particles[0], gauge.particles[1]]).collect();
        let rest_lengths: Vec<f64> =
            model.gauges.iter().map(|gauge| 1.0 / gauge.weights[0]).collect();
        let mut homes = vec![(0, Home { part: 0, slot: 0 }); edges.len()];
        let parts = partition(particles, &model.faces, &edges);
        let groups = parts.into_iter().enumerate().map(|(group, parts)| {
            let tell = |edge: u32, home| homes[edge as usize] = (group as u32, home);
            Group::new(particles, parts, &rest_lengths, tell)
        });
        let groups = groups.collect();
        let zero = vec![DVec3::ZERO; particles];
        Self {
            settings: *settings,
            whole: longest,
            groups,
            homes,
            touching: Incidence::new(particles, edges.iter().copied()),
            pieces: Pieces::new(particles, &edges),
            filters: vec![Filter::FREE; particles],
            mobilities: vec![0.0; particles],
            velocities: zero.clone(),
            places: zero.clone(),
            corrections: zero,
            pulls: vec![0.0; edges.len()],
            stiffening: (0..edges.len())
                .map(|edge| pull_of(1.0, model, edge) * model.gauges[edge].weights[0])
                .collect(),
            wanted: Vec::new(),
            within: vec![true; edges.len().div_ceil(GRAIN)],
        }
    }

    /// Whether strips can limit a model: they run along edges.
    pub fn suits(model: &Model) -> bool {
        model.gauges.iter().all(|gauge| gauge.along == Along::Edge)
    }

    /// Corrects the candidate's velocities, and leaves the tension of every edge in it.
    pub fn limit(
        &mut self,
        step: &LimitStep,
        candidate: &mut State,
        reactions: &mut [DVec3],
    ) -> Limited {
        self.read_constraints(step);
        self.note_momenta(step, candidate);
        self.weigh(step);
        self.set_off(step, candidate);
        let mut limited = Limited { converged: false, ..Limited::default() };
        while !limited.converged && limited.iterations < self.settings.max_iterations {
            self.sweep((step.h / self.whole).min(1.0));
            limited.iterations += 1;
            limited.converged = self.is_within(step.model, step.limits);
        }
        self.finish(step, candidate, reactions);
        limited
    }

    fn read_constraints(&mut self, step: &LimitStep) {
        self.filters.fill(Filter::FREE);
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        let partial = step.constraints.iter().filter(|c| is_partial(&c.filter));
        for group in &mut self.groups {
            group.look_at_filters(partial.clone().map(|c| c.particle));
        }
    }

    /// Where the candidate velocities carry the cloth (BB08 eq. 2): heavy particles change theirs
    /// less.
    fn set_off(&mut self, step: &LimitStep, candidate: &State) {
        let (x, h, masses) = (&step.state.positions, step.h, &step.model.masses);
        let (mobilities, filters) = (&self.mobilities, &self.filters);
        let (before, wanted) = (&step.state.velocities, &candidate.velocities);
        fill(&mut self.velocities, GRAIN, |i| {
            let share = 1.0 - masses[i] * mobilities[i];
            wanted[i] - filters[i].free_part(wanted[i] - before[i]) * share
        });
        if self.settings.correct_velocities {
            self.correct_velocities(step);
        }
        let velocities = &self.velocities;
        fill(&mut self.places, GRAIN, |i| x[i] + velocities[i] * h);
        for constraint in step.constraints {
            self.places[constraint.particle as usize] += constraint.correction;
        }
        self.corrections.fill(DVec3::ZERO);
        self.pulls.fill(0.0);
    }

    /// Particles as heavy as their taut edges make them, with the tensions of the step before.
    ///
    /// A taut edge holds its ends across itself, with its tension over its length: geometric
    /// stiffness, which a linearised impulse does not have. Here it is lumped, twice h²·T/l, the
    /// least that is nowhere below the exact matrix.
    fn weigh(&mut self, step: &LimitStep) {
        let (model, tensions, twice) = (step.model, &step.state.tensions, 2.0 * step.h * step.h);
        let (touching, filters, stiffening) = (&self.touching, &self.filters, &self.stiffening);
        fill(&mut self.mobilities, GRAIN, |particle| {
            if filters[particle] == Filter::HELD {
                return 0.0;
            }
            let of = |&(edge, _): &(u32, u32)| {
                tensions[edge as usize].max(0.0) * stiffening[edge as usize]
            };
            let stiffness: f64 = touching.at(particle).iter().map(of).sum();
            1.0 / (model.masses[particle] + twice * stiffness)
        });
    }

    /// BB08 §3.2: the velocities at the beginning of the step lose what changes lengths.
    fn correct_velocities(&mut self, step: &LimitStep) {
        let before = &step.state.velocities;
        self.corrections.copy_from_slice(before);
        for group in &mut self.groups {
            group.solve(&Sight {
                places: &step.state.positions,
                mobilities: &self.mobilities,
                filters: &self.filters,
                velocities: Some(&self.corrections),
                share: 1.0,
            });
            group.apply(&mut self.corrections);
        }
        let corrected = &self.corrections;
        update(&mut self.velocities, GRAIN, |i, v| *v += corrected[i] - before[i]);
    }

    /// Solves group after group, each from where the last one left the cloth.
    fn sweep(&mut self, share: f64) {
        for group in &mut self.groups {
            group.solve(&Sight {
                places: &self.places,
                mobilities: &self.mobilities,
                filters: &self.filters,
                velocities: None,
                share,
            });
            group.apply(&mut self.places);
            group.apply(&mut self.corrections);
        }
        let (groups, homes) = (&self.groups, &self.homes);
        update(&mut self.pulls, GRAIN, |edge, pull| {
            let (group, home) = homes[edge];
            *pull += groups[group as usize].pull(home);
        });
    }

    fn is_within(&mut self, model: &Model, limits: &StrainLimits) -> bool {
        let (places, gauges) = (&self.places, &model.gauges);
        let (least, most) = (1.0 - limits.compression.unwrap_or(1.0), 1.0 + limits.extension);
        let range = least * least..=most * most;
        fill(&mut self.within, 1, |block| {
            let gauges = &gauges[block * GRAIN..gauges.len().min((block + 1) * GRAIN)];
            gauges.iter().all(|gauge| range.contains(&gauge.vector(places).length_squared()))
        });
        self.within.iter().all(|&within| within)
    }

    fn finish(&mut self, step: &LimitStep, candidate: &mut State, reactions: &mut [DVec3]) {
        let (h, model) = (step.h, step.model);
        let (pulls, corrections) = (&self.pulls, &self.corrections);
        let velocities = &self.velocities;
        fill(&mut candidate.velocities, GRAIN, |i| velocities[i] + corrections[i] / h);
        fill(&mut candidate.tensions, GRAIN, |edge| tension_of(pulls[edge] / (h * h), model, edge));
        for (constraint, reaction) in step.constraints.iter().zip(reactions) {
            let pull = self.pull_on(constraint.particle, &model.gauges) / (h * h);
            *reaction -= constraint.filter.held_part(pull);
        }
        self.restore_momenta(step, candidate);
    }

    /// The sum of what edges pull at a particle.
    fn pull_on(&self, particle: u32, gauges: &[Gauge]) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for &(edge, end) in self.touching.at(particle as usize) {
            let towards = gauges[edge as usize].vector(&self.places).normalize_or_zero();
            let sign = if end == 0 { 1.0 } else { -1.0 };
            sum += towards * (sign * self.pulls[edge as usize]);
        }
        sum
    }

    fn note_momenta(&mut self, step: &LimitStep, candidate: &State) {
        let bodies = Bodies { masses: &step.model.masses, positions: &step.state.positions };
        let loose = self.pieces.loose(&self.filters);
        self.wanted.clear();
        self.wanted.extend(loose.map(|piece| bodies.momentum(piece, &candidate.velocities)));
    }

    fn restore_momenta(&self, step: &LimitStep, candidate: &mut State) {
        let bodies = Bodies { masses: &step.model.masses, positions: &step.state.positions };
        let loose = self.pieces.loose(&self.filters);
        for (piece, &wanted) in loose.zip(&self.wanted) {
            bodies.restore(piece, wanted, &mut candidate.velocities);
        }
    }
}

/// The pull of an edge [N] of a tension [N/m].
#[inline]
fn pull_of(tension: f64, model: &Model, edge: usize) -> f64 {
    tension * model.gauge_areas[edge] * model.gauges[edge].weights[0]
}

/// The tension of an edge [N/m] that pulls so much [N].
#[inline]
fn tension_of(pull: f64, model: &Model, edge: usize) -> f64 {
    pull / (model.gauge_areas[edge] * model.gauges[edge].weights[0])
}
