//! Forces of springs and grid elements on particles, for what is explicit.

mod grid;

use std::ops::Range;

use glam::DVec3;
use taffeta_linalg::fill;

use self::grid::GridForces;
use crate::matter::model::{Incidence, Model};
use crate::state::State;

/// Springs, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 4096;

/// Forces of springs and on particles.
#[derive(Debug)]
pub(crate) struct ForceMemory {
    /// The springs that are integrated.
    pub springs: Range<usize>,
    /// Which of them are at each particle, counted from the first.
    pub incidence: Incidence,
    /// Force of each on its first end [N].
    pub spring_forces: Vec<DVec3>,
    /// Forces of the grid elements.
    pub grid_forces: GridForces,
    /// All forces on each particle [N].
    pub forces: Vec<DVec3>,
}

impl ForceMemory {
    pub fn new(model: &Model, springs: Range<usize>) -> Self {
        let ends = model.springs[springs.clone()].iter().map(|spring| spring.ends);
        Self {
            incidence: Incidence::new(model.particles(), ends),
            spring_forces: vec![DVec3::ZERO; springs.len()],
            grid_forces: GridForces::new(&model.grid),
            forces: vec![DVec3::ZERO; model.particles()],
            springs,
        }
    }
}

/// Loads plus springs, gathered per particle in the order of the springs.
pub(crate) fn gather_forces(
    model: &Model,
    loads: &[DVec3],
    state: &State,
    memory: &mut ForceMemory,
) {
    let springs = &model.springs[memory.springs.clone()];
    let (positions, velocities) = (&state.positions, &state.velocities);
    fill(&mut memory.spring_forces, GRAIN, |s| {
        let spring = &springs[s];
        let [a, b] = [spring.ends[0] as usize, spring.ends[1] as usize];
        spring.force(positions[b] - positions[a], velocities[b] - velocities[a])
    });
    let (spring_forces, incidence) = (&memory.spring_forces, &memory.incidence);
    fill(&mut memory.forces, GRAIN, |particle| {
        incidence.at(particle).iter().fold(loads[particle], |sum, &(s, end)| {
            let force = spring_forces[s as usize];
            if end == 0 { sum + force } else { sum - force }
        })
    });
    memory.grid_forces.add(&model.grid, state, &mut memory.forces);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::stability::longest_step;
    use crate::{Fabric, Sheet};

    /// A quad without diagonals: two pairs of springs that know nothing of each other, so each
    /// has the frequency √(2k/m) and the damping rate 2c/m.
    fn quad(stretch_damping: f64) -> (Model, State) {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 2, rows: 2 }.mesh();
        let fabric =
            Fabric { stretch: 100.0, stretch_damping, shear: 0.0, bend: 0.0, ..Fabric::default() };
        let model = Model::mass_spring(&mesh, &fabric).unwrap();
        let shaken = mesh.positions.iter().map(|&p| p * DVec3::new(1.001, 1.0, 1.0)).collect();
        (model, State::at_rest(shaken, 0, 0))
    }

    /// Its true limit: (hω)² + 2hγ = 4.
    fn true_limit(model: &Model) -> f64 {
        let (spring, mass) = (model.springs[0], model.masses[0]);
        let (omega2, gamma) = (2.0 * spring.stiffness / mass, 2.0 * spring.damping / mass);
        4.0 / (gamma + (gamma * gamma + 4.0 * omega2).sqrt())
    }

    /// The fastest speed within 500 steps of this fraction of the true limit.
    fn fastest(stretch_damping: f64, fraction: f64) -> f64 {
        let (model, mut state) = quad(stretch_damping);
        let h = fraction * true_limit(&model);
        let mut memory = ForceMemory::new(&model, 0..model.springs.len());
        let loads = vec![DVec3::ZERO; model.particles()];
        let mut fastest: f64 = 0.0;
        for _ in 0..500 {
            gather_forces(&model, &loads, &state, &mut memory);
            for (i, force) in memory.forces.iter().enumerate() {
                state.velocities[i] += *force * (h / model.masses[i]);
                state.positions[i] += state.velocities[i] * h;
                fastest = fastest.max(state.velocities[i].length());
            }
        }
        fastest
    }

    #[test]
    fn one_mode_is_stable_up_to_its_limit_and_not_beyond() {
        for stretch_damping in [0.0, 1e-3, 0.1] {
            let (model, _) = quad(stretch_damping);
            let all = 0..model.springs.len();
            let bound = longest_step(&model, &[], all).h;
            let ratio = bound / true_limit(&model);
            assert!((0.5..=1.0).contains(&ratio), "{ratio} of the limit");
            assert!(fastest(stretch_damping, 0.99) < 1.0, "damping {stretch_damping}");
            assert!(fastest(stretch_damping, 1.3) > 1e9, "damping {stretch_damping}");
        }
    }
}
