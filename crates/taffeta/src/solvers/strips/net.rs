//! Cloth of quads as strips see it: edges that keep their length, diagonals that resist shear, and
//! lines that resist bending.

use glam::DVec3;
use taffeta_linalg::{Filter, fill, update};

use super::beams::BeamGroup;
use super::group::{Group, Home};
use super::lines::diagonal_lines;
use super::partition::{Strip, colour, partition};
use super::tree::StripStep;
use crate::matter::gauge::{Along, Gauge};
use crate::matter::model::{Incidence, Model};
use crate::setup::limits::STRENGTH;
use crate::state::State;

/// Particles whose forces repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// Strain at which edges bear [`STRENGTH`]: little enough that a single yarn that holds a whole cloth
/// between two pins at its full width sags no more than longer steps make it; and enough that rows
/// between two pins have a tension.
const GIVE: f64 = 1e-6;

/// A corner of a gauge whose weight is less than this share of the others' has none.
const NO_WEIGHT: f64 = 1e-6;

/// Two particles that are kept at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StripEdge {
    pub ends: [u32; 2],
    /// [m]
    pub rest: f64,
    /// How far it gives way to a force [m/N].
    pub compliance: f64,
    /// The width of cloth that it stands for [m].
    pub width: f64,
    /// Whether it runs along the weft.
    pub weft: bool,
}

/// Edges cut into chains, which are solved group by group.
#[derive(Debug)]
pub(crate) struct ChainSet {
    pub edges: Vec<StripEdge>,
    groups: Vec<Group>,
    homes: Vec<(u32, Home)>,
    /// Which edges are at a particle, and by which end.
    pub incidence: Incidence,
    /// How edges pull on their first ends where a step begins [kg·m].
    first_pulls: Vec<DVec3>,
}

/// What a sweep goes by.
#[derive(Clone, Copy)]
pub(crate) struct SweepStart<'a> {
    /// One over the weight of each particle; zero of what is held [1/kg].
    pub w: &'a [f64],
    pub filters: &'a [Filter],
    /// [s]
    pub h: f64,
    /// Whether pulls start from nothing.
    pub first: bool,
    /// Damping time of elastic edges, over the step.
    pub damping: f64,
    /// How much of the error that an edge starts the step with it may keep.
    pub keep: f64,
}

/// The plan of strips for a model.
#[derive(Debug)]
pub(crate) struct Net {
    pub edges: ChainSet,
    pub diagonals: ChainSet,
    /// Damping time of shear [s].
    pub shear_damping: f64,
    /// The longest step in which diagonals are stable by themselves [s].
    pub explicit_shear: f64,
    /// Lines that bend, in groups that share no particle.
    pub beams: Vec<BeamGroup>,
    /// Damping time of bending [s].
    pub bend_damping: f64,
}

impl Net {
    /// Plans a model, unless its gauges are not the edges of its faces.
    pub fn new(model: &Model) -> Option<Self> {
        let particles = model.particles();
        let edges = edges(model)?;
        let ends: Vec<[u32; 2]> = edges.iter().map(|edge| edge.ends).collect();
        let parts = partition(particles, &model.faces, &ends);
        let (diagonals, shear_damping) = diagonals(model);
        let across: Vec<[u32; 2]> = diagonals.iter().map(|edge| edge.ends).collect();
        let crossing = match diagonals.is_empty() {
            true => Vec::new(),
            false => colour(particles, diagonal_lines(particles, &model.faces, &across)),
        };
        let (beams, bend_damping) = match model.bending() {
            Some(bending) => {
                let rigidity = bending.rigidity();
                let beams =
                    |parts: &Vec<Strip>| BeamGroup::new(particles, parts, &edges, rigidity.along);
                let groups = parts.iter().map(beams);
                (groups.collect(), rigidity.damping)
            }
            None => (Vec::new(), 0.0),
        };
        let diagonals = ChainSet::new(particles, diagonals, crossing);
        Some(Self {
            edges: ChainSet::new(particles, edges, parts),
            explicit_shear: diagonals.longest_explicit_step(&model.masses, shear_damping),
            diagonals,
            shear_damping,
            beams,
            bend_damping,
        })
    }

