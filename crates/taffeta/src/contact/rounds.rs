//! The rounds of a step: which contacts it begins with, and what each round changes.

use glam::{DMat3, DVec3};
use taffeta_linalg::{Filter, HeldDirections, fill};

use super::active::Active;
use super::features::Features;
use super::group::{FRICTION_TOLERANCE, Group, Misfit, Outcome};
use super::stage::{Passage, Stage, Tried};
use super::{Contact, ContactForce};
use crate::collision::respond::Wall;
use crate::constraint::Constraint;
use crate::model::Model;
use crate::solid::{Solid, Touch};
use crate::state::State;

/// Particles whose look at a solid repays a hand-over to another thread.
const GRAIN: usize = 512;

/// Rounds of its own in which a contact may be released; later wishes wait for the next step.
const RELEASING: u32 = 4;

/// Rounds that are taken for friction. For a particle alone two are enough.
const GRIPPING: u32 = 6;

/// Rounds after which a particle that is still in the way of a solid makes the step fail.
const MOST_ROUNDS: u32 = 16;

/// Between two solids, or a solid and a pin, there is no room for this particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinch {
    /// The particle.
    pub particle: u32,
    /// One of the solids.
    pub solid: u32,
}

/// What a round comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// Nothing changes any more.
    Settled,
    /// Contacts have changed: the step has to be tried again.
    Again,
    /// A particle would be inside a solid, whatever is tried.
    Blocked { particle: u32, solid: u32 },
}

/// What was done about one particle.
enum Settled {
    /// A contact was let go: the step has to be tried again.
    Released,
    /// Friction has changed by so much.
    Gripped(Misfit),
}

/// The contacts of the step being tried.
#[derive(Debug)]
pub(crate) struct Contacts {
    /// Sorted by particle and solid.
    pub(super) active: Vec<Active>,
    groups: Vec<Group>,
    /// What pins prescribe, and for each particle its pin's place there.
    pins: Vec<Constraint>,
    pin_of: Vec<Option<u32>>,
    /// Particles that are not looked at: held by a pin, or with no room to go to.
    pub(super) excused: Vec<bool>,
    pub(super) stage: Stage,
    pub(super) features: Option<Features>,
    /// Whether what sticks creeps, so that pulls of strips act on it.
    creeping: bool,
    /// Parts of solids that could not be kept from cutting the cloth between its particles.
    pub pierced: u32,
    /// Where each particle meets one solid, and all meetings with all of them.
    touches: Vec<Option<Touch>>,
    met: Vec<([u32; 2], Touch)>,
    predicted: Vec<DVec3>,
    loads: Vec<DVec3>,
    drag: Vec<DMat3>,
    pub(super) round: u32,
    /// Contacts that still pull, or whose friction is not Coulomb's yet.
    pub unsettled: u32,
    /// How much they pull, and by how much friction differs, all together [N].
    pub unsettled_force: f64,
    /// What each solid did to each particle in the last round.
    pub forces: Vec<ContactForce>,
}

impl Contacts {
    pub fn new(model: &Model, solids: &[Solid], creeping: bool) -> Self {
        let particles = if solids.is_empty() { 0 } else { model.particles() };
        Self {
            active: Vec::new(),
            groups: Vec::new(),
            pins: Vec::new(),
            pin_of: vec![None; particles],
            excused: vec![false; particles],
            stage: Stage::new(solids),
            features: Features::new(&model.faces, model.particles(), solids, (0.0, |_| true)),
            creeping,
            pierced: 0,
            touches: vec![None; particles],
            met: Vec::new(),
            predicted: vec![DVec3::ZERO; particles],
            loads: vec![DVec3::ZERO; particles],
            drag: vec![DMat3::ZERO; particles],
            round: 0,
            unsettled: 0,
            unsettled_force: 0.0,
            forces: Vec::new(),
        }
    }

    /// The contacts a step begins with: those of the step before, and those of particles that
    /// would meet a solid at the velocity they have.
    pub fn begin(&mut self, passage: &Passage, pins: &[Constraint]) {
        self.round = 0;
        self.active.clear();
        self.groups.clear();
        self.pins.clear();
        self.pins.extend_from_slice(pins);
        if passage.solids.is_empty() {
            return;
        }
        self.pin_of.fill(None);
        self.excused.fill(false);
        for (place, pin) in pins.iter().enumerate() {
            self.pin_of[pin.particle as usize] = Some(place as u32);
            self.excused[pin.particle as usize] = pin.filter == Filter::HELD;
        }
        self.stage.place(passage);
        fill(&mut self.predicted, GRAIN, |i| passage.coasting(i));
        for contact in passage.state.contacts.iter().filter(|contact| !contact.beside) {
            let i = contact.particle as usize;
            if !self.excused[i] {
                let placed = self.stage.placed(passage, contact.solid);
                let course = passage.course(i, self.predicted[i]);
                self.active.extend(Active::renewed(contact, &placed, &course));
            }
        }
        let predicted = std::mem::take(&mut self.predicted);
        self.meet(passage, &predicted, None);
        self.predicted = predicted;
        self.begin_between(passage);
    }

