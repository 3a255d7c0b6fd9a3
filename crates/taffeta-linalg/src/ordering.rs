//! Nested dissection by coordinates: an order of elimination that keeps a factor sparse.
//!
//! The vertices of a graph are cut in two at the median of their longest extent; those on one
//! side that touch the other separate the halves and are eliminated after both. Each half is cut
//! in turn. Where that separates too much, as across a sheet whose cells are far longer than wide,
//! the cut that separates least is taken.

use glam::DVec3;

/// A separator of more than so many times the root of what it separates is too large.
const WIDE: usize = 6;

/// An undirected graph: the neighbours of every vertex.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of these edges; loops are left out.
    pub(crate) fn new(vertices: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let edges = edges.filter(|(a, b)| a != b);
        let mut offsets = vec![0; vertices + 1];
        for (a, b) in edges.clone() {
            offsets[a as usize + 1] += 1;
            offsets[b as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut neighbours = vec![0; offsets[vertices] as usize];
        for (a, b) in edges {
            for (from, to) in [(a, b), (b, a)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Self { offsets, neighbours }
    }

    pub(crate) fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

/// The vertices in the order of their elimination; parts of at most `leaf` vertices are not cut.
pub(crate) fn nested_dissection(graph: &Graph, points: &[DVec3], leaf: usize) -> Vec<u32> {
    dissect(graph, (0..points.len() as u32).collect(), points, leaf).0
}

/// Vertices that are eliminated together: a part that is not cut, or a separator after the two
/// halves it separates.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Their ranks in the order of elimination.
    pub ranks: std::ops::Range<usize>,
    /// The halves, by their number among the parts.
    pub halves: Option<[usize; 2]>,
}

/// The order of elimination of these vertices and its parts, halves before their separators.
pub(crate) fn dissect(
    graph: &Graph,
    mut order: Vec<u32>,
    points: &[DVec3],
    leaf: usize,
) -> (Vec<u32>, Vec<Part>) {
    let side = vec![0; points.len()];
    let mut dissection = Dissection { graph, points, leaf, side, cuts: 0, parts: Vec::new() };
    dissection.order(&mut order, 0);
    (order, dissection.parts)
}

struct Dissection<'a> {
    graph: &'a Graph,
    points: &'a [DVec3],
    leaf: usize,
    /// The last cut that put a vertex on its far side.
    side: Vec<u32>,
    cuts: u32,
    parts: Vec<Part>,
}

impl Dissection<'_> {
    /// Orders vertices whose first has this rank; returns the number of their last part.
    fn order(&mut self, part: &mut [u32], first: usize) -> usize {
        let last = first + part.len();
        if part.len() <= self.leaf {
            self.parts.push(Part { ranks: first..last, halves: None });
            return self.parts.len() - 1;
        }
        let half = part.len() / 2;
        let near = self.cut(part, half);
        // Separator last: it lies between `near` and `half`, the far half moves before it.
        part[near..].rotate_left(half - near);
        let far_end = part.len() - (half - near);
        let (near_part, rest) = part.split_at_mut(near);
        let near_half = self.order(near_part, first);
        let far_half = self.order(&mut rest[..far_end - near], first + near);
        self.parts.push(Part { ranks: first + far_end..last, halves: Some([near_half, far_half]) });
        self.parts.len() - 1
    }

    /// Cuts vertices in two halves; returns how many of the first are not in the separator, which
    /// is at the first half's end.
    fn cut(&mut self, part: &mut [u32], half: usize) -> usize {
        let longest = longest_axis(part, self.points);
        let near = self.cut_along(part, half, longest);
        let separator = half - near;
        if separator * separator <= WIDE * WIDE * part.len() {
            return near;
        }
        let others = (0..3).filter(|&axis| axis != longest);
        let found = others.map(|axis| (half - self.cut_along(part, half, axis), axis)).min();
        match found.filter(|(least, _)| *least < separator) {
            Some((_, axis)) => self.cut_along(part, half, axis),
            None => self.cut_along(part, half, longest),
        }
    }

    fn cut_along(&mut self, part: &mut [u32], half: usize, axis: usize) -> usize {
        cut_at(part, self.points, half, axis);
        self.cuts += 1;
        for &far in &part[half..] {
            self.side[far as usize] = self.cuts;
        }
        self.move_separator_back(&mut part[..half])
    }

    /// Moves the near vertices that touch the far side to the end; returns how many do not.
    fn move_separator_back(&self, near: &mut [u32]) -> usize {
        let touches = |v: u32| {
            self.graph.neighbours(v).iter().any(|&other| self.side[other as usize] == self.cuts)
        };
        let mut kept = 0;
        for k in 0..near.len() {
            if !touches(near[k]) {
                near.swap(kept, k);
                kept += 1;
            }
        }
        kept
    }
}

/// The axis along which vertices extend farthest.
fn longest_axis(part: &[u32], points: &[DVec3]) -> usize {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &v in part.iter() {
        low = low.min(points[v as usize]);
        high = high.max(points[v as usize]);
    }
    (high - low).max_position()
}

/// Puts the `half` vertices with the smallest coordinate along an axis first.
/// Vertices at the same place are told apart by number, so that the result is unique.
fn cut_at(part: &mut [u32], points: &[DVec3], half: usize, axis: usize) {
    let key = |v: u32| points[v as usize][axis];
    part.select_nth_unstable_by(half, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    // The selection leaves each side in no particular order; sorting makes it one.
    part[..half].sort_unstable();
    part[half..].sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: u32) -> (Graph, Vec<DVec3>) {
        let edges = (0..n * n).flat_map(move |v| {
            let right = (v % n + 1 < n).then_some((v, v + 1));
            let down = (v / n + 1 < n).then_some((v, v + n));
            right.into_iter().chain(down)
        });
        let points =
            (0..n * n).map(|v| DVec3::new(f64::from(v % n), 0.0, f64::from(v / n))).collect();
        (Graph::new((n * n) as usize, edges), points)
    }

    /// Nonzeros of the factor under an order, by elimination on sets.
    fn fill(graph: &Graph, order: &[u32]) -> usize {
        let mut rank = vec![0; order.len()];
        for (k, &v) in order.iter().enumerate() {
            rank[v as usize] = k;
        }
        let mut columns: Vec<Vec<usize>> = order
            .iter()
            .enumerate()
            .map(|(k, &v)| {
                let later = graph.neighbours(v).iter().map(|&w| rank[w as usize]);
                later.filter(|&r| r > k).collect()
            })
            .collect();
        let mut total = 0;
        for k in 0..order.len() {
            let mut column = std::mem::take(&mut columns[k]);
            column.sort_unstable();
            column.dedup();
            total += column.len() + 1;
            if let Some((&parent, rest)) = column.split_first() {
                columns[parent].extend(rest);
            }
        }
        total
    }

    #[test]
    fn the_order_is_a_permutation_for_any_points() {
        let (graph, points) = grid(13);
        let same_place = vec![DVec3::ONE; points.len()];
        for points in [points, same_place] {
            let mut order = nested_dissection(&graph, &points, 4);
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(k, &v)| k == v as usize));
        }
    }

    /// Two rows of many cells, as far apart as each is long: a cut between them separates all.
    #[test]
    fn long_thin_sheets_are_cut_across() {
        let n = 3000;
        let edges = (0..2 * n).flat_map(move |v: u32| {
            let right = (v % n + 1 < n).then_some((v, v + 1));
            let across = (v < n).then_some((v, v + n));
            right.into_iter().chain(across)
        });
        let graph = Graph::new(2 * n as usize, edges);
        let place = |v: u32| DVec3::new(f64::from(v % n) / f64::from(n), 0.0, f64::from(v / n));
        let points: Vec<DVec3> = (0..2 * n).map(place).collect();
        let order = nested_dissection(&graph, &points, 8);
        let filled = fill(&graph, &order);
        assert!(filled < 20 * 2 * n as usize, "{filled}");
    }

    #[test]
    fn dissection_fills_far_less_than_the_natural_order() {
        let (graph, points) = grid(40);
        let natural: Vec<u32> = (0..1600).collect();
        let dissected = fill(&graph, &nested_dissection(&graph, &points, 8));
        assert!(2 * dissected < fill(&graph, &natural), "{dissected}");
    }
}
