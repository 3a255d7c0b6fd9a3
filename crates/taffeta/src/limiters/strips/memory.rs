//! The strips of a step.

use glam::DVec3;
use taffeta_linalg::{Filter, both, fill, update, update_three};

use crate::gauge::Gauge;
use crate::limited::Limited;
use crate::limiter::Strips;
use crate::limiters::LimitStep;
use crate::limits::{STRENGTH, StrainLimits};
use crate::model::{Incidence, Model};
use crate::momentum::{Bodies, Momentum, Pieces};
use crate::state::State;
use crate::strips::group::{Group, Home, is_partial};
use crate::strips::partition::{along_yarns, partition};
use crate::strips::tree::Sight;
use crate::woven::Couples;

/// Particles, and edges, whose work repays a hand-over to another thread.
const GRAIN: usize = 2048;
const GRAIN_EDGES: usize = 4096;

/// Edges looked at as one, and how many times as many repay a hand-over.
const BLOCK: usize = 1024;
const GRAIN_BLOCKS: usize = GRAIN_EDGES / BLOCK;

/// Strain at which edges bear [`STRENGTH`]: little enough that a single yarn that holds a whole cloth
/// between two pins at its full width sags no more than longer steps make it.
const GIVE: f64 = 1e-6;

/// The fewest sweeps where they take turns with couples.
const COUPLED: u32 = 3;

/// Memory of the strips, planned once for a model.
#[derive(Debug)]
pub(crate) struct StripsMemory {
    settings: Strips,
    groups: Vec<Group>,
    spans: Vec<Span>,
    seats: Vec<Seat>,
    /// Geometric stiffness [N/m] of each edge for a unit of tension [N/m].
    stiffenings: Vec<f64>,
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
    /// The velocity each constraint's particle is given [m/s].
    told: Vec<DVec3>,
    /// The momenta of loose pieces before corrections.
    wanted: Vec<Momentum>,
    /// Whether each block of edges is within its limits.
    within: Vec<bool>,
}

/// Where an edge runs, and how long it is at rest. What a loop reads of an edge lies side by side,
/// and nothing else: at 10,000 particles a step waits for memory.
#[derive(Clone, Copy, Debug)]
struct Span {
    ends: [u32; 2],
    /// Rest length, squared [m²].
    rest_squared: f64,
}

/// Where the pull of an edge is found.
#[derive(Clone, Copy, Debug)]
struct Seat {
    group: u32,
    home: Home,
    /// Tension [N/m] for a unit of pull [N]: one over the width of cloth it stands for [1/m].
    per_width: f64,
}

