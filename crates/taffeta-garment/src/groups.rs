//! Numbered things that belong together.

/// A forest of numbers: those with the same root belong together.
pub struct Groups(Vec<u32>);

impl Groups {
    /// Every number by itself.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Puts the groups of two numbers together.
    pub fn join(&mut self, pair: [u32; 2]) {
        let [a, b] = pair.map(|number| self.leader(number));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The lowest number of each one's group.
    pub fn leaders(&mut self) -> Vec<u32> {
        (0..self.0.len() as u32).map(|number| self.leader(number)).collect()
    }

    fn leader(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let above = self.0[self.0[number as usize] as usize];
            self.0[number as usize] = above;
            number = above;
        }
        number
    }
}
