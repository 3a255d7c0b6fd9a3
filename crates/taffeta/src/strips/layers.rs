//! Cloth that touches itself: rows for what is near where a step begins, and the proof that nothing
//! has passed through anything where it ends.
//!
//! Pairs are found for several steps along the predicted way and followed (`detection`). They are
//! found anew when a frame begins, so that a run that is resumed there has the same ones.

use glam::DVec3;

use super::rows::Row;
use super::solver::Passage;
use crate::collision::respond::Tangle;
use crate::collision::respond::untangle;
use crate::collision::{ContactTally, Pair, PairCache, Proximity, SelfContact, Surface};
use crate::model::Model;
use crate::state::State;

/// The share of a lost thickness that is won back in a step.
const WIN_BACK: f64 = 0.2;
/// Sweeps end when no gap is below this share of what it should be.
const ENOUGH: f64 = 0.25;
/// Pairs whose closest points are at a border have rows below this share of what they keep.
const BORDER: f64 = 0.5;
/// Closest points matter up to this much more than the thickness, as a share of it.
const REACH: f64 = 0.5;
/// Steps for which pairs are found, at first and at most.
const FIRST_STEPS: f64 = 16.0;
const MOST_STEPS: f64 = 16.0;

/// Contacts of cloth with itself in the step being tried.
#[derive(Debug)]
pub(crate) struct Layers {
    settings: SelfContact,
    surface: Surface,
    cache: PairCache,
    tangle: Tangle,
    /// When pairs were found, and how many steps that is to last; nothing if they must be found.
    found: Option<f64>,
    steps: f64,
    /// Closest points where the step begins and where it ends.
    start: Vec<Proximity>,
    end: Vec<Proximity>,
    rows: Vec<Row>,
    /// Velocities without what they have in common [m/s].
    drift: Vec<DVec3>,
    pub tally: ContactTally,
}

impl Layers {
    pub fn new(model: &Model, settings: SelfContact) -> Self {
        let surface = Surface::of(model);
        Self {
            settings,
            cache: PairCache::new(surface.clone(), model.rest.clone(), settings.thickness),
            surface,
            tangle: Tangle::default(),
            found: None,
            steps: FIRST_STEPS,
            start: Vec::new(),
            end: Vec::new(),
            rows: Vec::new(),
            drift: Vec::new(),
            tally: ContactTally::default(),
        }
    }

    /// Nothing is known of the cloth any more: a frame begins, or somebody else has moved it.
    pub fn forget(&mut self, moved: bool) {
        (self.found, self.steps) = (None, FIRST_STEPS);
        if moved {
            self.tangle.forget();
        }
    }

    /// Adds what takes cloth out of itself to the loads of a step [N].
    pub fn untangle(&mut self, state: &State, masses: &[f64], h: f64, loads: &mut [DVec3]) {
        self.tangle.look(&self.surface, &state.positions);
        if !self.tangle.found.is_empty() {
            untangle::push((&self.surface, &self.tangle.found), (state, masses), h, loads);
        }
    }

    /// Finds what is near where a step begins, if what is known does not last to its end.
    pub fn begin(&mut self, passage: &Passage) {
        let lasts = |&found: &f64| passage.end - found <= self.steps * passage.h * (1.0 + 1e-6);
        if self.found.as_ref().is_none_or(|found| !lasts(found)) || !self.tangle.is_empty() {
            if self.found.is_some() {
                self.steps = (1.5 * self.steps).min(MOST_STEPS);
            }
            let v = &passage.state.velocities;
            self.detect(passage, |i| v[i]);
        }
    }

    /// Finds pairs for some steps from where this one begins, along these velocities.
    fn detect(&mut self, passage: &Passage, velocity: impl Fn(usize) -> DVec3) {
        let (x, count) = (&passage.state.positions, passage.state.positions.len());
        self.tangle.look(&self.surface, x);
        // What all do alike brings nothing nearer, and would only make boxes long.
        let mean = (0..count).map(&velocity).sum::<DVec3>() / count.max(1) as f64;
        self.drift.clear();
        self.drift.extend((0..count).map(|i| velocity(i) - mean));
        let (tangle, horizon) = (&self.tangle, self.steps * passage.h);
        self.cache.detect(x, &self.drift, horizon, |pair| tangle.spares(pair));
        self.cache.measure(x, REACH * self.settings.thickness, &mut self.start);
        self.found = Some(passage.state.time);
        self.tally.detections += 1;
        self.tally.pairs += self.cache.pairs().len() as u64;
    }

    /// Rows for all pairs that may come too near on their way to the predicted places.
    pub fn find(&mut self, passage: &Passage, predicted: &[DVec3], w: &[f64]) {
        let x = &passage.state.positions;
        let slack = REACH * self.settings.thickness;
        self.rows.clear();
        for (near, at) in self.cache.pairs().iter().zip(&self.start) {
            // What is at a border is the neighbours' affair, unless there are none.
            if at.normal == DVec3::ZERO || !at.inside && at.distance > BORDER * near.kept {
                continue;
            }
            let short = near.kept - at.distance;
            let offset = if short > 0.0 { at.distance + WIN_BACK * short } else { near.kept };
            let row = Row::new((near.pair.particles, at.weights), (at.normal, offset), w);
            let Some(row) = row else { continue };
            if row.gap(predicted) < slack {
                self.rows.push(row.rubbing(self.settings.friction, x));
            }
        }
        self.tally.contacts += self.rows.len() as u64;
    }

    /// Pushes what is too near apart.
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        self.rows.iter_mut().for_each(|row| row.solve(places, w));
    }

    /// Whether nothing is much too near.
    pub fn are_apart(&self, places: &[DVec3]) -> bool {
        self.rows.iter().all(|row| row.gap(places) >= (ENOUGH - 1.0) * row.offset)
    }

    /// Proves that nothing passes through anything on straight ways to these places, or names a pair
    /// that does.
    ///
    /// Where cloth left its predicted way so far that pairs may be missing, they are found anew, along
    /// the way it took.
    pub fn certify(&mut self, passage: &Passage, places: &[DVec3]) -> Result<(), Pair> {
        let (x, h) = (&passage.state.positions, passage.h);
        let found = self.found.unwrap_or(passage.state.time);
        if !self.cache.covers(places, passage.end - found) {
            let lasted = (passage.state.time - found) / h;
            self.steps = lasted.floor().clamp(1.0, MOST_STEPS);
            self.detect(passage, |i| (places[i] - x[i]) / h);
        }
        let farthest = x.iter().zip(places).map(|(from, to)| from.distance_squared(*to));
        let way = 2.0 * farthest.fold(0.0, f64::max).sqrt() * (1.0 + 1e-9);
        let reach = REACH * self.settings.thickness;
        self.cache.measure_after((&self.start, way), (places, reach), &mut self.end);
        self.cache.certify([x, places], [&self.start, &self.end])
    }

    /// The step was good: where it ends the next one begins.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// The particles of pairs that push each other, where they are of different pieces of cloth.
    pub fn between_pieces(&self) -> impl Iterator<Item = u32> {
        let apart = |row: &&Row| !self.surface.connected(row.particles[0], row.particles[3]);
        let pushing = self.rows.iter().filter(|row| row.normal_impulse > 0.0);
        pushing.filter(apart).flat_map(|row| row.particles)
    }
}
