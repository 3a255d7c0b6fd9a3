//! The broad phase: which features of a surface may be near each other, as boxes, stars and
//! outlines of patches tell.

use glam::DVec3;
use taffeta_linalg::update;

use super::aabb::{Aabb, BoxLanes, LANES, each_bit};
use super::bvh::Bvh;
use super::narrow::{Candidate, kept};
use super::neighbours::{Neighbour, Neighbours};
use super::outline::{Corners, Outline};
use super::patches::{Patch, patches, patches_around};
use super::stars::Stars;
use super::ways::Ways;
use super::{Pair, Reach};
use crate::geometry::collision::{Pairing, Surface};

/// Patches whose outlines repay a hand-over to another thread.
const GRAIN: usize = 512;

/// The patches of a surface, and what is known of them at rest and now.
#[derive(Debug)]
pub(super) struct Broad {
    patches: Vec<Patch>,
    /// The patches that have each vertex.
    around: Vec<Vec<u32>>,
    /// How many of them are not rigid: these come first.
    soft: usize,
    /// What coordinates at rest are wrong by at most [m].
    round_off: f32,
    neighbours: Neighbours,
    stars: Stars,
    bvh: Bvh,
    outlines: Vec<Outline>,
    /// What layers of cloth keep at most, what cloth and rigid features do, and by how much more pairs
    /// are apart that are wanted anyway [m].
    thickness: f32,
    rigid: f32,
    beyond: f32,
}

impl Broad {
    /// For pairs that come as near as they must to be listed.
    pub fn new(surface: &Surface, rest: &[DVec3], reach: Reach) -> Self {
        let Reach { thickness, rigid, beyond } = reach;
        let patches = patches(surface, rest);
        let around = patches_around(&patches, rest.len());
        let mut places = Ways::default();
        places.set([rest, rest], |_| 0.0);
        let place = |i: u32| places.starts[i as usize];
        let outline = |patch: &Patch| {
            Outline::new(Corners::of(patch, place), surface.piece(patch.outline[0]))
        };
        Self {
            soft: patches.partition_point(|patch| !surface.is_rigid(patch.outline[0])),
            round_off: places.round_off,
            neighbours: Neighbours::new(&patches, &around),
            stars: Stars::new((&patches, &around), rest, |pair| {
                kept(surface, rest, thickness, pair) + beyond
            }),
            bvh: Bvh::new(patches.len()),
            outlines: patches.iter().map(outline).collect(),
            thickness: (thickness as f32).next_up(),
            rigid: (rigid as f32).next_up(),
            beyond: (beyond as f32).next_up(),
            patches,
            around,
        }
    }

    /// How many patches there are.
    pub fn patches(&self) -> usize {
        self.patches.len()
    }

    /// How many pieces of work [`Broad::search`] knows: rigid patches meet no other rigid ones.
    pub fn blocks(&self) -> usize {
        self.soft.div_ceil(LANES)
    }

    /// By how much the boxes of a patch are larger than what they hold: those of two patches that come
    /// as near as they must overlap [m].
    #[inline]
    fn reach(&self, patch: usize, ways: &Ways) -> f32 {
        let half = 0.5 * self.thickness;
        let kept = if patch < self.soft { half } else { (self.rigid - half).next_up().max(0.0) };
        kept + 0.5 * self.beyond + ways.round_off
    }

    /// The box of a patch.
    #[inline]
    fn patch_box(&self, patch: usize, ways: &Ways) -> Aabb {
        let [a, b, c, d] = corner_boxes(&self.patches[patch], ways, self.reach(patch, ways));
        a.union(b).union(c.union(d))
    }

    /// The boxes of a patch's features.
    #[inline]
    fn boxes(&self, patch: usize, ways: &Ways) -> BoxLanes {
        let reach = self.reach(patch, ways);
        let patch = &self.patches[patch];
        let corners = corner_boxes(patch, ways, reach);
        BoxLanes::of(patch.count(), |lane| {
            let bits = patch.corners_of(lane);
            let [mut low, mut high] = [Aabb::EMPTY.low, Aabb::EMPTY.high];
            each_bit(bits, |k| {
                (low, high) = (low.min(corners[k & 3].low), high.max(corners[k & 3].high));
            });
            Aabb { low, high }
        })
    }

