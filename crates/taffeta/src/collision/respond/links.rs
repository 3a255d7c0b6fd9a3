//! Which near pairs push each other apart within the implicit solve of a step, and how much.

use glam::DVec3;

use super::Push;
use crate::constraint::Link;
use crate::detection::Pair;
use crate::integrators::Linked;

/// Rounds in which links take hold; later ones are left to impulses.
const LINKING: u32 = 4;
/// Rounds in which links that pull are let go.
const RELEASING: u32 = 5;

/// Links that pull are let go if points would come apart by more than this share of what links may
/// leave to impulses: what some pull, others push, and rub the more for it.
const LEAST_PULL: f64 = 0.1;

/// Points that slide on each other more slowly than this stick, as far as anyone can see [m/s].
const CREEP: f64 = 1e-4;

/// All friction of links together may differ from Coulomb's by this share.
const ROUGH: f64 = 0.02;

/// The near pairs of a step, of which some are linked.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Sorted by pair.
    near: Vec<NearPair>,
    active: Vec<Link>,
    /// The place among the near pairs of each active link.
    places: Vec<u32>,
    round: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPair {
    pub pair: Pair,
    pub link: Link,
    pub linked: bool,
    /// The impulse across the normal [N·s].
    pub rub: DVec3,
}

impl Links {
    /// Begins a step with its near pairs.
    pub fn begin(&mut self, near: impl Iterator<Item = NearPair>) {
        self.round = 0;
        self.near.clear();
        self.near.extend(near);
        self.near.sort_unstable_by_key(|near| near.pair);
        self.gather();
    }

    /// The links of the next round.
    pub fn active(&self) -> &[Link] {
        &self.active
    }

    /// The impulses that a pair was given in the last round, along its normal and across [N·s].
    pub fn carried(&self, pair: &Pair) -> (f64, DVec3) {
        let found = self.near.binary_search_by_key(pair, |near| near.pair);
        found.map_or((0.0, DVec3::ZERO), |at| (self.near[at].link.impulse, self.near[at].rub))
    }

    /// What pushes at the end of a step, sorted.
    pub fn keep(&self, h: f64, pushes: &mut Vec<Push>) {
        pushes.clear();
        let pushing = self.near.iter().filter(|near| near.linked && near.link.impulse > 0.0);
        pushes.extend(pushing.map(|near| Push {
            pair: near.pair,
            force: near.link.impulse / h,
            rub: DVec3::ZERO,
        }));
    }

    /// Looks at a round in which points came apart at `speed` [m/s]; tells whether another one is
    /// needed. That fast they may still come too near [m/s].
    pub fn settle(
        &mut self,
        solved: &[Linked],
        speed: impl Fn(&Link) -> DVec3,
        (friction, enough): (f64, f64),
    ) -> bool {
        self.round += 1;
        let (mut again, mut misfit, mut budget) = (false, 0.0, 0.0);
        for (&place, linked) in self.places.iter().zip(solved) {
            let NearPair { link, rub, linked: active, .. } = &mut self.near[place as usize];
            (link.impulse, *rub) = (linked.push.max(0.0), linked.rub);
            let velocity = speed(link);
            let slip = link.rub_at(velocity, friction);
            // Pushed too far: the impulse is what it took against links that pulled, or in the step
            // before.
            let excess = link.normal.dot(velocity) - link.least_speed;
            again |= link.impulse > 0.0 && excess > enough && self.round < LINKING;
            let (found, wanted) = (rub.length(), friction * link.impulse);
            if slip > CREEP || found > wanted {
                misfit += (found - wanted).abs();
            }
            budget += wanted;
            if linked.pull > LEAST_PULL * enough && self.round < RELEASING {
                *active = false;
                (link.drag, *rub) = (0.0, DVec3::ZERO);
                again = true;
            }
        }
        if self.round < LINKING {
            again |= misfit > ROUGH * budget;
            for NearPair { link, linked, .. } in &mut self.near {
                if link.least_speed - link.normal.dot(speed(link)) > enough {
                    *linked = true;
                    again = true;
                }
            }
        }
        if again {
            self.gather();
        }
        again
    }

    fn gather(&mut self) {
        self.active.clear();
        self.places.clear();
        for (place, near) in self.near.iter().enumerate().filter(|(_, near)| near.linked) {
            self.active.push(near.link);
            self.places.push(place as u32);
        }
    }
}
