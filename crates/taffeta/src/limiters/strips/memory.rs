//! The strips of a step.

use glam::{DMat3, DVec3};
use taffeta_linalg::{Filter, fill, update};

use super::Strips;
use super::group::{Group, Home, is_partial};
use super::momentum::{Bodies, Momentum, Pieces};
use super::partition::{along_yarns, partition};
use super::tree::Sight;
use crate::constraint::Constraint;
use crate::elements::Spring;
use crate::gauge::{Along, Gauge};
use crate::limiters::{LimitStep, Limited};
use crate::limits::StrainLimits;
use crate::model::{Incidence, Model};
use crate::state::State;
use crate::woven::Couples;

/// Particles, or edges, whose work repays a hand-over to another thread.
const GRAIN: usize = 4096;

/// The fewest sweeps where they take turns with couples.
const COUPLED: u32 = 3;

/// Memory of the strips, planned once for a model.
#[derive(Debug)]
pub(crate) struct StripsMemory {
    settings: Strips,
    groups: Vec<Group>,
    edges: Vec<Edge>,
    /// Which edges are at a particle, and by which end.
    touching: Incidence,
    pieces: Pieces,
    filters: Vec<Filter>,
    /// One over the mass of each particle, with what taut edges add to it; of held ones zero [1/kg].
    mobilities: Vec<f64>,
    /// Where each particle is at the end of the step, as corrected so far [m].
    places: Vec<DVec3>,
    /// Velocities at the beginning of the step, as corrected so far [m/s].
    velocities: Vec<DVec3>,
    /// The momenta of loose pieces before corrections.
    wanted: Vec<Momentum>,
    /// Whether each block of edges is within its limits.
    within: Vec<bool>,
}

/// What strips know of an edge.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    group: u32,
    home: Home,
    /// Rest length, squared [m²].
    rest_squared: f64,
    /// Pull [N] for a unit of tension [N/m]: the width of cloth it stands for [m].
    width: f64,
    /// Geometric stiffness [N/m] for a unit of tension [N/m].
    stiffening: f64,
}

impl StripsMemory {
    /// Plans the strips of a model, all of whose gauges run along edges.
    pub fn new(model: &Model, settings: &Strips) -> Self {
        let particles = model.particles();
        let ends: Vec<[u32; 2]> =
            model.gauges.iter().map(|gauge| [gauge.particles[0], gauge.particles[1]]).collect();
        let of_edge = |(gauge, spring): (&Gauge, &Spring)| {
            let stiffness = if settings.elastic { spring.stiffness } else { f64::INFINITY };
            [1.0 / gauge.weights[0], 1.0 / stiffness]
        };
        let of_edges: Vec<[f64; 2]> =
            model.gauges.iter().zip(model.structural()).map(of_edge).collect();
        let mut edges = plan_edges(model, &ends);
        let parts = match model.yarns() {
            Some(yarns) => along_yarns(yarns),
            None => partition(particles, &model.faces, &ends),
        };
        let groups = parts.into_iter().enumerate().map(|(group, parts)| {
            Group::new(particles, parts, &of_edges, |edge, home| {
                let edge = &mut edges[edge as usize];
                (edge.group, edge.home) = (group as u32, home);
            })
        });
        Self {
            settings: *settings,
            groups: groups.collect(),
            touching: Incidence::new(particles, ends.iter().copied()),
            pieces: Pieces::new(particles, &[&ends[..], &model.couples].concat()),
            filters: vec![Filter::FREE; particles],
            mobilities: vec![0.0; particles],
            places: vec![DVec3::ZERO; particles],
            velocities: vec![DVec3::ZERO; particles],
            wanted: Vec::new(),
            within: vec![true; edges.len().div_ceil(GRAIN)],
            edges,
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
        mut couples: Option<&mut Couples>,
        (candidate, reactions): (&mut State, &mut [DVec3]),
    ) -> Limited {
        self.read_constraints(step);
        self.note_momenta(step, candidate);
        self.weigh(step);
        self.slow_down(step, candidate);
        if self.settings.correct_velocities {
            self.correct_velocities(step, candidate);
        }
        look_ahead(&mut self.places, step, candidate);
        let mut limited = Limited { converged: false, ..Limited::default() };
        if let Some(couples) = &mut couples {
            couples.aim(&step.state.positions, step.h);
        }
        let least = if couples.is_some() { COUPLED } else { 0 };
        let most = self.settings.max_iterations.max(least);
        while limited.iterations < least || !limited.converged && limited.iterations < most {
            if let Some(couples) = &mut couples {
                couples.project(&mut self.places, &self.mobilities);
            }
            self.sweep(step);
            limited.iterations += 1;
            limited.converged = self.is_within(step.limits);
        }
        self.give_tensions(step, candidate, reactions);
        self.give_velocities(step, candidate);
        self.free(step);
        limited
    }

    fn read_constraints(&mut self, step: &LimitStep) {
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        self.pieces.look_at_constraints(step.constraints.iter().map(|c| c.particle));
        let partial = step.constraints.iter().filter(|c| is_partial(&c.filter));
        for group in &mut self.groups {
            group.look_at_filters(partial.clone().map(|c| c.particle));
            group.forget_pulls();
        }
    }

    /// Every particle is free again until the next step says otherwise.
    fn free(&mut self, step: &LimitStep) {
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = Filter::FREE;
        }
    }

