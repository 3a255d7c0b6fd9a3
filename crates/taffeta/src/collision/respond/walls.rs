//! Surfaces of solids that impulses between layers must not push cloth through.

use glam::DVec3;

use super::moving::Moving;

/// A plane that a particle stays above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall {
    particle: u32,
    /// Towards the particle's side, of unit length.
    normal: DVec3,
    /// The least coordinate along the normal at the end of the step [m].
    level: f64,
    /// The least speed along the normal in the present part of the step [m/s].
    least_speed: f64,
    /// The impulse so far [N·s].
    pressed: f64,
}

impl Wall {
    pub fn new(particle: u32, normal: DVec3, level: f64) -> Self {
        Self { particle, normal, level, least_speed: 0.0, pressed: 0.0 }
    }

    /// Begins a part of a step.
    pub fn begin(&mut self, moving: &Moving) {
        let at = self.normal.dot(moving.starts[self.particle as usize]);
        self.least_speed = (self.level - at) / moving.duration;
        self.pressed = 0.0;
    }

    /// Corrects the impulse by what the present velocity asks for, which pushes only; returns how
    /// much the velocity changed [m/s].
    pub fn solve(&mut self, moving: &mut Moving) -> f64 {
        let i = self.particle as usize;
        let velocity = moving.velocities[i];
        let free = match moving.filter(self.particle) {
            Some(filter) => filter.free_part(self.normal),
            None => self.normal,
        };
        let effect = free.length_squared() / moving.masses[i];
        if effect <= 0.0 {
            return 0.0;
        }
        let speed = self.normal.dot(velocity);
        let pressed = (self.pressed + (self.least_speed - speed) / effect).max(0.0);
        let change = pressed - self.pressed;
        self.pressed = pressed;
        if change != 0.0 {
            moving.set_velocity(self.particle, velocity + free * (change / moving.masses[i]));
        }
        change.abs() * effect
    }
}
