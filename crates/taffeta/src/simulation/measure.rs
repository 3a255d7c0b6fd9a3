//! Measures of a state: strain, energy, momentum.

use glam::DVec3;
use taffeta_linalg::ordered_sum;

use crate::matter::elements::{BendingMemory, Condition};
use crate::matter::gauge::Gauge;
use crate::matter::model::{GridElements, Model};
use crate::setup::loads::Loads;
use crate::state::State;

/// The strain of cloth: change of length over rest length, at its gauges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// The largest extension; negative if every gauge is compressed.
    pub extension: f64,
    /// The most extended gauge.
    pub extended: Gauge,
    /// The strain that 99.9 % of the gauges do not exceed.
    pub extension_p999: f64,
    /// The largest compression, as a positive number; negative if every gauge is extended.
    pub compression: f64,
    /// The most compressed gauge.
    pub compressed: Gauge,
}

/// Measures the strain at gauges, at least one; of equals, the first counts.
///
/// A strain that is not a number counts as the worst there is.
pub fn strain(gauges: &[Gauge], positions: &[DVec3]) -> Strain {
    let mut strains: Vec<f64> = gauges.iter().map(|gauge| gauge.strain(positions)).collect();
    let worst = |sign: f64| {
        let mut worst = (f64::NEG_INFINITY, 0);
        for (gauge, &strain) in strains.iter().enumerate() {
            let strain = if strain.is_nan() { f64::INFINITY } else { sign * strain };
            if strain > worst.0 {
                worst = (strain, gauge);
            }
        }
        (worst.0, gauges.get(worst.1).copied().unwrap_or(Gauge::edge([0, 0], 1.0)))
    };
    let (extension, extended) = worst(1.0);
    let (compression, compressed) = worst(-1.0);
    let extension_p999 = percentile(&mut strains, 0.999);
    Strain { extension, extended, extension_p999, compression, compressed }
}

/// The smallest value that at least this share of the values does not exceed.
fn percentile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let rank = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len());
    *values.select_nth_unstable_by(rank - 1, f64::total_cmp).1
}

/// Energy \[J\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height, zero at the origin.
    pub gravitational: f64,
    /// Of what the cloth is made of; of a simulation also of the law of strain limits and of ties.
    pub elastic: f64,
}

impl Energy {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}

/// Measures the energy of a state, but for what strain limits and the ties of torn cloth store:
/// [`Simulation::energy`](crate::Simulation::energy) knows them.
pub fn energy(model: &Model, loads: &Loads, state: &State) -> Energy {
    let particles = model.particles();
    let (x, v, m) = (&state.positions, &state.velocities, &model.masses);
    Energy {
        kinetic: ordered_sum(particles, |i| 0.5 * m[i] * v[i].length_squared()),
        gravitational: ordered_sum(particles, |i| -m[i] * loads.gravity.dot(x[i])),
        elastic: elastic(model, x, bending_memory(model).as_mut()),
    }
}

fn bending_memory(model: &Model) -> Option<BendingMemory> {
    model.bending().and_then(|bending| bending.memory().ok())
}

/// Elastic energy \[J\]; not a number if cloth that bends has no memory for it.
pub(crate) fn elastic(model: &Model, x: &[DVec3], memory: Option<&mut BendingMemory>) -> f64 {
    let at = |particle: u32| x[particle as usize];
    let springs = ordered_sum(model.springs.len(), |s| {
        let spring = &model.springs[s];
        spring.energy(at(spring.ends[1]) - at(spring.ends[0]))
    });
    let membranes = ordered_sum(model.membranes.len(), |m| {
        let [a, b, c] = model.membranes[m].corners;
        model.membranes[m].energy(&[at(a), at(b), at(c)])
    });
    let bent = match (model.bending(), memory) {
        (None, _) => 0.0,
        (Some(bending), Some(memory)) => bending.energy(x, memory),
        (Some(_), None) => f64::NAN,
    };
    springs + membranes + bent + grid(&model.grid, x)
}

fn grid(grid: &GridElements, x: &[DVec3]) -> f64 {
    stored(&grid.struts.all, x)
        + stored(&grid.buckles.all, x)
        + stored(&grid.corners.all, x)
        + stored(&grid.folds.all, x)
}

fn stored<const N: usize, E: Condition<N> + Sync>(elements: &[E], x: &[DVec3]) -> f64 {
    ordered_sum(elements.len(), |e| {
        let corners = elements[e].corners();
        elements[e].energy(&std::array::from_fn(|k| x[corners[k] as usize]))
    })
}

/// Linear momentum \[kg·m/s\].
pub fn momentum(model: &Model, state: &State) -> DVec3 {
    sum_vectors(model.particles(), |i| state.velocities[i] * model.masses[i])
}

/// Angular momentum about the origin \[kg·m²/s\].
pub fn angular_momentum(model: &Model, state: &State) -> DVec3 {
    sum_vectors(model.particles(), |i| {
        state.positions[i].cross(state.velocities[i]) * model.masses[i]
    })
}

/// Centre of mass \[m\].
pub fn centre_of_mass(model: &Model, positions: &[DVec3]) -> DVec3 {
    let mass = ordered_sum(model.particles(), |i| model.masses[i]);
    sum_vectors(model.particles(), |i| positions[i] * model.masses[i]) / mass
}

fn sum_vectors(len: usize, term: impl Fn(usize) -> DVec3 + Sync) -> DVec3 {
    DVec3::new(
        ordered_sum(len, |i| term(i).x),
        ordered_sum(len, |i| term(i).y),
        ordered_sum(len, |i| term(i).z),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(lengths: &[f64]) -> (Vec<Gauge>, Vec<DVec3>) {
        let mut positions = vec![DVec3::ZERO];
        let mut gauges = Vec::new();
        for (i, length) in lengths.iter().enumerate() {
            positions.push(positions[i] + DVec3::X * *length);
            gauges.push(Gauge::edge([i as u32, i as u32 + 1], 1.0));
        }
        (gauges, positions)
    }

    #[test]
    fn the_worst_springs_are_named() {
        let (gauges, positions) = chain(&[1.0, 1.25, 0.5, 1.25, 0.75]);
        let strain = strain(&gauges, &positions);
        assert_eq!((strain.extension, strain.extended.particles), (0.25, [1, 2, 2]));
        assert_eq!((strain.compression, strain.compressed.particles), (0.5, [2, 3, 3]));
    }

    #[test]
    fn the_percentile_leaves_out_one_in_a_thousand() {
        let mut lengths = vec![1.0; 2000];
        lengths[7] = 3.0;
        lengths[8] = 2.0;
        lengths[9] = 1.5;
        let (gauges, positions) = chain(&lengths);
        let strain = strain(&gauges, &positions);
        assert_eq!(strain.extension, 2.0);
        assert_eq!(strain.extension_p999, 0.5);
    }

    #[test]
    fn nan_is_the_worst_strain() {
        let (gauges, mut positions) = chain(&[1.0, 1.0, 5.0]);
        positions[1] = DVec3::NAN;
        assert_eq!(strain(&gauges, &positions).extension, f64::INFINITY);
    }
}
