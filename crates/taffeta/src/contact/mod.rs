//! Cloth against solids: contacts as particle constraints (BW98 §5.4, §6; Ye08 §5).
//!
//! A step is tried with the contacts it begins with. Then it is looked at: a particle whose motion
//! meets a solid gets a contact, a contact that pulls is released, one that sticks beyond the
//! friction cone slides and one whose sliding turns round sticks; and the step is tried again,
//! until nothing changes. BW98 let such changes wait for the next step; here a particle is never
//! inside at the end of a step, and only what is left after several rounds waits.

mod active;
mod between;
mod bodies;
mod creep;
mod features;
mod group;
mod inheritance;
mod layers;
mod plan;
mod rounds;
mod row;
mod solids;
mod stage;
mod surroundings;

use glam::DVec3;

pub use rounds::Pinch;

pub(crate) use rounds::{Contacts, Round};
pub(crate) use row::{Row, Slide};
pub(crate) use stage::{Passage, Tried};
pub(crate) use surroundings::{Crossing, Surroundings};

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
