//! Symplectic Euler: velocities from the forces now, positions from the new velocities.

use std::ops::Range;

use taffeta_linalg::{fill, update};

use glam::{DMat3, DVec3};

use super::{ForceMemory, LongestStep, Step};
use crate::elements::Spring;
use crate::error::SetupError;
use crate::model::Model;
use crate::pull::Pull;
use crate::state::State;

/// Springs, or particles, whose forces repay a hand-over to another thread.
const GRAIN: usize = 4096;

/// Settings of symplectic Euler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplicitEuler {
    /// The step as a fraction of the largest that is stable, above 0 and at most 1.
    pub safety: f64,
}

impl Default for ExplicitEuler {
    fn default() -> Self {
        Self { safety: 0.9 }
    }
}

impl ExplicitEuler {
    /// Whether the settings make sense.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        match self.safety > 0.0 && self.safety <= 1.0 {
            true => Ok(()),
            false => Err(SetupError::Safety(self.safety)),
        }
    }

    /// The longest stable step on these springs, times the safety factor.
    ///
    /// One mode of frequency ω and damping rate γ is stable while (hω)² + 2hγ < 4 (Jury's
    /// criterion on the update's 2×2 matrix). Gershgorin's circles bound both from above:
    /// ω² ≤ 2Σk/m and γ ≤ 2Σc/m over the springs of the worst particle, and likewise for grid
    /// elements as they are at rest: the angle of a corner whose sides are compressed to a half is
    /// four times as stiff, which step control has to catch.
    ///
    /// A pull acts on one particle alone and adds k/m and c/m, without the 2.
    pub(super) fn longest_step(
        &self,
        model: &Model,
        pulls: &[Pull],
        springs: Range<usize>,
    ) -> LongestStep {
        let mut longest = longest_with(model, |particle| {
            let near = spring_circle(model, particle, &springs);
            let (grid, pulled) = (model.grid.circle(particle), pull_circle(pulls, particle));
            [near[0] + grid[0] + pulled[0], near[1] + grid[1] + pulled[1]]
        });
        longest.h *= self.safety;
        longest
    }
}

/// The longest step that is stable for some of the springs alone.
pub(crate) fn longest_spring_step(model: &Model, springs: Range<usize>) -> LongestStep {
    longest_with(model, |particle| spring_circle(model, particle, &springs))
}

/// Gershgorin's circle of a particle, of stiffness [N/m] and of damping [N·s/m]: each of its
/// springs counts twice, for both of its ends.
fn spring_circle(model: &Model, particle: usize, springs: &Range<usize>) -> [f64; 2] {
    let near = model.spring_incidence.at(particle).iter().map(|&(s, _)| s as usize);
    let near = near.filter(|s| springs.contains(s));
    let sum = |of: fn(&Spring) -> f64| -> f64 { near.clone().map(|s| of(&model.springs[s])).sum() };
    [2.0 * sum(|spring| spring.stiffness), 2.0 * sum(|spring| spring.damping)]
}

/// What pulls add to the circle of a particle.
fn pull_circle(pulls: &[Pull], particle: usize) -> [f64; 2] {
    let here = pulls.iter().filter(|pull| pull.particle as usize == particle);
    here.fold([0.0; 2], |sum, pull| [sum[0] + pull.stiffness, sum[1] + pull.damping])
}

/// The longest step that is stable with these circles.
fn longest_with(model: &Model, circle: impl Fn(usize) -> [f64; 2]) -> LongestStep {
    let mut longest = LongestStep { h: f64::INFINITY, particle: 0 };
    for (particle, &mass) in model.masses.iter().enumerate() {
        let [omega2, gamma] = circle(particle).map(|sum| sum / mass);
        // The root of (hω)² + 2hγ = 4, written so that it does not cancel for large γ.
        let h = 4.0 / (gamma + (gamma * gamma + 4.0 * omega2).sqrt());
        if h < longest.h {
            longest = LongestStep { h, particle: particle as u32 };
        }
    }
    longest
}

pub(super) fn advance(
    step: &Step,
    trial: &mut State,
    memory: &mut ForceMemory,
    reactions: &mut Vec<DVec3>,
) {
    gather_forces(step.model, step.loads, trial, memory);
    constrain_forces(step, memory, reactions);
    let (h, masses, forces) = (step.h, &step.model.masses, &memory.forces);
    update(&mut trial.velocities, GRAIN, |i, velocity| *velocity += forces[i] * (h / masses[i]));
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

/// Adds to each constrained particle the force that makes it do what is prescribed: Δv = S·h·f/m + z.
fn constrain_forces(step: &Step, memory: &mut ForceMemory, reactions: &mut Vec<DVec3>) {
    reactions.clear();
    for constraint in step.constraints {
        let particle = constraint.particle as usize;
        let force = &mut memory.forces[particle];
        // The friction of solids may be far too strong for an explicit step.
        if let Some(drag) = step.drag.get(particle).filter(|drag| **drag != DMat3::ZERO) {
            let mobility = step.h / step.model.masses[particle];
            *force = (DMat3::IDENTITY + *drag * mobility).inverse() * *force;
        }
        let prescribed = constraint.velocity_change * (step.model.masses[particle] / step.h);
        let reaction = prescribed - constraint.filter.held_part(*force);
        *force = constraint.filter.free_part(*force) + prescribed;
        reactions.push(reaction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let (constraints, links) = (&[], &[]);
        let step =
            Step { model: &model, loads: &loads, drag: &[], constraints, links, again: false, h };
        let mut fastest: f64 = 0.0;
        for _ in 0..500 {
            advance(&step, &mut state, &mut memory, &mut Vec::new());
            state.move_by(h, &[]);
            fastest = state.velocities.iter().map(|v| v.length()).fold(fastest, f64::max);
        }
        fastest
    }

    #[test]
    fn one_mode_is_stable_up_to_its_limit_and_not_beyond() {
        for stretch_damping in [0.0, 1e-3, 0.1] {
            let (model, _) = quad(stretch_damping);
            let all = 0..model.springs.len();
            let bound = ExplicitEuler { safety: 1.0 }.longest_step(&model, &[], all).h;
            let ratio = bound / true_limit(&model);
            assert!((0.5..=1.0).contains(&ratio), "{ratio} of the limit");
            assert!(fastest(stretch_damping, 0.99) < 1.0, "damping {stretch_damping}");
            assert!(fastest(stretch_damping, 1.3) > 1e9, "damping {stretch_damping}");
        }
    }
}
