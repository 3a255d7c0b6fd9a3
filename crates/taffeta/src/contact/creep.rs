//! Friction for strips: what sticks creeps.
//!
//! A particle that is held as if nothing could move it passes no pull on, so a row of them would
//! stay where Coulomb's law lets it slide. Instead friction is a drag on every particle, whether it
//! sticks or slides: μN over the speed at which it moves over the surface, but over no less than
//! [`CREEP`] (as in Li et al. 2020, Incremental Potential Contact, where that speed is ε_v). The drag
//! is weight of the particle in the strips' systems, so each takes the share of a pull that its
//! friction can bear, and leaves the rest to the next; what is at rest creeps at less than that
//! speed.

use super::Grip;
use super::active::Active;
use super::group::{CREEP, FRICTION_TOLERANCE, NOTHING, Outcome};

impl Active {
    /// Lets go of what sticks, so that its friction is a drag.
    pub fn creep(&mut self) {
        if self.contact.grip == Grip::Stick {
            self.contact.grip = Grip::Slide;
            self.drag = self.friction_limit * self.contact.force / CREEP;
        }
    }
}

/// Gives every contact the drag that Coulomb's law has at the speed and the force it has now; returns
/// by how much friction changes \[N\].
pub(super) fn keep_creeping(contacts: &mut [Active], outcome: &Outcome) -> f64 {
    let nothing = NOTHING * outcome.inertia / outcome.h;
    let mut misfit = 0.0;
    for active in contacts.iter_mut().filter(|c| c.counts && c.friction_limit > 0.0) {
        let speed = outcome.slip(active).length();
        let limit = active.friction_limit * active.contact.force;
        let drag = limit / speed.max(CREEP);
        let change = ((drag - active.drag) * speed).abs();
        if change > FRICTION_TOLERANCE * limit + nothing {
            misfit += change;
        }
        active.drag = drag;
        if speed < CREEP {
            active.contact.grip = Grip::Stick;
        }
    }
    misfit
}
