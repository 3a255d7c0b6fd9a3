//! The Detect phase of self-contact: which pairs may touch in a part of a step, how near they are
//! where it begins, and which will meet.

use glam::DVec3;
use taffeta_linalg::update;

use super::SEPARATION;
use super::moving::Moving;
use super::tangle::Tangle;
use crate::collision::ccd::{Impact, impact};
use crate::collision::proximity::Pairing;
use crate::collision::surface::Surface;
use crate::detection::{NearPair, Pair, PairCache, Proximity, longest_way};

/// Pairs looked at as one piece of work.
const BLOCK: usize = 512;
/// Candidates are found for so many parts ahead at most, …
const MOST_AHEAD: f64 = 16.0;
/// … in which nothing goes farther, relative to all, than this many thicknesses.
const FARTHEST: f64 = 2.0;

/// Finds pairs.
#[derive(Debug)]
pub(crate) struct Finder {
    cache: PairCache,
    /// How the listed pairs lie to each other where the part begins.
    before: Vec<Proximity>,
    /// How far apart pairs are that contacts are prepared for, beyond what they keep [m].
    beyond: f64,
    /// [m]
    thickness: f64,
    /// When candidates were found [s], and whether some were left out that are tangled: what is so
    /// in one step may not be in the next.
    found_at: Option<f64>,
    spared: bool,
    hits: Blocks<Hit>,
}

/// A pair that will meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub pair: Pair,
    /// The distance it keeps [m].
    pub kept: f64,
    pub impact: Impact,
}

impl Finder {
    /// For layers that keep a thickness, and contacts prepared for what is `beyond` apart [m].
    pub fn new(surface: Surface, rest: Vec<DVec3>, (thickness, beyond): (f64, f64)) -> Self {
        let cache = PairCache::with_reach(surface, rest, (thickness, beyond));
        let (before, hits) = (Vec::new(), Blocks::default());
        Self { cache, before, beyond, thickness, found_at: None, spared: false, hits }
    }

    /// The surface that is looked at.
    pub fn surface(&self) -> &Surface {
        self.cache.surface()
    }

    /// Nothing that was found is so any more.
    pub fn forget(&mut self) {
        self.found_at = None;
    }

    /// Finds all pairs that may touch on the way, but those that share a particle or are tangled,
    /// unless those found before are still all; and how near they are where it begins.
    ///
    /// When they were found changes nothing: [`Finder::near`] and [`Finder::hits`] tell the same.
    pub fn find_candidates(&mut self, moving: &Moving, tangle: &Tangle) {
        let Moving { starts, ends, duration, time, .. } = moving;
        let tangled = !tangle.is_empty();
        let lasts = !tangled && !self.spared;
        if !(lasts && self.covers(starts, *time) && self.covers(ends, time + duration)) {
            let parts = if tangled { 1.0 } else { self.parts_ahead(moving) };
            let way = |i: usize| (ends[i] - starts[i]) * parts;
            let excluded = |pair: &Pair| tangled && tangle.spares(pair);
            self.cache.detect_ways(starts, way, duration * parts, excluded);
            (self.found_at, self.spared) = (Some(*time), tangled);
        }
        self.cache.measure(starts, self.beyond, &mut self.before);
    }

    fn covers(&self, positions: &[DVec3], time: f64) -> bool {
        self.found_at
            .is_some_and(|found| time >= found && self.cache.covers(positions, time - found))
    }

    /// For how many parts like this one candidates are found at once.
    fn parts_ahead(&self, moving: &Moving) -> f64 {
        let ways = || moving.starts.iter().zip(&moving.ends).map(|(start, end)| *end - *start);
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = ways().fold(none, |(low, high), way| (low.min(way), high.max(way)));
        (FARTHEST * self.thickness / (high - low).length()).floor().clamp(1.0, MOST_AHEAD)
    }

    /// Whether a particle comes to elsewhere, so that candidates must be found anew.
    pub fn is_stale(&self, moving: &Moving) -> bool {
        !self.covers(&moving.ends, moving.time + moving.duration)
    }

    /// The pairs for which contacts are prepared, with the nearest points inside of both: what is
    /// at a border is the neighbours' affair, or that of [`Finder::hits`].
    pub fn near(&self) -> impl Iterator<Item = (&NearPair, &Proximity)> {
        // Where things touch there is no normal to push along.
        let counts = |found: &Proximity| found.inside && found.normal != DVec3::ZERO;
        self.cache.pairs().iter().zip(&self.before).filter(move |(_, found)| counts(found))
    }

