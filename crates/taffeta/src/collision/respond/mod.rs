//! The Respond phase of self-contact: cloth that starts a step without passing through itself ends
//! it so.
//!
//! After Bridson, Fedkiw & Anderson 2002, with three differences. Impulses at near pairs and those
//! at pairs that would meet are solved together, by projected Gauss-Seidel over all contacts of
//! the step, instead of one after the other: so friction holds what Coulomb's law says it holds.
//! A meeting far from where a step begins cuts the step in parts, because an impulse given before
//! the parts touch would change angular momentum. And impact zones follow straight lines (see
//! `zones`).
//!
//! It sees old positions, candidate velocities and positions, masses and what pins leave free;
//! it does not care which integrator or limiter they come from.

mod contact;
mod finder;
mod links;
mod moving;
mod tangle;
pub(crate) mod untangle;
mod walls;
mod zones;

use std::time::Instant;

use glam::DVec3;

pub(crate) use walls::Wall;

use super::surface::Surface;
use crate::constraint::{Constraint, Link};
use crate::detection::Pair;
use crate::error::SetupError;
use crate::integrators::Linked;
use crate::model::Model;
use crate::phase::{Phase, PhaseTimes};
use crate::state::State;
use contact::{Contact, Touch};
use finder::{Finder, Hit};
use links::{Links, NearPair};
use moving::Moving;
pub(crate) use tangle::Tangle;
use zones::Zones;

/// The share of the thickness that continuous detection keeps free; contacts keep all of it.
const SEPARATION: f64 = 0.2;
/// The share of a lost thickness that is won back in a step (Bridson et al. 2002 §7.2).
const WIN_BACK: f64 = 0.1;
/// The share of the thickness that links may leave to impulses.
const ENOUGH: f64 = 0.05;
/// Contacts are prepared for pairs nearer than the thickness and this share of a mean edge.
const PREPARED: f64 = 0.25;
/// Changes of velocity that would move particles by less than this share of the thickness are none.
const SETTLED: f64 = 3e-3;
/// Sweeps over all contacts for one set of them.
const MOST_SWEEPS: u32 = 50;
/// Sets of contacts, each larger by what would still meet, before zones are made.
const MOST_ROUNDS: u32 = 10;
/// Times zones grow before the step is given up.
const MOST_ZONE_ROUNDS: u32 = 20;
/// Times that impulses are found anew because they push cloth into solids.
const MOST_WALLS: u32 = 8;
/// Parts into which a step is cut, and cuts of a part, at most.
const MOST_PARTS: u32 = 32;
/// A meeting this early in a part, as a share of it, does not cut it.
const EARLIEST_CUT: f64 = 1e-3;
/// A part is cut at this share of the time of the meeting, not to meet by round-off again.
const CUT_BEFORE: f64 = 0.999;

/// How cloth touches itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfContact {
    /// The distance that layers keep from each other \[m\].
    pub thickness: f64,
    /// Coulomb's coefficient of friction between layers.
    pub friction: f64,
}

impl SelfContact {
    /// Whether the numbers make sense.
    pub(crate) fn check(&self) -> Result<(), SetupError> {
        if !(self.thickness.is_finite() && self.thickness > 0.0) {
            return Err(SetupError::ContactThickness(self.thickness));
        }
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Err(SetupError::ContactFriction(self.friction));
        }
        Ok(())
    }
}

/// How two parts of the cloth pushed each other apart. Part of the state: a run goes on from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The parts.
    pub pair: Pair,
    /// How strongly \[N\].
    pub force: f64,
    /// How they rubbed on each other, where steps go on from it: the force on the first \[N\].
    pub rub: DVec3,
}

impl Push {
    /// Whether its numbers can be gone on from.
    pub(crate) fn is_sound(&self) -> bool {
        self.force.is_finite() && self.force >= 0.0 && self.rub.is_finite()
    }
}

