//! All contacts of one particle: what they prescribe, and what their forces say about them.

use glam::DVec3;
use taffeta_linalg::{Filter, HeldDirections};

use super::active::Active;
use super::creep::keep_creeping;
use super::plan::{Answer, Ask, Plan, shares};
use super::{ContactForce, Grip};
use crate::constraint::Constraint;

/// Friction of what slides may differ from Coulomb's by this fraction of it, for it takes the
/// normal force and the speed of the round before; and what sticks may be held by so much more.
pub(super) const FRICTION_TOLERANCE: f64 = 0.01;

/// What slides more slowly than this is at rest, as far as anyone can see; if it needs clearly
/// less than its friction for that, it sticks from the next step on \[m/s\].
pub(super) const CREEP: f64 = 1e-4;

/// As a fraction of the limit of friction, what clearly less than it is.
const RESTING: f64 = 0.9;

/// Changes of velocity below this are nothing \[m/s\].
pub(super) const NOTHING: f64 = 1e-9;

/// The contacts of one particle, which lie side by side in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub particle: u32,
    pub first: usize,
    pub end: usize,
    /// Its place among the step's constraints.
    pub constraint: usize,
    /// What a pin holds.
    pub pin: HeldDirections,
    /// Solids, or a pin, leave it no room.
    pub cramped: bool,
    /// What sticks creeps.
    pub creeping: bool,
}

/// Friction that a round has not found yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misfit {
    /// By how much friction differs from Coulomb's, if it clearly does [N].
    pub force: f64,
    /// What Coulomb's friction is at most [N].
    pub budget: f64,
}

/// What a round found out about one particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<'a> {
    /// The force of its constraint [N].
    pub reaction: DVec3,
    pub filter: Filter,
    /// Its velocity at the end of the step [m/s].
    pub velocity: DVec3,
    /// How it resists being moved [kg].
    pub inertia: f64,
    pub h: f64,
    pub forces: &'a [f64; 3],
}

impl Group {
    /// The constraint that all contacts, and a pin before them, make together.
    pub fn plan(
        &mut self,
        contacts: &mut [Active],
        pin: Option<&Constraint>,
        velocity: DVec3,
        h: f64,
    ) -> Constraint {
        let mut plan = pin.map_or_else(Plan::default, |pin| Plan::pinned(pin, velocity, h));
        self.pin = pin.map_or_else(HeldDirections::default, |pin| HeldDirections::of(&pin.filter));
        self.cramped = false;
        for i in 0..contacts.len() {
            let (before, rest) = contacts.split_at_mut(i);
            let active = &mut rest[0];
            active.counts = false;
            if active.released {
                continue;
            }
            let normal = active.normal;
            let along = normal.dot(active.travel) / h;
            match plan.ask(Ask { normal, velocity: along, rise: active.rise }) {
                Answer::Held => active.counts = true,
                Answer::Spare => {}
                Answer::Short(by) => {
                    let alike = before.iter().any(|b| b.counts && b.normal.dot(normal) > 0.0);
                    let share = self.share_of_way(alike);
                    plan.give_way(normal * (by * share));
                }
            }
        }
        let sticking = contacts.iter().find(|c| !c.released && c.contact.grip == Grip::Stick);
        let mut whole = plan.constraint(self.particle, velocity, sticking.map(|c| c.travel), h);
        let nudge: DVec3 = contacts.iter().map(|c| c.nudge).sum();
        whole.correction += whole.filter.free_part(nudge);
        whole
    }

    /// How far a particle gives way to a surface it is held against. Pins win; between two solids
    /// with no room the middle is left; and what two nearly parallel planes ask, the higher gets.
    fn share_of_way(&mut self, alike: bool) -> f64 {
        match (self.pin.as_slice().is_empty(), alike) {
            (true, true) => 1.0,
            (pinless, _) => {
                self.cramped = true;
                if pinless { 0.5 } else { 0.0 }
            }
        }
    }

    /// The force along the normal of each contact that counts, in their order.
    pub fn normal_forces(&self, contacts: &[Active], reaction: DVec3) -> [f64; 3] {
        let mut normals = [DVec3::ZERO; 3];
        let counting = contacts.iter().filter(|c| c.counts).map(|c| c.normal);
        let held = self.pin.as_slice();
        let mut count = 0;
        for normal in held.iter().copied().chain(counting).take(3) {
            normals[count] = normal;
            count += 1;
        }
        let all = shares(&normals[..count], reaction);
        let mut own = [0.0; 3];
        own[..3 - held.len()].copy_from_slice(&all[held.len()..]);
        own
    }

