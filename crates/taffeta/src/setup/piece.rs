//! What solvers plan for.

use crate::matter::elements::Spring;
use crate::matter::model::{Coarse, GridElements, Model};
use crate::setup::Setup;

/// A setup and its cloth as it is now: torn or not, and as coarse as it still is.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub setup: &'a Setup,
    pub model: &'a Model,
    pub coarse: Option<&'a Coarse>,
}

impl<'a> Piece<'a> {
    /// Of cloth that has not torn.
    pub fn whole(setup: &'a Setup) -> Self {
        Self { setup, model: &setup.model, coarse: None }
    }

    /// The springs that implicit steps solve.
    pub fn solved_springs(&self) -> &'a [Spring] {
        self.coarse.map_or(&self.model.springs, |coarse| &coarse.springs)
    }

    /// The grid elements that implicit steps solve.
    pub fn solved_grid(&self) -> &'a GridElements {
        self.coarse.map_or(&self.model.grid, |coarse| &coarse.grid)
    }
}
