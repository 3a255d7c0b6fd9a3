//! Strips between pins as far apart as the cloth is wide, and farther.

use crate::common::{self, square, start};
use glam::DVec3;
use taffeta::{
    ExplicitEuler, Fabric, Integrator, Limiter, Motion, MotionKey, Pin, Setup, StrainLimits,
    Strips, measure,
};

/// The fabric of the scene `strips-hang`.
const LIMP: Fabric =
    Fabric { density: 0.2, stretch: 8000.0, shear: 0.3, bend: 0.0, bending: 0.0, ..common::SOFT };

fn sheet(side: u32, pins: Vec<Pin>, extension: f64, steps: f64) -> Setup {
    Setup {
        pins,
        integrator: Integrator::Explicit(ExplicitEuler::default()),
        limits: Some(StrainLimits { extension, compression: None }),
        limiter: Limiter::Strips(Strips { max_iterations: 4 }),
        step: taffeta::StepLimits { max: 1.000_01 / 30.0 / steps, ..Default::default() },
        ..common::cloth(&square(side).mesh(), &LIMP)
    }
}

#[test]
fn ten_steps_a_frame_hold_a_thousandth() {
    let mut simulation = start(sheet(41, vec![Pin::fixed([0, 40])], 1e-3, 10.0));
    for frame in 1..=90 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        assert_eq!((tally.over_limit, tally.rejected), (0, 0), "{tally:?}");
        let extension = simulation.strain().extension;
        assert!(extension <= 1e-3, "{extension} in frame {frame}");
        if frame == 15 {
            let positions = &simulation.state().positions;
            let height = measure::centre_of_mass(simulation.model(), positions).y;
            assert!((height + 0.49).abs() < 0.01, "{height}");
        }
    }
}

#[test]
fn cloth_that_is_pinned_too_wide_is_told_and_stays_calm() {
    let keys = vec![
        MotionKey::default(),
        MotionKey { time: 0.5, offset: DVec3::X * 0.3, angle: 0.0, scale: 1.0 },
    ];
    let pulling = Motion { keys, ..Motion::still() };
    let pins = vec![Pin::fixed([0]), Pin { motion: pulling, ..Pin::fixed([20]) }];
    let mut simulation = start(sheet(21, pins, 0.01, 16.0));
    for frame in 1..=45 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        // In the frame in which the limits break, shorter steps are tried.
        assert!(tally.steps + tally.rejected < 48, "{tally:?}");
        assert!(frame < 5 || tally.over_limit == tally.steps, "{tally:?}");
        // It falls by half a metre, and swings.
        let kinetic = simulation.energy().kinetic;
        assert!(kinetic < 2.0, "{kinetic} J in frame {frame}");
    }
    // The row between the pins is stretched by 30 %, evenly but for its ends, where columns pull too.
    let positions = &simulation.state().positions;
    let strains = (0..20).map(|i| positions[i].distance(positions[i + 1]) / 0.05 - 1.0);
    let strains: Vec<f64> = strains.collect();
    assert!(strains[1..19].iter().all(|strain| (0.25..0.35).contains(strain)), "{strains:?}");
    assert!(simulation.strain().extension < 0.5, "{strains:?}");
}
