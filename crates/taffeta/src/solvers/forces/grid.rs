//! Forces of grid elements: one function for elements of any kind.

use glam::DVec3;
use taffeta_linalg::{fill, update};

use crate::matter::elements::{Buckle, Condition, Corner, Fold, Strut};
use crate::matter::model::{ElementList, GridElements};
use crate::state::State;

/// Elements, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 1024;

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
