//! The model: cloth as plain arrays, constant while its topology is.

mod bare;
mod continuum;
mod grid;
mod incidence;
mod mass_spring;

use glam::DVec3;
use thiserror::Error;

pub use grid::{Bend, ElementList, GridElements, Shear, SpringKinds};
pub use incidence::Incidence;

use crate::elements::{Hinge, Membrane, Spring};
use crate::fabric::FabricError;
use crate::gauge::Gauge;
use crate::mesh::{Faces, MeshProblem};

/// What the step needs to know about a piece of cloth besides where it is.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) masses: Vec<f64>,
    pub(crate) face_masses: Vec<f64>,
    /// Structural springs first, then shear, then bend.
    pub(crate) springs: Vec<Spring>,
    pub(crate) structural: usize,
    pub(crate) shear: usize,
    pub(crate) membranes: Vec<Membrane>,
    pub(crate) hinges: Vec<Hinge>,
    pub(crate) grid: GridElements,
    /// Where each particle is at rest: what is near there is near in the matrix.
    pub(crate) rest: Vec<DVec3>,
    /// Where the strain of this cloth is measured.
    pub(crate) gauges: Vec<Gauge>,
    /// The area of cloth that each gauge stands for [m²].
    pub(crate) gauge_areas: Vec<f64>,
    pub(crate) spring_incidence: Incidence,
    pub(crate) faces: Faces,
    pub(crate) face_incidence: Incidence,
    pub(crate) revision: u64,
}

/// Why a mesh and a fabric make no cloth.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// The mesh is not fit.
    #[error("the mesh has {} problem(s), the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Mesh(Vec<MeshProblem>),
    /// The fabric is not possible.
    #[error(transparent)]
    Fabric(#[from] FabricError),
}

impl Model {
    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.masses.len()
    }

    /// Mass of each particle \[kg\].
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Every spring: structural, then shear, then bend.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Where the strain of the cloth is measured.
    pub fn gauges(&self) -> &[Gauge] {
        &self.gauges
    }

    /// The springs along the yarns (the mesh's edges).
    pub fn structural(&self) -> &[Spring] {
        &self.springs[..self.structural]
    }

    /// The springs across the diagonals of quads.
    pub fn shear(&self) -> &[Spring] {
        &self.springs[self.structural..self.structural + self.shear]
    }

    /// The springs over every other particle.
    pub fn bend(&self) -> &[Spring] {
        &self.springs[self.structural + self.shear..]
    }

    /// The triangles that resist stretch and shear.
    pub fn membranes(&self) -> &[Membrane] {
        &self.membranes
    }

    /// The edges that resist bending.
    pub fn hinges(&self) -> &[Hinge] {
        &self.hinges
    }

    /// The elements of grid cloth beside its linear springs.
    pub fn grid(&self) -> &GridElements {
        &self.grid
    }

    /// The faces, by particle number.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Moves whenever the topology does.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
