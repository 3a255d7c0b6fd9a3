//! Rays.

use glam::Vec3;

/// Directions less steep than this count as this steep where they are divided by.
const SLOWEST: f32 = 1e-20;

/// A half line, with what its tests need computed once.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    /// Of length one.
    pub direction: Vec3,
    /// One over the direction; large but finite along an axis it hardly moves on, so that no
    /// product with it is 0 · ∞.
    pub inverse: Vec3,
    /// In 0..1: the ray passes through whatever is less opaque than this.
    pub dice: f32,
}

impl Ray {
    pub fn new(origin: Vec3, direction: Vec3, dice: f32) -> Self {
        let inverse = direction.map(|slope| 1.0 / slope.abs().max(SLOWEST).copysign(slope));
        Self { origin, direction, inverse, dice }
    }

    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }
}

/// Where a ray meets something.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Along the ray.
    pub distance: f32,
    /// Number of the item in the geometry.
    pub item: u32,
    /// In a triangle, the weights of its second and third corner; along a tube, the share of the
    /// way from its first to its second end, and nothing.
    pub place: [f32; 2],
}
