//! The user's bounds on the steps.

use crate::error::StepLimitsError;

/// The user's bounds on the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimits {
    /// Longest step \[s\]; the integrator may take shorter ones.
    pub max: f64,
    /// Shortest step \[s\]: where even this is refused, the run gives up.
    pub min: f64,
    /// Largest change of a structural spring's length within a step, over its rest length.
    pub max_stretch_change: f64,
    /// Most steps, refused ones counted, from one frame to the next.
    pub max_per_frame: u32,
}

impl Default for StepLimits {
    fn default() -> Self {
        Self { max: 1.0 / 30.0, min: 1e-8, max_stretch_change: 0.05, max_per_frame: 100_000 }
    }
}

impl StepLimits {
    /// The first bound that makes no sense, if there is one.
    pub fn check(&self) -> Result<(), StepLimitsError> {
        let positive = [
            ("max", self.max),
            ("min", self.min),
            ("max_stretch_change", self.max_stretch_change),
            ("max_per_frame", f64::from(self.max_per_frame)),
        ];
        for (field, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                let requirement = "finite and above zero";
                return Err(StepLimitsError { field, value, requirement });
            }
        }
        if self.min > self.max {
            let requirement = "at most step.max";
            return Err(StepLimitsError { field: "min", value: self.min, requirement });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_make_no_sense_are_named() {
        let field = |limits: StepLimits| limits.check().unwrap_err().field;
        assert_eq!(field(StepLimits { max: 0.0, ..StepLimits::default() }), "max");
        assert_eq!(field(StepLimits { min: f64::NAN, ..StepLimits::default() }), "min");
        assert_eq!(field(StepLimits { min: 1.0, ..StepLimits::default() }), "min");
    }
}
