//! Grid elements in systems and forces: one function for each, for elements of any kind.

use glam::DVec3;
use taffeta_linalg::{AssemblyPlan, BlockMatrix, BlockPattern, PatternError, fill, update};

use super::Contribution;
use crate::elements::{Buckle, Condition, Corner, Fold, Strut};
use crate::model::{ElementList, GridElements};
use crate::state::State;

/// Elements, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 1024;

/// How the grid elements of a model go into its matrix.
#[derive(Debug)]
pub(crate) struct GridPlans {
    struts: AssemblyPlan<2>,
    buckles: AssemblyPlan<2>,
    corners: AssemblyPlan<3>,
    folds: AssemblyPlan<4>,
}

/// The particles of each grid element, for a pattern.
pub(crate) fn members(grid: &GridElements) -> impl Iterator<Item = Vec<u32>> {
    let struts = grid.struts.all.iter().map(|e| e.corners().to_vec());
    let buckles = grid.buckles.all.iter().map(|e| e.corners().to_vec());
    let corners = grid.corners.all.iter().map(|e| e.corners().to_vec());
    let folds = grid.folds.all.iter().map(|e| e.corners().to_vec());
    struts.chain(buckles).chain(corners).chain(folds)
}

impl GridPlans {
    pub fn new(pattern: &BlockPattern, grid: &GridElements) -> Result<Self, PatternError> {
        Ok(Self {
            struts: plan(pattern, &grid.struts)?,
            buckles: plan(pattern, &grid.buckles)?,
            corners: plan(pattern, &grid.corners)?,
            folds: plan(pattern, &grid.folds)?,
        })
    }

    /// Adds what every element contributes with its particles at `x`.
    pub fn add(
        &mut self,
        grid: &GridElements,
        x: &[DVec3],
        (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
        contribution: &impl Contribution,
    ) {
        assemble(&mut self.struts, &grid.struts, x, (matrix, right), contribution);
        assemble(&mut self.buckles, &grid.buckles, x, (matrix, right), contribution);
        assemble(&mut self.corners, &grid.corners, x, (matrix, right), contribution);
        assemble(&mut self.folds, &grid.folds, x, (matrix, right), contribution);
    }
}

fn plan<const N: usize, E: Condition<N>>(
    pattern: &BlockPattern,
    list: &ElementList<E>,
) -> Result<AssemblyPlan<N>, PatternError> {
    let members: Vec<[u32; N]> = list.all.iter().map(Condition::corners).collect();
    AssemblyPlan::new(pattern, &members)
}

fn assemble<const N: usize, E: Condition<N> + Sync>(
    plan: &mut AssemblyPlan<N>,
    list: &ElementList<E>,
    x: &[DVec3],
    (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
    contribution: &impl Contribution,
) {
    if list.all.is_empty() {
        return;
    }
    plan.add(matrix, right, |e, out| {
        let corners = list.all[e].corners();
        let at = std::array::from_fn(|k| x[corners[k] as usize]);
        contribution.add(&corners, &list.all[e].derivatives(&at), out);
    });
}

/// The forces of each grid element on its particles [N].
#[derive(Debug)]
pub(crate) struct GridForces {
    struts: Vec<[DVec3; 2]>,
    buckles: Vec<[DVec3; 2]>,
    corners: Vec<[DVec3; 3]>,
    folds: Vec<[DVec3; 4]>,
}

impl GridForces {
    pub fn new(grid: &GridElements) -> Self {
        Self {
            struts: vec![Default::default(); grid.struts.all.len()],
            buckles: vec![Default::default(); grid.buckles.all.len()],
            corners: vec![Default::default(); grid.corners.all.len()],
            folds: vec![Default::default(); grid.folds.all.len()],
        }
    }

    /// Adds the forces of all grid elements to those on particles.
    pub fn add(&mut self, grid: &GridElements, state: &State, forces: &mut [DVec3]) {
        gather::<2, Strut>(&grid.struts, state, &mut self.struts, forces);
        gather::<2, Buckle>(&grid.buckles, state, &mut self.buckles, forces);
        gather::<3, Corner>(&grid.corners, state, &mut self.corners, forces);
        gather::<4, Fold>(&grid.folds, state, &mut self.folds, forces);
    }
}

/// Computes the forces of each element, then gathers them per particle in the order of the
/// elements.
fn gather<const N: usize, E: Condition<N> + Sync>(
    list: &ElementList<E>,
    state: &State,
    memory: &mut [[DVec3; N]],
    forces: &mut [DVec3],
) {
    if list.all.is_empty() {
        return;
    }
    fill(memory, GRAIN, |e| {
        let corners = list.all[e].corners();
        let at = std::array::from_fn(|k| state.positions[corners[k] as usize]);
        let velocities = std::array::from_fn(|k| state.velocities[corners[k] as usize]);
        list.all[e].forces(&at, &velocities)
    });
    let memory = &*memory;
    update(forces, GRAIN, |particle, force| {
        for &(e, corner) in list.incidence.at(particle) {
            *force += memory[e as usize][corner as usize];
        }
    });
}
