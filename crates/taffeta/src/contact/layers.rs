//! Cloth that touches itself and bodies of any shape: rows for what is near where a step begins, and the
//! proof that nothing has passed through anything where it ends.
//!
//! Pairs are found for several steps along the predicted way and followed (`detection`). They are
//! found anew when a frame begins, so that a run that is resumed there has the same ones.

use glam::DVec3;

use super::bodies::Bodies;
use super::inheritance::Inheritance;
use super::row::{ContactRow, least};
use super::tangle::Tangle;
use super::untangle;
use crate::geometry::collision::Surface;
use crate::geometry::detection::{Pair, PairCache, Proximity};
use crate::geometry::solid::Shape;
use crate::setup::piece::Piece;
use crate::setup::self_contact::SelfContact;
use crate::state::State;
use crate::state::touch::{ContactForce, ContactTally, Pinch, Push};
use crate::step::passage::Passage;

/// The share of a lost thickness that is won back in a step.
const WIN_BACK: f64 = 0.2;
/// Sweeps end when no gap is below this share of what it should be.
const ENOUGH: f64 = 0.25;
/// Pairs whose closest points are at a border have rows below this share of what they keep.
const BORDER: f64 = 0.5;
/// Closest points matter up to this much more than the thickness, as a share of it.
const REACH: f64 = 0.5;

/// Contacts of surfaces in the step being tried: of layers of cloth, and of cloth and bodies.
#[derive(Debug)]
pub(crate) struct Layers {
    /// How cloth touches itself, if it does.
    settings: Option<SelfContact>,
    /// The largest thickness of all [m].
    thickness: f64,
    /// The cloth alone.
    surface: Surface,
    bodies: Bodies,
    cache: PairCache,
    tangle: Tangle,
    /// When pairs were found, and how many steps that is to last; nothing if they must be found.
    found: Option<f64>,
    steps: f64,
    /// Steps for which pairs are found, at least and at most.
    few: f64,
    many: f64,
    /// Where all vertices are at both ends of the step, the cloth's first [m].
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// Particles that pins hold.
    held: Vec<bool>,
    /// Closest points where the step begins and where it ends.
    start: Vec<Proximity>,
    end: Vec<Proximity>,
    rows: Vec<ContactRow>,
    /// Which pair each row stands for.
    pairs: Vec<Pair>,
    inheritance: Inheritance,
    /// Velocities without what they have in common [m/s].
    drift: Vec<DVec3>,
    ahead: Vec<DVec3>,
    pub tally: ContactTally,
}

impl Layers {
    /// Of a setup; nothing if neither cloth nor bodies can touch it. Pairs are found for so many steps, at
    /// least and at most.
    pub fn new(piece: &Piece, [few, many]: [u32; 2]) -> Option<Self> {
        let Piece { setup, model, .. } = piece;
        let settings = setup.self_contact;
        let particles = model.particles();
        let mut faces = model.faces.clone();
        let bodies = Bodies::new(&setup.solids, particles, &mut faces);
        if settings.is_none() && bodies.is_empty() {
            return None;
        }
        let meshes = setup.solids.iter().filter(|solid| matches!(solid.shape, Shape::Mesh(_)));
        let thickest =
            |own: f64| setup.of_cloths.iter().map(|of| of.contact.thickness).fold(own, f64::max);
        let own = settings.map(|how| thickest(how.thickness));
        let rigid = meshes.map(|solid| solid.thickness).fold(0.0, f64::max);
        let thickness = own.unwrap_or(0.0).max(rigid);
        let surface = Surface::of(model);
        let all = match bodies.is_empty() {
            true => surface.clone(),
            false => {
                let vertices = particles + bodies.ends()[0].len();
                let all = Surface::new(&faces, vertices).with_yarns_of(model);
                all.rigid_from(particles as u32)
            }
        };
        let rest: Vec<DVec3> = model.rest.iter().chain(bodies.ends()[0]).copied().collect();
        Some(Self {
            settings,
            thickness,
            from: rest.clone(),
            to: rest.clone(),
            cache: PairCache::with_rigid(all, rest, (own, rigid)),
            surface,
            bodies,
            tangle: Tangle::default(),
            found: None,
            steps: f64::from(many),
            few: f64::from(few),
            many: f64::from(many),
            held: vec![false; particles],
            start: Vec::new(),
            end: Vec::new(),
            rows: Vec::new(),
            pairs: Vec::new(),
            inheritance: Inheritance::default(),
            drift: Vec::new(),
            ahead: Vec::new(),
            tally: ContactTally::default(),
        })
    }

