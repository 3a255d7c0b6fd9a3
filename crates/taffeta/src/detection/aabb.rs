//! Axis-aligned boxes (AABB) in single precision, one and eight at a time.
//!
//! Boxes only ever reject, so they may be larger than what they hold: half the numbers of doubles,
//! and the compiler compares eight of them at once.

use glam::DVec3;

/// Boxes side by side in [`Lanes`].
pub(crate) const LANES: usize = 8;

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Aabb {
    /// No point at all: overlaps nothing, and adds nothing to a union.
    pub const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Holds the straight way between two places, and all that is nearer to it than `margin` [m].
    pub fn swept(from: DVec3, to: DVec3, margin: f64) -> Self {
        let (low, high) = (from.min(to) - margin, from.max(to) + margin);
        let down = |x: f64| (x as f32).next_down();
        let up = |x: f64| (x as f32).next_up();
        Self { low: low.to_array().map(down), high: high.to_array().map(up) }
    }

    /// The least box around two.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let least = |k: usize| if self.low[k] < other.low[k] { self.low[k] } else { other.low[k] };
        let most =
            |k: usize| if self.high[k] > other.high[k] { self.high[k] } else { other.high[k] };
        Self { low: [least(0), least(1), least(2)], high: [most(0), most(1), most(2)] }
    }
}

/// Eight boxes, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl Lanes {
    /// Eight boxes that overlap nothing.
    pub const EMPTY: Self =
        Self { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

    #[inline]
    pub fn set(&mut self, lane: usize, bounds: &Aabb) {
        for k in 0..3 {
            self.low[k][lane] = bounds.low[k];
            self.high[k][lane] = bounds.high[k];
        }
    }

    #[inline]
    pub fn get(&self, lane: usize) -> Aabb {
        let (low, high) = (&self.low, &self.high);
        Aabb {
            low: [low[0][lane], low[1][lane], low[2][lane]],
            high: [high[0][lane], high[1][lane], high[2][lane]],
        }
    }

    /// The least box around all.
    pub fn around(&self) -> Aabb {
        (0..LANES).fold(Aabb::EMPTY, |all, lane| all.union(self.get(lane)))
    }

    /// Which of the eight share a point with another box: bit i for lane i.
    #[inline]
    pub fn overlapping(&self, other: &Aabb) -> u32 {
        let mut bits = [0u32; LANES];
        for (i, bit) in bits.iter_mut().enumerate() {
            let hit = (self.low[0][i] <= other.high[0])
                & (other.low[0] <= self.high[0][i])
                & (self.low[1][i] <= other.high[1])
                & (other.low[1] <= self.high[1][i])
                & (self.low[2][i] <= other.high[2])
                & (other.low[2] <= self.high[2][i]);
            *bit = u32::from(hit) << i;
        }
        bits.iter().fold(0, |all, bit| all | bit)
    }
}
