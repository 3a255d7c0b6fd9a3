//! Stiff couplings of particles that are no neighbours in a matrix's pattern.
//!
//! Where cloth touches itself, any particle may be coupled to any other, and to others in the next
//! step. Such couplings are kept apart from the blocks, so that patterns, factors and plans stay.

use glam::{DMat3, DVec3};

/// Adds strength·g gᵀ to a matrix, where g is weight·direction at each of four particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The particles, all different.
    pub particles: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// The direction, of unit length.
    pub direction: DVec3,
    /// How strong it is; positive.
    pub strength: f64,
}

impl Coupling {
    /// What it adds to the diagonal block of its k-th particle.
    pub(crate) fn diagonal(&self, k: usize) -> DMat3 {
        let n = self.direction;
        DMat3::from_cols(n * n.x, n * n.y, n * n.z) * (self.strength * self.weights[k].powi(2))
    }

    /// Adds to `y` what it makes of `x`, but for the diagonal blocks.
    pub(crate) fn multiply_beside_diagonal(&self, x: &[DVec3], y: &mut [DVec3]) {
        let [a, b, c, d] = self.particles;
        let along =
            |k: usize, particle: u32| self.weights[k] * self.direction.dot(x[particle as usize]);
        let parts = [along(0, a), along(1, b), along(2, c), along(3, d)];
        let sum = parts[0] + parts[1] + parts[2] + parts[3];
        for k in 0..4 {
            let others = self.strength * self.weights[k] * (sum - parts[k]);
            y[self.particles[k] as usize] += self.direction * others;
        }
    }
}
