//! What cloth is made of.

use thiserror::Error;

/// A fabric, in SI units.
///
/// Stiffnesses are those of the cloth, not of one spring, so a finer mesh of the same fabric
/// stretches and shears the same. Damping is proportional to stiffness: a damping of τ seconds makes every
/// spring of stiffness k resist its rate of stretch with τ·k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area \[kg/m²\].
    pub density: f64,
    /// Thickness \[m\].
    pub thickness: f64,
    /// Tension per width and strain along the yarns \[N/m\]. Along the warp if `stretch_weft`
    /// says otherwise for the weft.
    pub stretch: f64,
    /// Tension per width and strain along the weft \[N/m\]; none if as along the warp.
    pub stretch_weft: Option<f64>,
    /// Shear force per width and angle \[N/m\].
    pub shear: f64,
    /// Resistance of the springs over every other particle \[N/m\]; see
    /// [`Model::mass_spring`](crate::Model::mass_spring).
    pub bend: f64,
    /// Bending rigidity of the continuum model: moment per width and curvature \[N·m\]. Along
    /// the warp if `bending_weft` says otherwise for the weft.
    pub bending: f64,
    /// Bending rigidity along the weft \[N·m\]; none if as along the warp.
    pub bending_weft: Option<f64>,
    /// Damping of stretch \[s\].
    pub stretch_damping: f64,
    /// Damping of shear \[s\].
    pub shear_damping: f64,
    /// Damping of bend \[s\].
    pub bend_damping: f64,
}

/// A medium cotton-like cloth: 0.2 kg/m², half a millimetre thick.
pub(crate) const MEDIUM: Fabric = Fabric {
    density: 0.2,
    thickness: 5e-4,
    stretch: 4000.0,
    stretch_weft: None,
    shear: 100.0,
    bend: 1.0,
    bending: 1e-5,
    bending_weft: None,
    stretch_damping: 1e-5,
    shear_damping: 3e-4,
    bend_damping: 1e-3,
};

impl Default for Fabric {
    /// A medium cotton-like cloth: 0.2 kg/m², half a millimetre thick.
    fn default() -> Self {
        MEDIUM
    }
}

/// A fabric's value that no cloth can have.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("fabric.{field} is {value} {unit}; it must be finite and {requirement}")]
pub struct FabricError {
    /// Which field.
    pub field: &'static str,
    /// What it holds.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it has to be.
    pub requirement: &'static str,
}

impl Fabric {
    /// Stiffness along warp and weft \[N/m\].
    pub fn stretch_along(&self) -> [f64; 2] {
        [self.stretch, self.stretch_weft.unwrap_or(self.stretch)]
    }

    /// Bending rigidity along warp and weft \[N·m\].
    pub fn bending_along(&self) -> [f64; 2] {
        [self.bending, self.bending_weft.unwrap_or(self.bending)]
    }

    /// The first value no cloth can have, if there is one.
    pub fn check(&self) -> Result<(), FabricError> {
        let positive = [
            ("density", self.density, "kg/m²"),
            ("thickness", self.thickness, "m"),
            ("stretch", self.stretch, "N/m"),
            ("stretch_weft", self.stretch_along()[1], "N/m"),
        ];
        let not_negative = [
            ("shear", self.shear, "N/m"),
            ("bend", self.bend, "N/m"),
            ("bending", self.bending, "N·m"),
            ("stretch_damping", self.stretch_damping, "s"),
            ("shear_damping", self.shear_damping, "s"),
            ("bend_damping", self.bend_damping, "s"),
        ];
        for (field, value, unit) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(FabricError { field, value, unit, requirement: "above zero" });
            }
        }
        for (field, value, unit) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(FabricError { field, value, unit, requirement: "zero or more" });
            }
        }
        let [warp, weft] = self.bending_along();
        if !(weft.is_finite() && weft >= 0.0) || (warp == 0.0) != (weft == 0.0) {
            let requirement = "above zero where bending is, and zero where it is zero";
            let field = "bending_weft";
            return Err(FabricError { field, value: weft, unit: "N·m", requirement });
        }
        Ok(())
    }
}
