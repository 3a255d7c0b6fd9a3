//! The predicted ways of particles in single precision: all that rejecting pairs needs, in half the
//! memory, and four numbers at a time.

use glam::{DVec3, Vec3, Vec4};
use taffeta_linalg::fill;

use super::aabb::Aabb;

/// Round-off of coordinates in single precision and of a few sums of them, as a share of the
/// largest.
const ROUND_OFF: f32 = 8.0 * f32::EPSILON;
/// What is farther away is taken to be here [m]: boxes that hold nothing are farther still.
const FARTHEST: f32 = 1e30;
/// Particles whose ways repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// Where particles are, how far they go, and by how much they may leave that way.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// From the first particle [m]; the fourth number is the allowance.
    pub starts: Vec<Vec4>,
    /// Relative to the first particle's [m].
    pub moves: Vec<Vec4>,
    /// What coordinates, or differences of them, are wrong by at most [m].
    pub round_off: f32,
    /// Where the first particle was when ways were set, and how far it was to go [m].
    origin: DVec3,
    common: DVec3,
}

impl Ways {
    /// Takes note of ways from one place to another, and of how far they may be left.
    pub fn set(&mut self, [starts, ends]: [&[DVec3]; 2], allowance: impl Fn(usize) -> f64 + Sync) {
        let (Some(&origin), Some(&end)) = (starts.first(), ends.first()) else { return };
        let common = end - origin;
        (self.origin, self.common) = (origin, common);
        self.starts.resize(starts.len(), Vec4::ZERO);
        self.moves.resize(starts.len(), Vec4::ZERO);
        fill(&mut self.starts, GRAIN, |i| start(starts[i] - origin, allowance(i)));
        fill(&mut self.moves, GRAIN, |i| finite(ends[i] - starts[i] - common).extend(0.0));
        let size = |all: &[Vec4]| all.iter().fold(Vec4::ZERO, |most, v| most.max(v.abs()));
        self.round_off = self.round_off_of(size(&self.starts).max(size(&self.moves)));
    }

    /// Takes note of another way of one particle.
    pub fn change(&mut self, particle: usize, [from, to]: [DVec3; 2], allowance: f64) {
        let at = start(from - self.origin, allowance);
        let by = finite(to - from - self.common).extend(0.0);
        (self.starts[particle], self.moves[particle]) = (at, by);
        self.round_off = self.round_off.max(self.round_off_of(at.abs().max(by.abs())));
    }

    /// What coordinates of this size are wrong by at most [m].
    fn round_off_of(&self, size: Vec4) -> f32 {
        // Differences of doubles are wrong by some of their own round-off, far from the origin.
        let far = self.origin.abs().max((self.origin + self.common).abs()).max_element() * 1e-15;
        size.truncate().max_element() * ROUND_OFF + far as f32
    }

    /// The box around a particle's way, seen by the first particle, and all that is nearer to it
    /// than `reach` and its allowance.
    #[inline]
    pub fn bounds(&self, particle: u32, reach: f32) -> Aabb {
        let start = self.starts[particle as usize];
        let end = start + self.moves[particle as usize];
        let reach = Vec4::splat(reach + start.w);
        Aabb { low: start.min(end) - reach, high: start.max(end) + reach }
    }
}

fn start(place: DVec3, allowance: f64) -> Vec4 {
    finite(place).extend((allowance as f32).next_up())
}

fn finite(place: DVec3) -> Vec3 {
    place.as_vec3().clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST))
}
