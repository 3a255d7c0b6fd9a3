//! Sorting pairs in linear time.

use super::NearPair;
use crate::collision::Pairing;

/// Puts what was found into the order of the pairs, whoever found it.
///
/// By counting: few pairs have the same first particle, so what is left to sort is short.
pub(super) fn sort_into(pairs: &mut Vec<NearPair>, found: &[Vec<NearPair>], particles: usize) {
    pairs.clear();
    found.iter().for_each(|found| pairs.extend_from_slice(found));
    let key = |near: &NearPair| {
        let first = near.pair.particles[0] as usize;
        match near.pair.pairing {
            Pairing::VertexTriangle => first,
            Pairing::EdgeEdge => particles + first,
        }
    };
    // Where the pairs of each key begin, moved on with each that is placed.
    let mut places = vec![0u32; 2 * particles + 1];
    pairs.iter().for_each(|near| places[key(near) + 1] += 1);
    for k in 1..places.len() {
        places[k] += places[k - 1];
    }
    for near in found.iter().flatten() {
        let place = &mut places[key(near)];
        pairs[*place as usize] = *near;
        *place += 1;
    }
    for same in pairs.chunk_by_mut(|a, b| key(a) == key(b)) {
        same.sort_unstable_by_key(|near| near.pair);
    }
}
