//! Which elements touch a particle, so that forces can be gathered per particle: in a fixed
//! order, on any number of threads, without locks.

/// For every particle, the (element, corner) pairs that name it, in increasing order of element.
#[derive(Clone, Debug)]
pub struct Incidence {
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl Incidence {
    /// Sorts the corners of elements by the particle they are at.
    pub fn new<Corners: IntoIterator<Item = u32>>(
        particles: usize,
        elements: impl Iterator<Item = Corners> + Clone,
    ) -> Self {
        let mut starts = vec![0; particles + 1];
        for particle in elements.clone().flatten() {
            starts[particle as usize + 1] += 1;
        }
        for particle in 0..particles {
            starts[particle + 1] += starts[particle];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[particles] as usize];
        for (element, corners) in elements.enumerate() {
            for (corner, particle) in corners.into_iter().enumerate() {
                let slot = &mut next[particle as usize];
                entries[*slot as usize] = (element as u32, corner as u32);
                *slot += 1;
            }
        }
        Self { starts, entries }
    }

    /// The (element, corner) pairs at one particle.
    pub fn at(&self, particle: usize) -> &[(u32, u32)] {
        &self.entries[self.starts[particle] as usize..self.starts[particle + 1] as usize]
    }
}
