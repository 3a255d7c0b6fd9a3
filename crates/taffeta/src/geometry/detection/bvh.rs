//! A bounding-volume hierarchy (BVH) of eight boxes a node, over numbered patches.
//!
//! Built once, from where patches are at rest: what is near there stays near on a surface that
//! hardly stretches. After every motion the boxes are fitted anew, the tree stays.

use glam::DVec3;
use taffeta_linalg::fill;

use super::aabb::{Aabb, BoxLanes, LANES, each_bit};
use crate::geometry::collision::Bounds;

/// Nodes whose fitting repays a hand-over to another thread.
const GRAIN: usize = 64;
/// The logarithm of [`LANES`]: child i of node n is number n·8 + i of the level below.
const SHIFT: u32 = 3;

/// The tree, level by level from the leaves' boxes to the root's.
#[derive(Debug, Default)]
pub(super) struct Bvh {
    leaves: usize,
    levels: Vec<Vec<BoxLanes>>,
}

impl Bvh {
    /// A tree over so many leaves.
    pub fn new(leaves: usize) -> Self {
        let mut levels = Vec::new();
        let mut count = leaves;
        loop {
            count = count.div_ceil(LANES).max(1);
            levels.push(vec![BoxLanes::EMPTY; count]);
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

    /// Fits the boxes to where some leaves are now, given in ascending order.
    pub fn refit_some(&mut self, some: &[u32], leaf: impl Fn(usize) -> Aabb) {
        let mut nodes: Vec<usize> = some.iter().map(|&leaf| leaf as usize >> SHIFT).collect();
        for level in 0..self.levels.len() {
            nodes.dedup();
            let (below, above) = self.levels.split_at_mut(level);
            for node in &mut nodes {
                above[0][*node] = match below.last() {
                    None => node_of(*node, self.leaves, &leaf),
                    Some(below) => node_of(*node, below.len(), &|child| below[child].around()),
                };
                *node >>= SHIFT;
            }
        }
    }

    /// The box around all leaves of a node.
    pub fn node(&self, node: usize) -> Aabb {
        self.levels[0][node].around()
    }

    /// Finds, in ascending order, the nodes from `first` on whose boxes overlap another box.
    pub fn near_nodes(&self, own: &Aabb, first: usize, found: &mut Vec<u32>) {
        found.clear();
        if self.levels.len() > 1 {
            self.near_nodes_below(self.levels.len() - 1, 0, (first, own), found);
        } else {
            found.push(0);
        }
    }

    fn near_nodes_below(
        &self,
        level: usize,
        at: usize,
        (node, own): (usize, &Aabb),
        found: &mut Vec<u32>,
    ) {
        // The first child that holds the first node or later ones.
        let first = (node >> (SHIFT * (level as u32 - 1))).saturating_sub(at << SHIFT);
        if first >= LANES {
            return;
        }
        let open = self.levels[level][at].overlapping(own) & (u32::MAX << first);
        each_bit(open, |child| {
            let child = (at << SHIFT) + child;
            if level == 1 {
                found.push(child as u32);
            } else {
                self.near_nodes_below(level - 1, child, (node, own), found);
            }
        });
    }

    /// The box of a leaf.
    #[inline]
    pub fn leaf(&self, leaf: usize) -> Aabb {
        self.levels[0][leaf / LANES].get(leaf % LANES)
    }

    /// Calls `visit` with every leaf from `first` on whose box overlaps another box, in ascending
    /// order, of those that are in some nodes.
    #[inline]
    pub fn near_leaves(
        &self,
        (own, nodes): (&Aabb, &[u32]),
        first: usize,
        mut visit: impl FnMut(usize),
    ) {
        for &node in nodes {
            let base = (node as usize) << SHIFT;
            let hit = self.levels[0][node as usize].overlapping(own);
            let first = first.saturating_sub(base).min(LANES);
            each_bit(hit & (u32::MAX << first), |lane| visit(base + lane));
        }
    }
}

/// A node over the boxes of its children.
#[inline]
fn node_of(node: usize, children: usize, bounds: &impl Fn(usize) -> Aabb) -> BoxLanes {
    let first = node * LANES;
    BoxLanes::of(children.saturating_sub(first).min(LANES), |lane| bounds(first + lane))
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
