//! What touches what: the part of contact that users set, states keep and reports tell.

use glam::DVec3;

use crate::geometry::detection::Pair;

/// How two parts of the cloth pushed each other apart. Part of the state: a run goes on from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The parts.
    pub pair: Pair,
    /// How strongly \[N\].
    pub force: f64,
    /// How they rubbed on each other, where steps go on from it: the force on the first \[N\].
    pub rub: DVec3,
}

impl Push {
    /// Whether its numbers can be gone on from.
    pub(crate) fn is_sound(&self) -> bool {
        self.force.is_finite() && self.force >= 0.0 && self.rub.is_finite()
    }
}

/// What contact did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactTally {
    /// Times that near pairs were looked for in all of the cloth.
    pub detections: u64,
    /// Pairs near enough to each other to be followed, over all steps.
    pub pairs: u64,
    /// Contacts that impulses were solved for, over all steps.
    pub contacts: u64,
    /// Steps discarded because pairs could not be kept apart.
    pub retries: u32,
}

impl ContactTally {
    /// Takes more of the same in.
    pub(crate) fn add(&mut self, more: Self) {
        self.detections += more.detections;
        self.pairs += more.pairs;
        self.contacts += more.contacts;
        self.retries += more.retries;
    }
}

/// A particle that touches a solid. Part of the state: a run goes on from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The particle.
    pub particle: u32,
    /// The solid, by its place in the list.
    pub solid: u32,
    /// A point of the surface under the particle, in the solid's own frame \[m\].
    pub point: DVec3,
    /// Towards the particle's side, of unit length, in the solid's own frame.
    pub normal: DVec3,
    /// Whether it sticks or slides.
    pub grip: Grip,
    /// The force with which the solid pushes the particle along the normal \[N\].
    pub force: f64,
    /// The force of friction on the particle, in the solid's own frame, where steps go on from it
    /// \[N\].
    pub rub: DVec3,
    /// Whether it is not the particle that touches, but a face or an edge of cloth at it, which an
    /// edge or corner of the solid presses against.
    pub beside: bool,
}

impl Contact {
    /// Whether its numbers can be gone on from.
    pub(crate) fn is_sound(&self) -> bool {
        let unit = (self.normal.length() - 1.0).abs() < 1e-6;
        self.point.is_finite()
            && unit
            && self.force.is_finite()
            && self.force >= 0.0
            && self.rub.is_finite()
    }
}

/// How a particle is held along a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// It follows the surface.
    Stick,
    /// It moves over the surface against Coulomb's friction.
    Slide,
}

/// What a solid does to a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The particle.
    pub particle: u32,
    /// The solid.
    pub solid: u32,
    /// The surface's normal, of unit length.
    pub normal: DVec3,
    /// The force on the particle, friction included \[N\].
    pub force: DVec3,
}

/// Between two solids, or a solid and a pin, there is no room for this particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinch {
    /// The particle.
    pub particle: u32,
    /// One of the solids.
    pub solid: u32,
}