    /// Whether a model can be planned.
    pub fn suits(model: &Model) -> bool {
        edges(model).is_some()
    }
}

impl ChainSet {
    fn new(particles: usize, edges: Vec<StripEdge>, parts: Vec<Vec<Strip>>) -> Self {
        let of_edges: Vec<[f64; 2]> = edges.iter().map(|e| [e.rest, e.compliance]).collect();
        let mut homes = vec![(0, Home { part: 0, slot: 0 }); edges.len()];
        let groups = (0..).zip(parts).map(|(number, parts)| {
            Group::new(particles, parts, &of_edges, |edge, home| {
                homes[edge as usize] = (number, home);
            })
        });
        let groups = groups.collect();
        let incidence = Incidence::new(particles, edges.iter().map(|edge| edge.ends));
        let first_pulls = vec![DVec3::ZERO; edges.len()];
        Self { edges, groups, homes, incidence, first_pulls }
    }

    /// The total pull of an edge in this step [kg·m].
    #[inline]
    pub fn pull(&self, edge: usize) -> f64 {
        let (group, home) = self.homes[edge];
        self.groups[group as usize].total_pull(home)
    }

    /// Learns which particles are neither free nor held.
    pub fn look_at_filters(&mut self, particles: &(impl Iterator<Item = u32> + Clone)) {
        self.groups.iter_mut().for_each(|group| group.look_at_filters(particles.clone()));
    }

    /// Solves group after group, each from where the last one left the cloth.
    pub fn sweep(&mut self, sweep: &SweepStart, places: &mut [DVec3]) {
        for group in &mut self.groups {
            group.solve(&StripStep {
                places,
                inverse_masses: sweep.w,
                filters: sweep.filters,
                velocities: None,
                first: sweep.first,
                share: 1.0,
                force: 1.0 / (sweep.h * sweep.h),
                damping: sweep.damping,
                keep: sweep.keep,
            });
            group.apply(places);
        }
    }

    /// The longest step in which its edges are stable as explicit springs, by Gershgorin's circles
    /// (as `integrators/explicit.rs` has it) [s].
    fn longest_explicit_step(&self, masses: &[f64], damping: f64) -> f64 {
        let longest = masses.iter().enumerate().map(|(i, mass)| {
            let near = self.incidence.at(i).iter();
            let stiffness: f64 = near.map(|&(e, _)| 1.0 / self.edges[e as usize].compliance).sum();
            let [omega2, gamma] = [2.0 * stiffness / mass, 2.0 * stiffness * damping / mass];
            4.0 / (gamma + (gamma * gamma + 4.0 * omega2).sqrt())
        });
        longest.fold(f64::INFINITY, f64::min)
    }

    /// Adds the forces of its edges as springs to those on the particles [N].
    pub fn add_forces(&self, damping: f64, state: &State, forces: &mut [DVec3]) {
        let (x, v) = (&state.positions, &state.velocities);
        update(forces, GRAIN, |i, force| {
            for &(e, end) in self.incidence.at(i) {
                let edge = &self.edges[e as usize];
                let other = edge.ends[1 - end as usize] as usize;
                let offset = x[other] - x[i];
                let length = offset.length();
                let rate = (v[other] - v[i]).dot(offset) / length;
                let pull = (length - edge.rest + damping * rate) / edge.compliance;
                *force += offset * (pull / length);
            }
        });
    }

    /// Starts a step at these places.
    pub fn note_starts(&mut self, x: &[DVec3]) {
        self.groups.iter_mut().for_each(|group| group.begin(x));
    }