    /// Nothing is known of the cloth any more: a frame begins, or somebody else has moved it.
    pub fn forget(&mut self, moved: bool) {
        (self.found, self.steps) = (None, self.many);
        if moved {
            self.tangle.forget();
            self.bodies.forget();
        }
    }

    /// Cloth that is inside of bodies, which is for others to lead out.
    pub fn inside(&self) -> Option<&[bool]> {
        self.bodies.inside()
    }

    /// Adds what takes cloth out of itself to the loads of a step [N].
    pub fn untangle(&mut self, state: &State, masses: &[f64], h: f64, loads: &mut [DVec3]) {
        if self.settings.is_none() {
            return;
        }
        self.tangle.look(&self.surface, &state.positions);
        if !self.tangle.found.is_empty() {
            untangle::push((&self.surface, &self.tangle.found), (state, masses), h, loads);
        }
    }

    /// Finds what is near where a step begins, if what is known does not last to its end, along the
    /// velocities that particles are thought to have.
    pub fn begin(&mut self, passage: &Passage, velocity: impl Fn(usize) -> DVec3) {
        self.bodies.place(&passage.setup.solids, [passage.state.time, passage.end]);
        let (own, [bodies, _]) = (passage.state.positions.len(), self.bodies.ends());
        self.from[..own].copy_from_slice(&passage.state.positions);
        self.from[own..].copy_from_slice(bodies);
        let lasts = |&found: &f64| passage.end - found <= self.steps * passage.h * (1.0 + 1e-6);
        let tangled = !self.tangle.is_empty() || self.bodies.inside().is_some();
        if self.found.as_ref().is_none_or(|found| !lasts(found)) || tangled {
            if self.found.is_some() {
                self.steps = (1.5 * self.steps).min(self.many);
            }
            self.detect(passage, velocity);
        }
    }

    /// Finds pairs for some steps from where this one begins, along these velocities.
    fn detect(&mut self, passage: &Passage, velocity: impl Fn(usize) -> DVec3) {
        let own = passage.state.positions.len();
        if self.settings.is_some() {
            self.tangle.look(&self.surface, &passage.state.positions);
        }
        self.bodies.look(passage, self.cache.surface(), &self.from);
        self.held.fill(false);
        passage.constraints.iter().for_each(|held| self.held[held.particle as usize] = true);
        let horizon = self.steps * passage.h;
        self.bodies.at(&passage.setup.solids, passage.state.time + horizon, &mut self.ahead);
        // What all do alike brings nothing nearer, and would only make boxes long.
        let mean = (0..own).map(&velocity).sum::<DVec3>() / own.max(1) as f64;
        let ways = self.ahead.iter().zip(self.bodies.ends()[0]);
        self.drift.clear();
        self.drift.extend((0..own).map(|i| velocity(i) - mean));
        self.drift.extend(ways.map(|(ahead, now)| (*ahead - *now) / horizon - mean));
        let Self { cache, tangle, bodies, held, .. } = self;
        let left_alone = left_alone(self.settings.is_none(), tangle, (bodies, held));
        cache.detect(&self.from, &self.drift, horizon, left_alone);
        self.cache.measure(&self.from, REACH * self.thickness, &mut self.start);
        self.found = Some(passage.state.time);
        self.tally.detections += 1;
        self.tally.pairs += self.cache.pairs().len() as u64;
    }

    /// Finds what is missing among the pairs in a step that some particles leave their predicted ways
    /// in; returns whether that was enough.
    fn follow(&mut self, elapsed: [f64; 2]) -> bool {
        let Self { cache, tangle, bodies, held, from, to, start, .. } = self;
        let left_alone = left_alone(self.settings.is_none(), tangle, (bodies, held));
        cache.follow([from, to], elapsed, (start, REACH * self.thickness), left_alone)
    }

