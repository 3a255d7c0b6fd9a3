//! What grid cloth may have instead of linear shear and bend springs.

use super::Incidence;
use crate::matter::elements::{Buckle, Condition, Corner, Fold, Strut};

/// How springs resist shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shear {
    /// Linear springs across both diagonals of each quad (Ye08 §3).
    #[default]
    Linear,
    /// The angle at each corner of a quad (YWG05 §2).
    Angular,
    /// The diagonals of each quad, while compressed (MBCN09 §3.2).
    Compression,
}

/// How springs resist bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bend {
    /// Linear springs over every other particle.
    #[default]
    Linear,
    /// Springs over every other particle that buckle into arcs (Choi & Ko 2002).
    ChoiKo,
    /// The angles between triangles, quads cut in two (Bridson et al. 2003).
    Bridson,
}

/// Which springs cloth is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpringKinds {
    /// Against shear.
    pub shear: Shear,
    /// Against bending.
    pub bend: Bend,
}

/// Elements of one kind, and which of them touch each particle.
#[derive(Clone, Debug)]
pub struct ElementList<E> {
    /// The elements.
    pub all: Vec<E>,
    pub(crate) incidence: Incidence,
}

impl<E> ElementList<E> {
    pub(crate) fn new<const N: usize>(particles: usize, all: Vec<E>) -> Self
    where
        E: Condition<N>,
    {
        let incidence = Incidence::new(particles, all.iter().map(Condition::corners));
        Self { all, incidence }
    }
}

/// The elements of grid cloth beside its linear springs.
#[derive(Clone, Debug)]
pub struct GridElements {
    /// Diagonals that resist compression.
    pub struts: ElementList<Strut>,
    /// Spans that buckle.
    pub buckles: ElementList<Buckle>,
    /// Corners of quads that keep their angle.
    pub corners: ElementList<Corner>,
    /// Edges that resist folding.
    pub folds: ElementList<Fold>,
}

impl GridElements {
    /// None.
    pub(crate) fn none(particles: usize) -> Self {
        Self {
            struts: ElementList::new(particles, Vec::new()),
            buckles: ElementList::new(particles, Vec::new()),
            corners: ElementList::new(particles, Vec::new()),
            folds: ElementList::new(particles, Vec::new()),
        }
    }

    /// What Gershgorin's circle of a particle grows by, in stiffness \[N/m\] and in damping
    /// \[N·s/m\].
    pub(crate) fn circle(&self, particle: usize) -> [f64; 2] {
        let circles = [
            of_list(&self.struts, particle),
            of_list(&self.buckles, particle),
            of_list(&self.corners, particle),
            of_list(&self.folds, particle),
        ];
        circles.into_iter().fold([0.0; 2], |[k, c], [more_k, more_c]| [k + more_k, c + more_c])
    }
}

fn of_list<const N: usize, E: Condition<N>>(list: &ElementList<E>, particle: usize) -> [f64; 2] {
    list.incidence.at(particle).iter().fold([0.0; 2], |[stiffness, damping], &(e, corner)| {
        let element = &list.all[e as usize];
        let circle = element.circle(corner as usize);
        [stiffness + circle, damping + circle * element.damping()]
    })
}
