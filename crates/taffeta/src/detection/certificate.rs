//! Closest points of the listed pairs, and the proof that none has passed through another.

use glam::DVec3;
use taffeta_linalg::fill;

use super::{NearPair, Pair, PairCache, longest_way};
use crate::collision::ccd::impact;

/// Pairs whose closest points repay a hand-over to another thread.
const GRAIN: usize = 512;
/// Pairs certified as one piece of work.
const BLOCK: usize = 4096;

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

    /// The same after a step in which no two particles moved by more than `way` against each other,
    /// with what was measured before it: what was that much farther apart is not looked at.
    pub fn measure_after(
        &self,
        (before, way): (&[Proximity], f64),
        (x, reach): (&[DVec3], f64),
        out: &mut Vec<Proximity>,
    ) {
        out.resize(self.pairs().len(), Proximity::NONE);
        fill(out, GRAIN, |k| {
            let (near, least) = (&self.pairs()[k], before[k].distance - way);
            match least > near.kept + reach {
                true => Proximity::beyond(least),
                false => measure(near, x, reach),
            }
        });
    }

    /// Whether no listed pair can have crossed in a straight step from `x0` to `x1`, with what was
    /// measured there; if one can, or cannot be shown not to, the first.
    ///
    /// Distances change by at most L, the largest relative move of a pair's corners. From either
    /// end they stay above d − L·t: a pair with L < d0 + d1 has never touched. What that does not
    /// clear is followed exactly.
    pub fn certify(
        &self,
        [x0, x1]: [&[DVec3]; 2],
        [d0, d1]: [&[Proximity]; 2],
    ) -> Result<(), Pair> {
        let pairs = &self.pairs()[..self.pairs().len().min(d0.len()).min(d1.len())];
        let most = longest_relative_way(x0, x1);
        let crosses = |k: usize| {
            let (pair, apart) = (&pairs[k].pair, d0[k].distance + d1[k].distance);
            most >= apart && {
                let (from, to) = (pair.gather(x0), pair.gather(x1));
                let cleared = longest_way(pair.pairing, &from, &to) < apart;
                !cleared && impact(pair.pairing, [&from, &to], 0.0).is_some()
            }
        };
        let mut firsts = vec![None; pairs.len().div_ceil(BLOCK)];
        fill(&mut firsts, 1, |block| {
            (block * BLOCK..pairs.len().min((block + 1) * BLOCK)).find(|&k| crosses(k))
        });
        match firsts.into_iter().flatten().next() {
            Some(first) => Err(pairs[first].pair),
            None => Ok(()),
        }
    }
}

/// No two particles move farther than this relative to each other [m].
fn longest_relative_way(x0: &[DVec3], x1: &[DVec3]) -> f64 {
    let ways = || x0.iter().zip(x1).map(|(from, to)| *to - *from);
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = ways().fold(none, |(low, high), way| (low.min(way), high.max(way)));
    let middle = 0.5 * (low + high);
    let farthest = ways().fold(0.0_f64, |most, way| most.max(way.distance_squared(middle)));
    let size = x0.first().map_or(0.0, |x| x.abs().max_element());
    let most = 2.0 * farthest.sqrt() * (1.0 + 1e-9) + size * 1e-12;
    // What is not finite may go anywhere.
    if middle.is_finite() { most } else { f64::INFINITY }
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
