//! Coarse cloth in the system: masses of followers, and elements that hang on them.

use glam::DVec3;
use taffeta_linalg::{
    BlockMatrix, BlockPattern, Followers, FollowingMasses, FollowingPlan, PatternError,
};

use super::elements::Contribution;
use crate::elements::{Condition, Spring};
use crate::model::Model;
use crate::woven::Coarse;

/// How what follows others goes into a matrix.
pub(crate) struct FollowingPlans {
    masses: FollowingMasses,
    springs: FollowingPlan,
    struts: FollowingPlan,
    buckles: FollowingPlan,
}

impl FollowingPlans {
    /// The particles that followers couple, for a pattern.
    pub fn groups(coarse: &Coarse) -> Vec<Vec<u32>> {
        let ends = ends(coarse);
        let hung = ends.iter().flat_map(|ends| coarse.followers.groups_of(ends));
        coarse.cells.iter().map(|corners| corners.to_vec()).chain(hung).collect()
    }

    /// Of a model, if its cloth is coarse anywhere.
    pub fn new(pattern: &BlockPattern, model: &Model) -> Result<Option<Self>, PatternError> {
        let Some(coarse) = &model.coarse else { return Ok(None) };
        let followers = &coarse.followers;
        let [springs, struts, buckles] = ends(coarse);
        Ok(Some(Self {
            masses: FollowingMasses::new(pattern, followers, &model.masses)?,
            springs: FollowingPlan::new(pattern, followers, &springs)?,
            struts: FollowingPlan::new(pattern, followers, &struts)?,
            buckles: FollowingPlan::new(pattern, followers, &buckles)?,
        }))
    }

    /// Adds the masses of followers to a matrix.
    pub fn add_masses(&self, matrix: &mut BlockMatrix) {
        self.masses.add(matrix);
    }

    /// Adds what every hanging element contributes with its particles at `x`.
    pub fn add(
        &self,
        coarse: &Coarse,
        x: &[DVec3],
        (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
        contribution: &impl Contribution,
    ) {
        let hanging = &coarse.hanging;
        self.springs.add(matrix, right, |e, out| {
            let spring: &Spring = &hanging.springs[e];
            let [a, b] = spring.ends;
            let local = spring.derivatives(x[b as usize] - x[a as usize]);
            contribution.add(&spring.ends, &local, out);
        });
        add_all(&self.struts, &hanging.struts, x, (matrix, right), contribution);
        add_all(&self.buckles, &hanging.buckles, x, (matrix, right), contribution);
    }
}

fn ends(coarse: &Coarse) -> [Vec<[u32; 2]>; 3] {
    let hanging = &coarse.hanging;
    [
        hanging.springs.iter().map(|spring| spring.ends).collect(),
        hanging.struts.iter().map(|strut| strut.ends).collect(),
        hanging.buckles.iter().map(|buckle| buckle.ends).collect(),
    ]
}

fn add_all<E: Condition<2>>(
    plan: &FollowingPlan,
    elements: &[E],
    x: &[DVec3],
    (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
    contribution: &impl Contribution,
) {
    plan.add(matrix, right, |e, out| {
        let ends = elements[e].corners();
        let at = [x[ends[0] as usize], x[ends[1] as usize]];
        contribution.add(&ends, &elements[e].derivatives(&at), out);
    });
}

/// The followers of a model; none where all is fine.
pub(super) fn followers(model: &Model) -> Option<&Followers> {
    model.coarse.as_ref().map(|coarse| &coarse.followers)
}
