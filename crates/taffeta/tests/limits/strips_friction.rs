//! Strips and friction: a band on a drum stays where Euler's law (T₁ ≤ T₂ e^(μφ)) lets it stay.
//!
//! It also stays on drums that are smoother than that, which is not right; see docs/limits.md.

use crate::common;
use glam::{DMat3, DVec3};
use taffeta::{Fabric, Limiter, Pose, Setup, Shape, Sheet, Solid, StrainLimits, Strips};

/// Radius of the drum [m].
const RADIUS: f64 = 0.05;
/// Length of the band [m].
const LENGTH: f64 = 1.0;
/// How far its middle is from the top of the drum [m].
const OFFSET: f64 = 0.12;

/// A band of cloth that falls over a drum, one end longer than the other.
fn band(friction: f64) -> Setup {
    let mesh = Sheet { width: 0.05, height: LENGTH, columns: 3, rows: 61 }.mesh();
    let supple = Fabric { shear: 0.3, bend: 0.01, bending: 1e-6, ..common::SOFT };
    let mut setup = common::cloth(&mesh, &supple);
    setup.limits = Some(StrainLimits { extension: 0.01, compression: None });
    setup.limiter = Limiter::Strips(Strips { max_iterations: 4, ..Strips::default() });
    setup.step.max = 1.0 / 480.0;
    let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let pose = Pose { turn, ..Pose::at(DVec3::new(0.0, -RADIUS - 0.002, 0.0)) };
    let drum = Shape::Cylinder { radius: RADIUS, length: 0.5 };
    setup.solids = vec![Solid { friction, ..Solid::resting(drum, pose) }];
    for position in &mut setup.positions {
        position.z += OFFSET;
    }
    setup
}

/// How low the band's middle is after a second [m].
fn fallen(friction: f64) -> f64 {
    let mut simulation = common::start(band(friction));
    common::advance(&mut simulation, 1.0);
    assert!(simulation.strain().extension < 0.05, "{:?}", simulation.strain());
    let positions = &simulation.state().positions;
    -positions.iter().map(|position| position.y).sum::<f64>() / positions.len() as f64
}

#[test]
fn a_band_stays_on_a_rough_drum_and_slips_off_a_smooth_one() {
    let hanging = LENGTH - std::f64::consts::PI * RADIUS;
    let ratio = (hanging / 2.0 + OFFSET) / (hanging / 2.0 - OFFSET);
    let needed = libm::log(ratio) / std::f64::consts::PI;
    // The band also falls on the drum, and swings: it needs something to spare.
    let held = fallen(needed + 0.15);
    assert!(held < 0.4, "it fell to {held}");
    let free = fallen(0.0);
    assert!(free > 0.6, "nothing held it at {free}");
}
