//! Strain gauges: where and along what the strain of cloth is measured.

use std::fmt;

use glam::DVec3;

/// Measures strain along one direction at one place: |Σ weight·x| − 1.
///
/// An edge of a grid and the warp of a triangle are the same thing here: a weighted sum of up to
/// three particles that has length 1 at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    /// The particles; an edge names its second end twice.
    pub particles: [u32; 3],
    /// The weights of the second and the third; the first has minus their sum \[1/m\].
    pub weights: [f64; 2],
    /// What it runs along.
    pub along: Along,
}

/// What a gauge runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// An edge of the mesh.
    Edge,
    /// The warp of a triangle.
    Warp,
    /// The weft of a triangle.
    Weft,
}

impl Gauge {
    /// Along an edge with this rest length \[m\].
    pub fn edge(ends: [u32; 2], rest_length: f64) -> Self {
        let [a, b] = ends;
        Self { particles: [a, b, b], weights: [1.0 / rest_length, 0.0], along: Along::Edge }
    }

    /// The weight of its first, second or third particle \[1/m\].
    #[inline]
    pub fn weight(&self, corner: usize) -> f64 {
        let [second, third] = self.weights;
        match corner {
            0 => -(second + third),
            1 => second,
            _ => third,
        }
    }

    /// The particles it is made of, two of an edge and three of a triangle, and their weights.
    #[inline]
    pub fn corners(&self) -> impl Iterator<Item = (u32, f64)> + Clone + use<> {
        let gauge = *self;
        let count = if self.along == Along::Edge { 2 } else { 3 };
        (0..count).map(move |corner| (gauge.particles[corner], gauge.weight(corner)))
    }

    /// The measured vector: of length 1 at rest.
    #[inline]
    pub fn vector(&self, positions: &[DVec3]) -> DVec3 {
        // Not `particles.map`, which is not inlined and makes the judge five times slower.
        let at = |corner: usize| positions[self.particles[corner] as usize];
        let (a, b, c) = (at(0), at(1), at(2));
        // By differences, for the weights add up to zero and cloth may be far from the origin.
        (b - a) * self.weights[0] + (c - a) * self.weights[1]
    }

    /// Change of length over rest length; positive when extended.
    pub fn strain(&self, positions: &[DVec3]) -> f64 {
        self.vector(positions).length() - 1.0
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [a, b, c] = self.particles;
        match self.along {
            Along::Edge => write!(f, "edge {a}–{b}"),
            Along::Warp => write!(f, "warp of triangle {a}–{b}–{c}"),
            Along::Weft => write!(f, "weft of triangle {a}–{b}–{c}"),
        }
    }
}
