//! Coarse cloth in a model: what follows others, and what is solved instead of all springs.

use taffeta_linalg::Followers;

use super::grid::GridElements;
use crate::matter::elements::{Buckle, Spring, Strut};

/// What an implicit step solves instead of every spring of a model.
#[derive(Clone, Debug)]
pub(crate) struct Coarse {
    pub followers: Followers,
    /// The corners of each coarse cell: what is within couples them.
    pub cells: Vec<[u32; 4]>,
    pub springs: Vec<Spring>,
    pub grid: GridElements,
    pub hanging: Hanging,
}

/// Elements of which an end, or both, follow others: where fine cells meet coarse ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hanging {
    pub springs: Vec<Spring>,
    pub struts: Vec<Strut>,
    pub buckles: Vec<Buckle>,
}
