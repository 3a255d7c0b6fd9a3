//! Stiff couplings of particles that are no neighbours in a matrix's pattern.
//!
//! Where cloth touches itself, any particle may be coupled to any other, and to others in the next
//! step. Such couplings are kept apart from the blocks, so that patterns and plans stay.

use glam::{DMat3, DVec3};

/// Adds what makes up ½ rᵀ·strength·r, where r is the sum of weight·x over four particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The particles, all different.
    pub particles: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// How strong it is in each direction: symmetric, and not negative.
    pub strength: DMat3,
}

impl Coupling {
    /// What it adds to the diagonal block of its k-th particle.
    pub(crate) fn diagonal(&self, k: usize) -> DMat3 {
        self.strength * self.weights[k].powi(2)
    }

    /// What it adds to the block of its k-th and l-th particle.
    pub(crate) fn beside_diagonal(&self, k: usize, l: usize) -> DMat3 {
        self.strength * (self.weights[k] * self.weights[l])
    }

    /// Adds to `y` what it makes of `x`, but for the diagonal blocks.
    pub(crate) fn multiply_beside_diagonal(&self, x: &[DVec3], y: &mut [DVec3]) {
        let [a, b, c, d] = self.particles;
        let part = |k: usize, particle: u32| x[particle as usize] * self.weights[k];
        let parts = [part(0, a), part(1, b), part(2, c), part(3, d)];
        let sum = parts[0] + parts[1] + parts[2] + parts[3];
        for k in 0..4 {
            let others = self.strength * (sum - parts[k]);
            y[self.particles[k] as usize] += others * self.weights[k];
        }
    }
}