    /// Adds contacts to the constraints of pins, and their friction to the loads.
    pub fn constrain(&mut self, passage: &Passage, constraints: &mut Vec<Constraint>) {
        constraints.clear();
        constraints.extend_from_slice(&self.pins);
        self.groups.clear();
        if self.creeping {
            self.active.iter_mut().for_each(Active::creep);
        }
        let mut first = 0;
        while first < self.active.len() {
            let particle = self.active[first].contact.particle;
            let own = self.active[first..].iter();
            let end = first + own.take_while(|a| a.contact.particle == particle).count();
            if self.active[first..end].iter().any(Active::matters) {
                self.constrain_one(passage, first..end, constraints);
            }
            first = end;
        }
        self.rub(passage);
    }

    fn constrain_one(
        &mut self,
        passage: &Passage,
        range: std::ops::Range<usize>,
        constraints: &mut Vec<Constraint>,
    ) {
        let particle = self.active[range.start].contact.particle;
        let velocity = passage.state.velocities[particle as usize];
        let pin = self.pin_of[particle as usize].map(|place| place as usize);
        let mut group = Group {
            particle,
            first: range.start,
            end: range.end,
            constraint: pin.unwrap_or(constraints.len()),
            pin: HeldDirections::default(),
            cramped: false,
            creeping: self.creeping,
        };
        let own = &mut self.active[range];
        let pinned = pin.map(|place| &self.pins[place]);
        let constraint = group.plan(own, pinned, velocity, passage.h);
        match pin {
            Some(place) => constraints[place] = constraint,
            None => constraints.push(constraint),
        }
        self.excused[particle as usize] = group.cramped;
        self.groups.push(group);
    }

