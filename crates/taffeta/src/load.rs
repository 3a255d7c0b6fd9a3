//! Loads: the forces from outside the cloth.

use glam::DVec3;
use taffeta_linalg::fill;

use crate::elements::Air;
use crate::model::Model;
use crate::state::State;

/// Triangles, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// Gravity and air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loads {
    /// Acceleration of gravity \[m/s²\].
    pub gravity: DVec3,
    /// The air; none is a vacuum.
    pub air: Option<Air>,
}

impl Default for Loads {
    /// Earth's gravity along −y, and no air.
    fn default() -> Self {
        Self { gravity: DVec3::new(0.0, -9.81, 0.0), air: None }
    }
}

/// Memory for the forces of loads.
#[derive(Debug)]
pub(crate) struct LoadForces {
    /// Sum of the loads on each particle [N].
    pub on_particles: Vec<DVec3>,
    on_triangles: Vec<DVec3>,
}

impl LoadForces {
    pub fn new(model: &Model) -> Self {
        Self {
            on_particles: vec![DVec3::ZERO; model.particles()],
            on_triangles: vec![DVec3::ZERO; model.triangles.len()],
        }
    }

    /// Computes the loads on a state.
    pub fn evaluate(&mut self, loads: &Loads, model: &Model, state: &State) {
        let gravity = |particle: usize| loads.gravity * model.masses[particle];
        let Some(air) = loads.air else {
            fill(&mut self.on_particles, GRAIN, gravity);
            return;
        };
        fill(&mut self.on_triangles, GRAIN, |triangle| {
            let corners = model.triangles[triangle].map(|corner| corner as usize);
            let velocity: DVec3 = corners.iter().map(|&i| state.velocities[i]).sum();
            air.force(corners.map(|i| state.positions[i]), velocity / 3.0)
        });
        fill(&mut self.on_particles, GRAIN, |particle| {
            let around = model.triangle_incidence.at(particle);
            let drag: DVec3 = around.iter().map(|&(t, _)| self.on_triangles[t as usize]).sum();
            gravity(particle) + drag / 3.0
        });
    }
}
