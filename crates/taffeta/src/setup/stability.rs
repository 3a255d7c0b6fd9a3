//! How long explicit steps may be.

use std::ops::Range;

use crate::matter::elements::Spring;
use crate::matter::model::Model;
use crate::setup::pull::Pull;

/// A bound on the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongestStep {
    /// Seconds.
    pub h: f64,
    /// The particle that bounds it.
    pub particle: u32,
}

/// The longest stable step on these springs.
///
/// One mode of frequency ω and damping rate γ is stable while (hω)² + 2hγ < 4 (Jury's
/// criterion on the update's 2×2 matrix). Gershgorin's circles bound both from above:
/// ω² ≤ 2Σk/m and γ ≤ 2Σc/m over the springs of the worst particle, and likewise for grid
/// elements as they are at rest: the angle of a corner whose sides are compressed to a half is
/// four times as stiff, which step control has to catch.
///
/// A pull acts on one particle alone and adds k/m and c/m, without the 2.
pub(crate) fn longest_step(model: &Model, pulls: &[Pull], springs: Range<usize>) -> LongestStep {
    longest_with(model, |particle| {
        let near = spring_circle(model, particle, &springs);
        let (grid, pulled) = (model.grid.circle(particle), pull_circle(pulls, particle));
        [near[0] + grid[0] + pulled[0], near[1] + grid[1] + pulled[1]]
    })
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
