//! Fabrics by name. Where each number comes from is told in `docs/fabrics.md`.

use crate::matter::fabric::{Fabric, MEDIUM};

/// A fabric with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// What scenes call it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its properties.
    pub fabric: Fabric,
}

impl Preset {
    /// Every preset, in the order of its name.
    pub const ALL: [Self; 6] = [
        Self {
            name: "canvas",
            summary: "canvas, 9 oz: stiff, hardly stretches along the warp",
            fabric: Fabric {
                density: 0.294,
                thickness: 5.3e-4,
                stretch: 10_500.0,
                stretch_weft: Some(2840.0),
                shear: 532.0,
                bending: 1.85e-4,
                bending_weft: Some(1.24e-4),
                ..MEDIUM
            },
        },
        Self {
            name: "cotton",
            summary: "light cotton shirting",
            fabric: Fabric {
                density: 0.1036,
                thickness: 1.8e-4,
                stretch: 4500.0,
                stretch_weft: Some(2800.0),
                shear: 96.8,
                bending: 6.9e-6,
                bending_weft: Some(4.9e-6),
                ..MEDIUM
            },
        },
        Self {
            name: "denim",
            summary: "11 oz denim in twill weave",
            fabric: Fabric {
                density: 0.324,
                thickness: 8e-4,
                stretch: 8900.0,
                stretch_weft: None,
                shear: 120.0,
                bending: 6.4e-5,
                bending_weft: Some(9.7e-5),
                ..MEDIUM
            },
        },
        Self {
            name: "polyester",
            summary: "light polyester in plain weave",
            fabric: Fabric {
                density: 0.128,
                thickness: 2.5e-4,
                stretch: 2000.0,
                stretch_weft: Some(2030.0),
                shear: 30.0,
                bending: 5.2e-5,
                bending_weft: Some(3.1e-5),
                ..MEDIUM
            },
        },
        Self {
            name: "silk",
            summary: "silk charmeuse: light, limp, flows",
            fabric: Fabric {
                density: 0.083,
                thickness: 1.8e-4,
                stretch: 1790.0,
                stretch_weft: Some(774.0),
                shear: 51.3,
                bending: 2e-6,
                bending_weft: Some(1.5e-6),
                ..MEDIUM
            },
        },
        Self {
            name: "wool",
            summary: "wool coating: thick, heavy, soft to stretch",
            fabric: Fabric {
                density: 0.4806,
                thickness: 1.28e-3,
                stretch: 2840.0,
                stretch_weft: Some(2930.0),
                shear: 237.0,
                bending: 4.9e-5,
                bending_weft: Some(3.9e-5),
                ..MEDIUM
            },
        },
    ];

    /// The preset of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|preset| preset.name == name)
    }
}
