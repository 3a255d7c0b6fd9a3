//! The broad phase: which features of a surface may be near each other, as boxes, stars and
//! outlines of patches tell.

use glam::DVec3;
use taffeta_linalg::update;

use super::Pair;
use super::aabb::{Aabb, LANES, Lanes, each_bit};
use super::bvh::Bvh;
use super::narrow::kept;
use super::neighbours::Neighbours;
use super::outline::{Corners, Outline};
use super::patches::{Patch, patches, patches_around};
use super::stars::Stars;
use super::ways::Ways;
use crate::collision::{Pairing, Surface};

/// Patches whose outlines repay a hand-over to another thread.
const GRAIN: usize = 512;

/// The patches of a surface, and what is known of them at rest and now.
#[derive(Debug)]
pub(super) struct Broad {
    patches: Vec<Patch>,
    /// How many of them are not rigid: these come first.
    soft: usize,
    /// What coordinates at rest are wrong by at most [m].
    round_off: f32,
    neighbours: Neighbours,
    stars: Stars,
    bvh: Bvh,
    outlines: Vec<Outline>,
    /// [m]
    thickness: f32,
    /// By how much more pairs are apart that are wanted anyway [m].
    beyond: f32,
}

impl Broad {
    /// For pairs that come nearer than they keep, the thickness at most, and `beyond` more.
    pub fn new(surface: &Surface, rest: &[DVec3], (thickness, beyond): (f64, f64)) -> Self {
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
            beyond: (beyond as f32).next_up(),
            patches,
        }
    }

    /// How many pieces of work [`Broad::search`] knows: rigid patches meet no other rigid ones.
    pub fn blocks(&self) -> usize {
        self.soft.div_ceil(LANES)
    }

    /// Fits all to predicted ways.
    pub fn fit(&mut self, ways: &Ways) {
        let Self { patches, bvh, stars, outlines, .. } = self;
        let reach = 0.5 * (self.thickness + self.beyond) + ways.round_off;
        bvh.refit(|p| {
            let [a, b, c, d] = corner_boxes(&patches[p], ways, reach);
            a.union(b).union(c.union(d))
        });
        stars.look(ways);
        update(outlines, GRAIN, |p, outline| outline.follow(&patches[p], ways));
    }

    /// Calls `look` with every pair of features that may be near each other, of patches of one
    /// block and of later ones; and with whether they may be so at rest, too.
    pub fn search(&self, block: usize, ways: &Ways, look: &mut impl FnMut(Pair, bool)) {
        let mut nodes = Vec::new();
        self.bvh.near_nodes(block, &mut nodes);
        for first in block * LANES..self.soft.min((block + 1) * LANES) {
            self.search_from(first, &nodes, ways, look);
        }
    }

    fn search_from(
        &self,
        first: usize,
        nodes: &[u32],
        ways: &Ways,
        look: &mut impl FnMut(Pair, bool),
    ) {
        let (patch, stars) = (&self.patches[first], &self.stars);
        let reach = 0.5 * (self.thickness + self.beyond) + ways.round_off;
        let mut lanes = None;
        if !patch.outline.iter().any(|&corner| stars.is_smooth(corner)) {
            within(patch, lanes.get_or_insert_with(|| boxes(patch, ways, reach)), look);
        }
        let mut neighbours = self.neighbours.after(first).iter().peekable();
        self.bvh.later_leaves(first, nodes, |second| {
            while neighbours.next_if(|next| (next.patch as usize) < second).is_some() {}
            let mut near_at_rest = true;
            if let Some(next) = neighbours.next_if(|next| next.patch as usize == second) {
                if next.shared.iter().any(|&corner| stars.is_smooth(corner)) {
                    return;
                }
            } else {
                let [one, other] = [&self.outlines[first], &self.outlines[second]];
                let slack = self.beyond + ways.round_off + self.round_off;
                if one.is_apart(other, self.thickness, slack) {
                    return;
                }
                near_at_rest = one.is_near_at_rest(other, self.thickness, self.round_off);
            }
            let other = &self.patches[second];
            let own = lanes.get_or_insert_with(|| boxes(patch, ways, reach));
            let lanes = ([own, &boxes(other, ways, reach)], &self.bvh.leaf(second));
            between([patch, other], lanes, &mut |pair| look(pair, near_at_rest));
        });
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

/// The boxes of a patch's features.
#[inline]
fn boxes(patch: &Patch, ways: &Ways, reach: f32) -> Lanes {
    let corners = corner_boxes(patch, ways, reach);
    Lanes::of(patch.count(), |lane| {
        let bits = patch.corners_of(lane);
        let [mut low, mut high] = [Aabb::EMPTY.low, Aabb::EMPTY.high];
        each_bit(bits, |k| {
            (low, high) = (low.min(corners[k & 3].low), high.max(corners[k & 3].high));
        });
        Aabb { low, high }
    })
}

/// Calls `look` with every pair of features of one patch whose boxes overlap.
fn within(patch: &Patch, lanes: &Lanes, look: &mut impl FnMut(Pair, bool)) {
    let look = &mut |pair| look(pair, true);
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
fn between(both: [&Patch; 2], (lanes, around): ([&Lanes; 2], &Aabb), look: &mut impl FnMut(Pair)) {
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
