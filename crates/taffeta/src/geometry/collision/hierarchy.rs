//! A bounding-volume hierarchy (BVH) in double precision: which of many moving things are near each
//! other.
//!
//! Built once, from where things are at rest: what is near there stays near on a surface that
//! hardly stretches. After every motion the boxes are fitted anew, the tree stays.

use glam::DVec3;
use taffeta_linalg::fill;

use super::bounds::Bounds;

/// Things in one leaf at most.
const LEAF: usize = 4;
/// Boxes whose fitting repays a hand-over to another thread.
const GRAIN: usize = 1024;
/// Leaves from which on pairs are looked for in several pieces of work.
const MANY_LEAVES: usize = 1024;
/// The level of the tree whose nodes, paired, are those pieces of work.
const WORK_LEVEL: u32 = 4;

/// A balanced binary tree of boxes over numbered things.
///
/// Nodes are numbered as in a heap: the children of node i are 2i + 1 and 2i + 2, and all leaves
/// are on one level. So the tree is the same for any number of threads.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// The things in the order of the leaves.
    order: Vec<u32>,
    /// The box of each of them, in that order.
    boxes: Vec<Bounds>,
    nodes: Vec<Bounds>,
    leaves: usize,
}

/// Pairs of things whose boxes overlap, and the memory to find them without allocating each time.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    found: Vec<[u32; 2]>,
    /// What each piece of work looks at, and what it finds.
    work: Vec<(Work, Vec<[u32; 2]>)>,
}

/// A piece of the search.
#[derive(Clone, Copy, Debug)]
enum Work {
    Within(usize),
    Between(usize, usize),
}

impl Pairs {
    /// The pairs last found, in an order that depends on the trees alone.
    pub fn found(&self) -> &[[u32; 2]] {
        &self.found
    }

    /// Does every piece of work with what finds its pairs, on several threads if there are many.
    fn search(
        &mut self,
        work: impl Iterator<Item = Work>,
        find: impl Fn(Work, &mut Vec<[u32; 2]>) + Sync,
    ) {
        let mut pieces = 0;
        for piece in work {
            match self.work.get_mut(pieces) {
                Some(slot) => slot.0 = piece,
                None => self.work.push((piece, Vec::new())),
            }
            pieces += 1;
        }
        taffeta_linalg::update(&mut self.work[..pieces], 1, |_, (piece, found)| {
            found.clear();
            find(*piece, found);
        });
        self.found.clear();
        self.work[..pieces].iter().for_each(|(_, found)| self.found.extend_from_slice(found));
    }
}

impl Hierarchy {
    /// A tree over as many things as there are centres, which say what is near what.
    pub fn new(centres: &[DVec3]) -> Self {
        let leaves = centres.len().div_ceil(LEAF).max(1).next_power_of_two();
        let mut order: Vec<u32> = (0..centres.len() as u32).collect();
        sort_into_leaves(&mut order, centres, (0, leaves, leaves));
        let boxes = vec![Bounds::EMPTY; order.len()];
        Self { order, boxes, nodes: vec![Bounds::EMPTY; 2 * leaves - 1], leaves }
    }

