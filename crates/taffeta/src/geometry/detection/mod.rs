//! Proximity detection that lasts for several steps: which pairs of features (a vertex and a
//! triangle, or two edges) of a surface can come near each other.
//!
//! The layer below contact: it knows surfaces, places and boxes, and nothing of models, states and
//! integrators. A solver uses a [`PairCache`] like this:
//!
//! 1. [`PairCache::detect`] where particles are and how fast: lists every pair that can come too
//!    near while each particle follows its *predicted way* x + v·t until the `horizon`, or leaves
//!    it by less than its *allowance*. Too near is nearer than it keeps with its closest points
//!    inside of both, or nearer than a quarter of that wherever they are.
//! 2. [`PairCache::measure`] where that was: closest points of the listed pairs, for contacts.
//! 3. [`PairCache::covers`] after every step: whether the list still holds all that matters; if
//!    not, [`PairCache::follow`] finds what is missing, or all is detected anew where it began.
//! 4. [`PairCache::certify`] after every step: nothing has passed through anything; and closest points
//!    where it ends.
//!
//! What a solver does must not depend on when the list was made: let it use only pairs that are as
//! near as the list promises to know, and the same bits follow from a resumed run.
//!
//! **Why the list is complete.** Let d be the distance of a pair at detection, L the largest
//! relative move of its corners along their predicted ways, and e the largest deviation of its
//! corners from theirs, of the first feature and of the second. At no time within the horizon is
//! the pair nearer than d − L − e₁ − e₂ (room, in `narrow`). Pairs with more than they keep are
//! left out, and the list is used while no particle is off by more than its allowance.
//!
//! **Broad phase.** One bounding-volume hierarchy of patches, two triangles each with the vertices
//! and edges they own (`patches`), of single-precision boxes swept along the predicted way, eight
//! at a time (`aabb`, `bvh`). Most boxes that overlap are those of neighbours in the mesh: where
//! the cloth lies smoothly around a vertex they are not looked at (`stars`, `neighbours`), and of
//! those farther on a direction between them often tells enough (`outline`). **Narrow phase.**
//! Places beside each other, four pairs at a time, and distances (`narrow`, `beside`). Work is cut
//! by the number of patches, and the list is sorted, so it is a function of the input alone.

mod aabb;
mod beside;
mod broad;
mod bvh;
mod certificate;
mod follow;
mod narrow;
mod neighbours;
mod outline;
mod pair;
mod patches;
mod sorting;
mod stars;
#[cfg(test)]
mod tests;
mod vec3x4;
mod ways;

use glam::DVec3;
use taffeta_linalg::{fill, update};

pub use certificate::Proximity;
pub use pair::Pair;
pub(crate) use pair::longest_way;

use crate::geometry::collision::Surface;
use broad::Broad;
use narrow::{Narrow, Sieve};
use sorting::sort_into;
use ways::Ways;

/// Nearer than this share of what they keep pairs count as touching, wherever their closest points
/// are.
pub(crate) const TOUCHING: f64 = 0.25;
/// A particle may leave its predicted way by at most this share of the mean edge: two of them then
/// come nearer by a tenth, where the nearest of neighbours, at rest, have 0.35 to spare.
const MOST_OF_EDGE: f64 = 0.05;
/// And by at most this share of the thickness. Most pairs that are listed are so because of this, and
/// to find those of a few particles anew takes less time than to measure so many in every step.
const MOST_OF_THICKNESS: f64 = 0.25;
/// What a slow particle may leave it by, as a share of that.
const LEAST_ALLOWANCE: f64 = 0.2;
/// And as much more as this share of the way that a fast one goes.
const OF_THE_WAY: f64 = 0.05;
/// Particles whose ways repay a hand-over to another thread.
const GRAIN: usize = 2048;
/// Blocks of the search done as one piece of work, and the patches in them.
const BLOCKS: usize = 8;
const GRAIN_OF_PATCHES: usize = 8 * BLOCKS;

/// A listed pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The two features.
    pub pair: Pair,
    /// The distance it keeps: the thickness, less where cloth at rest is closer \[m\].
    pub kept: f64,
}

/// How near pairs must come to be listed [m].
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// What layers of cloth keep at most.
    thickness: f64,
    /// What cloth and rigid features keep.
    rigid: f64,
    /// By how much more pairs are apart that are listed anyway.
    beyond: f64,
}

/// Proximity pairs of a surface, cached over several steps.
#[derive(Debug)]
pub struct PairCache {
    surface: Surface,
    rest: Vec<DVec3>,
    reach: Reach,
    /// The most that any particle may leave its predicted way by [m].
    most_allowance: f64,
    broad: Broad,
    /// Where particles were at detection, where they were to be at its horizon, by how much each
    /// may be off, and when that is [m, m, m, s].
    starts: Vec<DVec3>,
    ends: Vec<DVec3>,
    allowances: Vec<f64>,
    horizon: f64,
    ways: Ways,
    /// The patches that are searched when a few particles have left their ways.
    some: Vec<u32>,
    /// How far each particle goes in a step beside what all do [m].
    moves: Vec<f64>,
    /// What each piece of work finds.
    found: Vec<Vec<NearPair>>,
    pairs: Vec<NearPair>,
}

impl PairCache {
    /// For a surface whose particles are at `rest` by nature, and whose layers keep `thickness`.
    pub fn new(surface: Surface, rest: Vec<DVec3>, thickness: f64) -> Self {
        Self::with_reach(surface, rest, (thickness, 0.0))
    }

    /// Lists pairs, too, that come nearer than what they keep and so much more \[m\].
    pub fn with_reach(surface: Surface, rest: Vec<DVec3>, (thickness, beyond): (f64, f64)) -> Self {
        Self::listing(surface, rest, Reach { thickness, rigid: 0.0, beyond })
    }

