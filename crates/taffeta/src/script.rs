//! The Script and Constrain phases: pins move, and their motion becomes (S, z, y).

use glam::DVec3;
use taffeta_linalg::Filter;

use crate::constraint::Constraint;
use crate::pin::Pin;
use crate::state::State;

/// Times closer together than this are the same time [s].
const MOMENT: f64 = 1e-8;

/// Where pins want their particles at the end of the step being tried.
#[derive(Debug)]
pub(crate) struct Targets(Vec<Target>);

#[derive(Debug)]
struct Target {
    particle: u32,
    filter: Filter,
    /// Where the pin wants its particle at the end of the step [m].
    to: DVec3,
    /// How far the pin would carry what is where the particle is now [m].
    travel: DVec3,
}

impl Targets {
    pub fn new(places: usize) -> Self {
        Self(Vec::with_capacity(places))
    }

    /// Moves every pin from the state's time to the trial's. A pin that becomes active takes hold
    /// of its particles where they are; one that ends forgets them.
    pub fn script(&mut self, pins: &[Pin], state: &State, trial: &mut State) {
        self.0.clear();
        let mut places = trial.anchors.iter_mut();
        for pin in pins {
            let holds = pin.holds_at(state.time + MOMENT);
            let filter = pin.filter(trial.time);
            for (&particle, anchor) in pin.particles.iter().zip(&mut places) {
                if !holds {
                    *anchor = None;
                    continue;
                }
                let here = state.positions[particle as usize];
                let body = *anchor.get_or_insert_with(|| pin.motion.body_point(here, state.time));
                let from = pin.motion.place(body, state.time);
                let to = pin.motion.place(body, trial.time);
                // What slides on a turning pin is away from where the pin took hold of it, and
                // moves at the speed of the place where it is.
                let slid = pin.motion.turned_between(here - from, state.time, trial.time);
                let travel = (to - from) + (slid - (here - from));
                self.0.push(Target { particle, filter, to, travel });
            }
        }
    }

    /// Turns the targets into constraints: along its held directions the particle takes the
    /// pin's velocity (z) and what it has strayed from the pin is put right (y).
    pub fn constrain(&self, state: &State, h: f64, constraints: &mut Vec<Constraint>) {
        constraints.clear();
        constraints.extend(self.0.iter().map(|target| {
            let i = target.particle as usize;
            let filter = target.filter;
            let travel = target.travel;
            let velocity_change = filter.held_part(travel / h - state.velocities[i]);
            let correction = filter.held_part(target.to - (state.positions[i] + travel));
            Constraint { particle: target.particle, filter, velocity_change, correction }
        }));
    }
}

/// The next time, up to `end`, at which a pin takes hold or lets go.
///
/// Events less than a moment apart are one: a step of a few bits of the clock would have no
/// velocity, only round-off over round-off.
pub(crate) fn next_event(pins: &[Pin], now: f64, end: f64) -> f64 {
    pins.iter()
        .flat_map(|pin| [pin.from, pin.until])
        .filter(|&event| event > now + MOMENT && event < end - MOMENT)
        .fold(end, f64::min)
}
