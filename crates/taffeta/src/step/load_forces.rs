//! Loads: the forces from outside the cloth.

use glam::{DMat3, DVec3};
use taffeta_linalg::fill;

use crate::geometry::motion::MOMENT;
use crate::matter::elements::{Air, Drag, Face};
use crate::matter::model::Model;
use crate::setup::loads::Loads;
use crate::setup::pull::Pull;
use crate::state::State;

/// Faces, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 2048;

/// Memory for the forces of loads.
#[derive(Debug)]
pub(crate) struct LoadForces {
    /// Sum of the loads on each particle [N].
    pub on_particles: Vec<DVec3>,
    /// How drag grows with each particle's velocity, with the sign turned [N·s/m].
    pub slopes: Vec<DMat3>,
    /// The drag of each face.
    by_face: Vec<Drag>,
}

impl LoadForces {
    pub fn new(model: &Model) -> Self {
        Self {
            on_particles: vec![DVec3::ZERO; model.particles()],
            slopes: vec![DMat3::ZERO; model.particles()],
            by_face: vec![Drag::default(); model.faces.len()],
        }
    }

    /// Computes the loads on a state; returns the highest rate of drag [1/s].
    ///
    /// The corners of a face share its drag alike, as they share its mass: flat cloth across the
    /// flow stays flat.
    pub fn evaluate(&mut self, loads: &Loads, model: &Model, state: &State) -> f64 {
        let gravity = |particle: usize| loads.gravity * model.masses[particle];
        let Some(air) = loads.air else {
            fill(&mut self.on_particles, GRAIN, gravity);
            return 0.0;
        };
        fill(&mut self.by_face, GRAIN, |face| {
            let corners = model.faces.corners(face);
            let count = corners.len() as f64;
            let velocity: DVec3 = corners.iter().map(|&i| state.velocities[i as usize]).sum();
            let area = vector_area(corners, &state.positions);
            let air = loads.fan.map_or(air, |fan| {
                let sum: DVec3 = corners.iter().map(|&i| state.positions[i as usize]).sum();
                Air { wind: air.wind + fan.wind(sum / count), ..air }
            });
            let face = Face { area, velocity: velocity / count, mass: model.face_masses[face] };
            air.drag(&face, corners.len())
        });
        fill(&mut self.on_particles, GRAIN, |particle| {
            let around = model.face_incidence.at(particle);
            let drag = |&(face, _): &(u32, u32)| {
                let corners = model.faces.corners(face as usize).len() as f64;
                self.by_face[face as usize].force / corners
            };
            gravity(particle) + around.iter().map(drag).sum::<DVec3>()
        });
        self.by_face.iter().map(|drag| drag.rate).fold(0.0, f64::max)
    }

    /// Adds the pulls of a step between two times; `implicit` ones as they will be at its end, with
    /// their slopes. Call it after the slopes of drag.
    pub fn add_pulls(&mut self, pulls: &[Pull], state: &State, end: f64, implicit: bool) {
        for pull in pulls.iter().filter(|pull| pull.pulls_at(state.time + MOMENT)) {
            let i = pull.particle as usize;
            let (motion, times) = ([state.positions[i], state.velocities[i]], [state.time, end]);
            if implicit {
                let tug = pull.tug(motion, times);
                self.on_particles[i] += tug.force;
                self.slopes[i] += tug.slope;
            } else {
                self.on_particles[i] += pull.force(motion, times);
            }
        }
    }

    /// Adds forces on the first particles [N].
    pub fn add(&mut self, forces: &[DVec3]) {
        self.on_particles.iter_mut().zip(forces).for_each(|(sum, force)| *sum += *force);
    }

    /// Computes the slopes of the drag last evaluated, which implicit steps need; without air they
    /// are zero.
    ///
    /// Lumped to the corners they resist at least as much as the exact ones, which couple all
    /// corners of a face, and keep the matrix's pattern.
    pub fn evaluate_slopes(&mut self, loads: &Loads, model: &Model) {
        fill(&mut self.slopes, GRAIN, |particle| {
            let around = model.face_incidence.at(particle);
            let faces = if loads.air.is_some() { around } else { &[] };
            faces.iter().map(|&(face, _)| self.by_face[face as usize].slope).sum()
        });
    }
}

/// A face's area along its normal [m²]; of a bent quad, what the flow along that normal sees.
fn vector_area(corners: &[u32], positions: &[DVec3]) -> DVec3 {
    let from_first = |i: usize| positions[corners[i] as usize] - positions[corners[0] as usize];
    (2..corners.len()).map(|i| from_first(i - 1).cross(from_first(i))).sum::<DVec3>() * 0.5
}