    /// Particles as heavy as their taut edges make them, with the tensions of the step before.
    ///
    /// A taut edge holds its ends across itself, with its tension over its length: geometric
    /// stiffness, which a linearised impulse does not have. Here it is lumped, twice h²·T/l, the
    /// least that is nowhere below the exact matrix.
    fn weigh(&mut self, step: &LimitStep) {
        let (masses, tensions) = (&step.model.masses, &step.state.tensions);
        let (touching, edges, twice) = (&self.touching, &self.edges, 2.0 * step.h * step.h);
        fill(&mut self.mobilities, GRAIN, |particle| {
            let stiffness = touching.at(particle).iter().fold(0.0, |sum, &(edge, _)| {
                sum + tensions[edge as usize].max(0.0) * edges[edge as usize].stiffening
            });
            1.0 / (masses[particle] + twice * stiffness)
        });
        for constraint in step.constraints {
            let mobility = &mut self.mobilities[constraint.particle as usize];
            *mobility = match constraint.filter == Filter::HELD {
                true => 0.0,
                false => 1.0 / (1.0 / *mobility + friction(step, constraint) * step.h),
            };
        }
    }

    /// What changed velocities acted on the heavier mass too; held directions do as they are told.
    fn slow_down(&self, step: &LimitStep, candidate: &mut State) {
        let (masses, before) = (&step.model.masses, &step.state.velocities);
        let share = |i: usize| masses[i] * self.mobilities[i];
        update(&mut candidate.velocities, GRAIN, |i, now| {
            if self.mobilities[i] > 0.0 {
                *now = before[i] + (*now - before[i]) * share(i);
            }
        });
        for constraint in step.constraints.iter().filter(|c| is_partial(&c.filter)) {
            let i = constraint.particle as usize;
            let change = (candidate.velocities[i] - before[i]) / share(i);
            // Friction has slowed it down already.
            let share = share(i) + friction(step, constraint) * step.h * self.mobilities[i];
            let filter = constraint.filter;
            let slowed = filter.free_part(change) * share + filter.held_part(change);
            candidate.velocities[i] = before[i] + slowed;
        }
    }

    /// BB08 §3.2: the velocities at the beginning of the step lose what changes lengths.
    fn correct_velocities(&mut self, step: &LimitStep, candidate: &mut State) {
        let before = &step.state.velocities;
        self.velocities.copy_from_slice(before);
        for group in &mut self.groups {
            group.solve(&Sight {
                places: &step.state.positions,
                mobilities: &self.mobilities,
                filters: &self.filters,
                velocities: Some(&self.velocities),
                share: 1.0,
                force: 0.0,
            });
            group.apply(&mut self.velocities);
        }
        let corrected = &self.velocities;
        update(&mut candidate.velocities, GRAIN, |i, v| *v += corrected[i] - before[i]);
    }

    /// Solves group after group, each from where the last one left the cloth.
    fn sweep(&mut self, step: &LimitStep) {
        let share = share_of_longest(step);
        for group in &mut self.groups {
            group.solve(&Sight {
                places: &self.places,
                mobilities: &self.mobilities,
                filters: &self.filters,
                velocities: None,
                share,
                force: 1.0 / (step.h * step.h),
            });
            group.apply(&mut self.places);
            group.add_pulls();
        }
    }

    fn is_within(&mut self, limits: &StrainLimits) -> bool {
        let (places, edges) = (&self.places, &self.edges);
        let (least, most) = (1.0 - limits.compression.unwrap_or(1.0), 1.0 + limits.extension);
        let (least, most) = (least * least, most * most);
        let is_within = |edge: &Edge| {
            let offset = places[edge.ends[1] as usize] - places[edge.ends[0] as usize];
            let squared = offset.length_squared();
            squared >= least * edge.rest_squared && squared <= most * edge.rest_squared
        };
        fill(&mut self.within, 1, |block| {
            edges[block * GRAIN..edges.len().min((block + 1) * GRAIN)].iter().all(is_within)
        });
        self.within.iter().all(|&within| within)
    }

