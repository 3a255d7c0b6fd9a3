//! Mass couples: warp and weft where their crossing is split, held at the thickness of the cloth
//! (MBCN09 §3.3).
//!
//! A loose couple is held by the closest pair among its warp and weft springs, along the line
//! between their closest points. The paper moves all four ends by the whole error (eq. 1); here the
//! correction is along that line, equal and opposite, and weighted by the masses, so that it keeps
//! momentum and takes the error once. The line is that of the beginning of the step: it cannot turn
//! round within the step, so that yarns do not pass through each other.
//!
//! Beyond the paper, yarns hold each other by friction, up to a force: what pulls a yarn out of the
//! weave in a test of real cloth. Without it a weave that has loosened anywhere comes undone
//! everywhere.
//!
//! Couples work on previewed places, in turn with a limiter, so that the tension of a yarn knows
//! what holds the yarn.

use glam::DVec3;

use super::cloth::Woven;
use super::tears::{Bond, Tears};
use crate::geometry::collision::edge_edge;
use crate::state::State;
use crate::state::constraint::Constraint;

/// Rounds over all couples where no limiter takes turns with them.
const ROUNDS: u32 = 4;
/// How long a couple takes to come back to its distance [s].
const RECOVERY: f64 = 0.01;

/// The split crossings that hold together.
#[derive(Debug, Default)]
pub(crate) struct Couples {
    all: Vec<Couple>,
    thickness: f64,
    /// The most that yarns hold each other along themselves [N].
    grip: f64,
    /// For steps without a limiter: what each particle does in one.
    places: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    /// Where each particle would be without couples [m].
    ahead: Vec<DVec3>,
}

#[derive(Debug)]
struct Couple {
    bond: Bond,
    /// Warp and weft here.
    own: [u32; 2],
    /// The next particles along the warp, and along the weft; its own where the yarn ends.
    beside: [[u32; 2]; 2],
    /// All of them, for the normal.
    around: [u32; 4],
    warp_over: bool,
    hold: CoupleAim,
}

/// What a couple does in a step: Σ weight·place along a direction is to have a length, and across it
/// to stay where it is.
#[derive(Clone, Copy, Debug, Default)]
struct CoupleAim {
    particles: [u32; 4],
    weights: [f64; 4],
    direction: DVec3,
    length: f64,
    /// Σ weight·place at the beginning of the step [m].
    start: DVec3,
    /// What friction has moved so far, for a particle of unit mass [kg·m], and the most it may.
    held: DVec3,
    most: f64,
}

impl Couples {
    pub fn new(woven: &Woven, tears: &Tears) -> Self {
        let all: Vec<Couple> = tears.couples().map(|own| couple(woven, tears, own)).collect();
        let particles = if all.is_empty() { 0 } else { tears.particles() };
        Self {
            all,
            thickness: woven.thickness,
            grip: woven.tearing.grip,
            places: vec![DVec3::ZERO; particles],
            inverse_masses: vec![0.0; particles],
            ahead: vec![DVec3::ZERO; particles],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Looks at the beginning of a step.
    pub fn aim(&mut self, x: &[DVec3], h: f64) {
        let keep = (1.0 - h / RECOVERY).max(0.0);
        let most = self.grip * h * h;
        for couple in &mut self.all {
            couple.aim(x, self.thickness, keep);
            couple.hold.most = most;
        }
    }

    /// Moves previewed places so that couples keep their distance and do not slide more easily than
    /// they should; `inverse_masses` are one over the masses, zero of what is held [1/kg].
    pub fn project(&mut self, places: &mut [DVec3], inverse_masses: &[f64]) {
        for couple in &mut self.all {
            couple.project(places, inverse_masses);
        }
    }

    /// Corrects candidate velocities where no limiter takes turns with couples.
    pub fn correct(
        &mut self,
        masses: &[f64],
        constraints: &[Constraint],
        h: f64,
        (state, trial): (&State, &mut State),
    ) {
        let (mut places, mut inverse_masses) =
            (std::mem::take(&mut self.places), std::mem::take(&mut self.inverse_masses));
        for (i, place) in places.iter_mut().enumerate() {
            *place = state.positions[i] + trial.velocities[i] * h;
            inverse_masses[i] = 1.0 / masses[i];
        }
        for constraint in constraints {
            inverse_masses[constraint.particle as usize] = 0.0;
        }
        self.ahead.copy_from_slice(&places);
        for _ in 0..ROUNDS {
            self.project(&mut places, &inverse_masses);
        }
        for (velocity, (place, ahead)) in
            trial.velocities.iter_mut().zip(places.iter().zip(&self.ahead))
        {
            *velocity += (*place - *ahead) / h;
        }
        (self.places, self.inverse_masses) = (places, inverse_masses);
    }
}

fn couple(woven: &Woven, tears: &Tears, own: [u32; 2]) -> Couple {
    let (at, bond) = (own[0], tears.bonds[own[0] as usize]);
    let around = woven.around(tears, at);
    let beside = [[around[0], around[1]], [around[2], around[3]]];
    Couple { bond, own, beside, around, warp_over: woven.warp_over(at), hold: CoupleAim::default() }
}

/// The normal of the cloth at a crossing, by the particles around it: the sum of the four triangles
/// there (MBCN09 fig. 3a).
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
        let mut hold = CoupleAim {
            particles: [warp, warp, weft, weft],
            weights: [1.0, 0.0, -1.0, 0.0],
            direction: upright,
            ..CoupleAim::default()
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
        hold.start = hold.sum(|i| x[i]);
        hold.length = thickness + (hold.start.dot(hold.direction) - thickness) * keep;
        self.hold = hold;
    }

    /// Moves the ends of the hold, equally and oppositely by mass.
    fn project(&mut self, places: &mut [DVec3], inverse_masses: &[f64]) {
        let hold = &mut self.hold;
        let inverse_mass: f64 = (0..4)
            .map(|k| hold.weights[k] * hold.weights[k] * inverse_masses[hold.particles[k] as usize])
            .sum();
        if inverse_mass <= 0.0 {
            return;
        }
        let ahead = hold.sum(|i| places[i]);
        let across = |vector: DVec3| vector - hold.direction * vector.dot(hold.direction);
        let along = hold.direction * (hold.length - ahead.dot(hold.direction));
        let sliding = match self.bond {
            Bond::Connected => across(-ahead) / inverse_mass,
            _ => {
                (hold.held + across(hold.start - ahead) / inverse_mass).clamp_length_max(hold.most)
                    - hold.held
            }
        };
        hold.held += sliding;
        let pull = along / inverse_mass + sliding;
        for k in 0..4 {
            let i = hold.particles[k] as usize;
            places[i] += pull * (hold.weights[k] * inverse_masses[i]);
        }
    }
}

impl CoupleAim {
    fn sum(&self, at: impl Fn(usize) -> DVec3) -> DVec3 {
        (0..4).map(|k| at(self.particles[k] as usize) * self.weights[k]).sum()
    }
}
