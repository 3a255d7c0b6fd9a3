//! Axis-aligned boxes (AABB) in single precision, one and eight at a time.
//!
//! Boxes only ever reject, so they may be larger than what they hold: half the numbers of doubles,
//! and four are compared at once.

use glam::Vec4;

/// Boxes side by side in [`BoxLanes`].
pub(super) const LANES: usize = 8;

/// A box along the axes. The fourth number of each corner means nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aabb {
    pub low: Vec4,
    pub high: Vec4,
}

impl Aabb {
    /// No point at all: overlaps nothing, and adds nothing to a union.
    pub const EMPTY: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// The least box around two.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// Eight boxes, coordinate by coordinate, four by four.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxLanes {
    low: [[Vec4; 2]; 3],
    high: [[Vec4; 2]; 3],
}

impl BoxLanes {
    /// Eight boxes that overlap nothing.
    pub const EMPTY: Self =
        Self { low: [[Vec4::INFINITY; 2]; 3], high: [[Vec4::NEG_INFINITY; 2]; 3] };

    /// Boxes side by side; those beyond their number overlap nothing.
    #[inline]
    pub fn of(count: usize, bounds: impl Fn(usize) -> Aabb) -> Self {
        let mut all = [Aabb::EMPTY; LANES];
        all.iter_mut().take(count).enumerate().for_each(|(lane, one)| *one = bounds(lane));
        let mut lanes = Self::EMPTY;
        for (half, four) in all.chunks_exact(4).enumerate() {
            for k in 0..3 {
                lanes.low[k][half] =
                    Vec4::new(four[0].low[k], four[1].low[k], four[2].low[k], four[3].low[k]);
                lanes.high[k][half] =
                    Vec4::new(four[0].high[k], four[1].high[k], four[2].high[k], four[3].high[k]);
            }
        }
        lanes
    }

    /// One of them.
    #[inline]
    pub fn get(&self, lane: usize) -> Aabb {
        let at = |corner: &[[Vec4; 2]; 3]| {
            let at = |k: usize| corner[k][lane / 4][lane % 4];
            Vec4::new(at(0), at(1), at(2), 0.0)
        };
        Aabb { low: at(&self.low), high: at(&self.high) }
    }

    /// The least box around all.
    #[inline]
    pub fn around(&self) -> Aabb {
        let low = |k: usize| self.low[k][0].min(self.low[k][1]).min_element();
        let high = |k: usize| self.high[k][0].max(self.high[k][1]).max_element();
        Aabb {
            low: Vec4::new(low(0), low(1), low(2), 0.0),
            high: Vec4::new(high(0), high(1), high(2), 0.0),
        }
    }

    /// Which of the eight share a point with another box: bit i for lane i.
    #[inline]
    pub fn overlapping(&self, other: &Aabb) -> u32 {
        let (low, high) = (&self.low, &self.high);
        let mut bits = 0;
        for half in 0..2 {
            let on = |k: usize| {
                low[k][half].cmple(Vec4::splat(other.high[k]))
                    & high[k][half].cmpge(Vec4::splat(other.low[k]))
            };
            bits |= (on(0) & on(1) & on(2)).bitmask() << (4 * half);
        }
        bits
    }
}

/// Calls `visit` with the number of each bit, in ascending order.
#[inline]
pub(super) fn each_bit(mut bits: u32, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
