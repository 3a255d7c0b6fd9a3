//! Proximity detection that lasts for several steps: which pairs of features (a vertex and a
//! triangle, or two edges) of a surface can come near each other.
//!
//! The layer below contact: it knows surfaces, places and boxes, and nothing of models, states and
//! integrators. A solver uses a [`PairCache`] like this:
//!
//! 1. [`PairCache::detect`] where particles are and how fast: lists every pair that can come nearer
//!    than it should while particles follow their *predicted way* x + v·t for a while (`horizon`),
//!    or leave it by up to half the margin.
//! 2. [`PairCache::measure`] in every step: closest points of the listed pairs, for contacts.
//! 3. [`PairCache::covers`] after every step: whether the list still holds all that matters; if
//!    not, the step is done again after detecting anew where it began.
//! 4. [`PairCache::certify`] after every step: nothing has passed through anything.
//!
//! **Why the list is complete.** Let d be the distance of a pair at detection, L the largest
//! relative move of its corners along their predicted ways, and e the largest deviation of any
//! particle from its own. At no time within the horizon is the pair nearer than d − L − 2e. Pairs
//! with d > kept + L + margin are left out, and the list is used while 2e ≤ margin: so what is left
//! out stays farther apart than the distance it is to keep.
//!
//! **Broad phase.** One bounding-volume hierarchy of patches, two triangles each with the vertices
//! and edges they own (`patches`), of single-precision boxes swept along the predicted way, eight at
//! a time (`aabb`, `bvh`). **Narrow phase.** Distances, in `narrow`. Work is cut by the number of
//! patches, and the list is sorted, so it is a function of the input alone.

mod aabb;
mod bvh;
mod certificate;
mod narrow;
mod pair;
mod patches;
mod sorting;
#[cfg(test)]
mod tests;

use glam::DVec3;
use taffeta_linalg::{fill, update};

pub use certificate::Proximity;
pub use pair::Pair;
pub(crate) use pair::longest_way;

use crate::collision::Surface;
use aabb::{Aabb, Lanes};
use bvh::Bvh;
use narrow::Narrow;
use patches::Patch;
use sorting::sort_into;

/// The margin is this share of the mean edge: neighbours in the mesh keep half their distance at
/// rest, which for the nearest is 0.35 edges, so that more would list them all.
const MARGIN_OF_EDGE: f64 = 0.2;
/// The margin is at most this many thicknesses, not to list layers beyond the next.
const MARGIN_OF_THICKNESS: f64 = 2.0;
/// Patches searched as one piece of work.
const BLOCK: usize = 64;
/// Particles whose boxes repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// A listed pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The two features.
    pub pair: Pair,
    /// The distance it keeps: the thickness, less where cloth at rest is closer \[m\].
    pub kept: f64,
    /// Its distance at detection \[m\].
    pub distance: f64,
}

/// Proximity pairs of a surface, cached over several steps.
#[derive(Debug)]
pub struct PairCache {
    surface: Surface,
    rest: Vec<DVec3>,
    thickness: f64,
    margin: f64,
    patches: Vec<Patch>,
    /// Where particles were at detection, where they were to be at its horizon, and when that is.
    starts: Vec<DVec3>,
    ends: Vec<DVec3>,
    horizon: f64,
    /// The box around each particle's way, and around those of each patch's features.
    boxes: Vec<Aabb>,
    lanes: Vec<Lanes>,
    bvh: Bvh,
    /// What each block of patches finds.
    found: Vec<Vec<NearPair>>,
    pairs: Vec<NearPair>,
}

