//! Rays.

use glam::Vec3;

/// A half line, with what its tests need computed once.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub origin: Vec3,
    /// Of length one.
    pub direction: Vec3,
    /// One over the direction; infinite along an axis it does not move on.
    pub inverse: Vec3,
    /// In 0..1: the ray passes through whatever is less opaque than this.
    pub dice: f32,
}

impl Ray {
    pub fn new(origin: Vec3, direction: Vec3, dice: f32) -> Self {
        Self { origin, direction, inverse: direction.recip(), dice }
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
