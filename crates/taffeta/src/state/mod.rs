//! The state: all that changes within a step, copied for a trial and swapped in when it is good.

pub(crate) mod constraint;
pub(crate) mod touch;

use glam::DVec3;
use taffeta_linalg::both;

use crate::state::touch::{Contact, Push};

/// Where everything is and how it moves at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Simulated time \[s\].
    pub time: f64,
    /// Particle positions \[m\].
    pub positions: Vec<DVec3>,
    /// Particle velocities \[m/s\].
    pub velocities: Vec<DVec3>,
    /// For each place of each pin in order, where the pin's motion carries the particle from:
    /// known from the moment the pin takes hold until it lets go.
    pub anchors: Vec<Option<DVec3>>,
    /// The tension of each gauge \[N/m\], where a limiter goes on from it; otherwise none.
    pub tensions: Vec<f64>,
    /// The particles that touch solids, sorted by particle and solid.
    pub contacts: Vec<Contact>,
    /// Where the cloth pushed itself apart in the last implicit step, sorted by pair.
    pub pushes: Vec<Push>,
}

impl State {
    /// At rest at time zero.
    pub(crate) fn at_rest(positions: Vec<DVec3>, places: usize, tensions: usize) -> Self {
        let velocities = vec![DVec3::ZERO; positions.len()];
        let (anchors, tensions) = (vec![None; places], vec![0.0; tensions]);
        let (contacts, pushes) = (Vec::new(), Vec::new());
        Self { time: 0.0, positions, velocities, anchors, tensions, contacts, pushes }
    }

    /// Whether every number in it is one.
    pub(crate) fn is_finite(&self) -> bool {
        let anchors = self.anchors.iter().flatten();
        let mut vectors = self.positions.iter().chain(&self.velocities).chain(anchors);
        self.time.is_finite()
            && vectors.all(|vector| vector.is_finite())
            && self.tensions.iter().all(|tension| tension.is_finite())
            && self.contacts.iter().all(Contact::is_sound)
            && self.pushes.iter().all(Push::is_sound)
    }

    /// Becomes a copy of another state without allocating.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        let Self { positions, velocities, tensions, .. } = self;
        both(
            || positions.copy_from_slice(&other.positions),
            || {
                velocities.copy_from_slice(&other.velocities);
                tensions.copy_from_slice(&other.tensions);
            },
        );
        self.anchors.copy_from_slice(&other.anchors);
        self.contacts.clone_from(&other.contacts);
        self.pushes.clone_from(&other.pushes);
    }
}