/// What contact did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactTally {
    /// Times that near pairs were looked for in all of the cloth.
    pub detections: u64,
    /// Pairs near enough to each other to be followed, over all steps.
    pub pairs: u64,
    /// Contacts that impulses were solved for, over all steps.
    pub contacts: u64,
    /// Pairs that would have met, had they gone on.
    pub impacts: u64,
    /// Groups of particles that had to move as one body.
    pub zones: u64,
    /// Cuts of steps, where pairs meet that are far apart when it begins.
    pub cuts: u64,
    /// Steps discarded because pairs could not be kept apart.
    pub retries: u32,
}

impl ContactTally {
    /// Takes more of the same in.
    pub(crate) fn add(&mut self, more: Self) {
        self.detections += more.detections;
        self.pairs += more.pairs;
        self.contacts += more.contacts;
        self.impacts += more.impacts;
        self.zones += more.zones;
        self.cuts += more.cuts;
        self.retries += more.retries;
    }
}

/// What is tried in a step.
pub(crate) struct Attempt<'a> {
    pub constraints: &'a [Constraint],
    pub h: f64,
}

/// Memory of self-contact, planned once for a model.
#[derive(Debug)]
pub(crate) struct Response {
    settings: SelfContact,
    /// Sets of contacts tried before zones are made.
    rounds: u32,
    finder: Finder,
    links: Links,
    tangle: Tangle,
    moving: Moving,
    contacts: Vec<Contact>,
    walls: Vec<Wall>,
    zones: Zones,
    /// Positions and velocities before anything was done about them [m, m/s].
    candidate: (Vec<DVec3>, Vec<DVec3>),
    /// Velocities at the beginning of the step, and of the present part of it [m/s].
    given: Vec<DVec3>,
    before: Vec<DVec3>,
}

/// What became of a part of a step.
enum Part {
    /// Nothing meets.
    Free,
    /// Something meets, at this share of the part, that is too far apart at its beginning.
    Far(f64),
}

