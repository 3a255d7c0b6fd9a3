//! Sorting pairs in linear time.

use taffeta_linalg::both;

use super::NearPair;
use crate::geometry::collision::Pairing;

/// Puts what was found into the order of the pairs, whoever found it.
///
/// By counting: few pairs have the same first particle, so what is left to sort is short. Both kinds
/// are sorted at once.
pub(super) fn sort_into(pairs: &mut Vec<NearPair>, found: &[Vec<NearPair>], particles: usize) {
    pairs.clear();
    found.iter().for_each(|found| pairs.extend_from_slice(found));
    let is_vertex = |near: &&NearPair| near.pair.pairing == Pairing::VertexTriangle;
    let vertices = pairs.iter().filter(is_vertex).count();
    let (with_triangles, with_edges) = pairs.split_at_mut(vertices);
    let all = || found.iter().flatten();
    both(
        || sort_kind(with_triangles, || all().filter(is_vertex), particles),
        || sort_kind(with_edges, || all().filter(|near| !is_vertex(near)), particles),
    );
}

/// Puts all pairs of a kind into their order.
fn sort_kind<'a, I: Iterator<Item = &'a NearPair>>(
    pairs: &mut [NearPair],
    all: impl Fn() -> I,
    particles: usize,
) {
    let first = |near: &NearPair| near.pair.particles[0] as usize;
    // Where the pairs of each first particle begin, moved on with each that is placed.
    let mut places = vec![0u32; particles + 1];
    all().for_each(|near| places[first(near) + 1] += 1);
    for k in 1..places.len() {
        places[k] += places[k - 1];
    }
    for near in all() {
        let place = &mut places[first(near)];
        pairs[*place as usize] = *near;
        *place += 1;
    }
    for same in pairs.chunk_by_mut(|a, b| first(a) == first(b)) {
        same.sort_unstable_by_key(|near| near.pair);
    }
}
