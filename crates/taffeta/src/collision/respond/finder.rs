//! The Detect phase of self-contact: which pairs may touch in a part of a step, which are near
//! each other, and which will meet.

use glam::DVec3;
use taffeta_linalg::{fill, update};

use super::moving::Moving;
use super::tangle::Tangle;
use crate::collision::bounds::Bounds;
use crate::collision::ccd::{Impact, impact};
use crate::collision::hierarchy::{Hierarchy, Pairs};
use crate::collision::proximity::Pairing;
use crate::collision::surface::Surface;
use crate::detection::{Pair, longest_way};

/// Pairs looked at as one piece of work.
const BLOCK: usize = 512;
/// Particles whose boxes repay a hand-over to another thread.
const GRAIN: usize = 4096;

/// Finds pairs.
#[derive(Debug)]
pub(crate) struct Finder {
    vertices: Hierarchy,
    edges: Hierarchy,
    triangles: Hierarchy,
    /// The box around the way of each particle.
    boxes: Vec<Bounds>,
    /// Where each particle comes to, as long as the candidates are worth anything, but for the
    /// leeway [m].
    aims: Vec<DVec3>,
    pairs: Pairs,
    /// Pairs whose boxes overlap.
    overlapping: Vec<Pair>,
    /// Those of them that may touch: none else can while particles come to where they aim.
    candidates: Blocks<Near>,
    /// How far a particle may be from its straight way before candidates are looked for anew [m].
    leeway: f64,
    hits: Blocks<Hit>,
}

/// A pair, and how near it is at the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub pair: Pair,
    /// Whether its closest points are inside of both.
    inside: bool,
    /// [m]
    pub distance: f64,
}

/// A pair that will meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub pair: Pair,
    pub impact: Impact,
}

impl Finder {
    /// `reach` is the distance within which pairs are looked for [m].
    pub fn new(surface: &Surface, rest: &[DVec3], reach: f64) -> Self {
        let middle = |particles: &[u32]| {
            particles.iter().map(|&i| rest[i as usize]).sum::<DVec3>() / particles.len() as f64
        };
        let middles = |all: Vec<DVec3>| Hierarchy::new(&all);
        Self {
            vertices: middles(surface.vertices.iter().map(|&i| rest[i as usize]).collect()),
            edges: middles(surface.edges.iter().map(|edge| middle(edge)).collect()),
            triangles: middles(surface.triangles.iter().map(|t| middle(t)).collect()),
            boxes: vec![Bounds::EMPTY; rest.len()],
            aims: vec![DVec3::ZERO; rest.len()],
            pairs: Pairs::default(),
            overlapping: Vec::new(),
            candidates: Blocks::default(),
            leeway: reach / 2.0,
            hits: Blocks::default(),
        }
    }

    /// Finds all pairs that may touch on the way, but those that share a particle or are tangled.
    pub fn find_candidates(&mut self, surface: &Surface, moving: &Moving, tangle: &Tangle) {
        let leeway = self.leeway;
        let way = |i: usize| Bounds::around([moving.starts[i], moving.ends[i]]).grown(leeway);
        fill(&mut self.boxes, GRAIN, way);
        self.aims.copy_from_slice(&moving.ends);
        let boxes = &self.boxes;
        let around = |i: u32| boxes[i as usize];
        self.vertices.refit(|v| around(surface.vertices[v as usize]));
        self.edges.refit(|e| {
            let [a, b] = surface.edges[e as usize];
            around(a).union(around(b))
        });
        self.triangles.refit(|t| {
            let [a, b, c] = surface.triangles[t as usize];
            around(a).union(around(b)).union(around(c))
        });
        self.pair_up(surface, tangle);
        // Each of two particles may leave its way by the diagonal of the leeway.
        let slack = 2.0 * 3.0_f64.sqrt() * leeway;
        self.candidates.collect(&self.overlapping, |pair| {
            let (from, to) = (pair.gather(&moving.starts), pair.gather(&moving.ends));
            let closest = pair.pairing.closest(&from);
            let distance = closest.apart.length();
            let farther = distance > longest_way(pair.pairing, &from, &to) + slack;
            (!farther).then_some(Near { pair: *pair, inside: closest.inside, distance })
        });
    }