impl StripsMemory {
    /// Plans the strips of a model, all of whose gauges run along edges.
    pub fn new(model: &Model, settings: &Strips) -> Self {
        let particles = model.particles();
        let ends: Vec<[u32; 2]> =
            model.gauges.iter().map(|gauge| [gauge.particles[0], gauge.particles[1]]).collect();
        let give = gives(model, settings.elastic);
        let rest_lengths = model.gauges.iter().map(|gauge| 1.0 / gauge.weights[0]);
        let of_edges: Vec<[f64; 2]> = rest_lengths.zip(give).map(<[f64; 2]>::from).collect();
        let mut seats = plan_seats(model);
        let parts = match model.yarns() {
            Some(yarns) => along_yarns(yarns),
            None => partition(particles, &model.faces, &ends),
        };
        let groups = parts.into_iter().enumerate().map(|(group, parts)| {
            Group::new(particles, parts, &of_edges, |edge, home| {
                let seat = &mut seats[edge as usize];
                (seat.group, seat.home) = (group as u32, home);
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
            told: Vec::new(),
            wanted: Vec::new(),
            within: vec![true; ends.len().div_ceil(BLOCK)],
            stiffenings: plan_stiffenings(model),
            spans: plan_spans(model, &ends),
            seats,
        }
    }

    /// Corrects the candidate's velocities, and leaves the tension of every edge in it.
    pub fn limit(
        &mut self,
        step: &LimitStep,
        mut couples: Option<&mut Couples>,
        (candidate, reactions): (&mut State, &mut [DVec3]),
    ) -> Limited {
        self.read_constraints(step, candidate);
        self.note_momenta(step, candidate);
        self.weigh_and_look_ahead(step, candidate);
        if self.settings.correct_velocities {
            self.correct_velocities(step, candidate);
        }
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
            self.sweep(step, limited.iterations == 0);
            limited.iterations += 1;
            limited.converged = self.is_within(step.limits);
        }
        self.give(step, candidate, reactions);
        self.free(step);
        limited
    }

    fn read_constraints(&mut self, step: &LimitStep, candidate: &State) {
        self.told.clear();
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
            self.told.push(candidate.velocities[constraint.particle as usize]);
        }
        self.pieces.look_at(step.constraints.iter().map(|c| c.particle), [].into_iter());
        let partial = step.constraints.iter().filter(|c| is_partial(&c.filter));
        for group in &mut self.groups {
            group.look_at_filters(partial.clone().map(|c| c.particle));
        }
    }

    /// Every particle is free again until the next step says otherwise.
    fn free(&mut self, step: &LimitStep) {
        for constraint in step.constraints {
            self.filters[constraint.particle as usize] = Filter::FREE;
        }
    }

    /// Particles as heavy as their taut edges make them, with the tensions of the step before; and
    /// where velocities carry them (BB08 eq. 2).
    ///
    /// A taut edge holds its ends across itself, with its tension over its length: geometric
    /// stiffness, which a linearised impulse does not have. Here it is lumped, twice h²·T/l, the
    /// least that is nowhere below the exact matrix. What changed velocities acts on the heavier
    /// mass too.
    fn weigh_and_look_ahead(&mut self, step: &LimitStep, candidate: &mut State) {
        let (masses, tensions) = (&step.model.masses, &step.state.tensions);
        let (x, before, h) = (&step.state.positions, &step.state.velocities, step.h);
        let (touching, stiffenings, twice) = (&self.touching, &self.stiffenings, 2.0 * h * h);
        let all = (&mut self.mobilities[..], &mut candidate.velocities[..], &mut self.places[..]);
        update_three(all, GRAIN, |i, mobility, velocity, place| {
            let stiffness = touching.at(i).iter().fold(0.0, |sum, &(edge, _)| {
                sum + tensions[edge as usize].max(0.0) * stiffenings[edge as usize]
            });
            *mobility = 1.0 / (masses[i] + twice * stiffness);
            *velocity = before[i] + (*velocity - before[i]) * (masses[i] * *mobility);
            *place = x[i] + *velocity * h;
        });
        for (constraint, &told) in step.constraints.iter().zip(&self.told) {
            let i = constraint.particle as usize;
            let mobility = &mut self.mobilities[i];
            if constraint.filter == Filter::HELD {
                *mobility = 0.0;
            }
            // Held directions do as they are told.
            let (filter, change) = (constraint.filter, told - before[i]);
            let share = masses[i] * *mobility;
            let slowed = filter.free_part(change) * share + filter.held_part(change);
            candidate.velocities[i] = before[i] + slowed;
            self.places[i] = x[i] + candidate.velocities[i] * h + constraint.correction;
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
                first: true,
                share: 1.0,
                force: 0.0,
                damping: 0.0,
                keep: 0.0,
            });
            group.apply(&mut self.velocities);
        }
        let (corrected, h) = (&self.velocities, step.h);
        update(&mut candidate.velocities, GRAIN, |i, v| *v += corrected[i] - before[i]);
        update(&mut self.places, GRAIN, |i, place| *place += (corrected[i] - before[i]) * h);
    }

    /// Solves group after group, each from where the last one left the cloth.
    fn sweep(&mut self, step: &LimitStep, first: bool) {
        let share = share_of_longest(step);
        for group in &mut self.groups {
            group.solve(&Sight {
                places: &self.places,
                mobilities: &self.mobilities,
                filters: &self.filters,
                velocities: None,
                first,
                share,
                force: 1.0 / (step.h * step.h),
                damping: 0.0,
                keep: 0.0,
            });
            group.apply(&mut self.places);
        }
    }

    fn is_within(&mut self, limits: &StrainLimits) -> bool {
        let (places, spans) = (&self.places, &self.spans);
        let (least, most) = (1.0 - limits.compression.unwrap_or(1.0), 1.0 + limits.extension);
        let (least, most) = (least * least, most * most);
        let is_within = |span: &Span| {
            let offset = places[span.ends[1] as usize] - places[span.ends[0] as usize];
            let squared = offset.length_squared();
            squared >= least * span.rest_squared && squared <= most * span.rest_squared
        };
        fill(&mut self.within, GRAIN_BLOCKS, |block| {
            spans[block * BLOCK..spans.len().min((block + 1) * BLOCK)].iter().all(is_within)
        });
        self.within.iter().all(|&within| within)
    }

    /// Gives the candidate its velocities, and tensions for the next step: what moved particles from
    /// where they would have been changes their velocities.
    ///
    /// Steps shorter than the longest count by their share in the tensions: in a moment before a
    /// pin takes hold, the least correction takes a huge force.
    fn give(&self, step: &LimitStep, candidate: &mut State, reactions: &mut [DVec3]) {
        let (groups, seats, per_pull) = (&self.groups, &self.seats, 1.0 / (step.h * step.h));
        let (before, share) = (&step.state.tensions, share_of_longest(step));
        let (x, places, h) = (&step.state.positions, &self.places, step.h);
        let per_step = 1.0 / h;
        let State { tensions, velocities, .. } = candidate;
        both(
            || {
                fill(tensions, GRAIN_EDGES, |i| {
                    let Seat { group, home, per_width } = seats[i];
                    let now = groups[group as usize].total_pull(home) * (per_pull * per_width);
                    before[i] + (now - before[i]) * share
                });
            },
            || update(velocities, GRAIN, |i, v| *v += (places[i] - (x[i] + *v * h)) * per_step),
        );
        for (constraint, reaction) in step.constraints.iter().zip(reactions) {
            let i = constraint.particle as usize;
            let pull = self.pull_on(constraint.particle, tensions);
            *reaction -= constraint.filter.held_part(pull);
            velocities[i] -= constraint.correction / h;
        }
        let bodies = Bodies { masses: &step.model.masses, positions: x };
        for (piece, &wanted) in self.pieces.loose().zip(&self.wanted) {
            bodies.restore(&piece, wanted, velocities);
        }
    }

    /// The sum of what edges pull at a particle [N].
    fn pull_on(&self, particle: u32, tensions: &[f64]) -> DVec3 {
        let here = self.places[particle as usize];
        self.touching.at(particle as usize).iter().fold(DVec3::ZERO, |sum, &(edge, end)| {
            let pull = tensions[edge as usize] / self.seats[edge as usize].per_width;
            let other = self.spans[edge as usize].ends[1 - end as usize];
            sum + (self.places[other as usize] - here).normalize_or_zero() * pull
        })
    }

    fn note_momenta(&mut self, step: &LimitStep, candidate: &State) {
        let bodies = Bodies { masses: &step.model.masses, positions: &step.state.positions };
        self.wanted.clear();
        let momenta =
            self.pieces.loose().map(|piece| bodies.momentum(&piece, &candidate.velocities));
        self.wanted.extend(momenta);
    }
}