    /// Rows for all pairs that may come too near on their way to the predicted places.
    pub fn find(&mut self, passage: &Passage, predicted: &[DVec3], w: &[f64]) {
        let slack = REACH * self.thickness;
        self.rows.clear();
        self.pairs.clear();
        for (near, at) in self.cache.pairs().iter().zip(&self.start) {
            if at.normal == DVec3::ZERO {
                continue;
            }
            let body = near.pair.particles.iter().find(|&&i| self.bodies.owns(i));
            let solid = body.map(|&i| &passage.setup.solids[self.bodies.solid_of(i) as usize]);
            let (kept, friction) = match (solid, self.settings) {
                (Some(solid), _) => (solid.thickness, solid.friction),
                (None, Some(all)) => {
                    let [first, .., last] = near.pair.particles;
                    let how = passage.setup.contact_between([first, last]).unwrap_or(all);
                    (near.kept.min(how.thickness), how.friction)
                }
                (None, None) => continue,
            };
            // What is at a border is the neighbours' affair, unless there are none.
            if !at.inside && at.distance > BORDER * kept {
                continue;
            }
            let short = kept - at.distance;
            let offset = if short > 0.0 { at.distance + WIN_BACK * short } else { kept };
            let least = least(kept, at.distance, passage.h);
            let Some(row) = self.row(near.pair, at, w) else { continue };
            let row = ContactRow {
                offset: offset + row.offset,
                least: least + row.offset,
                kept,
                room: at.distance,
                friction,
                ..row
            };
            if row.gap(predicted) < slack {
                self.rows.push(row);
                self.pairs.push(near.pair);
            }
        }
        self.tally.contacts += self.rows.len() as u64;
    }

    /// The row of a pair that would touch at its offset: what belongs to a body is where the step ends
    /// already.
    fn row(&self, pair: Pair, at: &Proximity, w: &[f64]) -> Option<ContactRow> {
        let own = *pair.particles.iter().find(|&&i| !self.bodies.owns(i))?;
        let (mut particles, mut weights, mut count) = ([own; 4], [0.0; 4], 0);
        let (mut offset, mut carried) = (0.0, DVec3::ZERO);
        for (&particle, weight) in pair.particles.iter().zip(at.weights) {
            if self.bodies.owns(particle) {
                let [from, to] = self.bodies.way(particle);
                offset -= at.normal.dot(to) * weight;
                carried += (to - from) * weight;
            } else {
                (particles[count], weights[count]) = (particle, weight);
                count += 1;
            }
        }
        let row = ContactRow::new((particles, weights), (at.normal, offset), w)?;
        Some(ContactRow { start: row.between(&self.from) - carried, ..row })
    }

    /// Starts rows from the forces with which their pairs pushed in the step before.
    pub fn start_from(&mut self, passage: &Passage) {
        let (pushes, h) = (&passage.state.pushes, passage.h);
        self.inheritance.look(pushes, &self.pairs);
        for (row, pair) in self.rows.iter_mut().zip(&self.pairs) {
            let mut add = |push: &Push| {
                row.normal_impulse += push.force * h * h;
                row.tangential_impulse += push.rub.reject_from_normalized(row.normal) * (h * h);
            };
            match pushes.binary_search_by_key(pair, |push| push.pair) {
                Ok(at) => add(&pushes[at]),
                Err(_) => self.inheritance.take(pair).for_each(|at| add(&pushes[at])),
            }
        }
    }

    /// The pairs that push each other apart, sorted, as the state keeps them.
    pub fn keep(&self, h: f64, pushes: &mut Vec<Push>) {
        let pushing = self.rows.iter().zip(&self.pairs).filter(|(row, _)| row.normal_impulse > 0.0);
        pushes.clear();
        pushes.extend(pushing.map(|(row, pair)| Push {
            pair: *pair,
            force: row.normal_impulse / (h * h),
            rub: row.tangential_impulse / (h * h),
        }));
        pushes.sort_unstable_by_key(|push| push.pair);
    }

    /// What bodies did to particles, friction included.
    pub fn forces(&self, h: f64, forces: &mut Vec<ContactForce>) {
        let per = 1.0 / (h * h);
        for (row, pair) in self.rows.iter().zip(&self.pairs) {
            let Some(&body) = pair.particles.iter().find(|&&i| self.bodies.owns(i)) else {
                continue;
            };
            let force = (row.normal * row.normal_impulse + row.tangential_impulse) * per;
            // Σ weight·place leads from the second point to the first, whichever is the body's.
            for (&particle, weight) in row.particles.iter().zip(row.weights) {
                if weight != 0.0 && row.normal_impulse > 0.0 {
                    forces.push(ContactForce {
                        particle,
                        solid: self.bodies.solid_of(body),
                        normal: row.normal * weight.signum(),
                        force: force * weight,
                    });
                }
            }
        }
        forces.sort_by_key(|force| (force.particle, force.solid));
    }