    /// Finds the pairs whose boxes overlap.
    fn pair_up(&mut self, surface: &Surface, tangle: &Tangle) {
        self.overlapping.clear();
        self.vertices.pairs_with(&self.triangles, &mut self.pairs);
        for &[vertex, triangle] in self.pairs.found() {
            let (vertex, [a, b, c]) =
                (surface.vertices[vertex as usize], surface.triangles[triangle as usize]);
            if vertex != a && vertex != b && vertex != c {
                let particles = [vertex, a, b, c];
                self.overlapping.push(Pair { pairing: Pairing::VertexTriangle, particles });
            }
        }
        self.edges.self_pairs(&mut self.pairs);
        for &[first, second] in self.pairs.found() {
            let ([a, b], [c, d]) = (surface.edges[first as usize], surface.edges[second as usize]);
            if a != c && a != d && b != c && b != d {
                let particles = [a, b, c, d];
                self.overlapping.push(Pair { pairing: Pairing::EdgeEdge, particles });
            }
        }
        if !tangle.is_empty() {
            self.overlapping.retain(|pair| !tangle.spares(pair));
        }
    }

    /// How many pairs may touch on the way.
    pub fn candidates(&self) -> usize {
        self.candidates.all.len()
    }

    /// Whether a touched particle comes to elsewhere, so that candidates must be found anew.
    pub fn is_stale(&self, moving: &Moving, separation: f64) -> bool {
        let most = self.leeway - separation;
        moving.touched().iter().any(|&particle| {
            let off = moving.ends[particle as usize] - self.aims[particle as usize];
            !off.abs().cmple(DVec3::splat(most)).all()
        })
    }

    /// The pairs that are nearer than `reach` at the beginning, with the nearest points inside of
    /// both: what is at a border is the neighbours' affair, or that of [`Finder::hits`].
    pub fn near(&self, reach: f64) -> impl Iterator<Item = &Near> {
        let counts = move |near: &&Near| near.inside && near.distance < reach;
        self.candidates.all.iter().filter(counts)
    }

    /// The pairs that come nearer than `separation`, or than half their distance at the beginning
    /// if that is less; if only touched ones are asked for, those of particles touched since.
    pub fn hits(&mut self, moving: &Moving, separation: f64, only_touched: bool) -> &[Hit] {
        self.hits.collect(&self.candidates.all, |Near { pair, distance, .. }| {
            if only_touched && !moving.touches(pair) {
                return None;
            }
            let (from, to) = (pair.gather(&moving.starts), pair.gather(&moving.ends));
            if *distance > longest_way(pair.pairing, &from, &to) + separation {
                return None;
            }
            let impact = impact(pair.pairing, [&from, &to], separation.min(0.5 * distance))?;
            Some(Hit { pair: *pair, impact })
        })
    }
}

impl Finder {
    /// What [`Finder::hits`] last found.
    pub fn last_hits(&self) -> &[Hit] {
        &self.hits.all
    }

    /// A pair that was last found to meet.
    pub fn last_hit(&self) -> Pair {
        let nowhere = Pair { pairing: Pairing::VertexTriangle, particles: [0; 4] };
        self.hits.all.first().map_or(nowhere, |hit| hit.pair)
    }
}

/// Memory for what pieces of work collect.
#[derive(Debug)]
struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    all: Vec<T>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), all: Vec::new() }
    }
}