    /// Fits all to predicted ways.
    pub fn fit(&mut self, ways: &Ways) {
        let mut bvh = std::mem::take(&mut self.bvh);
        bvh.refit(|p| self.patch_box(p, ways));
        self.bvh = bvh;
        let Self { patches, stars, outlines, .. } = self;
        stars.look(ways);
        update(outlines, GRAIN, |p, outline| outline.follow(&patches[p], ways));
    }

    /// Fits what has particles whose predicted ways have changed, and finds its patches, in
    /// ascending order.
    pub fn fit_some(&mut self, particles: &[u32], ways: &Ways, found: &mut Vec<u32>) {
        found.clear();
        particles.iter().for_each(|&i| found.extend(&self.around[i as usize]));
        found.sort_unstable();
        found.dedup();
        let mut bvh = std::mem::take(&mut self.bvh);
        bvh.refit_some(found, |p| self.patch_box(p, ways));
        self.bvh = bvh;
        let Self { patches, stars, outlines, .. } = self;
        for &p in &*found {
            let patch = &patches[p as usize];
            stars.look_at_some(patch.corners(), ways);
            outlines[p as usize].follow(patch, ways);
        }
    }

    /// Calls `look` with every pair of features that may be near each other, of patches of one
    /// block and of later ones.
    pub fn search(&self, block: usize, ways: &Ways, look: &mut impl FnMut(Candidate)) {
        let mut nodes = Vec::new();
        self.bvh.near_nodes(&self.bvh.node(block), block, &mut nodes);
        for first in block * LANES..self.soft.min((block + 1) * LANES) {
            let one = &mut One::new(self, first, ways);
            one.within(look);
            let mut neighbours = self.neighbours.after(first).iter().peekable();
            let near = (&self.bvh.leaf(first), &nodes[..]);
            self.bvh.near_leaves(near, first + 1, |second| {
                while neighbours.next_if(|next| (next.patch as usize) < second).is_some() {}
                let shared = neighbours.next_if(|next| next.patch as usize == second);
                one.with(second, shared, look);
            });
        }
    }

    /// The same of one patch among `some` and of all others, but those among them that come before it.
    pub fn search_among(
        &self,
        (patch, some): (usize, &[u32]),
        ways: &Ways,
        look: &mut impl FnMut(Candidate),
    ) {
        let (own, mut nodes) = (self.bvh.leaf(patch), Vec::new());
        self.bvh.near_nodes(&own, 0, &mut nodes);
        let one = &mut One::new(self, patch, ways);
        if patch < self.soft {
            one.within(look);
        }
        self.bvh.near_leaves((&own, &nodes), 0, |other| {
            let rigid = patch >= self.soft && other >= self.soft;
            let done = other <= patch && some.binary_search(&(other as u32)).is_ok();
            if !rigid && !done {
                let shared = self.neighbours.between(patch.min(other), patch.max(other));
                one.with(other, shared, look);
            }
        });
    }
}

/// One patch, whose features are looked at with those of others.
struct One<'a> {
    broad: &'a Broad,
    ways: &'a Ways,
    number: usize,
    /// The boxes of its features, once something is near.
    lanes: Option<BoxLanes>,
}

impl<'a> One<'a> {
    fn new(broad: &'a Broad, number: usize, ways: &'a Ways) -> Self {
        Self { broad, ways, number, lanes: None }
    }

    /// Looks at its features with each other.
    #[inline]
    fn within(&mut self, look: &mut impl FnMut(Candidate)) {
        let Self { broad, ways, number, ref mut lanes } = *self;
        let patch = &broad.patches[number];
        if !patch.outline.iter().any(|&corner| broad.stars.is_smooth(corner)) {
            within(patch, lanes.get_or_insert_with(|| broad.boxes(number, ways)), look);
        }
    }

