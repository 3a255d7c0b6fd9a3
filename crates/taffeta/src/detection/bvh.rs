//! A bounding-volume hierarchy (BVH) of eight boxes a node, over numbered patches.
//!
//! Built once, from where patches are at rest: what is near there stays near on a surface that
//! hardly stretches. After every motion the boxes are fitted anew, the tree stays.

use glam::DVec3;
use taffeta_linalg::fill;

use super::aabb::{Aabb, LANES, Lanes};
use crate::collision::Bounds;

/// Nodes whose fitting repays a hand-over to another thread.
const GRAIN: usize = 128;
/// The logarithm of [`LANES`]: child i of node n is number n·8 + i of the level below.
const SHIFT: u32 = 3;

/// The tree, level by level from the leaves' boxes to the root's.
#[derive(Debug)]
pub(super) struct Bvh {
    leaves: usize,
    levels: Vec<Vec<Lanes>>,
}

impl Bvh {
    /// A tree over so many leaves.
    pub fn new(leaves: usize) -> Self {
        let mut levels = Vec::new();
        let mut count = leaves;
        loop {
            count = count.div_ceil(LANES).max(1);
            levels.push(vec![Lanes::EMPTY; count]);
            if count == 1 {
                return Self { leaves, levels };
            }
        }
    }

    /// Fits the boxes to where the leaves are now.
    pub fn refit(&mut self, leaf: impl Fn(usize) -> Aabb + Sync) {
        let leaves = self.leaves;
        fill(&mut self.levels[0], GRAIN, |node| node_of(node, leaves, &leaf));
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let below = &below[level - 1];
            fill(&mut above[0], GRAIN, |node| {
                node_of(node, below.len(), &|child: usize| below[child].around())
            });
        }
    }

    /// The box of a leaf.
    #[inline]
    pub fn leaf(&self, leaf: usize) -> Aabb {
        self.levels[0][leaf / LANES].get(leaf % LANES)
    }

    /// Calls `visit` with every leaf after `leaf` whose box overlaps its own, in ascending order.
    #[inline]
    pub fn later_neighbours(&self, leaf: usize, mut visit: impl FnMut(usize)) {
        let own = self.leaf(leaf);
        // One node of each level, with the children still to be visited: as numbers are u32, there
        // are at most eleven levels.
        let mut stack = [(0u32, 0u32, 0u32); 12];
        let top = self.levels.len() - 1;
        stack[0] = (top as u32, 0, self.open(top, 0, leaf, &own));
        let mut depth = 1;
        while depth > 0 {
            let (level, node, open) = &mut stack[depth - 1];
            if *open == 0 {
                depth -= 1;
                continue;
            }
            let child = (*node << SHIFT) + open.trailing_zeros();
            *open &= *open - 1;
            if *level == 0 {
                visit(child as usize);
            } else {
                let below = *level - 1;
                stack[depth] =
                    (below, child, self.open(below as usize, child as usize, leaf, &own));
                depth += 1;
            }
        }
    }

    /// The children of a node that overlap the box of a leaf and hold later ones.
    #[inline]
    fn open(&self, level: usize, node: usize, leaf: usize, own: &Aabb) -> u32 {
        let hit = self.levels[level][node].overlapping(own);
        // The first child that holds a later leaf.
        let first = ((leaf + 1) >> (SHIFT * level as u32)).saturating_sub(node << SHIFT);
        if first >= LANES { 0 } else { hit & (u32::MAX << first) }
    }
}

/// A node over the boxes of its children.
#[inline]
fn node_of(node: usize, children: usize, bounds: &impl Fn(usize) -> Aabb) -> Lanes {
    let mut lanes = Lanes::EMPTY;
    for child in node * LANES..children.min((node + 1) * LANES) {
        lanes.set(child - node * LANES, &bounds(child));
    }
    lanes
}

/// An order of things in which those of a node are near each other: halves of halves along the
/// longer side of their centres' box, cut where nodes are.
pub(super) fn order_for_nodes(centres: &[DVec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..centres.len() as u32).collect();
    sort_into_nodes(&mut order, centres);
    order
}

fn sort_into_nodes(order: &mut [u32], centres: &[DVec3]) {
    if order.len() <= LANES {
        return;
    }
    // Cuts are multiples of the largest node that is smaller than the whole.
    let mut node = LANES;
    while node * LANES < order.len() {
        node *= LANES;
    }
    let half = (order.len() / 2).div_ceil(node) * node;
    let extent = Bounds::around(order.iter().map(|&i| centres[i as usize]));
    let axis = (extent.high - extent.low).max_position();
    // Of equal centres the lower number goes first, so that there is one order only.
    let key = |i: u32| centres[i as usize][axis];
    if half < order.len() {
        order.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    }
    let (left, right) = order.split_at_mut(half);
    sort_into_nodes(left, centres);
    sort_into_nodes(right, centres);
}
