//! Which edges of a surface pass through which of its triangles: what `taffeta check` counts.
//!
//! This shares no code with the detection that prevents it: candidates are found by sorting along
//! an axis in bands across it, and each is decided by exact signs.

use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};
use taffeta_linalg::update;

use super::bounds::Bounds;
use super::surface::Surface;

/// Edges looked at as one piece of work.
const BLOCK: usize = 1024;

/// An edge that passes through a triangle, or touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intersection {
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// The corners of the triangle.
    pub triangle: [u32; 3],
}

impl std::fmt::Display for Intersection {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let ([a, b], [c, d, e]) = (self.edge, self.triangle);
        write!(f, "edge {a}–{b} through the triangle {c}–{d}–{e}")
    }
}

/// Every edge and triangle of a surface that have a point in common but no vertex, in the order
/// of the edges.
pub fn intersections(surface: &Surface, positions: &[DVec3]) -> Vec<Intersection> {
    let order = PlaneSweep::new(surface, positions);
    let blocks = surface.edges.len().div_ceil(BLOCK);
    let mut found: Vec<Vec<Intersection>> = vec![Vec::new(); blocks];
    update(&mut found, 1, |block, found| {
        let last = surface.edges.len().min((block + 1) * BLOCK);
        for edge in &surface.edges[block * BLOCK..last] {
            order.visit(edge, positions, |triangle| {
                let triangle = surface.triangles[triangle as usize];
                if cuts(edge, &triangle, positions) {
                    found.push(Intersection { edge: *edge, triangle });
                }
            });
        }
    });
    let mut all = found.concat();
    all.sort_unstable();
    all
}

/// Whether an edge and a triangle without a common vertex have a point in common.
pub fn cuts(edge: &[u32; 2], triangle: &[u32; 3], positions: &[DVec3]) -> bool {
    let shared = edge.iter().any(|end| triangle.contains(end));
    let at = |i: u32| positions[i as usize];
    !shared && segment_meets_triangle(edge.map(at), triangle.map(at))
}

/// Triangles in bands across the second widest axis, by where they begin there, and in each by where they
/// begin along the widest.
struct PlaneSweep {
    /// The widest axis, and the next.
    axes: [usize; 2],
    /// Where each begins along the widest axis, its box, and its number, band by band.
    sorted: Vec<(f64, Bounds, u32)>,
    /// Where each band begins in that list.
    begins: Vec<usize>,
    /// Where the first band begins, and how wide each is [m].
    bands: (f64, f64),
    /// The longest triangles along the axes [m].
    longest: [f64; 2],
}

impl PlaneSweep {
    fn new(surface: &Surface, positions: &[DVec3]) -> Self {
        let around = |t: &[u32; 3]| Bounds::around(t.iter().map(|&i| positions[i as usize]));
        let boxes: Vec<Bounds> = surface.triangles.iter().map(around).collect();
        let all = boxes.iter().fold(Bounds::EMPTY, |all, one| all.union(*one));
        let axes = widest(all);
        // The subtractions below round.
        let longest = axes.map(|axis| {
            let lengths = boxes.iter().map(|bounds| bounds.high[axis] - bounds.low[axis]);
            lengths.fold(0.0, f64::max) * (1.0 + 1e-9)
        });
        // A triangle that begins in a band ends in it or in the next.
        let least = (all.high - all.low)[axes[1]] / (1.0 + (boxes.len() as f64).sqrt());
        let width = longest[1].max(least);
        let mut sweep = Self {
            axes,
            sorted: Vec::with_capacity(boxes.len()),
            begins: Vec::new(),
            bands: (all.low[axes[1]], width),
            longest,
        };
        let numbered = (0..).zip(&boxes);
        let mut sorted: Vec<_> = numbered
            .map(|(number, bounds)| (sweep.band(bounds.low[axes[1]]), *bounds, number))
            .collect();
        sorted.sort_unstable_by(|a, b| {
            let along = |bounds: &Bounds| bounds.low[axes[0]];
            a.0.cmp(&b.0).then(along(&a.1).total_cmp(&along(&b.1))).then(a.2.cmp(&b.2))
        });
        let bands = sorted.last().map_or(0, |last| last.0 + 1);
        sweep.begins = (0..=bands).map(|band| sorted.partition_point(|t| t.0 < band)).collect();
        let entry =
            |(_, bounds, number): &(usize, Bounds, u32)| (bounds.low[axes[0]], *bounds, *number);
        sweep.sorted.extend(sorted.iter().map(entry));
        sweep
    }

    /// The band of a place across; that of what is before all is the first.
    fn band(&self, place: f64) -> usize {
        let (first, width) = self.bands;
        if width > 0.0 { ((place - first) / width) as usize } else { 0 }
    }

