//! Boxes along the axes.

use glam::DVec3;

/// All points between two corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner of the least coordinates \[m\].
    pub low: DVec3,
    /// The corner of the greatest \[m\].
    pub high: DVec3,
}

impl Bounds {
    /// No point at all.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The least box around points.
    #[inline]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// The least box around this one and a point.
    #[inline]
    #[must_use]
    pub fn with(self, point: DVec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    /// The least box around two.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Grown on all sides by a distance \[m\].
    #[inline]
    #[must_use]
    pub fn grown(self, distance: f64) -> Self {
        Self { low: self.low - distance, high: self.high + distance }
    }

    /// Whether the two share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without short cuts, which the processor would guess wrong half the time.
        (self.low.x <= other.high.x)
            & (other.low.x <= self.high.x)
            & (self.low.y <= other.high.y)
            & (other.low.y <= self.high.y)
            & (self.low.z <= other.high.z)
            & (other.low.z <= self.high.z)
    }
}
