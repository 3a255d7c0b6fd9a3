//! Cloth that already passes through itself: there contact does nothing until it comes apart, and
//! `untangle.rs` pushes it out.

use glam::DVec3;

use crate::geometry::collision::{Intersection, Surface, intersections};
use crate::geometry::detection::Pair;

/// The pairs that contact must spare, because they are through each other, or next to what is:
/// cloth comes apart row by row, and the next row must be able to follow.
///
/// Nothing is remembered from step to step but that there is none left: what intersects where a
/// step begins is spared in that step, what has come apart is protected from then on.
#[derive(Debug, Default)]
pub(super) struct Tangle {
    /// Whether nothing intersects, so that there is no need to look until someone else has moved
    /// the cloth.
    clean: bool,
    /// What passes through what where the step begins, in the order of the edges.
    pub found: Vec<Intersection>,
    /// An end of an edge and a corner of a triangle that it passes through, sorted.
    spared: Vec<[u32; 2]>,
}

impl Tangle {
    /// Somebody else has moved the cloth.
    pub fn forget(&mut self) {
        self.clean = false;
    }

    /// Looks at the cloth where a step begins; once it is clean, contact keeps it so.
    pub fn look(&mut self, surface: &Surface, positions: &[DVec3]) {
        if self.clean {
            return;
        }
        self.found = intersections(surface, positions);
        self.clean = self.found.is_empty();
        self.spared.clear();
        for Intersection { edge, triangle } in &self.found {
            let with = |end: u32| triangle.map(|corner| sorted(end, corner));
            self.spared.extend(edge.map(with).concat());
        }
        self.spared.sort_unstable();
        self.spared.dedup();
    }

    /// Whether nothing is spared.
    pub fn is_empty(&self) -> bool {
        self.spared.is_empty()
    }

    /// Whether contact must leave a pair alone.
    pub fn spares(&self, pair: &Pair) -> bool {
        let (first, second) = pair.particles.split_at(pair.pairing.first());
        let spared = |a: u32, b: u32| self.spared.binary_search(&sorted(a, b)).is_ok();
        first.iter().any(|&a| second.iter().any(|&b| spared(a, b)))
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