impl<T: Copy + Send + Sync> Blocks<T> {
    /// What `look` finds, in the order of the pairs.
    fn collect<P: Sync>(&mut self, pairs: &[P], look: impl Fn(&P) -> Option<T> + Sync) -> &[T] {
        let count = pairs.len().div_ceil(BLOCK);
        if self.blocks.len() < count {
            self.blocks.resize_with(count, Vec::new);
        }
        update(&mut self.blocks[..count], 1, |block, found| {
            found.clear();
            let last = pairs.len().min((block + 1) * BLOCK);
            found.extend(pairs[block * BLOCK..last].iter().filter_map(&look));
        });
        self.all.clear();
        self.blocks[..count].iter().for_each(|found| self.all.extend_from_slice(found));
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Sheet;

    /// Numbers in −1 … 1 that look random (splitmix64).
    fn vectors(seed: &mut u64) -> DVec3 {
        let mut number = || {
            *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        DVec3::new(number(), number(), number())
    }

    fn every_pair(surface: &Surface, vertices: u32) -> Vec<Pair> {
        let corners = (0..vertices).flat_map(|v| surface.triangles.iter().map(move |t| (v, *t)));
        let first = corners.filter(|(v, t)| !t.contains(v)).map(|(v, [a, b, c])| Pair {
            pairing: Pairing::VertexTriangle,
            particles: [v, a, b, c],
        });
        let edges = &surface.edges;
        let both = (0..edges.len()).flat_map(|i| (i + 1..edges.len()).map(move |j| (i, j)));
        let apart = both.filter(|(i, j)| edges[*i].iter().all(|end| !edges[*j].contains(end)));
        let second = apart.map(|(i, j)| Pair {
            pairing: Pairing::EdgeEdge,
            particles: [edges[i][0], edges[i][1], edges[j][0], edges[j][1]],
        });
        first.chain(second).collect()
    }

    /// Thousands of random motions: the trees find every meeting that comparing all pairs finds,
    /// also after some particles were pushed another way.
    #[test]
    fn every_meeting_is_found_that_brute_force_finds() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 4, rows: 4 }.mesh();
        let surface = Surface::new(&mesh.faces, 16);
        let all = every_pair(&surface, 16);
        let mut moving = Moving::new(&[1.0; 16]);
        let mut finder = Finder::new(&surface, &mesh.positions, 0.05);
        let (seed, mut met) = (&mut 5, 0);
        for round in 0..2000 {
            let size = [0.05, 0.3, 1.0][round % 3];
            for (i, rest) in mesh.positions.iter().enumerate() {
                moving.starts[i] = *rest + vectors(seed) * size;
                moving.ends[i] = moving.starts[i] + vectors(seed) * size * 0.3;
                moving.velocities[i] = moving.ends[i] - moving.starts[i];
            }
            moving.duration = 1.0;
            finder.find_candidates(&surface, &moving, &Tangle::default());
            for pushed in [false, true] {
                if pushed {
                    let particle = (round % 16) as u32;
                    moving.set_velocity(particle, vectors(seed) * size);
                    moving.follow();
                    if finder.is_stale(&moving, 1e-3) {
                        finder.find_candidates(&surface, &moving, &Tangle::default());
                    }
                    moving.forget_touched();
                }
                let mut found: Vec<Pair> =
                    finder.hits(&moving, 1e-3, false).iter().map(|hit| hit.pair).collect();
                found.sort_unstable();
                let meets = |pair: &&Pair| {
                    let (from, to) = (pair.gather(&moving.starts), pair.gather(&moving.ends));
                    let apart = pair.pairing.closest(&from).apart.length();
                    impact(pair.pairing, [&from, &to], 1e-3_f64.min(0.5 * apart)).is_some()
                };
                let mut expected: Vec<Pair> = all.iter().filter(meets).copied().collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "round {round}");
                met += found.len();
            }
        }
        assert!(met > 10_000, "{met}");
    }

    /// Two things that fly side by side cannot meet; when one of them is stopped, within the box
    /// around its way, they can.
    #[test]
    fn what_leaves_its_aim_makes_candidates_stale() {
        let mut faces = crate::mesh::Faces::new();
        faces.push(&[0, 1, 2]);
        faces.push(&[3, 4, 5]);
        let corners = [DVec3::ZERO, DVec3::X * 0.1, DVec3::Z * 0.1];
        let above = corners.map(|corner| corner + DVec3::new(0.02, 0.5, 0.02));
        let rest: Vec<DVec3> = corners.into_iter().chain(above).collect();
        let surface = Surface::new(&faces, 6);
        let mut moving = Moving::new(&[1.0; 6]);
        let mut finder = Finder::new(&surface, &rest, 0.02);
        moving.starts.copy_from_slice(&rest);
        moving.velocities.fill(DVec3::Y);
        moving.ends.iter_mut().zip(&rest).for_each(|(end, start)| *end = *start + DVec3::Y);
        moving.duration = 1.0;
        finder.find_candidates(&surface, &moving, &Tangle::default());
        assert!(finder.hits(&moving, 1e-3, false).is_empty());
        (3..6).for_each(|i| moving.set_velocity(i, DVec3::ZERO));
        moving.follow();
        assert!(finder.is_stale(&moving, 1e-3));
        finder.find_candidates(&surface, &moving, &Tangle::default());
        assert!(!finder.hits(&moving, 1e-3, false).is_empty());
    }
}
