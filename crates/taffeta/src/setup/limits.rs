//! Strain limits: how far cloth may stretch.

use crate::error::SetupError;

/// How far every gauge of the cloth may depart from its rest length, as a fraction of it.
///
/// What is measured is the model's: edges for springs, warp and weft of every triangle for a
/// continuum. Shear is not limited: woven cloth shears freely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimits {
    /// Most extension, above 0.
    pub extension: f64,
    /// Most compression, above 0 and below 1; without it, cloth may fold up as it likes.
    pub compression: Option<f64>,
}

/// Force per width \[N/m\] that limiters of edges and yarns meet at the limit: what canvas bears before
/// it breaks.
pub(crate) const STRENGTH: f64 = 2e4;

/// How much within the limits limiters aim, as a fraction of them.
const MARGIN: f64 = 1e-3;

/// One of the two limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitSide {
    Extension,
    Compression,
}

impl LimitSide {
    /// What is left of a pull at this limit: no gauge pushes at extension, or pulls at compression.
    #[inline]
    pub fn allowed(self, pull: f64) -> f64 {
        match self {
            Self::Extension => pull.max(0.0),
            Self::Compression => pull.min(0.0),
        }
    }
}

impl StrainLimits {
    /// No limit: cloth that is longer a million times is none any more.
    pub const NONE: Self = Self { extension: 1e6, compression: None };

    /// Whether the limits make sense.
    pub fn check(&self) -> Result<(), SetupError> {
        if !(self.extension.is_finite() && self.extension > 0.0) {
            return Err(SetupError::ExtensionLimit(self.extension));
        }
        match self.compression {
            Some(compression) if !(compression > 0.0 && compression < 1.0) => {
                Err(SetupError::CompressionLimit(compression))
            }
            _ => Ok(()),
        }
    }

    /// The limits that limiters aim at: a little within, so that the last bits of a solve are not
    /// over.
    pub(crate) fn aim(&self) -> Self {
        let within = 1.0 - MARGIN;
        Self {
            extension: self.extension * within,
            compression: self.compression.map(|limit| limit * within),
        }
    }

    /// The larger distance between the limits and what limiters aim at.
    pub(crate) fn margin(&self) -> f64 {
        MARGIN * self.extension.max(self.compression.unwrap_or(0.0))
    }

    /// Which limit a gauge is at: the one it is beyond, or the one it pulls or pushes at already.
    #[inline]
    pub(crate) fn side(&self, strain: f64, pull: f64) -> Option<LimitSide> {
        match self.compression {
            _ if strain > self.extension || pull > 0.0 => Some(LimitSide::Extension),
            Some(compression) if strain < -compression || pull < 0.0 => {
                Some(LimitSide::Compression)
            }
            _ => None,
        }
    }

    /// The strain at a limit.
    #[inline]
    pub(crate) fn strain_at(&self, side: LimitSide) -> f64 {
        match side {
            LimitSide::Extension => self.extension,
            LimitSide::Compression => -self.compression.unwrap_or(1.0),
        }
    }

    /// How far a strain is over the limits; zero or less when it is within.
    #[inline]
    pub(crate) fn excess(&self, strain: f64) -> f64 {
        let compressed = self.compression.map_or(f64::NEG_INFINITY, |limit| -strain - limit);
        (strain - self.extension).max(compressed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_make_no_sense_are_refused() {
        let limits = |extension, compression| StrainLimits { extension, compression };
        for good in [limits(0.05, None), limits(1e-4, Some(0.02)), limits(2.0, Some(0.999))] {
            assert_eq!(good.check(), Ok(()));
        }
        for bad in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(limits(bad, None).check(), Err(SetupError::ExtensionLimit(_))));
        }
        for bad in [0.0, -0.1, f64::NAN, 1.0, 3.0] {
            let refused = limits(0.1, Some(bad)).check();
            assert!(matches!(refused, Err(SetupError::CompressionLimit(_))), "{bad}");
        }
    }

    #[test]
    fn excess_is_counted_on_both_sides() {
        let both = StrainLimits { extension: 0.1, compression: Some(0.02) };
        assert!((both.excess(0.15) - 0.05).abs() < 1e-15);
        assert!((both.excess(-0.05) - 0.03).abs() < 1e-15);
        assert!(both.excess(0.05) < 0.0 && both.excess(-0.01) < 0.0);
        let one = StrainLimits { compression: None, ..both };
        assert!(one.excess(-0.9) < 0.0);
    }
}
