//! Contacts of a step, whatever touches: n·Σ aᵢ pᵢ ≥ offset. Strips solve them by projected Gauss–Seidel
//! on their own weights, implicit steps in their matrix.

use glam::DVec3;

/// Contacts that give way keep this share of a thickness, or …
pub(super) const GIVES_WAY_TO: f64 = 0.25;
/// … of what they start with, what is left of it if it is lost within this time, or half of it [s]. In
/// steps however short what meets is stopped.
const STOPS: f64 = 2e-3;

/// What a contact keeps in any case of a thickness, from points so far apart, in a step of this length.
pub(super) fn least(thickness: f64, room: f64, h: f64) -> f64 {
    (GIVES_WAY_TO * thickness).min(room * (1.0 - (h / STOPS).min(0.5)))
}

/// Points are near each other within this share of what they keep, beyond it.
const NEAR: f64 = 0.1;

/// Up to four particles, two points of which (or one, and a point that nothing moves) keep a
/// distance along a normal, with Coulomb's friction across it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactRow {
    pub particles: [u32; 4],
    /// The Jacobian, but for the normal: Σ weight·place leads from the second point to the first.
    pub weights: [f64; 4],
    /// Of unit length.
    pub normal: DVec3,
    /// What the distance along the normal should be at least [m].
    pub offset: f64,
    /// What it has to be, where the contact gives way [m].
    pub least: f64,
    /// The thickness that keeps the points apart, and how far they are apart where the step begins
    /// [m].
    pub kept: f64,
    pub room: f64,
    pub friction: f64,
    /// Σ weight·place that would be no slip [m].
    pub start: DVec3,
    /// One over Σ weight²·w: what a unit of distance takes [kg].
    pub inverse: f64,
    /// Normal and tangential impulse, times the step [kg·m].
    pub normal_impulse: f64,
    pub tangential_impulse: DVec3,
    /// As foretold before an implicit step is solved: whether the contact pushes, the normal impulse that
    /// friction is taken from, and whether the contact sticks.
    pub pushes: bool,
    pub expected: f64,
    pub sticks: bool,
    /// How it slid in the last solve, if it did.
    pub slides: Option<Slide>,
}

/// Sliding friction [N], and the slip it was taken for [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slide {
    pub force: DVec3,
    pub slip: DVec3,
}

impl ContactRow {
    /// A row that has not pushed yet; nothing if none of its particles can be moved.
    pub fn new(
        (particles, weights): ([u32; 4], [f64; 4]),
        (normal, offset): (DVec3, f64),
        w: &[f64],
    ) -> Option<Self> {
        let effect: f64 = (0..4).map(|k| weights[k] * weights[k] * w[particles[k] as usize]).sum();
        (effect > 0.0).then(|| Self {
            particles,
            weights,
            normal,
            offset,
            least: offset,
            kept: 0.0,
            room: 0.0,
            friction: 0.0,
            start: DVec3::ZERO,
            inverse: 1.0 / effect,
            normal_impulse: 0.0,
            tangential_impulse: DVec3::ZERO,
            pushes: false,
            expected: 0.0,
            sticks: false,
            slides: None,
        })
    }

    /// One particle that stays above a plane.
    pub fn above(particle: u32, plane: (DVec3, f64), w: &[f64]) -> Option<Self> {
        Self::new(([particle; 4], [1.0, 0.0, 0.0, 0.0]), plane, w)
    }

    /// Whether a single particle touches something that nothing moves.
    pub fn is_of_one(&self) -> bool {
        self.particles[1] == self.particles[0]
    }

    /// From the second point to the first.
    #[inline]
    pub fn between(&self, places: &[DVec3]) -> DVec3 {
        let part = |k: usize| places[self.particles[k] as usize] * self.weights[k];
        part(0) + part(1) + part(2) + part(3)
    }

    /// How far the points are beyond what they keep; negative if too near [m].
    #[inline]
    pub fn gap(&self, places: &[DVec3]) -> f64 {
        self.normal.dot(self.between(places)) - self.offset
    }

    /// Whether the points are so near that they push each other, or may within the last digits.
    pub fn is_near(&self, places: &[DVec3]) -> bool {
        self.gap(places) < NEAR * self.kept || self.normal_impulse > 0.0
    }

    /// Pushes the points apart as far as they have to be in any case, whatever force that takes.
    #[inline]
    pub fn lift(&self, places: &mut [DVec3], w: &[f64]) {
        let short = self.least - self.normal.dot(self.between(places));
        if short > 0.0 {
            for (&particle, weight) in self.particles.iter().zip(self.weights) {
                let i = particle as usize;
                places[i] += self.normal * (short * self.inverse * weight * w[i]);
            }
        }
    }

    /// Pushes the points apart as far as they must be, never pulls, and rubs within Coulomb's cone.
    #[inline]
    pub fn solve(&mut self, places: &mut [DVec3], w: &[f64]) {
        let apart = self.between(places);
        let gap = self.normal.dot(apart) - self.offset;
        let more = (-gap * self.inverse).max(-self.normal_impulse);
        self.normal_impulse += more;
        let mut change = self.normal * more;
        if self.friction > 0.0 {
            let slip = (apart - self.start).reject_from_normalized(self.normal);
            let wanted = self.tangential_impulse - slip * self.inverse;
            let allowed = wanted.clamp_length_max(self.friction * self.normal_impulse);
            change += allowed - self.tangential_impulse;
            self.tangential_impulse = allowed;
        }
        if change != DVec3::ZERO {
            for (&particle, weight) in self.particles.iter().zip(self.weights) {
                let i = particle as usize;
                places[i] += change * (weight * w[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A particle that is pushed off a plane keeps its place along it as long as friction allows.
    #[test]
    fn pushes_never_pull_and_friction_stays_in_its_cone() {
        let (x, w) = (vec![DVec3::ZERO], vec![2.0]);
        for (slip, held) in [(0.004, true), (0.02, false)] {
            let row = ContactRow::above(0, (DVec3::Y, 0.0), &w).unwrap();
            let mut row = ContactRow { friction: 0.5, start: row.between(&x), ..row };
            let mut places = vec![DVec3::new(slip, -0.01, 0.0)];
            row.solve(&mut places, &w);
            assert!((row.normal_impulse - 0.005).abs() < 1e-15);
            assert!(places[0].y.abs() < 1e-15);
            let left = if held { 0.0 } else { slip - 0.5 * 0.01 };
            assert!((places[0].x - left).abs() < 1e-15, "{places:?}");
            places[0].y = 1.0;
            row.solve(&mut places, &w);
            assert_eq!((row.normal_impulse, row.tangential_impulse), (0.0, DVec3::ZERO));
        }
    }

    #[test]
    fn what_nothing_moves_has_no_row() {
        assert!(ContactRow::above(0, (DVec3::Y, 0.0), &[0.0]).is_none());
    }
}
