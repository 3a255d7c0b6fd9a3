//! Several numbers at a time: chains of one length are solved side by side, so that the divisions and
//! roots of one do not wait for those of another.

use std::ops::{Add, Mul, Sub};

/// How many chains are solved at once.
pub(crate) const LANES: usize = 8;

/// One number of each of several chains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// A function of each.
    #[inline(always)]
    pub fn each(self, of: impl Fn(f64) -> f64) -> Self {
        let mut out = self;
        for value in &mut out.0 {
            *value = of(*value);
        }
        out
    }

    /// A function of each two.
    #[inline(always)]
    pub fn with(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self;
        for (value, other) in out.0.iter_mut().zip(other.0) {
            *value = of(*value, other);
        }
        out
    }

    /// One over each that is above zero; zero instead of the others.
    #[inline(always)]
    pub fn inverse_if_positive(self) -> Self {
        self.each(|value| if value > 0.0 { 1.0 / value } else { 0.0 })
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

/// One vector of each of several chains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vectors {
    pub x: Lanes,
    pub y: Lanes,
    pub z: Lanes,
}

impl Vectors {
    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn times(self, factor: Lanes) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// The vector of one chain.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> glam::DVec3 {
        glam::DVec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Sets the vector of one chain.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, vector: glam::DVec3) {
        (self.x.0[lane], self.y.0[lane], self.z.0[lane]) = (vector.x, vector.y, vector.z);
    }
}

impl Add for Vectors {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vectors {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