    /// The contact that pulls most, if one does, and how much \[N\].
    pub fn pulling(&self, contacts: &[Active], outcome: &Outcome) -> Option<(usize, f64)> {
        let nothing = NOTHING * outcome.inertia / outcome.h;
        let mut worst: Option<(usize, f64)> = None;
        let counting = contacts.iter().enumerate().filter(|(_, c)| c.counts);
        for ((i, _), &force) in counting.zip(outcome.forces) {
            if force < -nothing && worst.is_none_or(|(_, most)| -force > most) {
                worst = Some((i, -force));
            }
        }
        worst
    }

    /// Decides what sticks and what slides (Coulomb; BW98 §5.4).
    pub fn grip(&self, contacts: &mut [Active], outcome: &Outcome) -> Misfit {
        let mut budget = 0.0;
        let mut normal_part = self.pin.filter().held_part(outcome.reaction);
        for (active, &force) in contacts.iter_mut().filter(|c| c.counts).zip(outcome.forces) {
            active.contact.force = force.max(0.0);
            budget += active.friction_limit * active.contact.force;
            normal_part += active.normal * force;
        }
        if !self.pin.as_slice().is_empty() {
            // A pin that holds in part carries what it must: friction is not told apart from it.
            return Misfit::default();
        }
        let sticks = contacts.iter().any(|c| c.counts && c.contact.grip == Grip::Stick);
        let force = if self.creeping {
            keep_creeping(contacts, outcome)
        } else if sticks {
            break_loose(contacts, outcome, outcome.reaction - normal_part, budget)
        } else {
            keep_sliding(contacts, outcome)
        };
        Misfit { force, budget }
    }

    /// The forces of the contacts on their particle.
    pub fn forces(&self, contacts: &[Active], outcome: &Outcome, to: &mut Vec<ContactForce>) {
        let stuck = outcome.filter == Filter::HELD;
        let counting = || contacts.iter().filter(|c| c.counts);
        let pushes = counting().zip(outcome.forces).map(|(c, force)| c.normal * *force);
        let along = outcome.reaction - pushes.sum::<DVec3>();
        // What sticks to several surfaces is held by each according to its friction.
        let limit = |c: &Active, force: f64| c.friction_limit * force.max(0.0);
        let budget: f64 = counting().zip(outcome.forces).map(|(c, f)| limit(c, *f)).sum();
        to.extend(counting().zip(outcome.forces).map(|(active, &force)| {
            let share = if budget > 0.0 { limit(active, force) / budget } else { 0.0 };
            let friction = if stuck { along * share } else { outcome.slip(active) * -active.drag };
            ContactForce {
                particle: self.particle,
                solid: active.contact.solid,
                normal: active.normal,
                force: active.normal * force + friction,
            }
        }));
    }
}

/// What sticks with more than its friction allows, slides; returns by how much more \[N\].
fn break_loose(contacts: &mut [Active], outcome: &Outcome, tangential: DVec3, budget: f64) -> f64 {
    let nothing = NOTHING * outcome.inertia / outcome.h;
    let excess = tangential.length() - budget;
    if excess <= budget * FRICTION_TOLERANCE + nothing {
        return 0.0;
    }
    // As if no neighbour moved; the next rounds know how the cloth around it resists.
    let speed = excess * outcome.h / outcome.inertia;
    for active in contacts.iter_mut().filter(|c| !c.released) {
        active.contact.grip = Grip::Slide;
        active.drag = active.friction_limit * active.contact.force / speed.max(CREEP);
    }
    excess
}

/// What slides does so against friction, as strong as Coulomb's law has it at the speed of the
/// round before; returns by how much that differs from what it was \[N\].
///
/// With given normal forces the rounds minimise a convex function, inertia and elasticity with
/// Σ μ·N·|slip|, by squares that touch it from above: each comes nearer, so that none is undone by
/// the next, however stiffly the cloth joins particles. To guess which of them will stick, as one
/// can for a particle alone, made such cloth stick and slide in turns without end.
fn keep_sliding(contacts: &mut [Active], outcome: &Outcome) -> f64 {
    let nothing = NOTHING * outcome.inertia / outcome.h;
    let mut misfit = 0.0;
    for active in contacts.iter_mut().filter(|c| c.counts && c.friction_limit > 0.0) {
        let speed = outcome.slip(active).length();
        let wanted = active.friction_limit * active.contact.force;
        let found = active.drag * speed;
        active.rests = speed < CREEP && found < RESTING * wanted;
        let still = speed < CREEP && found <= wanted;
        if still || (found - wanted).abs() <= FRICTION_TOLERANCE * wanted + nothing {
            continue;
        }
        misfit += (found - wanted).abs();
        active.drag = wanted / speed.max(CREEP);
    }
    misfit
}

impl Outcome<'_> {
    /// How a particle moves over a surface \[m/s\].
    pub(super) fn slip(&self, active: &Active) -> DVec3 {
        self.filter.free_part(self.velocity - active.surface_velocity(self.h))
    }
}
