//! What may change while a simulation goes on: its loads, the way of its solids, its yarns, and all
//! of its setup but the cloth's particles.

use glam::DVec3;

use crate::error::SetupError;
use crate::geometry::motion::Motion;
use crate::geometry::solid::Solid;
use crate::setup::Setup;
use crate::setup::loads::Loads;
use crate::woven::Changed;

use super::{Simulation, Snapshot};

impl Simulation {
    /// Other gravity, wind or fan from the next step on. Where keys lead gravity and wind, only the fan
    /// can be another.
    pub fn set_loads(&mut self, loads: Loads) -> Result<(), SetupError> {
        let led = |loads: Loads| (loads.gravity, loads.air.map_or(DVec3::ZERO, |air| air.wind));
        if !self.setup.load_keys.is_empty() && led(loads) != led(self.setup.loads) {
            return Err(SetupError::KeyedLoads);
        }
        let before = std::mem::replace(&mut self.setup.loads, loads);
        let mut problems = Vec::new();
        self.setup.find_bad_loads(&mut problems);
        match problems.into_iter().next() {
            None => Ok(()),
            Some(problem) => {
                self.setup.loads = before;
                Err(problem)
            }
        }
    }

    /// Lets a solid go another way from here on. It should begin where the solid is now: cloth is
    /// not carried along when a solid jumps.
    pub fn move_solid(&mut self, solid: usize, motion: Motion) -> Result<(), SetupError> {
        let solids = self.setup.solids.len();
        let Some(moved) = self.setup.solids.get(solid) else {
            return Err(SetupError::NoSuchSolid { solid, solids });
        };
        let moved = Solid { motion, ..moved.clone() };
        if let Some(problem) = moved.problem() {
            return Err(SetupError::Solid { solid, problem });
        }
        self.setup.solids[solid] = moved;
        Ok(())
    }

    /// Cuts yarns now, by the numbers of the whole cloth's edges; tells how many were whole.
    ///
    /// Cloth that cannot tear cannot be cut.
    pub fn cut(&mut self, edges: &[u32]) -> Result<usize, SetupError> {
        self.hold_crossings();
        let Some(weaving) = &mut self.weaving else { return Err(SetupError::CutNeedsTearing) };
        let known = weaving.woven.edges();
        if let Some(&edge) = edges.iter().find(|edge| **edge as usize >= known) {
            return Err(SetupError::CutOutOfRange { edge, edges: known });
        }
        let mut whole: Vec<u32> = edges.to_vec();
        whole.sort_unstable();
        whole.dedup();
        whole.retain(|&edge| !weaving.tears.torn[edge as usize]);
        let changed = weaving.cut(&whole);
        self.replan(changed)?;
        Ok(whole.len())
    }

    /// Plans anew for what has changed of woven cloth.
    pub(super) fn replan(&mut self, changed: Changed) -> Result<(), SetupError> {
        let Some(weaving) = &mut self.weaving else { return Ok(()) };
        let planned = if changed.topology {
            weaving.carry(&mut self.state);
            // Pairs are other ones where particles have split.
            self.state.pushes.clear();
            self.reweave()
        } else if changed.resolution {
            self.refine()
        } else {
            Ok(())
        };
        self.turn_ties();
        planned
    }

    /// Goes on with another setup of the same cloth: other fabric, pins, solids, loads, limits or
    /// contact. Particles, tears and time stay, and so does all else that means the same in both.
    ///
    /// A hand goes on to hold; other forces and leads from outside are let go. On failure nothing has
    /// changed.
    pub fn go_on_with(&mut self, setup: Setup) -> Result<(), SetupError> {
        let mut next = Self::new(setup)?;
        next.restore(&self.carried_into(&next))?;
        next.hand = self.hand.take();
        next.signal = self.signal();
        *self = next;
        Ok(())
    }

    /// This state as one of another setup of the same cloth.
    fn carried_into(&self, next: &Self) -> Snapshot {
        let mut snapshot = self.snapshot();
        let state = &mut snapshot.state;
        state.anchors = anchors_of(&self.setup, &state.anchors, &next.setup);
        let kept = if next.state.tensions.is_empty() { 0 } else { self.gauges_in(next) };
        if state.tensions.len() != kept {
            state.tensions = vec![0.0; kept];
        }
        let same = |solid: usize| match (self.setup.solids.get(solid), next.setup.solids.get(solid))
        {
            (Some(old), Some(new)) => old.shape == new.shape && old.side == new.side,
            _ => false,
        };
        state.contacts.retain(|contact| same(contact.solid as usize));
        let particles = state.positions.len() as u32;
        let all_same = (0..self.setup.solids.len().max(next.setup.solids.len())).all(same);
        let with_self = next.setup.self_contact.is_some();
        // Vertices of bodies are numbered after the cloth's.
        state.pushes.retain(|push| {
            let own = push.pair.particles.iter().all(|&i| i < particles);
            if own { with_self } else { all_same }
        });
        snapshot.control.h = snapshot.control.h.min(next.longest_step());
        snapshot
    }

    /// How many tensions a state of the cloth as it is has in another setup that keeps some.
    fn gauges_in(&self, next: &Self) -> usize {
        match self.weaving {
            Some(_) => self.model.gauges.len(),
            None => next.state.tensions.len(),
        }
    }
}

/// The anchors of the places of another setup's pins: known where a pin of the same times has held
/// the same particle.
fn anchors_of(old: &Setup, anchors: &[Option<DVec3>], new: &Setup) -> Vec<Option<DVec3>> {
    let places = |setup: &Setup| -> Vec<(u32, [u64; 2])> {
        let of = |pin: &crate::setup::pin::Pin| {
            let times = [pin.from, pin.until].map(f64::to_bits);
            pin.particles.iter().map(|&particle| (particle, times)).collect::<Vec<_>>()
        };
        setup.pins.iter().flat_map(of).collect()
    };
    let known: std::collections::BTreeMap<_, _> =
        places(old).into_iter().zip(anchors.iter().copied()).collect();
    places(new).into_iter().map(|place| known.get(&place).copied().flatten()).collect()
}
