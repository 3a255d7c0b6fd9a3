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
//! 2. [`PairCache::measure`] in every step: closest points of the listed pairs, for contacts.
//! 3. [`PairCache::covers`] after every step: whether the list still holds all that matters; if
//!    not, the step is done again after detecting anew where it began.
//! 4. [`PairCache::certify`] after every step: nothing has passed through anything.
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
//! Places beside each other, and distances (`narrow`). Work is cut by the number of patches, and
//! the list is sorted, so it is a function of the input alone.

mod aabb;
mod bvh;
mod certificate;
mod narrow;
mod neighbours;
mod outline;
mod pair;
mod patches;
mod sorting;
mod stars;
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
use narrow::{Narrow, kept};
use neighbours::Neighbours;
use outline::{Corners, Outline, Scale, apart};
use patches::{Patch, patches_around};
use sorting::sort_into;
use stars::{Predicted, Stars};

/// Nearer than this share of what they keep pairs count as touching, wherever their closest points
/// are.
pub(crate) const TOUCHING: f64 = 0.25;
/// A particle may leave its predicted way by at most this share of the mean edge: two of them then
/// come nearer by a fifth, where the nearest of neighbours, at rest, have 0.35 to spare.
const MOST_OF_EDGE: f64 = 0.1;
/// And by at most this share of the thickness, not to list layers beyond the next.
const MOST_OF_THICKNESS: f64 = 0.5;
/// What a slow particle may leave it by, as a share of that.
const LEAST_ALLOWANCE: f64 = 0.25;
/// And as much more as this share of the way that a fast one goes.
const OF_THE_WAY: f64 = 0.1;
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
    /// The most that any particle may leave its predicted way by [m].
    most_allowance: f64,
    patches: Vec<Patch>,
    /// The corners of patches at rest, and the size of their coordinates.
    rest_corners: Vec<Corners>,
    rest_size: f64,
    neighbours: Neighbours,
    stars: Stars,
    bvh: Bvh,
    /// Where particles were at detection, where they were to be at its horizon, by how much each
    /// may be off, and when that is [m, m, m, s].
    starts: Vec<DVec3>,
    ends: Vec<DVec3>,
    allowances: Vec<f64>,
    horizon: f64,
    /// The box around each particle's way, and around those of each patch's features.
    boxes: Vec<Aabb>,
    lanes: Vec<Lanes>,
    outlines: Vec<Outline>,
    scale: Scale,
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
        let patches = patches::patches(&surface, &rest);
        let around = patches_around(&patches, rest.len());
        let origin = rest.first().copied().unwrap_or_default();
        let rest_corners = patches.iter().map(|patch| Corners::of(patch, &rest, origin)).collect();
        Self {
            thickness,
            most_allowance: (MOST_OF_EDGE * mean).min(MOST_OF_THICKNESS * thickness),
            rest_corners,
            rest_size: size(&rest, origin),
            neighbours: Neighbours::new(&patches, &around),
            stars: Stars::new((&patches, &around), &rest, |pair| {
                kept(&surface, &rest, thickness, pair)
            }),
            bvh: Bvh::new(patches.len()),
            starts: Vec::new(),
            ends: vec![DVec3::ZERO; rest.len()],
            allowances: vec![0.0; rest.len()],
            horizon: f64::NEG_INFINITY,
            boxes: vec![Aabb::EMPTY; rest.len()],
            lanes: vec![Lanes::EMPTY; patches.len()],
            outlines: vec![Outline::NONE; patches.len()],
            scale: Scale::new(thickness, 0.0),
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
        self.predict(x, v, horizon);
        self.fit();
        // What is found goes beside what it is found with.
        let mut found = std::mem::take(&mut self.found);
        let Self { surface, rest, starts, ends, allowances, thickness, .. } = &*self;
        let narrow = Narrow { surface, rest, starts, ends, allowances, thickness: *thickness };
        update(&mut found, 1, |block, found| {
            found.clear();
            let last = self.patches.len().min((block + 1) * BLOCK);
            for patch in block * BLOCK..last {
                self.search(patch, &mut |pair: Pair| {
                    if let Some(near) = narrow.look(pair)
                        && !excluded(&pair)
                    {
                        found.push(near);
                    }
                });
            }
        });
        self.found = found;
        sort_into(&mut self.pairs, &self.found, x.len());
    }

    /// Takes note of the predicted ways, and of how far particles may leave them: the faster ones,
    /// which will be pushed about more, farther.
    fn predict(&mut self, x: &[DVec3], v: &[DVec3], horizon: f64) {
        self.horizon = horizon;
        self.starts.clear();
        self.starts.extend_from_slice(x);
        fill(&mut self.ends, GRAIN, |i| x[i] + v[i] * horizon);
        let (low, high) = v
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        let middle = 0.5 * (low + high);
        let (least, most) = (LEAST_ALLOWANCE * self.most_allowance, self.most_allowance);
        fill(&mut self.allowances, GRAIN, |i| {
            (least + OF_THE_WAY * horizon * (v[i] - middle).length()).min(most)
        });
    }

    /// Fits boxes, stars and outlines to the predicted ways.
    fn fit(&mut self) {
        let Self { starts, ends, allowances, boxes, patches, lanes, .. } = self;
        let reach = 0.5 * self.thickness;
        fill(boxes, GRAIN, |i| Aabb::swept(starts[i], ends[i], reach + allowances[i]));
        fill(lanes, GRAIN / 8, |p| {
            let patch = &patches[p];
            let mut lanes = Lanes::EMPTY;
            for (lane, &[a, b, c]) in patch.features[..patch.count()].iter().enumerate() {
                let [a, b, c] = [boxes[a as usize], boxes[b as usize], boxes[c as usize]];
                lanes.set(lane, &a.union(b).union(c));
            }
            lanes
        });
        self.bvh.refit(|p| lanes[p].around());
        self.stars.look(&Predicted { starts, ends, allowances });
        let origin = starts.first().copied().unwrap_or_default();
        self.scale = Scale::new(self.thickness, size(starts, origin).max(self.rest_size));
        fill(&mut self.outlines, GRAIN / 8, |p| {
            let patch = &patches[p];
            let mut outline =
                Outline { corners: Corners::of(patch, starts, origin), ..Outline::NONE };
            for i in patch.outline.map(|i| i as usize) {
                outline.moves =
                    outline.moves.union(Aabb::swept(ends[i] - starts[i], ends[i] - starts[i], 0.0));
                outline.allowance = outline.allowance.max((allowances[i] as f32).next_up());
            }
            outline
        });
    }

    /// Calls `look` with what a patch has near itself and in later patches, as boxes tell.
    fn search(&self, first: usize, look: &mut impl FnMut(Pair)) {
        let Self { patches, lanes, outlines, rest_corners, stars, .. } = self;
        let patch = &patches[first];
        if !patch.outline.iter().any(|&corner| stars.is_smooth(corner)) {
            narrow::within(patch, &lanes[first], look);
        }
        let mut neighbours = self.neighbours.after(first).iter().peekable();
        self.bvh.later_neighbours(first, |second| {
            while neighbours.next_if(|next| (next.patch as usize) < second).is_some() {}
            let both = [patch, &patches[second]];
            if let Some(next) = neighbours.next_if(|next| next.patch as usize == second) {
                if next.shared.iter().any(|&corner| stars.is_smooth(corner)) {
                    return;
                }
            } else {
                let one_piece = self.surface.connected(patch.outline[0], both[1].outline[0]);
                let rest = one_piece.then(|| [&rest_corners[first], &rest_corners[second]]);
                if apart([&outlines[first], &outlines[second]], rest, &self.scale) {
                    return;
                }
            }
            let lanes = ([&lanes[first], &lanes[second]], &self.bvh.leaf(second));
            narrow::between(both, lanes, look);
        });
    }

    /// Whether the list holds every pair that may come too near in a straight step that ends at
    /// `x`, `elapsed` seconds after detection, if it does so where the step begins.
    pub fn covers(&self, x: &[DVec3], elapsed: f64) -> bool {
        let in_time = elapsed <= self.horizon * (1.0 + 1e-9);
        if !in_time || x.len() != self.starts.len() {
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
        (0..x.len()).all(|i| (off(i) - middle).length() <= self.allowances[i])
    }
}

/// The largest coordinate from an origin [m].
fn size(positions: &[DVec3], origin: DVec3) -> f64 {
    positions.iter().fold(0.0, |size: f64, p| size.max((*p - origin).abs().max_element()))
}