    /// The contacts of the step.
    pub fn rows_mut(&mut self) -> std::slice::IterMut<'_, ContactRow> {
        self.rows.iter_mut()
    }

    /// The same, to look at.
    pub fn rows(&self) -> std::slice::Iter<'_, ContactRow> {
        self.rows.iter()
    }

    /// Pushes what is too near apart.
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        self.rows.iter_mut().for_each(|row| row.solve(places, w));
    }

    /// Pushes what is too near in any case apart.
    pub fn lift(&self, places: &mut [DVec3], w: &[f64]) {
        self.rows.iter().for_each(|row| row.lift(places, w));
    }

    /// Whether nothing is much too near.
    pub fn are_apart(&self, places: &[DVec3]) -> bool {
        self.rows.iter().all(|row| {
            let aimed = row.kept.min(row.room + WIN_BACK * (row.kept - row.room));
            row.gap(places) >= (ENOUGH - 1.0) * aimed
        })
    }

    /// Proves that nothing passes through anything on straight ways to these places, or names a pair
    /// that does.
    ///
    /// Where cloth left its predicted way so far that pairs may be missing, they are found anew, along
    /// the way it took.
    pub fn certify(&mut self, passage: &Passage, places: &[DVec3]) -> Result<(), Pair> {
        let (x, h) = (&passage.state.positions, passage.h);
        self.to[..places.len()].copy_from_slice(places);
        self.to[places.len()..].copy_from_slice(self.bodies.ends()[1]);
        let found = self.found.unwrap_or(passage.state.time);
        let elapsed = [passage.state.time - found, passage.end - found];
        if !self.cache.covers(&self.to, elapsed[1]) && !self.follow(elapsed) {
            let lasted = (passage.state.time - found) / h;
            self.steps = lasted.floor().clamp(self.few, self.many);
            self.detect(passage, |i| (places[i] - x[i]) / h);
        }
        let reach = REACH * self.thickness;
        self.cache.certify([&self.from, &self.to], (&self.start, reach), &mut self.end)
    }

    /// A particle of a pair and the solid that the rest belongs to, if it does.
    pub fn with_body(&self, pair: &Pair) -> Option<Pinch> {
        let body = pair.particles.iter().find(|&&i| self.bodies.owns(i))?;
        let particle = pair.particles.iter().find(|&&i| !self.bodies.owns(i))?;
        Some(Pinch { particle: *particle, solid: self.bodies.solid_of(*body) })
    }

    /// The step was good: where it ends the next one begins.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// The particles that bodies push, or may, where contacts count that the caller says.
    pub fn on_bodies<'a>(
        &'a self,
        counts: impl Fn(&ContactRow) -> bool + 'a,
    ) -> impl Iterator<Item = u32> + 'a {
        let rigid = |pair: &Pair| pair.particles.iter().any(|&i| self.bodies.owns(i));
        let rows = self.rows.iter().zip(&self.pairs);
        let rows = rows.filter(move |(row, pair)| counts(row) && rigid(pair));
        rows.flat_map(|(row, _)| row.particles)
    }

    /// The same for particles of different pieces of cloth that push each other.
    pub fn between_pieces<'a>(
        &'a self,
        counts: impl Fn(&ContactRow) -> bool + 'a,
    ) -> impl Iterator<Item = [u32; 2]> + 'a {
        let apart = |&[first, last]: &[u32; 2]| {
            !self.bodies.owns(first)
                && !self.bodies.owns(last)
                && !self.surface.connected(first, last)
        };
        let rows = self.rows.iter().zip(&self.pairs).filter(move |(row, _)| counts(row));
        rows.map(|(_, pair)| [pair.particles[0], pair.particles[3]]).filter(apart)
    }
}

/// Whether contact leaves a pair alone: of cloth that is held, inside a body or tangled, or that does
/// not touch itself.
fn left_alone<'a>(
    alone: bool,
    tangle: &'a Tangle,
    (bodies, held): (&'a Bodies, &'a [bool]),
) -> impl Fn(&Pair) -> bool + Sync + 'a {
    let inside = bodies.inside();
    let spared = move |i: u32| {
        !bodies.owns(i) && (held[i as usize] || inside.is_some_and(|inside| inside[i as usize]))
    };
    move |pair| match pair.particles.iter().any(|&i| bodies.owns(i)) {
        true => pair.particles.iter().any(|&i| spared(i)),
        false => alone || tangle.spares(pair),
    }
}
