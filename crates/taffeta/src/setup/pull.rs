//! Pulls: a damped spring from a particle to a point that moves, as a hand or a mouse would pull
//! (BW98 §4, other forces).

use glam::{DMat3, DVec3};

use crate::geometry::motion::Motion;

/// Pulls a particle towards a moving point with the force k (p − x) + c (ṗ − v).
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// The particle.
    pub particle: u32,
    /// Where the point is before it moves \[m\].
    pub point: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// Force per distance \[N/m\].
    pub stiffness: f64,
    /// Force per relative speed \[N·s/m\].
    pub damping: f64,
    /// When it begins \[s\], to within 10 ns.
    pub from: f64,
    /// When it ends \[s\], to within 10 ns; infinity for never.
    pub until: f64,
}

/// The force of a pull, and how it falls with the change of velocity in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tug {
    /// [N].
    pub force: DVec3,
    /// [N·s/m].
    pub slope: DMat3,
}

impl Pull {
    /// Whether it pulls during a step that starts at this time.
    pub fn pulls_at(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// The force on a particle with this place and velocity at the beginning of an explicit step.
    pub(crate) fn force(&self, [place, velocity]: [DVec3; 2], times: [f64; 2]) -> DVec3 {
        let [now, next] = times.map(|time| self.motion.place(self.point, time));
        let target = (next - now) / (times[1] - times[0]);
        (now - place) * self.stiffness + (target - velocity) * self.damping
    }

    /// The same at the end of an implicit step. The spring is linear, so this is exact: with the
    /// change of velocity u, the force is k (p − x − h (v + u)) + c (ṗ − v − u).
    pub(crate) fn tug(&self, [place, velocity]: [DVec3; 2], times: [f64; 2]) -> Tug {
        let [now, next] = times.map(|time| self.motion.place(self.point, time));
        let h = times[1] - times[0];
        let (stretch, rate) = (next - place - velocity * h, (next - now) / h - velocity);
        let slope = DMat3::from_diagonal(DVec3::splat(self.stiffness * h + self.damping));
        Tug { force: stretch * self.stiffness + rate * self.damping, slope }
    }
}