/// How much of the longest step this one is. It corrects that share of the errors: after a discarded
/// step, the next one has to be gentler.
fn share_of_longest(step: &LimitStep) -> f64 {
    (step.h / step.longest).min(1.0)
}

fn plan_spans(model: &Model, ends: &[[u32; 2]]) -> Vec<Span> {
    let span = |(gauge, &ends): (&Gauge, &[u32; 2])| Span {
        ends,
        rest_squared: 1.0 / (gauge.weights[0] * gauge.weights[0]),
    };
    model.gauges.iter().zip(ends).map(span).collect()
}

fn plan_seats(model: &Model) -> Vec<Seat> {
    let home = Home { part: 0, slot: 0 };
    let seat = |width: f64| Seat { group: 0, home, per_width: 1.0 / width };
    widths(model).map(seat).collect()
}

fn plan_stiffenings(model: &Model) -> Vec<f64> {
    widths(model).zip(&model.gauges).map(|(width, gauge)| width * gauge.weights[0]).collect()
}

/// How far each edge gives way to a force [m/N]: as its spring, or next to nothing.
///
/// Were it nothing, no pull at all, or any, would be right where pins are just as far apart as edges
/// allow, or farther. What it is keeps the tension of such rows from being noise that shakes the
/// cloth, and stretches them evenly.
fn gives(model: &Model, elastic: bool) -> impl Iterator<Item = f64> {
    let edges = widths(model).zip(&model.gauges).zip(model.structural());
    edges.map(move |((width, gauge), spring)| match elastic {
        true => 1.0 / spring.stiffness,
        false => GIVE / STRENGTH / (gauge.weights[0] * width),
    })
}

/// The width of cloth that each edge stands for [m].
fn widths(model: &Model) -> impl Iterator<Item = f64> {
    let areas = model.gauge_areas.iter();
    areas.zip(&model.gauges).map(|(area, gauge)| area * gauge.weights[0])
}