impl Response {
    pub fn new(model: &Model, settings: SelfContact) -> Self {
        let surface = Surface::of(model);
        let rest = model.rest.clone();
        let length = |&[a, b]: &[u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let lengths: f64 = surface.edges.iter().map(length).sum();
        let mean = lengths / surface.edges.len().max(1) as f64;
        let beyond = settings.thickness.min(PREPARED * mean) * 2.0;
        let zero = vec![DVec3::ZERO; rest.len()];
        Self {
            settings,
            finder: Finder::new(surface, rest, (settings.thickness, beyond)),
            links: Links::default(),
            tangle: Tangle::default(),
            moving: Moving::new(&model.masses),
            contacts: Vec::new(),
            walls: Vec::new(),
            zones: Zones::new(zero.len()),
            candidate: (zero.clone(), zero.clone()),
            given: zero.clone(),
            before: zero,
            rounds: MOST_ROUNDS,
        }
    }

    /// Somebody else has moved the cloth.
    pub fn forget(&mut self) {
        self.tangle.forget();
        self.finder.forget();
    }

    /// Adds what takes cloth out of itself to the loads of a step \[N\].
    pub fn untangle(&mut self, state: &State, h: f64, loads: &mut [DVec3]) {
        self.tangle.look(self.finder.surface(), &state.positions);
        let through = (self.finder.surface(), &self.tangle.found[..]);
        if !self.tangle.found.is_empty() {
            untangle::push(through, (state, &self.moving.masses), h, loads);
        }
    }

    /// Finds what is near where a step begins, to be linked in an implicit solve: what the step
    /// before left linked, and what would come too near at the velocities `coasting` that particles
    /// would have without links.
    pub fn begin(&mut self, state: &State, coasting: impl Fn(usize) -> DVec3, h: f64) {
        self.tangle.look(self.finder.surface(), &state.positions);
        self.moving.coast(state, coasting, h);
        self.finder.find_candidates(&self.moving, &self.tangle);
        let Self { links, finder, moving, settings, .. } = self;
        let near = finder.near().map(|(near, found)| {
            let (pair, gap) = (near.pair, found.distance - near.kept);
            let least_speed = if gap > 0.0 { -gap / h } else { -WIN_BACK * gap / h };
            let (particles, weights, normal) = (pair.particles, found.weights, found.normal);
            // What lies on other cloth comes no nearer to it, as far as velocities tell, since both
            // would fall: the step before knows that it presses, and how much.
            let before = state.pushes.binary_search_by_key(&pair, |push| push.pair);
            let impulse = before.map_or(0.0, |at| state.pushes[at].force * h);
            let (drag, rub) = (0.0, DVec3::ZERO);
            let mut link = Link { particles, weights, normal, least_speed, impulse, drag };
            let velocity = link.between(&moving.velocities);
            link.rub_at(velocity, settings.friction);
            let linked = before.is_ok() || normal.dot(velocity) < least_speed;
            NearPair { pair, link, linked, rub }
        });
        links.begin(near);
    }

    /// Where cloth pushes itself apart in the next implicit solve.
    pub fn links(&self) -> &[Link] {
        self.links.active()
    }

    /// Looks at what a solve made of the links, where it moves the cloth from one state to another;
    /// tells whether another one is needed.
    pub fn settle_links(&mut self, solved: &[Linked], [from, to]: [&State; 2]) -> bool {
        let h = to.time - from.time;
        let speed = |link: &Link| (link.between(&to.positions) - link.between(&from.positions)) / h;
        let SelfContact { thickness, friction } = self.settings;
        self.links.settle(solved, speed, (friction, ENOUGH * thickness / h))
    }

    /// The pairs that push each other apart as a good step leaves them.
    pub fn keep_links(&self, h: f64, pushes: &mut Vec<Push>) {
        self.links.keep(h, pushes);
    }

    /// Changes the velocities and positions of the candidate `to` so that nothing that was apart
    /// meets on the way; if that cannot be done, names a pair that does.
    ///
    /// Where impulses push cloth through surfaces of solids, which `walls` tells, they are found
    /// anew with those in the way.
    pub fn respond(
        &mut self,
        attempt: &Attempt,
        (from, to): (&State, &mut State),
        watch: &mut Watch,
        mut walls: impl FnMut(&[DVec3]) -> Vec<Wall>,
    ) -> Result<(), Pair> {
        self.walls.clear();
        self.candidate.0.copy_from_slice(&to.positions);
        self.candidate.1.copy_from_slice(&to.velocities);
        for _ in 0..MOST_WALLS {
            self.pass(attempt, from, to, watch)?;
            watch.charge(Phase::Respond);
            let met = walls(&to.positions);
            watch.charge(Phase::Detect);
            if met.is_empty() {
                return Ok(());
            }
            self.walls.extend(met);
            to.positions.copy_from_slice(&self.candidate.0);
            to.velocities.copy_from_slice(&self.candidate.1);
        }
        self.pass(attempt, from, to, watch)
    }

    fn pass(
        &mut self,
        attempt: &Attempt,
        from: &State,
        to: &mut State,
        watch: &mut Watch,
    ) -> Result<(), Pair> {
        // What is not finite is the judge's to refuse.
        if !to.positions.iter().all(|position| position.is_finite()) {
            return Ok(());
        }
        self.tangle.look(self.finder.surface(), &from.positions);
        self.moving.begin(attempt, from, to);
        self.given.copy_from_slice(&self.moving.velocities);
        let mut left = attempt.h;
        for _ in 0..MOST_PARTS {
            let whole = self.pass_part(attempt.h, watch)?;
            if whole {
                self.hand_over(to);
                return Ok(());
            }
            left -= self.moving.duration;
            self.moving.go_on(left);
        }
        Err(self.finder.last_hit())
    }

    /// Passes a part of the step, cut shorter until nothing far apart meets in it; returns whether
    /// it did not have to be cut.
    fn pass_part(&mut self, h: f64, watch: &mut Watch) -> Result<bool, Pair> {
        self.before.copy_from_slice(&self.moving.velocities);
        for cuts in 0..MOST_PARTS {
            let Part::Far(share) = self.try_part(h, watch)? else { return Ok(cuts == 0) };
            self.moving.velocities.copy_from_slice(&self.before);
            self.moving.cut(CUT_BEFORE * share);
            watch.counts.cuts += 1;
        }
        Err(self.finder.last_hit())
    }

    /// Solves contacts until nothing meets in the present part, and makes zones of what still does.
    fn try_part(&mut self, h: f64, watch: &mut Watch) -> Result<Part, Pair> {
        self.moving.forget_touched();
        self.contacts.clear();
        self.zones.clear();
        self.finder.find_candidates(&self.moving, &self.tangle);
        watch.counts.pairs += self.finder.near().count() as u64;
        self.prepare_contacts(h);
        self.walls.iter_mut().for_each(|wall| wall.begin(&self.moving));
        watch.charge(Phase::Detect);
        for round in 0..self.rounds + MOST_ZONE_ROUNDS {
            let zones = if round < self.rounds {
                self.solve_contacts();
                0
            } else {
                self.zones.stiffen(&mut self.moving)
            };
            self.moving.follow();
            watch.charge(Phase::Respond);
            if self.finder.is_stale(&self.moving) {
                self.finder.find_candidates(&self.moving, &self.tangle);
            }
            let hits = self.finder.hits(&self.moving, round > 0);
            self.moving.forget_touched();
            // Whatever becomes of them, they are looked at again.
            hits.iter().for_each(|hit| self.moving.touch(&hit.pair));
            watch.charge(Phase::Detect);
            if hits.is_empty() {
                watch.counts.contacts += self.contacts.len() as u64;
                watch.counts.zones += u64::from(zones);
                return Ok(Part::Free);
            }
            watch.counts.impacts += hits.len() as u64;
            if round + 1 >= self.rounds {
                self.zones.join(hits);
            } else if let Some(share) = self.add_contacts() {
                return Ok(Part::Far(share));
            }
        }
        Err(self.finder.last_hit())
    }

    /// Prepares contacts for what is near at the beginning.
    fn prepare_contacts(&mut self, h: f64) {
        for (near, found) in self.finder.near() {
            let (pair, thickness, gap) = (near.pair, near.kept, found.distance - near.kept);
            let (weights, normal) = (found.weights, found.normal);
            // Those that are apart may close the gap; those that are too near win it back slowly.
            let least_speed =
                if gap > 0.0 { -gap / self.moving.duration } else { -WIN_BACK * gap / h };
            let (push, rub) = self.links.carried(&pair);
            let share = self.moving.duration / h;
            let carried = (push * share, rub * share);
            let touch = Touch { pair, weights, normal, least_speed, carried };
            let Some(contact) = Contact::new(&touch, &self.moving) else { continue };
            if gap < thickness || contact.is_needed(&self.moving) {
                self.contacts.push(contact);
            }
        }
    }

    /// Adds contacts for the pairs last found to meet; tells when, as a share of the part, if one
    /// of them is too far apart at its beginning.
    fn add_contacts(&mut self) -> Option<f64> {
        let mut cut: Option<f64> = None;
        for &Hit { pair, kept, impact } in self.finder.last_hits() {
            let starts = self.moving.at_start(&pair);
            let apart: DVec3 = (0..4).map(|k| starts[k] * impact.weights[k]).sum();
            let (normal, gap) = (impact.normal, impact.normal.dot(apart));
            let kept = kept.min(gap.max(SEPARATION * self.settings.thickness));
            let least_speed = (kept - gap) / self.moving.duration;
            let (weights, carried) = (impact.weights, (0.0, DVec3::ZERO));
            let touch = Touch { pair, weights, normal, least_speed, carried };
            let Some(contact) = Contact::new(&touch, &self.moving) else { continue };
            if contact.is_far() && impact.time > EARLIEST_CUT {
                cut = Some(cut.map_or(impact.time, |cut| cut.min(impact.time)));
            }
            self.contacts.push(contact);
        }
        cut
    }

    fn solve_contacts(&mut self) {
        let settled = SETTLED * self.settings.thickness / self.moving.duration;
        for _ in 0..MOST_SWEEPS {
            let mut largest = 0.0_f64;
            for contact in &mut self.contacts {
                largest = largest.max(contact.solve(&mut self.moving, self.settings.friction));
            }
            for wall in &mut self.walls {
                largest = largest.max(wall.solve(&mut self.moving));
            }
            if largest <= settled {
                break;
            }
        }
    }

    /// Puts what came of it into the candidate. Particles that nothing touched keep their bits.
    fn hand_over(&self, to: &mut State) {
        to.positions.copy_from_slice(&self.moving.ends);
        let changes = self.moving.velocities.iter().zip(&self.given);
        for (velocity, (now, given)) in to.velocities.iter_mut().zip(changes) {
            if now != given {
                *velocity += *now - *given;
            }
        }
    }
}

/// Times and counts of the phase.
pub(crate) struct Watch<'a> {
    pub times: &'a mut PhaseTimes,
    pub clock: &'a mut Instant,
    pub counts: &'a mut ContactTally,
}

