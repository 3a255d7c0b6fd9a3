//! A hand that pulls a patch of cloth: a damped spring from each particle of the patch to a place
//! that moves along, never stronger than the hand is (BW98 §4.4: the user's mouse).

use glam::{DMat3, DVec3};

use super::Simulation;
use crate::error::SetupError;
use crate::geometry::motion::MOMENT;
use crate::matter::model::Model;
use crate::state::State;
use crate::step::load_forces::LoadForces;

/// A hand and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// The particles it holds.
    pub grips: Vec<HandGrip>,
    /// Where it is \[m\].
    pub place: DVec3,
    /// Force per distance of the whole patch \[N/m\].
    pub stiffness: f64,
    /// Force per relative speed of the whole patch \[N·s/m\].
    pub damping: f64,
    /// The most that it pulls with \[N\].
    pub strength: f64,
}

/// A particle that a hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandGrip {
    /// The particle.
    pub particle: u32,
    /// From the hand to where it wants the particle \[m\].
    pub offset: DVec3,
    /// Its share of the hand's stiffness, damping and strength; all of a patch make one.
    pub share: f64,
}

/// A hand on its way.
#[derive(Clone, Debug)]
pub(super) struct Holding {
    hand: Hand,
    to: DVec3,
    /// When it is to be there [s].
    until: f64,
    /// What it pulled with in the last step [N].
    force: DVec3,
}

/// The spring between a hand and a particle at the beginning of a step.
struct HandSpring {
    stretch: DVec3,
    rate: DVec3,
    stiffness: f64,
    damping: f64,
    strength: f64,
}

impl HandSpring {
    /// The force at the end of a step of this length, if the particle's velocity does not change.
    fn force(&self, h: f64) -> DVec3 {
        (self.stretch + self.rate * h) * self.stiffness + self.rate * self.damping
    }

    /// How that falls with the change of velocity [N·s/m].
    fn slope(&self, h: f64) -> f64 {
        self.stiffness * h + self.damping
    }
}

impl Holding {
    /// Where the hand is at a time of the step that begins at another.
    fn place_at(&self, begin: f64, time: f64) -> DVec3 {
        if time + MOMENT >= self.until {
            return self.to;
        }
        let (from, left) = (self.hand.place, self.until - begin);
        from + (self.to - from) * ((time - begin) / left)
    }

    fn spring(&self, grip: &HandGrip, state: &State, end: f64) -> HandSpring {
        let (i, h) = (grip.particle as usize, end - state.time);
        let (here, there) = (self.hand.place, self.place_at(state.time, end));
        HandSpring {
            stretch: here + grip.offset - state.positions[i],
            rate: (there - here) / h - state.velocities[i],
            stiffness: self.hand.stiffness * grip.share,
            damping: self.hand.damping * grip.share,
            strength: self.hand.strength * grip.share,
        }
    }

    /// Adds what it pulls with in a step that ends at a time. Implicit steps get the slope of the
    /// force as well. Explicit ones get the force that a particle by itself would feel at the end of
    /// an implicit step: whatever the stiffness, it does not overshoot.
    pub(super) fn pull(
        &mut self,
        model: &Model,
        state: &State,
        (end, implicit): (f64, bool),
        loads: &mut LoadForces,
    ) {
        let h = end - state.time;
        self.force = DVec3::ZERO;
        for grip in &self.hand.grips {
            let i = grip.particle as usize;
            let spring = self.spring(grip, state, end);
            let (force, slope) = (spring.force(h), spring.slope(h));
            let damped = force * (model.masses[i] / (model.masses[i] + h * slope));
            // A hand at the end of its strength pulls with it, however far the cloth is.
            let (applied, slope) = match implicit {
                true if force.length() <= spring.strength => (force, slope),
                true => (force.clamp_length_max(spring.strength), 0.0),
                false => (damped.clamp_length_max(spring.strength), 0.0),
            };
            loads.on_particles[i] += applied;
            loads.slopes[i] += DMat3::from_diagonal(DVec3::splat(slope));
            self.force += if implicit { damped.clamp_length_max(spring.strength) } else { applied };
        }
    }

    /// A step was taken: the hand is where it was led, and implicit springs pull as they do there.
    pub(super) fn follow(&mut self, begin: f64, state: &State, implicit: bool) {
        self.hand.place = self.place_at(begin, state.time);
        if implicit {
            let grips = self.hand.grips.iter();
            let force = |grip: &HandGrip| {
                let wanted = self.hand.place + grip.offset;
                let stretch = wanted - state.positions[grip.particle as usize];
                let force = stretch * (self.hand.stiffness * grip.share);
                force.clamp_length_max(self.hand.strength * grip.share)
            };
            self.force = grips.map(force).sum();
        }
    }

    pub(super) fn particles(&self) -> impl Iterator<Item = u32> {
        self.hand.grips.iter().map(|grip| grip.particle)
    }
}

impl Simulation {
    /// A hand takes hold, or lets go: from the next step on, which begins anew. It is no part of a
    /// snapshot.
    pub fn take_hold(&mut self, hand: Option<Hand>) -> Result<(), SetupError> {
        let particles = self.state.positions.len();
        if let Some(hand) = &hand {
            let strange = |grip: &&HandGrip| {
                grip.particle as usize >= particles
                    || !(grip.offset.is_finite() && grip.share.is_finite() && grip.share >= 0.0)
            };
            if let Some(grip) = hand.grips.iter().find(strange) {
                return Err(SetupError::HandGrip { particle: grip.particle, particles });
            }
            let numbers = [hand.stiffness, hand.damping, hand.strength];
            let good = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
            if !(good && hand.place.is_finite()) {
                return Err(SetupError::HandNotFinite);
            }
        }
        let until = self.state.time;
        self.anew = true;
        self.hand = hand.map(|hand| Holding { to: hand.place, hand, until, force: DVec3::ZERO });
        Ok(())
    }

    /// Leads the hand in a straight line at constant speed, so that it is at a place \[m\] at a
    /// time \[s\]; there it stays. Without a hand nothing happens.
    pub fn lead_hand(&mut self, to: DVec3, until: f64) -> Result<(), SetupError> {
        if !(to.is_finite() && until.is_finite()) {
            return Err(SetupError::HandNotFinite);
        }
        if let Some(holding) = &mut self.hand {
            (holding.to, holding.until) = (to, until);
        }
        Ok(())
    }

    /// The hand that holds the cloth now, if one does.
    pub fn hand(&self) -> Option<&Hand> {
        self.hand.as_ref().map(|holding| &holding.hand)
    }

    /// Where the hand is led to \[m\], if there is one.
    pub fn hand_led_to(&self) -> Option<DVec3> {
        self.hand.as_ref().map(|holding| holding.to)
    }

    /// What the hand pulled with in the last step \[N\]; nothing without a hand.
    pub fn hand_force(&self) -> DVec3 {
        self.hand.as_ref().map_or(DVec3::ZERO, |holding| holding.force)
    }
}
