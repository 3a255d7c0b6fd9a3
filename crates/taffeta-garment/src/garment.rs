//! Garments that are cut and not yet put on, and the cloths of a scene that are none.

use taffeta::{Fabric, Model, ModelError};

use crate::cut::Cut;
use crate::sewn::Sewn;

/// A garment that is cut and not yet put on.
#[derive(Clone, Debug)]
pub struct Garment {
    /// The panels.
    pub cut: Cut,
    /// What they are sewn to.
    pub sewn: Sewn,
    /// What each seam is called.
    pub seams: Vec<String>,
    /// What the panels are made of.
    pub fabric: Fabric,
    /// Rest lengths of warp and weft for each face, over those it is cut with.
    pub rest: Vec<[f64; 2]>,
    /// The time in which the gap of a seam falls to 1/e \[s\].
    pub pull: f64,
    /// The longest that seams may take to close \[s\].
    pub patience: f64,
    /// How long it then falls and comes to rest \[s\].
    pub settle: f64,
}

/// A cloth of a scene.
#[derive(Clone, Debug)]
pub enum Piece {
    /// It is put on.
    Garment(Box<Garment>),
    /// It is where the scene puts it, and stands still while garments are put on.
    Other(Box<Model>),
}

impl Garment {
    /// Its cloth when it is sewn so far.
    ///
    /// The simulator takes the distances that neighbours keep from where cloth is at rest. Flat panels
    /// have no such places once they are sewn; where they are put around the body, drawn straight to
    /// each other at their seams, is as far from folded as any.
    pub fn model(&self, sewn: &Sewn) -> Result<Model, ModelError> {
        let mesh = sewn.mesh(&self.cut, &self.cut.places);
        Model::tailored(&mesh, &self.fabric)?.with_rest_stretch(&self.rest)
    }
}

impl Piece {
    /// Its cloth.
    pub(crate) fn model(&self) -> Result<Model, ModelError> {
        match self {
            Self::Garment(garment) => garment.model(&garment.sewn),
            Self::Other(model) => Ok((**model).clone()),
        }
    }

    /// How many particles it has, sewn.
    pub(crate) fn particles(&self) -> usize {
        match self {
            Self::Garment(garment) => garment.sewn.particles,
            Self::Other(model) => model.particles(),
        }
    }

    /// The garment, if it is one.
    pub fn garment(&self) -> Option<&Garment> {
        match self {
            Self::Garment(garment) => Some(garment),
            Self::Other(_) => None,
        }
    }
}
