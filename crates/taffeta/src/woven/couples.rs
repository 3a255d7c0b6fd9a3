//! Mass couples: warp and weft where their crossing is split, held at the thickness of the cloth
//! (MBCN09 §3.3).
//!
//! A loose couple is held by the closest pair among its warp and weft springs, along the line
//! between their closest points. The paper moves all four ends by the whole error (eq. 1); here the
//! impulse is along that line, equal and opposite, and weighted by the masses, so that it keeps
//! momentum and takes the error once. The line is that of the beginning of the step: it cannot turn
//! round within the step, so that yarns never pass through each other.

use glam::DVec3;
use taffeta_linalg::Filter;

use super::cloth::Woven;
use super::tears::{Bond, Tears};
use super::yarns::Thread;
use crate::collision::edge_edge;
use crate::constraint::Constraint;
use crate::model::Model;
use crate::state::State;

/// Rounds over all couples in a step.
const ROUNDS: u32 = 3;
/// How long a couple takes to come back to its distance [s].
const RECOVERY: f64 = 0.01;

/// The split crossings that hold together.
#[derive(Debug, Default)]
pub(crate) struct Couples {
    all: Vec<Couple>,
    filters: Vec<Filter>,
    thickness: f64,
}

/// A step as couples see it.
pub(crate) struct Coupling<'a> {
    pub model: &'a Model,
    pub constraints: &'a [Constraint],
    pub h: f64,
    pub state: &'a State,
}

#[derive(Debug)]
struct Couple {
    bond: Bond,
    /// Warp and weft here.
    own: [u32; 2],
    /// The next particles along the warp, and along the weft; its own where the yarn ends.
    beside: [[u32; 2]; 2],
    /// Neighbouring crossings, for the normal: left, right, up, down.
    around: [u32; 4],
    warp_over: bool,
    hold: Hold,
}

/// What a couple does in a step: Σ weight·place along a direction is to have a length.
#[derive(Clone, Copy, Debug, Default)]
struct Hold {
    particles: [u32; 4],
    weights: [f64; 4],
    direction: DVec3,
    length: f64,
}

impl Couples {
    pub fn new(woven: &Woven, tears: &Tears) -> Self {
        let split = (0u32..).zip(&tears.bonds);
        let held = split.filter(|(_, bond)| matches!(bond, Bond::Loose | Bond::Connected));
        let all: Vec<Couple> = held.map(|(at, bond)| couple(woven, tears, at, *bond)).collect();
        let filters = if all.is_empty() { 0 } else { tears.particles() };
        Self { all, filters: vec![Filter::FREE; filters], thickness: woven.thickness }
    }

    /// Corrects candidate velocities so that couples keep their distance.
    pub fn hold(&mut self, step: &Coupling, trial: &mut State) {
        if self.all.is_empty() {
            return;
        }
        let Coupling { model, constraints, h, state } = *step;
        for constraint in constraints {
            self.filters[constraint.particle as usize] = constraint.filter;
        }
        let keep = (1.0 - h / RECOVERY).max(0.0);
        for couple in &mut self.all {
            couple.aim(&state.positions, self.thickness, keep);
        }
        for _ in 0..ROUNDS {
            for couple in &self.all {
                couple.pull(&self.filters, &model.masses, (h, state), trial);
            }
        }
        for constraint in constraints {
            self.filters[constraint.particle as usize] = Filter::FREE;
        }
    }
}

fn couple(woven: &Woven, tears: &Tears, at: u32, bond: Bond) -> Couple {
    let own = [at, tears.wefts[at as usize]];
    let next = |thread: Thread, forth: bool| {
        let edge = woven.edge(at, thread, forth).filter(|edge| !tears.torn[*edge as usize]);
        let beside = edge.and_then(|_| woven.beside(at, thread, forth));
        beside.map(|crossing| Woven::particle(tears, crossing, thread))
    };
    let beside = [Thread::Warp, Thread::Weft].map(|thread| {
        [false, true]
            .map(|forth| next(thread, forth).unwrap_or(own[usize::from(thread == Thread::Weft)]))
    });
    let around =
        [(Thread::Warp, false), (Thread::Warp, true), (Thread::Weft, false), (Thread::Weft, true)]
            .map(|(thread, forth)| woven.beside(at, thread, forth).unwrap_or(at));
    let warp_over = woven.warp_over(at);
    Couple { bond, own, beside, around, warp_over, hold: Hold::default() }
}

/// The normal of the cloth at a crossing, by its neighbours left, right, up and down: the sum of
/// the four triangles around it (MBCN09 fig. 3a).
pub(crate) fn normal(positions: &[DVec3], around: [u32; 4]) -> Option<DVec3> {
    let at = |k: usize| positions[around[k] as usize];
    (at(3) - at(2)).cross(at(1) - at(0)).try_normalize()
}

impl Couple {
    /// Chooses what is held together in this step, and how far apart it should end.
    fn aim(&mut self, x: &[DVec3], thickness: f64, keep: f64) {
        let sign = if self.warp_over { 1.0 } else { -1.0 };
        let upright = normal(x, self.around).unwrap_or(DVec3::Y) * sign;
        let [warp, weft] = self.own;
        let mut hold = Hold {
            particles: [warp, warp, weft, weft],
            weights: [1.0, 0.0, -1.0, 0.0],
            direction: upright,
            length: 0.0,
        };
        let mut nearest = f64::INFINITY;
        if self.bond == Bond::Loose {
            for a in self.beside[0].into_iter().filter(|a| *a != warp) {
                for b in self.beside[1].into_iter().filter(|b| *b != weft) {
                    let particles = [warp, a, weft, b];
                    let closest = edge_edge(&particles.map(|p| x[p as usize]));
                    let distance = closest.apart.length();
                    if distance < nearest {
                        nearest = distance;
                        hold.particles = particles;
                        hold.weights = closest.weights;
                        hold.direction = closest.apart.try_normalize().unwrap_or(upright);
                    }
                }
            }
        }
        let apart = hold.apart(x).dot(hold.direction);
        hold.length = thickness + (apart - thickness) * keep;
        self.hold = hold;
    }

    /// Gives the ends of the hold equal and opposite impulses.
    fn pull(
        &self,
        filters: &[Filter],
        masses: &[f64],
        (h, state): (f64, &State),
        trial: &mut State,
    ) {
        let hold = &self.hold;
        let (x, v) = (&state.positions, &mut trial.velocities);
        let ahead = hold.sum(|i| x[i] + v[i] * h);
        let error = match self.bond {
            // Connected yarns do not slide either.
            Bond::Connected => ahead - hold.direction * hold.length,
            _ => hold.direction * (ahead.dot(hold.direction) - hold.length),
        };
        let Some(along) = error.try_normalize() else { return };
        let mobility: f64 = (0..4)
            .map(|k| {
                let i = hold.particles[k] as usize;
                let weight = hold.weights[k];
                weight * weight * filters[i].free_part(along).dot(along) / masses[i]
            })
            .sum();
        if mobility <= 0.0 {
            return;
        }
        let impulse = error / (-h * mobility);
        for k in 0..4 {
            let i = hold.particles[k] as usize;
            v[i] += filters[i].free_part(impulse) * (hold.weights[k] / masses[i]);
        }
    }
}

impl Hold {
    fn apart(&self, x: &[DVec3]) -> DVec3 {
        self.sum(|i| x[i])
    }

    fn sum(&self, at: impl Fn(usize) -> DVec3) -> DVec3 {
        (0..4).map(|k| at(self.particles[k] as usize) * self.weights[k]).sum()
    }
}
