//! Coarse cloth in the system: masses of followers, and elements that hang on them.

use glam::DVec3;
use taffeta_linalg::{FollowingMasses, FollowingPlan, PatternError, RowMatrix, RowPattern};

use super::membranes::Moved;
use super::system::{rows_of_condition, rows_of_spring};
use crate::matter::model::{Coarse, Hanging};
use crate::setup::piece::Piece;

/// How what follows others goes into the rows.
pub(super) struct Following {
    pub masses: FollowingMasses,
    springs: FollowingPlan,
    struts: FollowingPlan,
    buckles: FollowingPlan,
}

impl Following {
    /// The particles that followers couple, for a pattern.
    pub fn groups(coarse: &Coarse) -> Vec<Vec<u32>> {
        let ends = ends(&coarse.hanging);
        let hung = ends.iter().flat_map(|ends| coarse.followers.groups_of(ends));
        coarse.cells.iter().map(|corners| corners.to_vec()).chain(hung).collect()
    }

    /// Of a model, if its cloth is coarse anywhere.
    pub fn new(pattern: &RowPattern, piece: &Piece) -> Result<Option<Self>, PatternError> {
        let Piece { model, coarse: Some(coarse), .. } = piece else { return Ok(None) };
        let followers = &coarse.followers;
        let [springs, struts, buckles] = ends(&coarse.hanging);
        Ok(Some(Self {
            masses: FollowingMasses::new(pattern, followers, &model.masses)?,
            springs: FollowingPlan::new(pattern, followers, &springs)?,
            struts: FollowingPlan::new(pattern, followers, &struts)?,
            buckles: FollowingPlan::new(pattern, followers, &buckles)?,
        }))
    }

    /// Adds what every hanging element does.
    pub fn add(
        &self,
        hanging: &Hanging,
        moved: &Moved,
        (matrix, right): (&mut RowMatrix, &mut [DVec3]),
    ) {
        let Hanging { springs, struts, buckles } = hanging;
        self.springs.add(matrix, right, |e| rows_of_spring(&springs[e], moved));
        self.struts.add(matrix, right, |e| rows_of_condition(&struts[e], moved));
        self.buckles.add(matrix, right, |e| rows_of_condition(&buckles[e], moved));
    }
}

fn ends(hanging: &Hanging) -> [Vec<[u32; 2]>; 3] {
    [
        hanging.springs.iter().map(|spring| spring.ends).collect(),
        hanging.struts.iter().map(|strut| strut.ends).collect(),
        hanging.buckles.iter().map(|buckle| buckle.ends).collect(),
    ]
}
