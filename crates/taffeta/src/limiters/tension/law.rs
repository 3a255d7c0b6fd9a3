//! The law of a limited gauge: slack well within its limits, and stiff before it reaches them.

use glam::{DMat3, DVec3};

use crate::elements::outer;
use crate::limits::{STRENGTH, StrainLimits};

/// Where the stiff part of the law begins, as a fraction of the limit.
///
/// What is left of the way to the limit takes up the errors of linearising a step: the more of
/// it, the fewer solves.
const ONSET: f64 = 0.1;
/// The geometric stiffness of a tension is taken this many times.
///
/// The tension is known from the step before only, and may be larger in this one. Taken twice it
/// is an upper bound in most cases; measured on a hanging sheet, one solve a step then holds
/// 0.8 % where it held 9 % taken once.
const CAUTION: f64 = 2.0;

/// The law of every gauge, per area of cloth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    extension: f64,
    compression: Option<f64>,
    /// Of the stiff part \[N/m\].
    stiffness: f64,
}

/// A law near one strain: tension per area as a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Strain without tension.
    pub onset: f64,
    /// Tension per strain \[N/m\]; zero where the gauge is slack.
    pub stiffness: f64,
}

impl Law {
    pub fn new(limits: &StrainLimits) -> Self {
        let smallest = limits.compression.unwrap_or(limits.extension).min(limits.extension);
        Self {
            extension: ONSET * limits.extension,
            compression: limits.compression.map(|limit| ONSET * limit),
            stiffness: STRENGTH / ((1.0 - ONSET) * smallest),
        }
    }

    /// Energy per area [J/m²] of a gauge with this tension \[N/m\].
    #[inline]
    pub fn energy(&self, tension: f64) -> f64 {
        0.5 * tension * tension / self.stiffness
    }

    /// The branch that a gauge of this strain is on, or was on a step ago when it had a tension.
    #[inline]
    pub fn branch(&self, strain: f64, tension: f64) -> Branch {
        let stiffness = self.stiffness;
        match self.compression {
            _ if tension > 0.0 || strain > self.extension => {
                Branch { onset: self.extension, stiffness }
            }
            Some(compression) if tension < 0.0 || strain < -compression => {
                Branch { onset: -compression, stiffness }
            }
            _ => Branch { onset: 0.0, stiffness: 0.0 },
        }
    }
}

impl Branch {
    /// The tension \[N/m\] at a strain; none where the branch would push instead of pull, or pull
    /// instead of push.
    #[inline]
    pub fn tension(&self, strain: f64) -> f64 {
        let tension = self.stiffness * (strain - self.onset);
        if tension * self.onset >= 0.0 { tension } else { 0.0 }
    }

    /// Gradient and stiffness by the gauge's vector, per area, with the geometric stiffness of
    /// the tension of the step before.
    #[inline]
    pub fn derivatives(&self, vector: DVec3, tension: f64) -> (DVec3, DMat3) {
        let length = vector.length();
        if length == 0.0 {
            return (DVec3::ZERO, DMat3::ZERO);
        }
        let direction = vector / length;
        let along = outer(direction, direction);
        let across = CAUTION * tension.max(0.0) / length;
        let gradient = direction * (self.stiffness * (length - 1.0 - self.onset));
        (gradient, along * self.stiffness + (DMat3::IDENTITY - along) * across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> Law {
        Law::new(&StrainLimits { extension: 0.1, compression: Some(0.02) })
    }

    #[test]
    fn gauges_are_slack_between_the_onsets_and_stiff_beyond() {
        let law = law();
        for strain in [-0.0019, 0.0, 0.0099] {
            assert_eq!(law.branch(strain, 0.0).tension(strain), 0.0, "{strain}");
        }
        assert!(law.branch(0.06, 0.0).tension(0.06) > 0.0);
        assert!(law.branch(-0.011, 0.0).tension(-0.011) < 0.0);
        let free = Law::new(&StrainLimits { extension: 0.1, compression: None });
        assert_eq!(free.branch(-0.5, 0.0).tension(-0.5), 0.0);
    }

    #[test]
    fn a_gauge_under_tension_stays_on_its_branch_but_never_pushes() {
        let branch = law().branch(0.009, 3.0);
        assert_eq!(branch.onset, ONSET * 0.1);
        assert_eq!(branch.tension(0.009), 0.0);
        let pushed = law().branch(0.0, -3.0);
        assert_eq!((pushed.onset, pushed.tension(0.0)), (-ONSET * 0.02, 0.0));
    }

    #[test]
    fn tension_is_the_slope_of_the_energy() {
        let (law, step) = (law(), 1e-6);
        let tension = |strain: f64| law.branch(strain, 0.0).tension(strain);
        for strain in [-0.03, -0.0005, 0.0, 0.005, 0.02, 0.13] {
            let energy = |strain: f64| law.energy(tension(strain));
            let slope = (energy(strain + step) - energy(strain - step)) / (2.0 * step);
            let expected = tension(strain);
            assert!((slope - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{slope} {expected}");
        }
    }

    #[test]
    fn the_strength_is_met_at_the_tighter_limit() {
        let tension = law().branch(-0.02, 0.0).tension(-0.02);
        assert!((tension + STRENGTH).abs() < 1e-9 * STRENGTH, "{tension}");
    }
}
