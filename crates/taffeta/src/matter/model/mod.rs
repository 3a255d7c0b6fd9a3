//! The model: cloth as plain arrays, constant while its topology is.

mod bare;
mod cloths;
mod coarse;
mod continuum;
mod grid;
mod incidence;
mod mass_spring;
mod seams;
mod surface;
mod yarns;

use std::sync::Arc;

use glam::DVec3;
use taffeta_linalg::FactorError;
use thiserror::Error;

pub use cloths::Cloth;
pub use grid::{Bend, ElementList, GridElements, Shear, SpringKinds};
pub use incidence::Incidence;
pub use seams::Seam;
pub use yarns::{Thread, Yarn, YarnPoint, Yarns};

pub(crate) use coarse::{Coarse, Hanging};

use crate::geometry::mesh::{Faces, MeshProblem};
use crate::matter::elements::{Bending, Membrane, Spring, Tie};
use crate::matter::fabric::{Fabric, FabricError};
use crate::matter::gauge::Gauge;

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
    /// How the triangles bend, if they resist it.
    pub(crate) bending: Option<Arc<Bending>>,
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
    /// Warp and weft of each crossing that is split and holds.
    pub(crate) couples: Vec<[u32; 2]>,
    /// Ties between them in implicit steps; how far apart they are at rest changes as they slide.
    pub(crate) ties: Vec<Tie>,
    /// The yarns it is woven of, if they can tear.
    pub(crate) yarns: Option<Arc<Yarns>>,
    /// The cloths it was put together from; none of a single one without a name.
    pub(crate) cloths: Vec<Cloth>,
    /// What each of them is made of.
    pub(crate) fabrics: Vec<Fabric>,
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
    /// A seam that cannot be sewn.
    #[error(
        "a seam joins particles {} and {}; two different ones of the {particles} are needed", ends[0], ends[1]
    )]
    Seam {
        /// The particles.
        ends: [u32; 2],
        /// How many there are.
        particles: u32,
    },
    /// A face that does not say how it was cut.
    #[error(
        "face {face} has no texture coordinates that say how it was cut: they must have an area, and \
         run counter-clockwise like its corners"
    )]
    NotFlat {
        /// The face.
        face: usize,
    },
    /// Rest lengths for other faces.
    #[error(
        "rest lengths were given for {given} faces; a continuum takes a pair for each of its {faces} faces, springs take none"
    )]
    RestStretchCount {
        /// Pairs given.
        given: usize,
        /// Faces there are.
        faces: usize,
    },
    /// A rest length no cloth can have.
    #[error("the rest lengths of face {face} are {rest:?}; both must be finite and above zero")]
    RestStretch {
        /// The face.
        face: usize,
        /// Warp and weft, as fractions of what is cut.
        rest: [f64; 2],
    },
    /// Springs and a continuum in one model.
    #[error("`{continuum}` is a continuum and `{springs}` is springs; all cloths are the same")]
    Mixed {
        /// The name of a cloth that is a continuum.
        continuum: String,
        /// The name of one that is springs.
        springs: String,
    },
    /// The equations of bending cannot be solved.
    #[error("the cloth's bending cannot be planned: {0}")]
    Bending(FactorError),
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

    /// Every spring: structural, then shear, then bend, then those of seams.
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

    /// The springs over every other particle, and those of seams.
    pub fn bend(&self) -> &[Spring] {
        &self.springs[self.structural + self.shear..]
    }

    /// The triangles that resist stretch and shear.
    pub fn membranes(&self) -> &[Membrane] {
        &self.membranes
    }

    /// How the triangles resist bending, if they do.
    pub fn bending(&self) -> Option<&Bending> {
        self.bending.as_deref()
    }

    /// The elements of grid cloth beside its linear springs.
    pub fn grid(&self) -> &GridElements {
        &self.grid
    }

    /// The faces, by particle number.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Where its mesh had each particle \[m\].
    pub fn rest_places(&self) -> &[DVec3] {
        &self.rest
    }

    /// The yarns it is woven of, if they can tear.
    pub fn yarns(&self) -> Option<&Yarns> {
        self.yarns.as_deref()
    }

    /// Pairs of particles that something holds together.
    pub(crate) fn joints(&self) -> Vec<[u32; 2]> {
        let sides = self.faces.triangles().flat_map(|[a, b, c]| [[a, b], [b, c]]);
        let springs = self.springs.iter().map(|spring| spring.ends);
        let ties = self.ties.iter().map(|tie| tie.ends);
        sides.chain(springs).chain(ties).chain(self.couples.iter().copied()).collect()
    }

    /// The mean length at rest of the sides of faces, and the longest; without faces, of the springs
    /// along yarns \[m\].
    pub(crate) fn lengths(&self) -> (f64, f64) {
        let (mut sum, mut count, mut longest) = (0.0, 0, 0.0_f64);
        let mut take = |length: f64| {
            (sum, count, longest) = (sum + length, count + 1, longest.max(length));
        };
        for [a, b, c] in self.faces.triangles() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                take(self.rest[from as usize].distance(self.rest[to as usize]));
            }
        }
        if self.faces.is_empty() {
            self.structural().iter().for_each(|spring| take(spring.rest_length));
        }
        (sum / f64::from(count.max(1)), longest)
    }

    /// Moves whenever the topology does.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