impl PairCache {
    /// For a surface whose particles are at `rest` by nature, and whose layers keep `thickness`.
    pub fn new(surface: Surface, rest: Vec<DVec3>, thickness: f64) -> Self {
        let length = |&[a, b]: &[u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let lengths: f64 = surface.edges.iter().map(length).sum();
        let mean = lengths / surface.edges.len().max(1) as f64;
        let margin = (MARGIN_OF_EDGE * mean).min(MARGIN_OF_THICKNESS * thickness);
        let patches = patches::patches(&surface, &rest);
        Self {
            thickness,
            margin,
            starts: Vec::new(),
            ends: Vec::new(),
            horizon: f64::NEG_INFINITY,
            boxes: vec![Aabb::EMPTY; rest.len()],
            lanes: vec![Lanes::EMPTY; patches.len()],
            bvh: Bvh::new(patches.len()),
            found: vec![Vec::new(); patches.len().div_ceil(BLOCK)],
            pairs: Vec::new(),
            patches,
            surface,
            rest,
        }
    }

    /// The listed pairs, sorted.
    pub fn pairs(&self) -> &[NearPair] {
        &self.pairs
    }

    /// The deviation from the predicted way that the list allows two particles together \[m\].
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Lists every pair that can come nearer than it keeps while particles go from `x` along `v`
    /// for `horizon` seconds and deviate from that by less than half the margin; but not what
    /// shares a particle, nor what is `excluded`.
    pub fn detect(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        horizon: f64,
        excluded: impl Fn(&Pair) -> bool + Sync,
    ) {
        self.horizon = horizon;
        self.starts.clear();
        self.starts.extend_from_slice(x);
        self.ends.resize(x.len(), DVec3::ZERO);
        fill(&mut self.ends, GRAIN, |i| x[i] + v[i] * horizon);
        self.fit_boxes();
        let Self { surface, rest, patches, starts, ends, lanes, bvh, found, .. } = self;
        let (thickness, margin) = (self.thickness, self.margin);
        let narrow = Narrow { surface, rest, starts, ends, thickness, margin };
        update(found, 1, |block, found| {
            found.clear();
            for first in block * BLOCK..patches.len().min((block + 1) * BLOCK) {
                let mut look = |pair: Pair| {
                    if let Some(near) = narrow.look(pair)
                        && !excluded(&pair)
                    {
                        found.push(near);
                    }
                };
                narrow::within(&patches[first], &lanes[first], &mut look);
                bvh.later_neighbours(first, |second| {
                    let both = [&patches[first], &patches[second]];
                    narrow::between(both, [&lanes[first], &lanes[second]], &mut look);
                });
            }
        });
        sort_into(&mut self.pairs, &self.found, x.len());
    }

    /// Fits all boxes to the predicted ways.
    fn fit_boxes(&mut self) {
        let Self { starts, ends, boxes, patches, lanes, bvh, .. } = self;
        let reach = 0.5 * (self.thickness + self.margin);
        fill(boxes, GRAIN, |i| Aabb::swept(starts[i], ends[i], reach));
        fill(lanes, GRAIN / 8, |p| {
            let patch = &patches[p];
            let mut lanes = Lanes::EMPTY;
            for (lane, &[a, b, c]) in patch.features[..patch.count()].iter().enumerate() {
                let [a, b, c] = [a, b, c].map(|i| boxes[i as usize]);
                lanes.set(lane, &a.union(b).union(c));
            }
            lanes
        });
        bvh.refit(|p| lanes[p].around());
    }

    /// Whether the list holds every pair that may come nearer than it keeps in a straight step that
    /// ends at `x`, `elapsed` seconds after detection, if it does so where the step begins.
    pub fn covers(&self, x: &[DVec3], elapsed: f64) -> bool {
        if !(elapsed <= self.horizon * (1.0 + 1e-9)) || x.len() != self.starts.len() {
            return false;
        }
        let share = if self.horizon > 0.0 { elapsed / self.horizon } else { 0.0 };
        // What all do alike, as they fall, brings no two of them nearer: deviations count from the
        // middle of the box around them.
        let off = |i: usize| x[i] - self.starts[i].lerp(self.ends[i], share);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for i in 0..x.len() {
            (low, high) = (low.min(off(i)), high.max(off(i)));
        }
        let middle = 0.5 * (low + high);
        let most = 0.25 * self.margin * self.margin;
        (0..x.len()).all(|i| (off(i) - middle).length_squared() <= most)
    }
}