    /// Leaves the tensions for the next step. Steps shorter than the longest count by their share:
    /// in a moment before a pin takes hold, the least correction takes a huge force.
    fn give_tensions(&self, step: &LimitStep, candidate: &mut State, reactions: &mut [DVec3]) {
        let (groups, edges, per_pull) = (&self.groups, &self.edges, 1.0 / (step.h * step.h));
        let (before, share) = (&step.state.tensions, share_of_longest(step));
        fill(&mut candidate.tensions, GRAIN, |i| {
            let edge = &edges[i];
            let now = groups[edge.group as usize].total_pull(edge.home) * per_pull / edge.width;
            before[i] + (now - before[i]) * share
        });
        for (constraint, reaction) in step.constraints.iter().zip(reactions) {
            let pull = self.pull_on(constraint.particle, &candidate.tensions);
            *reaction -= constraint.filter.held_part(pull);
        }
    }

    /// The sum of what edges pull at a particle [N].
    fn pull_on(&self, particle: u32, tensions: &[f64]) -> DVec3 {
        let here = self.places[particle as usize];
        self.touching.at(particle as usize).iter().fold(DVec3::ZERO, |sum, &(edge, end)| {
            let pull = tensions[edge as usize] * self.edges[edge as usize].width;
            let other = self.edges[edge as usize].ends[1 - end as usize];
            sum + (self.places[other as usize] - here).normalize_or_zero() * pull
        })
    }

    /// What moved particles from where they would have been changes their velocities.
    fn give_velocities(&mut self, step: &LimitStep, candidate: &mut State) {
        for constraint in step.constraints {
            self.places[constraint.particle as usize] -= constraint.correction;
        }
        let (x, places, h) = (&step.state.positions, &self.places, step.h);
        update(&mut candidate.velocities, GRAIN, |i, v| *v += (places[i] - (x[i] + *v * h)) / h);
        let bodies = Bodies { masses: &step.model.masses, positions: x };
        for (piece, &wanted) in self.pieces.loose().zip(&self.wanted) {
            bodies.restore(piece, wanted, &mut candidate.velocities);
        }
    }

    fn note_momenta(&mut self, step: &LimitStep, candidate: &State) {
        let bodies = Bodies { masses: &step.model.masses, positions: &step.state.positions };
        self.wanted.clear();
        let momentum = |piece: &[u32]| bodies.momentum(piece, &candidate.velocities);
        self.wanted.extend(self.pieces.loose().map(momentum));
    }
}

/// The drag on a constrained particle in the mean of its free directions: Coulomb's friction, over
/// the speed it slides at [N·s/m].
fn friction(step: &LimitStep, constraint: &Constraint) -> f64 {
    let trace = |matrix: DMat3| matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let free = constraint.filter.matrix();
    let drag = step.drag.get(constraint.particle as usize).copied().unwrap_or(DMat3::ZERO);
    if drag == DMat3::ZERO { 0.0 } else { trace(free * drag) / trace(free) }
}

/// How much of the longest step this one is. It corrects that share of the errors: after a discarded
/// step, the next one has to be gentler.
fn share_of_longest(step: &LimitStep) -> f64 {
    (step.h / step.longest).min(1.0)
}

/// BB08 eq. 2: where velocities carry the cloth.
fn look_ahead(places: &mut [DVec3], step: &LimitStep, candidate: &State) {
    let (x, v, h) = (&step.state.positions, &candidate.velocities, step.h);
    fill(places, GRAIN, |i| x[i] + v[i] * h);
    for constraint in step.constraints {
        places[constraint.particle as usize] += constraint.correction;
    }
}

fn plan_edges(model: &Model, ends: &[[u32; 2]]) -> Vec<Edge> {
    let home = Home { part: 0, slot: 0 };
    let plan = |(edge, &ends): (usize, &[u32; 2])| {
        let inverse_length = model.gauges[edge].weights[0];
        let width = model.gauge_areas[edge] * inverse_length;
        let rest_squared = 1.0 / (inverse_length * inverse_length);
        Edge { ends, group: 0, home, rest_squared, width, stiffening: width * inverse_length }
    };
    ends.iter().enumerate().map(plan).collect()
}
