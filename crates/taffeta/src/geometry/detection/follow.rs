//! Particles that leave their predicted ways get new ones, and only their pairs are found anew.
//!
//! In cloth that moves it is a few particles, where something touches, that go elsewhere than was
//! predicted. **Why their pairs are enough.** Whatever leaves a pair out of the list (boxes, stars,
//! outlines, places beside each other) says something of the ways of its own four particles; those
//! of other corners only make bounds wider. So where none of them gets another way, what was found
//! still holds.

use glam::DVec3;
use taffeta_linalg::update;

use super::certificate::measure;
use super::narrow::{Candidate, Narrow, Sieve};
use super::{GRAIN_OF_PATCHES, NearPair, Pair, PairCache, Proximity};

/// If more than this share of the particles leave their ways, all pairs are found anew, for fewer
/// steps: lists for so long that many leave are long, too.
const MOST_LEAVE: f64 = 0.03;
/// So few are followed in any case.
const FEW: f64 = 4.0;

impl PairCache {
    /// Makes the list hold every pair that may come too near in a straight step between two places
    /// and times after detection, but what is `excluded`. Returns whether it does: not where too many
    /// particles have left their ways, nor beyond the horizon.
    ///
    /// What was `measured` where the step begins, up to a reach, stays with its pairs, and new ones are
    /// measured there.
    pub fn follow(
        &mut self,
        places: [&[DVec3]; 2],
        elapsed: [f64; 2],
        (measured, reach): (&mut Vec<Proximity>, f64),
        excluded: impl Fn(&Pair) -> bool + Sync,
    ) -> bool {
        let known = places.iter().all(|x| x.len() == self.starts.len());
        if !known || !self.is_in_time(elapsed[1]) || elapsed[0] >= elapsed[1] {
            return false;
        }
        let shares = elapsed.map(|elapsed| self.share(elapsed));
        let middles = [0, 1].map(|end| self.common_deviation(places[end], shares[end]));
        let off = |end: usize, i: usize| {
            let off = self.deviation(places[end][i], i, shares[end]) - middles[end];
            off.length() <= self.allowances[i]
        };
        let leaves = |&i: &u32| !(off(0, i as usize) && off(1, i as usize));
        let left: Vec<u32> = (0..self.starts.len() as u32).filter(leaves).collect();
        if left.len() as f64 > (MOST_LEAVE * self.starts.len() as f64).max(FEW) {
            return false;
        }
        for i in left.iter().map(|&i| i as usize) {
            // The line through both places, as seen by all.
            let [from, to] = [0, 1].map(|end| places[end][i] - middles[end]);
            let way = (to - from) / (shares[1] - shares[0]);
            self.starts[i] = from - way * shares[0];
            self.ends[i] = self.starts[i] + way;
            self.allowances[i] = (2.0 * self.allowances[i]).min(self.most_allowance);
            self.ways.change(i, [self.starts[i], self.ends[i]], self.allowances[i]);
        }
        let mut leaves = vec![false; self.starts.len()];
        left.iter().for_each(|&i| leaves[i as usize] = true);
        let leaves = |pair: &Pair| pair.particles.iter().any(|&i| leaves[i as usize]);
        let new = self.find_again(&left, leaves, excluded);
        self.exchange(&new, leaves, (measured, |near| measure(near, places[0], reach)));
        true
    }

    /// Finds the pairs anew that have one of these particles, and so `leaves`.
    fn find_again(
        &mut self,
        particles: &[u32],
        leaves: impl Fn(&Pair) -> bool + Sync,
        excluded: impl Fn(&Pair) -> bool + Sync,
    ) -> Vec<NearPair> {
        let Self { surface, rest, starts, ends, ways, broad, some, .. } = self;
        broad.fit_some(particles, ways, some);
        let (broad, some) = (&*broad, &some[..]);
        let narrow = Narrow { surface, rest, starts, ends, ways, reach: self.reach };
        let pieces = some.chunks(GRAIN_OF_PATCHES);
        let found = &mut self.found[..pieces.len()];
        update(found, 1, |piece, found| {
            let mut sieve = Sieve::new(&narrow, found, &excluded);
            let look = &mut |one: Candidate| {
                if leaves(&one.pair) {
                    sieve.add(one);
                }
            };
            let from = piece * GRAIN_OF_PATCHES;
            for &patch in &some[from..some.len().min(from + GRAIN_OF_PATCHES)] {
                broad.search_among((patch as usize, some), ways, look);
            }
            sieve.finish();
        });
        let mut found = found.concat();
        found.sort_unstable_by_key(|near| near.pair);
        found
    }

    /// Takes pairs that leave out of the list, and puts new ones in; with what is measured of them.
    fn exchange(
        &mut self,
        new: &[NearPair],
        leaves: impl Fn(&Pair) -> bool,
        (measured, measure): (&mut Vec<Proximity>, impl Fn(&NearPair) -> Proximity),
    ) {
        let pairs = &mut self.pairs;
        measured.resize(pairs.len(), Proximity::NONE);
        let mut stay = 0;
        for k in 0..pairs.len() {
            if !leaves(&pairs[k].pair) {
                (pairs[stay], measured[stay]) = (pairs[k], measured[k]);
                stay += 1;
            }
        }
        pairs.truncate(stay);
        pairs.extend_from_slice(new);
        measured.resize(pairs.len(), Proximity::NONE);
        // From the last on, so that nothing is moved twice.
        for (k, near) in new.iter().enumerate().rev() {
            let after = pairs[..stay].partition_point(|other| other.pair < near.pair);
            pairs.copy_within(after..stay, after + k + 1);
            measured.copy_within(after..stay, after + k + 1);
            (pairs[after + k], measured[after + k]) = (*near, measure(near));
            stay = after;
        }
    }
}
