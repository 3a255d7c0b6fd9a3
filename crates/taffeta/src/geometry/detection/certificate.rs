//! Closest points of the listed pairs, and the proof that none has passed through another.

use glam::DVec3;
use taffeta_linalg::{fill, update};

use super::{NearPair, Pair, PairCache, longest_way};
use crate::geometry::collision::Pairing;
use crate::geometry::collision::ccd::impact;

/// Pairs whose closest points repay a hand-over to another thread.
const GRAIN: usize = 512;
/// Pairs certified as one piece of work.
const BLOCK: usize = 1024;
/// Particles whose moves repay a hand-over to another thread.
const GRAIN_OF_MOVES: usize = 4096;

/// How two features lie to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// The closest points: Σ weight·place leads from that of the second to that of the first.
    pub weights: [f64; 4],
    /// From the second to the first, of length 1; nothing if they touch.
    pub normal: DVec3,
    /// \[m\]
    pub distance: f64,
    /// Whether both closest points are inside. What is at a border is the neighbours' affair: a
    /// solver that made a contact of it would count one place several times.
    pub inside: bool,
}

impl Proximity {
    /// Of a pair that was not measured: it may touch.
    pub(super) const NONE: Self =
        Self { weights: [0.0; 4], normal: DVec3::ZERO, distance: 0.0, inside: false };

    /// Of a pair that is farther apart than matters: only how far at least.
    fn beyond(distance: f64) -> Self {
        Self { distance, ..Self::NONE }
    }
}

impl PairCache {
    /// The closest points of all listed pairs at `x`, in their order. Of pairs farther apart than
    /// what they keep and `reach` more, only a distance that they have at least: not inside, and
    /// without weights.
    pub fn measure(&self, x: &[DVec3], reach: f64, out: &mut Vec<Proximity>) {
        out.resize(self.pairs().len(), Proximity::NONE);
        fill(out, GRAIN, |k| measure(&self.pairs()[k], x, reach));
    }

    /// Whether no listed pair can have crossed in a straight step from `x0` to `x1`, with what was
    /// measured `before` it; if one can, or cannot be shown not to, the first. Measures `after` it.
    ///
    /// Distances change by at most L, the largest relative move of a pair's corners. From either
    /// end they stay above d − L·t: a pair with L < d0 + d1 has never touched, and what was farther
    /// apart than L and all that matters need not be looked at. What that does not clear is followed
    /// exactly.
    pub fn certify(
        &mut self,
        [x0, x1]: [&[DVec3]; 2],
        (before, reach): (&[Proximity], f64),
        after: &mut Vec<Proximity>,
    ) -> Result<(), Pair> {
        self.note_moves(x0, x1);
        let pairs = &self.pairs[..self.pairs.len().min(before.len())];
        after.resize(pairs.len(), Proximity::NONE);
        let blocks = after.chunks_mut(BLOCK);
        let mut blocks: Vec<(&mut [Proximity], Option<Pair>)> =
            blocks.map(|block| (block, None)).collect();
        let moves = &self.moves[..];
        update(&mut blocks, 1, |block, (after, crossing)| {
            for (k, after) in (block * BLOCK..).zip(&mut **after) {
                let (near, before) = (&pairs[k], before[k].distance);
                let way = most_way(&near.pair, moves);
                if before - way > near.kept + reach {
                    *after = Proximity::beyond(before - way);
                    continue;
                }
                *after = measure(near, x1, reach);
                let apart = before + after.distance;
                if way >= apart && crossing.is_none() && crosses(&near.pair, [x0, x1], apart) {
                    *crossing = Some(near.pair);
                }
            }
        });
        match blocks.into_iter().find_map(|(_, crossing)| crossing) {
            Some(pair) => Err(pair),
            None => Ok(()),
        }
    }

    /// Takes note of how far particles go in a step beside what they have in common [m].
    fn note_moves(&mut self, x0: &[DVec3], x1: &[DVec3]) {
        let ways = || x0.iter().zip(x1).map(|(from, to)| *to - *from);
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = ways().fold(none, |(low, high), way| (low.min(way), high.max(way)));
        let middle = 0.5 * (low + high);
        let size = x0.first().map_or(0.0, |x| x.abs().max_element());
        // What is not finite may go anywhere.
        let finite = middle.is_finite();
        self.moves.resize(x0.len(), 0.0);
        fill(&mut self.moves, GRAIN_OF_MOVES, |i| match finite {
            true => (x1[i] - x0[i]).distance(middle) * (1.0 + 1e-9) + size * 1e-12,
            false => f64::INFINITY,
        });
    }
}

/// No two points of a pair come nearer to each other by more than this in a step in which its
/// particles make these `moves` [m].
#[inline]
fn most_way(pair: &Pair, moves: &[f64]) -> f64 {
    let [a, b, c, d] = pair.particles;
    let [a, b, c, d] = [moves[a as usize], moves[b as usize], moves[c as usize], moves[d as usize]];
    match pair.pairing {
        Pairing::VertexTriangle => a + b.max(c).max(d),
        Pairing::EdgeEdge => a.max(b) + c.max(d),
    }
}

/// Whether a pair that is so far `apart` at both ends together may have crossed.
fn crosses(pair: &Pair, [x0, x1]: [&[DVec3]; 2], apart: f64) -> bool {
    let (from, to) = (pair.gather(x0), pair.gather(x1));
    let cleared = longest_way(pair.pairing, &from, &to) < apart;
    !cleared && impact(pair.pairing, [&from, &to], 0.0).is_some()
}

/// How a pair lies, as [`PairCache::measure`] tells.
#[inline]
pub(super) fn measure(near: &NearPair, x: &[DVec3], reach: f64) -> Proximity {
    let pair = &near.pair;
    let closest = pair.pairing.closest(&pair.gather(x));
    let distance = closest.apart.length();
    if distance > near.kept + reach {
        return Proximity::beyond(distance);
    }
    let normal = closest.apart.normalize_or_zero();
    Proximity { weights: closest.weights, normal, distance, inside: closest.inside }
}
