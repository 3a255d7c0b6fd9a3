//! Which patches share a corner: their features need no look while the star around that is smooth.

use super::patches::Patch;

/// For each patch, the later ones that share a corner with it.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// Where the neighbours of each patch begin, and where the last ones end.
    firsts: Vec<u32>,
    all: Vec<Neighbour>,
}

/// A patch that shares corners with another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub patch: u32,
    /// Two of the corners they share, or one of them twice.
    pub shared: [u32; 2],
}

impl Neighbours {
    pub fn new(patches: &[Patch], around: &[Vec<u32>]) -> Self {
        let (mut firsts, mut all) = (vec![0], Vec::new());
        for (p, patch) in patches.iter().enumerate() {
            let later = |corner: u32| {
                let others = around[corner as usize].iter().filter(move |&&o| o as usize > p);
                others.map(move |&o| (o, corner))
            };
            let mut shared: Vec<(u32, u32)> = patch.corners().flat_map(later).collect();
            shared.sort_unstable();
            for same in shared.chunk_by(|a, b| a.0 == b.0) {
                let corners = [same[0].1, same[same.len() - 1].1];
                all.push(Neighbour { patch: same[0].0, shared: corners });
            }
            firsts.push(all.len() as u32);
        }
        Self { firsts, all }
    }

    /// What two patches share, if they are neighbours; the lower number first.
    pub fn between(&self, first: usize, second: usize) -> Option<&Neighbour> {
        let later = self.after(first);
        let at = later.binary_search_by_key(&second, |next| next.patch as usize);
        at.ok().map(|at| &later[at])
    }

    /// The later neighbours of a patch, in ascending order.
    #[inline]
    pub fn after(&self, patch: usize) -> &[Neighbour] {
        &self.all[self.firsts[patch] as usize..self.firsts[patch + 1] as usize]
    }
}