    /// The pairs that come nearer than a share of the thickness, or than half their distance at the
    /// beginning if that is less; if only touched ones are asked for, those of particles touched
    /// since. What keeps less than that share, as yarns of one crossing do that lie in one place at
    /// rest, must still not touch.
    pub fn hits(&mut self, moving: &Moving, only_touched: bool) -> &[Hit] {
        let (pairs, before, least) =
            (self.cache.pairs(), &self.before, SEPARATION * self.thickness);
        self.hits.collect(pairs.len(), |k| {
            let (NearPair { pair, kept }, distance) = (&pairs[k], before[k].distance);
            if only_touched && !moving.touches(pair) {
                return None;
            }
            let separation = least.min(0.5 * distance);
            let (from, to) = (pair.gather(&moving.starts), pair.gather(&moving.ends));
            let way = longest_way(pair.pairing, &from, &to);
            if distance > way + separation {
                return None;
            }
            // From both ends distances change by no more than the way (docs of the detection).
            let after = pair.pairing.closest(&to).apart.length();
            if distance + after > (way + 2.0 * separation) * (1.0 + 1e-9) {
                return None;
            }
            let impact = impact(pair.pairing, [&from, &to], separation)?;
            Some(Hit { pair: *pair, kept: *kept, impact })
        })
    }

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
    /// What `look` finds about so many things, in their order.
    fn collect(&mut self, things: usize, look: impl Fn(usize) -> Option<T> + Sync) -> &[T] {
        let count = things.div_ceil(BLOCK);
        if self.blocks.len() < count {
            self.blocks.resize_with(count, Vec::new);
        }
        update(&mut self.blocks[..count], 1, |block, found| {
            found.clear();
            let last = things.min((block + 1) * BLOCK);
            found.extend((block * BLOCK..last).filter_map(&look));
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

    /// Thousands of random motions: every meeting is found that comparing all pairs finds, also
    /// after some particles were pushed another way.
    #[test]
    fn every_meeting_is_found_that_brute_force_finds() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 4, rows: 4 }.mesh();
        let surface = Surface::new(&mesh.faces, 16);
        let all = every_pair(&surface, 16);
        let mut moving = Moving::new(&[1.0; 16]);
        // Neighbours are 0.23 m apart and more: all keep the whole thickness.
        let thickness = 5e-3;
        let mut finder = Finder::new(surface, mesh.positions.clone(), (thickness, 0.01));
        let (seed, mut met) = (&mut 5, 0);
        for round in 0..2000 {
            let size = [0.05, 0.3, 1.0][round % 3];
            for (i, rest) in mesh.positions.iter().enumerate() {
                moving.starts[i] = *rest + vectors(seed) * size;
                moving.ends[i] = moving.starts[i] + vectors(seed) * size * 0.3;
                moving.velocities[i] = moving.ends[i] - moving.starts[i];
            }
            moving.duration = 1.0;
            finder.find_candidates(&moving, &Tangle::default());
            for pushed in [false, true] {
                if pushed {
                    let particle = (round % 16) as u32;
                    moving.set_velocity(particle, vectors(seed) * size);
                    moving.follow();
                    if finder.is_stale(&moving) {
                        finder.find_candidates(&moving, &Tangle::default());
                    }
                    moving.forget_touched();
                }
                let mut found: Vec<Pair> =
                    finder.hits(&moving, false).iter().map(|hit| hit.pair).collect();
                found.sort_unstable();
                let meets = |pair: &&Pair| {
                    let (from, to) = (pair.gather(&moving.starts), pair.gather(&moving.ends));
                    let apart = pair.pairing.closest(&from).apart.length();
                    let separation = (SEPARATION * thickness).min(0.5 * apart);
                    impact(pair.pairing, [&from, &to], separation).is_some()
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
    fn what_leaves_its_way_makes_candidates_stale() {
        let mut faces = crate::mesh::Faces::new();
        faces.push(&[0, 1, 2]);
        faces.push(&[3, 4, 5]);
        let corners = [DVec3::ZERO, DVec3::X * 0.1, DVec3::Z * 0.1];
        let above = corners.map(|corner| corner + DVec3::new(0.02, 0.5, 0.02));
        let rest: Vec<DVec3> = corners.into_iter().chain(above).collect();
        let surface = Surface::new(&faces, 6);
        let mut moving = Moving::new(&[1.0; 6]);
        let mut finder = Finder::new(surface, rest.clone(), (5e-3, 0.01));
        moving.starts.copy_from_slice(&rest);
        moving.velocities.fill(DVec3::Y);
        moving.ends.iter_mut().zip(&rest).for_each(|(end, start)| *end = *start + DVec3::Y);
        moving.duration = 1.0;
        finder.find_candidates(&moving, &Tangle::default());
        assert!(finder.hits(&moving, false).is_empty());
        (3..6).for_each(|i| moving.set_velocity(i, DVec3::ZERO));
        moving.follow();
        assert!(finder.is_stale(&moving));
        finder.find_candidates(&moving, &Tangle::default());
        assert!(!finder.hits(&moving, false).is_empty());
    }
}
