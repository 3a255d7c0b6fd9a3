//! Four vectors in single precision, coordinate by coordinate, so that four pairs are looked at with
//! the instructions that one would take.

use std::ops::{Add, Mul, Sub};

use glam::{Mat4, Vec4};

/// Four vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vec3x4 {
    pub x: Vec4,
    pub y: Vec4,
    pub z: Vec4,
}

impl Vec3x4 {
    /// Of four vectors, and their fourth numbers.
    #[inline]
    pub fn of(four: [Vec4; 4]) -> (Self, Vec4) {
        let [a, b, c, d] = four;
        let Mat4 { x_axis: x, y_axis: y, z_axis: z, w_axis: w } =
            Mat4::from_cols(a, b, c, d).transpose();
        (Self { x, y, z }, w)
    }

    #[inline]
    pub fn dot(self, other: Self) -> Vec4 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline]
    pub fn length_squared(self) -> Vec4 {
        self.dot(self)
    }

    #[inline]
    pub fn length(self) -> Vec4 {
        self.length_squared().sqrt()
    }
}

impl Add for Vec3x4 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vec3x4 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Vec4> for Vec3x4 {
    type Output = Self;

    #[inline]
    fn mul(self, factors: Vec4) -> Self {
        Self { x: self.x * factors, y: self.y * factors, z: self.z * factors }
    }
}