    /// Looks at its features with those of another patch, with which it shares corners, or none.
    #[inline]
    fn with(&mut self, other: usize, shared: Option<&Neighbour>, look: &mut impl FnMut(Candidate)) {
        let Self { broad, ways, number, ref mut lanes } = *self;
        let mut near_at_rest = true;
        if let Some(next) = shared {
            if next.shared.iter().any(|&corner| broad.stars.is_smooth(corner)) {
                return;
            }
        } else {
            let [one, two] = [&broad.outlines[number], &broad.outlines[other]];
            let slack = broad.beyond + ways.round_off + broad.round_off;
            let rigid = number.max(other) >= broad.soft;
            let thickness = if rigid { broad.rigid } else { broad.thickness };
            if one.is_apart(two, thickness, slack) {
                return;
            }
            near_at_rest = one.is_near_at_rest(two, broad.thickness, broad.round_off);
        }
        let both = [&broad.patches[number], &broad.patches[other]];
        let own = lanes.get_or_insert_with(|| broad.boxes(number, ways));
        let lanes = ([&*own, &broad.boxes(other, ways)], &broad.bvh.leaf(other));
        between(both, lanes, &mut |pair| look(Candidate { pair, near_at_rest }));
    }
}

/// The boxes of a patch's corners.
#[inline]
fn corner_boxes(patch: &Patch, ways: &Ways, reach: f32) -> [Aabb; 4] {
    // Not `outline.map`, which is not inlined.
    let [a, b, c, d] = patch.outline;
    let around = |corner: u32| ways.bounds(corner, reach);
    [around(a), around(b), around(c), around(d)]
}

/// Calls `look` with every pair of features of one patch whose boxes overlap.
fn within(patch: &Patch, lanes: &BoxLanes, look: &mut impl FnMut(Candidate)) {
    let look = &mut |pair| look(Candidate { pair, near_at_rest: true });
    let [vertices, edges, triangles] = patch.kinds();
    each_bit(vertices | edges, |a| {
        let near = lanes.overlapping(&lanes.get(a));
        if vertices & (1 << a) != 0 {
            each_bit(near & triangles, |b| vertex_triangle([patch, patch], [a, b], look));
        } else {
            let later = near & edges & (u32::MAX << a << 1);
            each_bit(later, |b| edge_edge([patch, patch], [a, b], look));
        }
    });
}

/// Calls `look` with every pair of features of two patches whose boxes overlap; the second is
/// within the box `around`.
#[inline]
fn between(
    both: [&Patch; 2],
    (lanes, around): ([&BoxLanes; 2], &Aabb),
    look: &mut impl FnMut(Pair),
) {
    let ([vertices, edges, _], [others, other_edges, triangles]) =
        (both[0].kinds(), both[1].kinds());
    each_bit(lanes[0].overlapping(around), |a| {
        let near = lanes[1].overlapping(&lanes[0].get(a));
        let bit = 1 << a;
        if vertices & bit != 0 {
            each_bit(near & triangles, |b| vertex_triangle(both, [a, b], look));
        } else if edges & bit != 0 {
            each_bit(near & other_edges, |b| edge_edge(both, [a, b], look));
        } else {
            each_bit(near & others, |b| vertex_triangle([both[1], both[0]], [b, a], look));
        }
    });
}

#[inline]
fn vertex_triangle(both: [&Patch; 2], lanes: [usize; 2], look: &mut impl FnMut(Pair)) {
    let ([v, ..], [a, b, c]) = (both[0].features[lanes[0]], both[1].features[lanes[1]]);
    if v != a && v != b && v != c {
        look(Pair { pairing: Pairing::VertexTriangle, particles: [v, a, b, c] });
    }
}

#[inline]
fn edge_edge(both: [&Patch; 2], lanes: [usize; 2], look: &mut impl FnMut(Pair)) {
    let ([a, b, _], [c, d, _]) = (both[0].features[lanes[0]], both[1].features[lanes[1]]);
    if a != c && a != d && b != c && b != d {
        // The lower edge first, as the surface has them.
        let particles = if [a, b] < [c, d] { [a, b, c, d] } else { [c, d, a, b] };
        look(Pair { pairing: Pairing::EdgeEdge, particles });
    }
}
