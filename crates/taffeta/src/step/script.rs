//! The Script and Constrain phases: pins move, and their motion becomes (S, z, y).

use glam::DVec3;
use taffeta_linalg::Filter;

use crate::geometry::guide::Guide;
use crate::geometry::motion::{MOMENT, Motion};
use crate::setup::pin::{Hold, Pin};
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::step::passage::Passage;

/// The speed at which a guide that takes hold of particles away from it brings them there [m/s].
const APPROACH: f64 = 1.0;

/// Where a place of a pin is led from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub to: DVec3,
    /// When it is to be there [s].
    pub until: f64,
}

impl Lead {
    /// Where a step between two times that begins here ends.
    fn after(&self, from: DVec3, [begin, end]: [f64; 2]) -> DVec3 {
        if end + MOMENT >= self.until {
            return self.to;
        }
        from + (self.to - from) * ((end - begin) / (self.until - begin))
    }
}

/// Where pins want their particles at the end of the step being tried.
#[derive(Debug)]
pub(crate) struct Targets(Vec<Target>);

#[derive(Debug)]
struct Target {
    pin: usize,
    particle: u32,
    filter: Filter,
    /// Where the pin wants its particle at the end of the step [m].
    to: DVec3,
    /// How far the pin would carry what is where the particle is now [m].
    travel: DVec3,
    /// Whether it is still on its way to a guide.
    away: bool,
}

impl Targets {
    pub fn new(places: usize) -> Self {
        Self(Vec::with_capacity(places))
    }

    /// Moves every pin from the state's time to the trial's. A pin that becomes active takes hold
    /// of its particles where they are; one that ends forgets them. A place that is led from outside
    /// is anchored anew in every step, so that whoever goes on from the state finds it there.
    pub fn script(
        &mut self,
        pins: &[Pin],
        leads: &[Option<Lead>],
        state: &State,
        trial: &mut State,
    ) {
        self.0.clear();
        let mut leads = leads.iter().copied().chain(std::iter::repeat(None));
        let mut places = trial.anchors.iter_mut();
        for (number, pin) in pins.iter().enumerate() {
            let holds = pin.holds_at(state.time + MOMENT);
            let filter = pin.filter(trial.time);
            for (&particle, anchor) in pin.particles.iter().zip(&mut places) {
                let lead = leads.next().flatten();
                if !holds {
                    *anchor = None;
                    continue;
                }
                let here = state.positions[particle as usize];
                if let Hold::Guide(guide) = &pin.hold {
                    let ride = Ride { guide, motion: &pin.motion, times: [state.time, trial.time] };
                    let velocity = state.velocities[particle as usize];
                    self.0.push(ride.target(number, particle, [here, velocity]));
                    continue;
                }
                let body = *anchor.get_or_insert_with(|| pin.motion.body_point(here, state.time));
                let from = pin.motion.place(body, state.time);
                let mut to = pin.motion.place(body, trial.time);
                if let Some(lead) = lead {
                    to = lead.after(from, [state.time, trial.time]);
                    *anchor = Some(pin.motion.body_point(to, trial.time));
                }
                // What slides on a turning pin is away from where the pin took hold of it, and
                // moves at the speed of the place where it is.
                let slid = pin.motion.turned_between(here - from, state.time, trial.time);
                let travel = (to - from) + (slid - (here - from));
                self.0.push(Target { pin: number, particle, filter, to, travel, away: false });
            }
        }
    }

    /// Puts particles that slid along a guide onto it, to the last bit, and turns their velocities
    /// into its tangents with the speed they have; where a curve ends they stop. The forces this
    /// takes join the reactions.
    ///
    /// The linear system has brought them as near as coasting would (y); what is left is of second
    /// order in the change of their velocity.
    pub fn settle(&self, passage: &Passage, trial: &mut State, reactions: &mut [DVec3]) {
        let begin = passage.state.time;
        let times = [begin, trial.time];
        for (target, reaction) in self.0.iter().zip(reactions) {
            let pin = &passage.setup.pins[target.pin];
            let Hold::Guide(guide) = &pin.hold else { continue };
            if target.away {
                continue;
            }
            let particle = target.particle as usize;
            let ride = Ride { guide, motion: &pin.motion, times };
            let (landing, filter, travel, end) = ride.land(trial.positions[particle]);
            let h = times[1] - times[0];
            let riding = trial.velocities[particle] - travel / h;
            let along = filter.free_part(riding);
            let turned = along.normalize_or_zero() * riding.length();
            let velocity = travel / h + if end { DVec3::ZERO } else { turned };
            let change = velocity - trial.velocities[particle];
            *reaction += change * (passage.model.masses[particle] / h);
            trial.positions[particle] = landing;
            trial.velocities[particle] = velocity;
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

/// A particle on a guide that moves.
struct Ride<'a> {
    guide: &'a Guide,
    motion: &'a Motion,
    /// Beginning and end of the step [s].
    times: [f64; 2],
}

impl Ride<'_> {
    /// The place on the guide nearest to a place at the end of the step, as it is there then, and
    /// how far the guide carries it in the step.
    fn land(&self, place: DVec3) -> (DVec3, Filter, DVec3, bool) {
        let [begin, end] = self.times;
        let foot = self.guide.nearest(self.motion.body_point(place, end));
        let [from, to] = [begin, end].map(|time| self.motion.place(foot.place, time));
        (to, foot.free.filter(|d| self.motion.turn(d, end)), to - from, foot.end)
    }

    /// Where a particle here, at this velocity, is wanted: where it would come to coasting along
    /// the guide. The directions it is free in are those where it is now.
    fn target(&self, pin: usize, particle: u32, [here, velocity]: [DVec3; 2]) -> Target {
        let [begin, end] = self.times;
        let foot = self.guide.nearest(self.motion.body_point(here, begin));
        let [from, now] = [begin, end].map(|time| self.motion.place(foot.place, time));
        let filter = foot.free.filter(|direction| self.motion.turn(direction, end));
        let travel = now - from;
        // A pin never makes a particle jump: what is away is brought there at a speed.
        let (way, reach) = (from - here, APPROACH * (end - begin));
        if way.length() > reach {
            let to = here + travel + way * (reach / way.length());
            return Target { pin, particle, filter: Filter::HELD, to, travel, away: true };
        }
        let slide = filter.free_part(velocity * (end - begin) - travel);
        let (landing, ..) = self.land(now + slide);
        // `constrain` adds to where the particle is what the pin carries it and what it slides.
        Target { pin, particle, filter, to: landing - slide, travel, away: false }
    }
}

/// Where particles start that a pin holds on a guide from the beginning: on it.
pub(crate) fn start_on_guides(pins: &[Pin], positions: &mut [DVec3]) {
    for pin in pins.iter().filter(|pin| pin.holds_at(MOMENT)) {
        let Hold::Guide(guide) = &pin.hold else { continue };
        for &particle in &pin.particles {
            let place = &mut positions[particle as usize];
            let foot = guide.nearest(pin.motion.body_point(*place, 0.0));
            *place = pin.motion.place(foot.place, 0.0);
        }
    }
}

/// The next of some events, up to `end`: pins and pulls that take hold and let go.
///
/// Events less than a moment apart are one: a step of a few bits of the clock would have no
/// velocity, only round-off over round-off.
pub(crate) fn next_event(events: impl Iterator<Item = f64>, now: f64, end: f64) -> f64 {
    events.filter(|&event| event > now + MOMENT && event < end - MOMENT).fold(end, f64::min)
}
