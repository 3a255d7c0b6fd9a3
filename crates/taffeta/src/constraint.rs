//! Particle constraints (BW98 §5, Ye08 §5): one mechanism for pins now and contacts later.

use glam::DVec3;
use taffeta_linalg::Filter;

/// What a step prescribes for one particle: S, z and y of BW98.
///
/// A free particle has no constraint at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The particle.
    pub particle: u32,
    /// S: the directions in which it is free.
    pub filter: Filter,
    /// z: the change of velocity along the held directions \[m/s\].
    pub velocity_change: DVec3,
    /// y: what is added to the step's displacement, so that the particle lands where it is
    /// wanted without a kick (BW98 eq. 17–18) \[m\].
    pub correction: DVec3,
}

/// Two points of the cloth that must not come nearer to each other than allowed: what an implicit
/// solve knows of cloth that touches cloth (BW98 §6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// A vertex and the corners of a triangle, or the ends of two edges.
    pub particles: [u32; 4],
    /// The two points, as weights: Σ weight·position leads from the second to the first.
    pub weights: [f64; 4],
    /// From the second to the first, of unit length.
    pub normal: DVec3,
    /// The least speed at which they come apart along the normal \[m/s\].
    pub least_speed: f64,
    /// The impulse that pushes them apart, as far as it is known \[N·s\].
    pub impulse: f64,
    /// What friction takes of their momentum across the normal for each speed \[kg\].
    pub drag: f64,
}

impl Link {
    /// From the second point to the first, of a vector for each particle.
    pub fn between(&self, vectors: &[DVec3]) -> DVec3 {
        let [a, b, c, d] = self.particles;
        let part = |k: usize, i: u32| vectors[i as usize] * self.weights[k];
        part(0, a) + part(1, b) + part(2, c) + part(3, d)
    }

    /// Takes the drag that makes Coulomb's friction where the points move so \[m/s\]; returns how
    /// fast they slide \[m/s\].
    pub fn rub_at(&mut self, velocity: DVec3, friction: f64) -> f64 {
        let slip = velocity.reject_from_normalized(self.normal).length();
        let most = friction * self.impulse;
        self.drag = if most > 0.0 { most / slip } else { 0.0 };
        slip
    }
}