impl Watch<'_> {
    fn charge(&mut self, phase: Phase) {
        self.times.charge(phase, self.clock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::intersections;
    use crate::fabric::Fabric;
    use crate::measure::{angular_momentum, momentum};
    use crate::mesh::{Faces, Mesh, Sheet};

    /// Two sheets, one askew above the other.
    fn sheets() -> Mesh {
        let lower = Sheet { width: 1.0, height: 1.0, columns: 7, rows: 7 }.mesh();
        let mut faces = Faces::new();
        for first in [0, 49] {
            for corners in lower.faces.iter() {
                faces.push(&corners.iter().map(|corner| corner + first).collect::<Vec<_>>());
            }
        }
        let mut positions = lower.positions.clone();
        positions.extend(
            lower.positions.iter().map(|p| {
                DVec3::new(0.8 * p.x - 0.3 * p.z, 0.012 + 0.01 * p.x, 0.3 * p.x + 0.8 * p.z)
            }),
        );
        Mesh { positions, faces }
    }

    /// Where no contact is tried at all, zones alone must keep the sheets apart, and both momenta.
    #[test]
    fn zones_alone_keep_cloth_apart() {
        let mesh = sheets();
        let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
        let settings = SelfContact { thickness: 1e-3, friction: 0.3 };
        let mut response = Response { rounds: 0, ..Response::new(&model, settings) };
        let from = State::at_rest(mesh.positions, 0, 0);
        let mut to = from.clone();
        let h = 0.006;
        for (i, velocity) in to.velocities.iter_mut().enumerate() {
            let wobble = libm::sin(i as f64) * 0.2;
            *velocity = DVec3::new(0.5, if i < 49 { 1.0 } else { -1.0 }, wobble);
        }
        to.move_by(h, &[]);
        let before = (momentum(&model, &to), angular_momentum(&model, &to));
        let surface = Surface::new(&model.faces, model.particles());
        assert!(!intersections(&surface, &to.positions).is_empty());
        let (times, counts) = (&mut PhaseTimes::default(), &mut ContactTally::default());
        let watch = &mut Watch { times, clock: &mut Instant::now(), counts };
        let attempt = Attempt { constraints: &[], h };
        response.respond(&attempt, (&from, &mut to), watch, |_| Vec::new()).unwrap();
        assert!(counts.zones > 0 && counts.contacts == 0, "{counts:?}");
        assert!(intersections(&surface, &to.positions).is_empty());
        let after = (momentum(&model, &to), angular_momentum(&model, &to));
        assert!(after.0.distance(before.0) < 1e-14, "{before:?} to {after:?}");
        assert!(after.1.distance(before.1) < 1e-14, "{before:?} to {after:?}");
    }
}