    /// Calls `look` with every triangle whose box overlaps that of an edge.
    fn visit(&self, edge: &[u32; 2], positions: &[DVec3], mut look: impl FnMut(u32)) {
        let bounds = Bounds::around(edge.iter().map(|&i| positions[i as usize]));
        let ends = |k: usize| (bounds.low[self.axes[k]], bounds.high[self.axes[k]]);
        // What begins earlier than this ends before the edge begins.
        let earliest = |k: usize| {
            let low = ends(k).0;
            low - self.longest[k] - (low.abs() + self.longest[k]) * 1e-12
        };
        let last = self.band(ends(1).1).min(self.begins.len().saturating_sub(2));
        for band in self.band(earliest(1))..=last {
            let Some(&[from, to]) = self.begins.get(band..band + 2).and_then(|b| b.first_chunk())
            else {
                break;
            };
            let band = &self.sorted[from..to];
            let first = band.partition_point(|entry| entry.0 < earliest(0));
            for (begin, around, triangle) in &band[first..] {
                if *begin > ends(0).1 {
                    break;
                }
                if around.overlaps(&bounds) {
                    look(*triangle);
                }
            }
        }
    }
}

/// The axis along which a box is widest, and the next.
fn widest(all: Bounds) -> [usize; 2] {
    let size = all.high - all.low;
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| size[b].total_cmp(&size[a]));
    [axes[0], axes[1]]
}

/// Exactly, touching included.
fn segment_meets_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (above, below) = (side(a, b, c, p), side(a, b, c, q));
    if above == 0.0 && below == 0.0 {
        return in_one_plane([p, q], [a, b, c]);
    }
    if (above > 0.0 && below > 0.0) || (above < 0.0 && below < 0.0) {
        return false;
    }
    // The line passes inside if it has all three sides on one hand.
    let hands = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    hands.iter().all(|&hand| hand >= 0.0) || hands.iter().all(|&hand| hand <= 0.0)
}

/// Positive, negative or zero: on which side of the plane of three points a fourth is.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let point = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    orient3d(point(a), point(b), point(c), point(d))
}

/// The segment and the triangle are in one plane: seen along the axis nearest to its normal, do
/// they overlap?
fn in_one_plane([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let along = (b - a).cross(c - a).abs().max_position();
    let flat = |v: DVec3| match along {
        0 => Coord { x: v.y, y: v.z },
        1 => Coord { x: v.z, y: v.x },
        _ => Coord { x: v.x, y: v.y },
    };
    let [p, q, a, b, c] = [p, q, a, b, c].map(flat);
    let corners = [[a, b], [b, c], [c, a]];
    let inside = |point: Coord<f64>| {
        let hands = corners.map(|[from, to]| orient2d(from, to, point));
        hands.iter().all(|&hand| hand >= 0.0) || hands.iter().all(|&hand| hand <= 0.0)
    };
    inside(p) || corners.iter().any(|&side| segments_meet([p, q], side))
}

fn segments_meet([p, q]: [Coord<f64>; 2], [a, b]: [Coord<f64>; 2]) -> bool {
    let (from_a, from_b) = (orient2d(p, q, a), orient2d(p, q, b));
    let (from_p, from_q) = (orient2d(a, b, p), orient2d(a, b, q));
    if from_a == 0.0 && from_b == 0.0 && from_p == 0.0 && from_q == 0.0 {
        // On one line: they meet if their shadows on both axes do.
        let meet = |p: f64, q: f64, a: f64, b: f64| p.min(q) <= a.max(b) && a.min(b) <= p.max(q);
        return meet(p.x, q.x, a.x, b.x) && meet(p.y, q.y, a.y, b.y);
    }
    let across = |x: f64, y: f64| !((x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0));
    across(from_a, from_b) && across(from_p, from_q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_meets_a_triangle_where_it_should() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let meets = |p: [f64; 3], q: [f64; 3]| {
            segment_meets_triangle([DVec3::from(p), DVec3::from(q)], triangle)
        };
        assert!(meets([0.2, 1.0, 0.2], [0.2, -1.0, 0.2]), "through the middle");
        assert!(!meets([0.2, 1.0, 0.2], [0.2, 1e-300, 0.2]), "ends above");
        assert!(meets([0.2, 1.0, 0.2], [0.2, 0.0, 0.2]), "ends on it");
        assert!(meets([0.5, 1.0, 0.5], [0.5, -1.0, 0.5]), "through the border");
        assert!(!meets([0.5, 1.0, 0.5 + 1e-15], [0.5, -1.0, 0.5 + 1e-15]), "past the border");
        assert!(meets([1.0, 1.0, 0.0], [1.0, -1.0, 0.0]), "through a corner");
        assert!(meets([-1.0, 0.0, 0.2], [2.0, 0.0, 0.2]), "in its plane, across");
        assert!(meets([0.1, 0.0, 0.1], [0.2, 0.0, 0.2]), "in its plane, inside");
        assert!(!meets([-1.0, 0.0, 0.2], [-0.1, 0.0, 0.2]), "in its plane, before it");
        assert!(meets([-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "in its plane, up to a corner");
        assert!(!meets([2.0, 0.0, 0.0], [3.0, 0.0, 0.0]), "along a side, beyond");
        assert!(meets([0.5, 0.0, 0.0], [3.0, 0.0, 0.0]), "along a side, within");
    }
}
