//! What every model shares: particles with masses, and faces.

use glam::DVec3;

use super::{GridElements, Incidence, Model, ModelError};
use crate::geometry::mesh::{Faces, Mesh};
use crate::matter::fabric::Fabric;

impl Model {
    /// Particles and faces of a mesh, checked, that nothing holds together yet. `areas` are those
    /// of the faces.
    pub(super) fn without_elements(
        mesh: &Mesh,
        fabric: &Fabric,
        areas: &[f64],
    ) -> Result<Self, ModelError> {
        fabric.check()?;
        let problems = mesh.problems();
        if !problems.is_empty() {
            return Err(ModelError::Mesh(problems));
        }
        let mut model =
            Self::of_particles(lumped_masses(mesh, fabric, areas), mesh.positions.clone());
        model.fabrics = vec![*fabric];
        let faces = mesh.faces.clone();
        let corners = (0..faces.len()).map(|face| faces.corners(face).iter().copied());
        model.face_incidence = Incidence::new(model.particles(), corners);
        model.face_masses = areas.iter().map(|area| fabric.density * area).collect();
        model.faces = faces;
        Ok(model)
    }

    /// Particles of these masses \[kg\] and places at rest \[m\], and nothing else.
    pub(crate) fn of_particles(masses: Vec<f64>, rest: Vec<DVec3>) -> Self {
        let particles = masses.len();
        let nothing = || Incidence::new(particles, std::iter::empty::<[u32; 2]>());
        Self {
            masses,
            face_masses: Vec::new(),
            springs: Vec::new(),
            structural: 0,
            shear: 0,
            spring_incidence: nothing(),
            membranes: Vec::new(),
            bending: None,
            grid: GridElements::none(particles),
            rest,
            gauges: Vec::new(),
            gauge_areas: Vec::new(),
            face_incidence: nothing(),
            faces: Faces::new(),
            revision: 0,
            couples: Vec::new(),
            ties: Vec::new(),
            yarns: None,
            cloths: Vec::new(),
            fabrics: Vec::new(),
        }
    }
}

/// The area of each face; zero where its corners do not exist, which the model refuses anyway.
pub(super) fn face_areas(mesh: &Mesh) -> Vec<f64> {
    let point = |vertex: u32| mesh.positions.get(vertex as usize).copied().unwrap_or_default();
    let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).length();
    mesh.faces
        .iter()
        .map(|corners| {
            let fan = |i: usize| area(point(corners[0]), point(corners[i - 1]), point(corners[i]));
            (2..corners.len()).map(fan).sum()
        })
        .collect()
}

fn lumped_masses(mesh: &Mesh, fabric: &Fabric, areas: &[f64]) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (corners, area) in mesh.faces.iter().zip(areas) {
        for &corner in corners {
            masses[corner as usize] += fabric.density * area / corners.len() as f64;
        }
    }
    masses
}