    /// The loads with the friction of what slides, and how they grow with each particle's velocity,
    /// with the sign turned.
    pub fn loads<'a>(&'a self, passage: &Passage<'a>) -> (&'a [DVec3], &'a [DMat3]) {
        if self.active.is_empty() {
            return (passage.loads, passage.drag);
        }
        (&self.loads, &self.drag)
    }

    /// Adds friction to the loads.
    ///
    /// Friction is a drag whose strength comes from the round before: it never turns a particle
    /// round, however stiff the cloth (as lagged friction in Li et al. 2020, Incremental Potential
    /// Contact).
    fn rub(&mut self, passage: &Passage) {
        if self.active.is_empty() {
            return;
        }
        self.loads.copy_from_slice(passage.loads);
        self.drag.copy_from_slice(passage.drag);
        for active in self.active.iter().filter(|a| !a.released && a.drag > 0.0) {
            let i = active.contact.particle as usize;
            let along = Filter::in_plane(active.normal);
            let slip = passage.state.velocities[i] - active.surface_velocity(passage.h);
            self.loads[i] -= along.free_part(slip) * active.drag;
            self.drag[i] += along.matrix() * active.drag;
        }
    }

    /// Looks at a round that was tried; changes what has to change.
    pub fn settle(&mut self, passage: &Passage, trial: &State, tried: &Tried) -> Round {
        if passage.solids.is_empty() {
            return Round::Settled;
        }
        self.round += 1;
        (self.unsettled, self.unsettled_force) = (0, 0.0);
        self.forces.clear();
        let (mut changed, mut rubbing) = (false, Misfit::default());
        for g in 0..self.groups.len() {
            let group = self.groups[g];
            match self.settle_group(&group, trial, tried, passage.h) {
                Settled::Released => changed = true,
                Settled::Gripped(misfit) => {
                    rubbing.force += misfit.force;
                    rubbing.budget += misfit.budget;
                }
            }
        }
        if rubbing.force > rubbing.budget {
            // More breaks loose than all friction holds. Its load goes to what still sticks beside
            // it, which would break loose in turn, one row of particles in a round.
            self.active.iter_mut().filter(|a| !a.released).for_each(Active::creep);
        }
        let rough = rubbing.force > FRICTION_TOLERANCE * rubbing.budget;
        changed |= rough && self.round <= GRIPPING;
        match self.look_again(passage, trial) {
            Round::Settled if changed => Round::Again,
            round => round,
        }
    }

    /// Looks for cloth that meets solids, whatever moved it.
    pub fn look_again(&mut self, passage: &Passage, trial: &State) -> Round {
        if passage.solids.is_empty() {
            return Round::Settled;
        }
        let lifted = self.look_between(passage, trial);
        match self.meet(passage, &trial.positions, Some(&trial.velocities)) {
            Some((particle, solid)) if self.round >= MOST_ROUNDS => {
                Round::Blocked { particle, solid }
            }
            None if !lifted => Round::Settled,
            _ => Round::Again,
        }
    }

    /// The surfaces of solids that particles would be pushed into on their way to the candidate
    /// positions.
    pub fn walls(&mut self, passage: &Passage, candidates: &[DVec3]) -> Vec<Wall> {
        self.find_touches(passage, candidates);
        let wall = |&(ids, touch): &([u32; 2], Touch)| {
            let [particle, solid] = ids;
            let course = passage.course(particle as usize, candidates[particle as usize]);
            let placed = self.stage.placed(passage, solid);
            let Active { normal, rise, .. } = Active::new(ids, touch, &placed, &course);
            Wall::new(particle, normal, normal.dot(course.from) + rise)
        };
        self.met.iter().map(wall).collect()
    }

    /// Finds which particles meet which solid on their ways to the candidate positions, and where;
    /// solid by solid.
    fn find_touches(&mut self, passage: &Passage, candidates: &[DVec3]) {
        self.met.clear();
        for solid in 0..passage.solids.len() as u32 {
            let placed = self.stage.placed(passage, solid);
            let (excused, from) = (&self.excused, &passage.state.positions);
            fill(&mut self.touches, GRAIN, |i| match excused[i] {
                true => None,
                false => placed.touch(from[i], candidates[i]),
            });
            let touches = self.touches.iter().zip(0..);
            self.met.extend(touches.filter_map(|(touch, i)| Some(([i, solid], (*touch)?))));
        }
    }

    /// Lets go of what pulls most of one particle's contacts (BW98 §5.4), or else looks at friction.
    fn settle_group(&mut self, group: &Group, trial: &State, tried: &Tried, h: f64) -> Settled {
        let own = &mut self.active[group.first..group.end];
        let reaction = tried.reactions[group.constraint];
        let forces = group.normal_forces(own, reaction);
        let outcome = Outcome {
            reaction,
            filter: tried.constraints[group.constraint].filter,
            velocity: trial.velocities[group.particle as usize],
            inertia: tried.inertia[group.particle as usize],
            h,
            forces: &forces,
        };
        group.forces(own, &outcome, &mut self.forces);
        if group.cramped {
            return Settled::Gripped(Misfit::default());
        }
        for active in own.iter_mut().filter(|a| !a.counts) {
            active.released = true;
        }
        own.iter_mut().filter(|a| a.counts).for_each(|a| a.rounds += 1);
        let pulling = group.pulling(own, &outcome);
        if let Some((worst, _)) = pulling
            && !own[worst].firm
            && own[worst].rounds <= RELEASING
        {
            own[worst].released = true;
            return Settled::Released;
        }
        let misfit = match pulling {
            Some((_, force)) => Misfit { force, budget: 0.0 },
            None => group.grip(own, &outcome),
        };
        if misfit.force > 0.0 {
            self.unsettled += own.iter().filter(|a| a.counts).count() as u32;
            self.unsettled_force += misfit.force;
        }
        // What pulls and may not be let go any more waits for the next step.
        Settled::Gripped(if pulling.is_some() { Misfit::default() } else { misfit })
    }

    /// Finds the particles that meet a solid on their way to the candidate positions, and gives
    /// them contacts; returns the first of them. Contacts that are there already are moved if a
    /// round has shown at which velocities particles come there.
    fn meet(
        &mut self,
        passage: &Passage,
        candidates: &[DVec3],
        velocities: Option<&[DVec3]>,
    ) -> Option<(u32, u32)> {
        self.find_touches(passage, candidates);
        let (mut first, known) = (None, self.active.len());
        for &(ids, touch) in &self.met {
            let [particle, solid] = ids;
            let placed = self.stage.placed(passage, solid);
            let course = passage.course(particle as usize, candidates[particle as usize]);
            match (self.known(ids, &touch, known), velocities) {
                (Some(at), Some(velocities)) => {
                    let velocity = velocities[particle as usize];
                    self.active[at].move_to(touch, &placed, &course, velocity);
                }
                (Some(_), None) => continue,
                (None, _) => self.active.push(Active::new(ids, touch, &placed, &course)),
            }
            first.get_or_insert((particle, solid));
        }
        self.active.sort_by_key(|a| (a.contact.particle, a.contact.solid));
        first
    }

    /// The contact that a touch belongs to, among those known before.
    pub(super) fn known(
        &self,
        [particle, solid]: [u32; 2],
        touch: &Touch,
        known: usize,
    ) -> Option<usize> {
        let key = |a: &Active| (a.contact.particle, a.contact.solid);
        let sorted = &self.active[..known];
        let first = sorted.partition_point(|a| key(a) < (particle, solid));
        let own = sorted[first..].iter().take_while(|a| key(a) == (particle, solid));
        own.zip(first..).find(|(a, _)| a.is_at(touch)).map(|(_, at)| at)
    }

    /// The contacts that a good step leaves, in the order they are looked for.
    pub fn keep(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        contacts.extend(self.active.iter().filter(|a| !a.released).map(Active::kept));
    }

    /// How many constraints are those of pins, which come first.
    pub fn pinned(&self) -> usize {
        self.pins.len()
    }

    /// The particles that have no room.
    pub fn pinches(&self) -> impl Iterator<Item = Pinch> {
        self.groups.iter().filter(|group| group.cramped).map(|group| Pinch {
            particle: group.particle,
            solid: self.active[group.first].contact.solid,
        })
    }
}
