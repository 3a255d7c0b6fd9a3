//! Measures of a state: strain, energy, momentum.

use glam::DVec3;
use taffeta_linalg::ordered_sum;

use crate::elements::Spring;
use crate::load::Loads;
use crate::model::Model;
use crate::state::State;

/// The strain of the structural springs: change of length over rest length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// The largest extension; negative if every spring is compressed.
    pub extension: f64,
    /// The particles of the most extended spring.
    pub extended: [u32; 2],
    /// The strain that 99.9 % of the springs do not exceed.
    pub extension_p999: f64,
    /// The largest compression, as a positive number; negative if every spring is extended.
    pub compression: f64,
    /// The particles of the most compressed spring.
    pub compressed: [u32; 2],
}

/// Measures the strain of springs, at least one; of equals, the first counts.
///
/// A strain that is not a number counts as the worst there is.
pub fn strain(springs: &[Spring], positions: &[DVec3]) -> Strain {
    let at = |end: u32| positions[end as usize];
    let mut strains: Vec<f64> =
        springs.iter().map(|s| s.strain(at(s.ends[1]) - at(s.ends[0]))).collect();
    let worst = |sign: f64| {
        let mut worst = (f64::NEG_INFINITY, 0);
        for (spring, &strain) in strains.iter().enumerate() {
            let strain = if strain.is_nan() { f64::INFINITY } else { sign * strain };
            if strain > worst.0 {
                worst = (strain, spring);
            }
        }
        (worst.0, springs.get(worst.1).map_or([0, 0], |spring| spring.ends))
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
    /// Of the springs.
    pub elastic: f64,
}

impl Energy {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}

/// Measures the energy of a state.
pub fn energy(model: &Model, loads: &Loads, state: &State) -> Energy {
    let particles = model.particles();
    let (x, v, m) = (&state.positions, &state.velocities, &model.masses);
    let offset = |spring: &Spring| x[spring.ends[1] as usize] - x[spring.ends[0] as usize];
    Energy {
        kinetic: ordered_sum(particles, |i| 0.5 * m[i] * v[i].length_squared()),
        gravitational: ordered_sum(particles, |i| -m[i] * loads.gravity.dot(x[i])),
        elastic: ordered_sum(model.springs.len(), |s| {
            model.springs[s].energy(offset(&model.springs[s]))
        }),
    }
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

    fn chain(lengths: &[f64]) -> (Vec<Spring>, Vec<DVec3>) {
        let mut positions = vec![DVec3::ZERO];
        let mut springs = Vec::new();
        for (i, length) in lengths.iter().enumerate() {
            positions.push(positions[i] + DVec3::X * *length);
            let ends = [i as u32, i as u32 + 1];
            springs.push(Spring { ends, rest_length: 1.0, stiffness: 1.0, damping: 0.0 });
        }
        (springs, positions)
    }

    #[test]
    fn the_worst_springs_are_named() {
        let (springs, positions) = chain(&[1.0, 1.25, 0.5, 1.25, 0.75]);
        let strain = strain(&springs, &positions);
        assert_eq!((strain.extension, strain.extended), (0.25, [1, 2]));
        assert_eq!((strain.compression, strain.compressed), (0.5, [2, 3]));
    }

    #[test]
    fn the_percentile_leaves_out_one_in_a_thousand() {
        let mut lengths = vec![1.0; 2000];
        lengths[7] = 3.0;
        lengths[8] = 2.0;
        lengths[9] = 1.5;
        let (springs, positions) = chain(&lengths);
        let strain = strain(&springs, &positions);
        assert_eq!(strain.extension, 2.0);
        assert_eq!(strain.extension_p999, 0.5);
    }

    #[test]
    fn nan_is_the_worst_strain() {
        let (springs, mut positions) = chain(&[1.0, 1.0, 5.0]);
        positions[1] = DVec3::NAN;
        assert_eq!(strain(&springs, &positions).extension, f64::INFINITY);
    }
}