    /// For a surface with rigid parts, which keep another thickness from the others than these from each
    /// other, or cloth that does not keep off itself at all.
    pub(crate) fn with_rigid(
        surface: Surface,
        rest: Vec<DVec3>,
        (thickness, rigid): (Option<f64>, f64),
    ) -> Self {
        let thickness = thickness.unwrap_or(0.0);
        Self::listing(surface, rest, Reach { thickness, rigid, beyond: 0.0 })
    }

    fn listing(surface: Surface, rest: Vec<DVec3>, reach: Reach) -> Self {
        let length = |&[a, b]: &[u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let lengths: f64 = surface.edges.iter().map(length).sum();
        let mean = lengths / surface.edges.len().max(1) as f64;
        let broad = Broad::new(&surface, &rest, reach);
        let thickness = reach.thickness.max(reach.rigid);
        Self {
            reach,
            most_allowance: (MOST_OF_EDGE * mean).min(MOST_OF_THICKNESS * thickness),
            starts: Vec::new(),
            ends: vec![DVec3::ZERO; rest.len()],
            allowances: vec![0.0; rest.len()],
            horizon: f64::NEG_INFINITY,
            ways: Ways::default(),
            some: Vec::new(),
            moves: Vec::new(),
            found: vec![Vec::new(); broad.patches().div_ceil(GRAIN_OF_PATCHES)],
            pairs: Vec::new(),
            broad,
            surface,
            rest,
        }
    }

    /// The listed pairs, sorted.
    pub fn pairs(&self) -> &[NearPair] {
        &self.pairs
    }

    /// The surface whose pairs are listed.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Lists every pair that can come too near while particles go from `x` along `v` for `horizon`
    /// seconds and deviate from that by less than they may; but not what shares a particle, nor
    /// what is `excluded`.
    pub fn detect(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        horizon: f64,
        excluded: impl Fn(&Pair) -> bool + Sync,
    ) {
        self.detect_ways(x, |i| v[i] * horizon, horizon, excluded);
    }

    /// As [`PairCache::detect`], where each particle goes a `way` within the horizon \[m\].
    pub fn detect_ways(
        &mut self,
        x: &[DVec3],
        way: impl Fn(usize) -> DVec3 + Sync,
        horizon: f64,
        excluded: impl Fn(&Pair) -> bool + Sync,
    ) {
        self.horizon = horizon;
        self.predict(x, way);
        let Self { surface, rest, starts, ends, ways, broad, .. } = self;
        broad.fit(ways);
        let (broad, reach) = (&*broad, self.reach);
        let narrow = Narrow { surface, rest, starts, ends, ways, reach };
        let pieces = broad.blocks().div_ceil(BLOCKS);
        let found = &mut self.found[..pieces];
        update(found, 1, |piece, found| {
            let mut sieve = Sieve::new(&narrow, found, &excluded);
            for block in piece * BLOCKS..broad.blocks().min((piece + 1) * BLOCKS) {
                broad.search(block, ways, &mut |one| sieve.add(one));
            }
            sieve.finish();
        });
        sort_into(&mut self.pairs, found, x.len());
    }

    /// Takes note of the predicted ways, and of how far particles may leave them: those that go
    /// farther, and will be pushed about more, by more.
    fn predict(&mut self, x: &[DVec3], way: impl Fn(usize) -> DVec3 + Sync) {
        self.starts.clear();
        self.starts.extend_from_slice(x);
        fill(&mut self.ends, GRAIN, |i| x[i] + way(i));
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let around = |(low, high): (DVec3, DVec3), way: DVec3| (low.min(way), high.max(way));
        let (low, high) = (0..x.len()).map(&way).fold(none, around);
        let middle = 0.5 * (low + high);
        let (least, most) = (LEAST_ALLOWANCE * self.most_allowance, self.most_allowance);
        fill(&mut self.allowances, GRAIN, |i| {
            (least + OF_THE_WAY * way(i).distance(middle)).min(most)
        });
        self.ways.set([&self.starts, &self.ends], |i| self.allowances[i]);
    }

    /// Whether the list holds every pair that may come too near in a straight step that ends at
    /// `x`, `elapsed` seconds after detection, if it does so where the step begins.
    pub fn covers(&self, x: &[DVec3], elapsed: f64) -> bool {
        if !self.is_in_time(elapsed) || x.len() != self.starts.len() {
            return false;
        }
        let share = self.share(elapsed);
        let common = self.common_deviation(x, share);
        let off = |i: usize| (self.deviation(x[i], i, share) - common).length();
        (0..x.len()).all(|i| off(i) <= self.allowances[i])
    }

    fn is_in_time(&self, elapsed: f64) -> bool {
        elapsed <= self.horizon * (1.0 + 1e-9)
    }

    /// The share of its predicted way that a particle has gone by then.
    fn share(&self, elapsed: f64) -> f64 {
        if self.horizon > 0.0 { elapsed / self.horizon } else { 0.0 }
    }

    /// How far a particle is from where it was to be [m].
    #[inline]
    fn deviation(&self, place: DVec3, particle: usize, share: f64) -> DVec3 {
        place - self.starts[particle].lerp(self.ends[particle], share)
    }

    /// What all do alike, as they fall, brings no two of them nearer: deviations count from their
    /// mean [m].
    fn common_deviation(&self, x: &[DVec3], share: f64) -> DVec3 {
        let all = x.iter().enumerate().map(|(i, place)| self.deviation(*place, i, share));
        all.sum::<DVec3>() / x.len().max(1) as f64
    }
}
