//! What a step gives contacts to see: the state, the solids at both ends, what came of a round.

use glam::{DMat3, DVec3};

use super::Contact;
use super::active::Course;
use crate::constraint::Constraint;
use crate::solid::{Placed, PosedSolids, Solid};
use crate::state::State;

/// A step as contacts see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<'a> {
    pub solids: &'a [Solid],
    pub masses: &'a [f64],
    pub loads: &'a [DVec3],
    pub drag: &'a [DMat3],
    pub state: &'a State,
    pub end: f64,
    pub h: f64,
}

/// What came of trying a round, besides the state.
pub(crate) struct Tried<'a> {
    pub constraints: &'a [Constraint],
    /// The force of each of them [N].
    pub reactions: &'a [DVec3],
    /// How each particle resists being moved, its neighbours being held [kg].
    pub inertia: &'a [f64],
}

/// Where the solids are in the step being tried.
#[derive(Debug)]
pub(super) struct Stage(PosedSolids);

impl Stage {
    pub fn new(solids: &[Solid]) -> Self {
        Self(PosedSolids::new(solids))
    }

    pub fn place(&mut self, passage: &Passage) {
        self.0.place(passage.solids, [passage.state.time, passage.end]);
    }

    pub fn placed<'a>(&'a self, passage: &Passage<'a>, solid: u32) -> Placed<'a> {
        self.0.placed(passage.solids, solid, passage.h)
    }
}

impl Passage<'_> {
    /// What a contact of the step before was like that held cloth beside this particle.
    pub(super) fn before(&self, [particle, solid]: [u32; 2]) -> Option<&Contact> {
        let contacts = &self.state.contacts;
        let key = |c: &Contact| (c.particle, c.solid);
        let first = contacts.partition_point(|c| key(c) < (particle, solid));
        let mut own = contacts[first..].iter().take_while(|c| key(c) == (particle, solid));
        own.find(|contact| contact.beside)
    }

    pub(super) fn course(&self, i: usize, to: DVec3) -> Course {
        let State { positions, velocities, .. } = self.state;
        Course { mass: self.masses[i], h: self.h, from: positions[i], velocity: velocities[i], to }
    }

    /// Where a particle would come to at the velocity it has.
    pub(super) fn coasting(&self, i: usize) -> DVec3 {
        self.state.positions[i] + self.state.velocities[i] * self.h
    }
}
