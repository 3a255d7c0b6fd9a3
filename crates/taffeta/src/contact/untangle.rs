//! A gentle push that takes cloth which starts through itself back to its own side.
//!
//! The edges that pass through triangles are cut in thought. Where that cuts a piece of cloth in
//! two, the smaller part is the one that has come through (as global intersection analysis has it,
//! Baraff, Witkin & Kass 2003, Untangling Cloth); elsewhere it is the end of the edge that is
//! nearer to a border of the cloth, counted in edges. Every such edge is pushed back out of its
//! triangle. The pushes on the edge and on the triangle act at one point: they keep momentum,
//! angular momentum too. Where neither tells which end is the wrong one, nothing is done.

use std::cmp::Ordering;

use glam::DVec3;

use crate::geometry::collision::{Intersection, Surface, top};
use crate::state::State;

/// The speed at which an edge alone comes out of a triangle \[m/s\], as cloth comes out of solids.
/// Pushes side by side add up: pushes that know each other left corners caught.
const SPEED: f64 = 0.25;

/// Adds the pushes of a step to the loads \[N\].
pub(super) fn push(
    (surface, found): (&Surface, &[Intersection]),
    (state, masses): (&State, &[f64]),
    h: f64,
    loads: &mut [DVec3],
) {
    let parts = CutParts::new(surface, found, masses.len());
    for Intersection { edge, triangle } in found {
        let Some([through, back]) = parts.orient(*edge) else { continue };
        let [a, b] = [through, back].map(|i| state.positions[i as usize]);
        let corners = triangle.map(|i| state.positions[i as usize]);
        let Some((normal, weights)) = crossing([a, b], corners) else { continue };
        let particles = [through, back, triangle[0], triangle[1], triangle[2]];
        let pairs = || particles.iter().zip(weights).map(|(&i, weight)| (i as usize, weight));
        let effect: f64 = pairs().map(|(i, weight)| weight * weight / masses[i]).sum();
        let speed: f64 = pairs().map(|(i, weight)| state.velocities[i].dot(normal) * weight).sum();
        let force = (SPEED - speed).max(0.0) / (effect * h);
        pairs().for_each(|(i, weight)| loads[i] += normal * (force * weight));
    }
}

/// The normal of a triangle towards the second end of an edge, and the point where the two meet:
/// as weights of the ends, and of the corners with the sign turned.
fn crossing([a, b]: [DVec3; 2], [c, d, e]: [DVec3; 3]) -> Option<(DVec3, [f64; 5])> {
    let area = (d - c).cross(e - c);
    let normal = area.normalize_or_zero() * area.dot(b - a).signum();
    let along = normal.dot(c - a) / normal.dot(b - a);
    let point = a.lerp(b, along.clamp(0.0, 1.0));
    let share = |p: DVec3, q: DVec3| (p - point).cross(q - point).dot(area) / area.length_squared();
    let weights = [1.0 - along, along, -share(d, e), -share(e, c), -share(c, d)];
    let sound = normal != DVec3::ZERO && weights.iter().all(|weight| weight.is_finite());
    sound.then_some((normal, weights))
}

/// What is left of the cloth where the edges that pass through triangles are cut.
struct CutParts {
    /// How many vertices the part of each vertex has.
    sizes: Vec<u32>,
    /// Edges from each vertex to the nearest border.
    depths: Vec<u32>,
}

impl CutParts {
    fn new(surface: &Surface, found: &[Intersection], vertices: usize) -> Self {
        let is_cut = |&[a, b]: &[u32; 2]| {
            found.binary_search_by_key(&[a.min(b), a.max(b)], |i| i.edge).is_ok()
        };
        let joined = surface.edges.iter().chain(&surface.joints);
        let kept: Vec<[u32; 2]> = joined.copied().filter(|edge| !is_cut(edge)).collect();
        Self { sizes: sizes(&kept, vertices), depths: depths(&kept, surface, vertices) }
    }

    /// The ends of an edge, first the one that has come through, if that can be told.
    fn orient(&self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let rank = |i: u32| (self.sizes[i as usize], self.depths[i as usize]);
        match rank(a).cmp(&rank(b)) {
            Ordering::Less => Some([a, b]),
            Ordering::Greater => Some([b, a]),
            Ordering::Equal => None,
        }
    }
}

/// How many vertices hang together with each, over these edges.
fn sizes(edges: &[[u32; 2]], vertices: usize) -> Vec<u32> {
    let mut above: Vec<u32> = (0..vertices as u32).collect();
    for &[a, b] in edges {
        let [a, b] = [top(&mut above, a), top(&mut above, b)];
        above[a.max(b) as usize] = a.min(b);
    }
    let mut counts = vec![0; vertices];
    let names: Vec<u32> = (0..vertices as u32).map(|vertex| top(&mut above, vertex)).collect();
    names.iter().for_each(|&name| counts[name as usize] += 1);
    names.iter().map(|&name| counts[name as usize]).collect()
}

/// How many of these edges lead from each vertex to the nearest border of the surface; without end
/// where none do.
fn depths(edges: &[[u32; 2]], surface: &Surface, vertices: usize) -> Vec<u32> {
    let mut depths = vec![u32::MAX; vertices];
    let sides = surface.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut sides: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    sides.sort_unstable();
    for side in sides.chunk_by(|a, b| a == b).filter(|same| same.len() == 1) {
        side[0].iter().for_each(|&end| depths[end as usize] = 0);
    }
    for depth in 0.. {
        let mut grown = false;
        for &[a, b] in edges {
            for [from, to] in [[a, b], [b, a]] {
                if depths[from as usize] == depth && depths[to as usize] > depth + 1 {
                    depths[to as usize] = depth + 1;
                    grown = true;
                }
            }
        }
        if !grown {
            break;
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::Faces;

    /// A triangle with a corner through a square: the push leads it out and keeps both momenta.
    #[test]
    fn pushes_lead_out_and_keep_momentum() {
        let mut faces = Faces::new();
        [[0, 1, 2], [0, 2, 3], [4, 5, 6], [5, 7, 6]].iter().for_each(|face| faces.push(face));
        let places = [
            [-1.0, 0.0, -1.0],
            [1.0, 0.1, -1.0],
            [1.0, 0.0, 1.2],
            [-1.0, 0.0, 1.0],
            [0.3, -0.2, 0.1],
            [0.1, 0.6, 0.0],
            [0.6, 0.5, 0.1],
            [0.4, 1.2, 0.3],
        ];
        let positions: Vec<DVec3> = places.into_iter().map(DVec3::from).collect();
        let surface = Surface::new(&faces, 8);
        let found = crate::geometry::collision::intersections(&surface, &positions);
        assert_eq!(found.iter().map(|i| i.edge).collect::<Vec<_>>(), [[4, 5], [4, 6]]);
        let state = State::at_rest(positions.clone(), 0, 0);
        let mut loads = vec![DVec3::ZERO; 8];
        push((&surface, &found), (&state, &[0.1; 8]), 0.01, &mut loads);
        assert!(loads[4].y > 0.1, "{}", loads[4]);
        let total: DVec3 = loads.iter().sum();
        let turning: DVec3 = positions.iter().zip(&loads).map(|(p, load)| p.cross(*load)).sum();
        assert!(total.length() < 1e-12 && turning.length() < 1e-12, "{total}, {turning}");
    }
}