    /// Fits the boxes to where things are now.
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Bounds + Sync) {
        let order = &self.order;
        fill(&mut self.boxes, GRAIN, |i| bounds(order[i]));
        let (inner, leaves) = self.nodes.split_at_mut(self.leaves - 1);
        let (boxes, things, count) = (&self.boxes, self.order.len(), self.leaves);
        fill(leaves, GRAIN, |leaf| {
            let range = leaf_range(things, count, leaf);
            boxes[range].iter().fold(Bounds::EMPTY, |all, one| all.union(*one))
        });
        for node in (0..inner.len()).rev() {
            let child = |i: usize| match i.checked_sub(inner.len()) {
                Some(leaf) => leaves[leaf],
                None => inner[i],
            };
            inner[node] = child(2 * node + 1).union(child(2 * node + 2));
        }
    }

    /// The box around everything.
    pub fn bounds(&self) -> Bounds {
        self.nodes[0]
    }

    /// Finds every two things whose boxes overlap; the lower number comes first.
    pub fn self_pairs(&self, pairs: &mut Pairs) {
        let top = self.work_nodes();
        let work = top.clone().flat_map(|a| {
            let others = (a + 1..top.end).map(move |b| Work::Between(a, b));
            std::iter::once(Work::Within(a)).chain(others)
        });
        let keep = |found: &mut Vec<[u32; 2]>, a: u32, b: u32| found.push([a.min(b), a.max(b)]);
        pairs.search(work, |piece, found| match piece {
            Work::Within(node) => self.within(node, &mut |a, b| keep(found, a, b)),
            Work::Between(a, b) => self.between(self, [a, b], &mut |a, b| keep(found, a, b)),
        });
    }

    /// Finds every thing here and every thing of another tree whose boxes overlap.
    pub fn pairs_with(&self, other: &Self, pairs: &mut Pairs) {
        let work =
            self.work_nodes().flat_map(|a| other.work_nodes().map(move |b| Work::Between(a, b)));
        pairs.search(work, |piece, found| {
            if let Work::Between(a, b) = piece {
                self.between(other, [a, b], &mut |a, b| found.push([a, b]));
            }
        });
    }

    /// Calls `visit` with every thing whose box overlaps `bounds`.
    pub fn overlapping(&self, bounds: &Bounds, visit: &mut impl FnMut(u32)) {
        self.overlapping_below(0, bounds, visit);
    }

    fn overlapping_below(&self, node: usize, bounds: &Bounds, visit: &mut impl FnMut(u32)) {
        if !self.nodes[node].overlaps(bounds) {
            return;
        }
        if let Some(leaf) = self.leaf(node) {
            let range = leaf_range(self.order.len(), self.leaves, leaf);
            range.filter(|&i| self.boxes[i].overlaps(bounds)).for_each(|i| visit(self.order[i]));
        } else {
            self.overlapping_below(2 * node + 1, bounds, visit);
            self.overlapping_below(2 * node + 2, bounds, visit);
        }
    }

    /// The nodes that make pieces of work: by the size of the tree, never by the number of threads.
    fn work_nodes(&self) -> std::ops::Range<usize> {
        let level = if self.leaves < MANY_LEAVES { 0 } else { WORK_LEVEL };
        (1 << level) - 1..(2 << level) - 1
    }

    /// The leaf that a node is, if it is one.
    fn leaf(&self, node: usize) -> Option<usize> {
        node.checked_sub(self.leaves - 1)
    }

    fn within(&self, node: usize, visit: &mut impl FnMut(u32, u32)) {
        let Some(leaf) = self.leaf(node) else {
            self.within(2 * node + 1, visit);
            self.within(2 * node + 2, visit);
            return self.between(self, [2 * node + 1, 2 * node + 2], visit);
        };
        let range = leaf_range(self.order.len(), self.leaves, leaf);
        for i in range.clone() {
            for j in i + 1..range.end {
                if self.boxes[i].overlaps(&self.boxes[j]) {
                    visit(self.order[i], self.order[j]);
                }
            }
        }
    }

    fn between(&self, other: &Self, [a, b]: [usize; 2], visit: &mut impl FnMut(u32, u32)) {
        if !self.nodes[a].overlaps(&other.nodes[b]) {
            return;
        }
        match (self.leaf(a), other.leaf(b)) {
            (Some(a), Some(b)) => self.between_leaves(other, [a, b], visit),
            (None, Some(_)) => {
                for child in [2 * a + 1, 2 * a + 2] {
                    self.between(other, [child, b], visit);
                }
            }
            (Some(_), None) => {
                for child in [2 * b + 1, 2 * b + 2] {
                    self.between(other, [a, child], visit);
                }
            }
            (None, None) => {
                for (i, j) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
                    self.between(other, [2 * a + i, 2 * b + j], visit);
                }
            }
        }
    }

    fn between_leaves(&self, other: &Self, [a, b]: [usize; 2], visit: &mut impl FnMut(u32, u32)) {
        let there = leaf_range(other.order.len(), other.leaves, b);
        let around = &other.nodes[other.leaves - 1 + b];
        for i in leaf_range(self.order.len(), self.leaves, a) {
            if !self.boxes[i].overlaps(around) {
                continue;
            }
            for j in there.clone() {
                if self.boxes[i].overlaps(&other.boxes[j]) {
                    visit(self.order[i], other.order[j]);
                }
            }
        }
    }
}

/// Which of so many things, spread evenly over so many leaves, are in one leaf.
fn leaf_range(things: usize, leaves: usize, leaf: usize) -> std::ops::Range<usize> {
    things * leaf / leaves..things * (leaf + 1) / leaves
}

/// Puts things into the order of leaves `first..last` of `leaves`: half by half along the longer
/// side of their centres' box.
fn sort_into_leaves(
    order: &mut [u32],
    centres: &[DVec3],
    (first, last, leaves): (usize, usize, usize),
) {
    if last - first <= 1 || order.len() <= 1 {
        return;
    }
    let extent = Bounds::around(order.iter().map(|&i| centres[i as usize]));
    let axis = (extent.high - extent.low).max_position();
    let middle = (first + last) / 2;
    let start = |leaf: usize| centres.len() * leaf / leaves;
    let half = start(middle) - start(first);
    // Of equal centres the lower number goes first, so that there is one order only.
    let key = |i: u32| centres[i as usize][axis];
    if half > 0 && half < order.len() {
        order.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    }
    let (left, right) = order.split_at_mut(half);
    sort_into_leaves(left, centres, (first, middle, leaves));
    sort_into_leaves(right, centres, (middle, last, leaves));
}