    /// Starts a step of elastic edges at these places, each with a pull to begin with, which moves
    /// its particles at once.
    pub fn begin(
        &mut self,
        x: &[DVec3],
        pull: impl Fn(usize) -> f64 + Sync,
        (w, p): (&[f64], &mut [DVec3]),
    ) {
        self.note_starts(x);
        let edges = &self.edges;
        fill(&mut self.first_pulls, GRAIN, |e| {
            let [a, b] = edges[e].ends.map(|end| x[end as usize]);
            (b - a).normalize_or_zero() * pull(e)
        });
        for (e, &(group, home)) in self.homes.iter().enumerate() {
            self.groups[group as usize].set_pull(home, pull(e));
        }
        let (incidence, pulls) = (&self.incidence, &self.first_pulls);
        update(p, GRAIN, |i, place| {
            for &(e, end) in incidence.at(i) {
                let pull = pulls[e as usize] * w[i];
                *place += if end == 0 { pull } else { -pull };
            }
        });
    }
}

/// The edges of the faces, with the rest lengths of the gauges along them; nothing if a gauge runs
/// along no edge, or an edge has none.
fn edges(model: &Model) -> Option<Vec<StripEdge>> {
    let mut of_gauges = Vec::with_capacity(model.gauges.len());
    for (gauge, &area) in model.gauges.iter().zip(&model.gauge_areas) {
        let (ends, rest) = along_edge(gauge)?;
        of_gauges.push((ends, rest, area / rest, gauge.along == Along::Weft));
    }
    of_gauges.sort_by_key(|gauge| gauge.0);
    let mut edges: Vec<StripEdge> = Vec::new();
    for (ends, rest, width, weft) in of_gauges {
        match edges.last_mut() {
            Some(edge) if edge.ends == ends => edge.width += width,
            _ => edges.push(StripEdge { ends, rest, compliance: 0.0, width, weft }),
        }
    }
    for edge in &mut edges {
        edge.compliance = GIVE / STRENGTH * edge.rest / edge.width;
    }
    let faces = model.faces.edges();
    let same =
        faces.len() == edges.len() && faces.iter().zip(&edges).all(|(f, e)| f.ends == e.ends);
    same.then_some(edges)
}

/// The edge that a gauge runs along, the lower number first, and its rest length.
fn along_edge(gauge: &Gauge) -> Option<([u32; 2], f64)> {
    let largest = gauge.corners().map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
    let mut ends = gauge.corners().filter(|(_, weight)| weight.abs() > NO_WEIGHT * largest);
    let ((a, _), (b, _)) = (ends.next()?, ends.next()?);
    (ends.next().is_none() && a != b).then_some(([a.min(b), a.max(b)], 1.0 / largest))
}

/// Both diagonals of every quad as springs against shear, and their damping time: of cloth of springs
/// those it has, of a continuum those that store the same energy.
fn diagonals(model: &Model) -> (Vec<StripEdge>, f64) {
    let edge = |ends: [u32; 2], rest: f64, stiffness: f64| StripEdge {
        ends,
        rest,
        compliance: 1.0 / stiffness,
        width: 1.0,
        weft: false,
    };
    let quads = || model.faces.iter().all(|corners| corners.len() == 4);
    if !model.shear().is_empty() && quads() {
        let first = &model.shear()[0];
        let all = model.shear().iter().map(|s| edge(s.ends, s.rest_length, s.stiffness));
        return (all.collect(), first.damping / first.stiffness);
    }
    let Some(first) = model.membranes.first().filter(|m| m.shear > 0.0 && quads()) else {
        return (Vec::new(), 0.0);
    };
    let mut all = Vec::new();
    for (corners, two) in model.faces.iter().zip(model.membranes.chunks(2)) {
        let area = two[0].area.abs() + two[1].area.abs();
        let &[a, b, c, d] = corners else { continue };
        for ends in [[a, c], [b, d]] {
            let [from, to] = ends.map(|end| model.rest[end as usize]);
            let rest = from.distance(to);
            all.push(edge(ends, rest, first.shear * rest * rest / (2.0 * area)));
        }
    }
    (all, first.damping[1])
}
