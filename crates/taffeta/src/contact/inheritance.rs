//! Contacts that slide over a surface pass from triangle to triangle and from edge to edge: what one
//! pair pushed with is the next one's.

use crate::geometry::collision::Pairing;
use crate::geometry::detection::Pair;
use crate::state::touch::Push;

/// Pushes of a step whose pairs are not near any more in the next.
#[derive(Debug, Default)]
pub(super) struct Inheritance {
    /// A vertex, twice, or an edge of each, and its place among the pushes; sorted.
    left: Vec<([u32; 2], usize)>,
    /// Those that have found an heir.
    taken: Vec<bool>,
}

impl Inheritance {
    /// Looks which pushes are left over by these pairs; both are sorted.
    pub fn look(&mut self, pushes: &[Push], pairs: &[Pair]) {
        self.left.clear();
        self.taken.clear();
        self.taken.resize(pushes.len(), false);
        for (at, push) in pushes.iter().enumerate() {
            if pairs.binary_search(&push.pair).is_err() {
                self.left.extend(features(&push.pair).map(|feature| (feature, at)));
            }
        }
        self.left.sort_unstable();
    }

    /// What a pair that did not push takes over, by the places among the pushes.
    pub fn take(&mut self, pair: &Pair) -> impl Iterator<Item = usize> + '_ {
        let Self { left, taken } = self;
        let of = |feature: [u32; 2]| {
            let first = left.partition_point(|(other, _)| *other < feature);
            left[first..].iter().take_while(move |(other, _)| *other == feature)
        };
        let found = features(pair).flat_map(of).map(|(_, at)| *at);
        found.filter(|&at| !std::mem::replace(&mut taken[at], true))
    }
}

/// What of a pair goes on when it passes to another triangle or edge.
fn features(pair: &Pair) -> impl Iterator<Item = [u32; 2]> + use<> {
    let [a, b, c, d] = pair.particles;
    let (one, other) = match pair.pairing {
        Pairing::VertexTriangle => ([a, a], None),
        Pairing::EdgeEdge => ([a, b], Some([c, d])),
    };
    std::iter::once(one).chain(other)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn pairs_take_over_what_slid_to_them_once() {
        let corner = |particles| Pair { pairing: Pairing::VertexTriangle, particles };
        let edges = |particles| Pair { pairing: Pairing::EdgeEdge, particles };
        let push = |pair| Push { pair, force: 1.0, rub: DVec3::ZERO };
        let before = [corner([3, 10, 11, 12]), corner([4, 10, 11, 12]), edges([1, 2, 20, 21])];
        let now = [corner([3, 10, 12, 13]), corner([4, 10, 11, 12]), edges([1, 2, 21, 22])];
        let mut inheritance = Inheritance::default();
        inheritance.look(&before.map(push), &now);
        let mut taken = |pair: &Pair| inheritance.take(pair).collect::<Vec<_>>();
        assert_eq!(taken(&now[0]), [0]);
        assert_eq!(taken(&corner([3, 7, 8, 9])), [0usize; 0]);
        assert_eq!(taken(&edges([5, 6, 20, 21])), [2]);
        assert_eq!(taken(&now[2]), [0usize; 0]);
    }
}
