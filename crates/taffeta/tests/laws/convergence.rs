//! Convergence: half the step, half the error, towards one and the same motion.

use crate::common::{self, DAMPED, Method, cloth, farthest, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::{Air, Integrator, Motion, Pin};

for_each_integrator!(the_error_is_proportional_to_the_step);

/// Cloth carried by a corner through the air, up to the time when it is in full swing.
fn swung(equip: Method, h: f64) -> Vec<DVec3> {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    let carry = Motion::path([(0.0, DVec3::ZERO), (0.5, DVec3::new(0.2, 0.1, 0.0))]);
    setup.pins = vec![Pin { motion: carry, ..Pin::fixed([0]) }, Pin::fixed([4])];
    setup.loads.air = Some(Air { density: 1.2, drag: 1.0, wind: DVec3::new(0.5, 0.0, 1.0) });
    setup.step.max = h;
    setup.step.max_stretch_change = 1.0;
    let mut simulation = start(setup);
    let tally = common::advance(&mut simulation, 0.5);
    assert_eq!(tally.h_max, h);
    simulation.state().positions.clone()
}

fn the_error_is_proportional_to_the_step(equip: Method) {
    let exact = swung(equip, 1.0 / 32768.0);
    // Backward Euler's own damping needs shorter steps before its error is small.
    let setup = equip(cloth(&square(2).mesh(), &DAMPED));
    let coarsest = if matches!(setup.integrator, Integrator::Explicit(_)) { 256.0 } else { 1024.0 };
    let errors =
        [1.0, 2.0, 4.0].map(|finer| farthest(&swung(equip, 1.0 / (coarsest * finer)), &exact));
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((1.8..2.25).contains(&ratio), "half the step, 1/{ratio} of the error: {errors:?}");
    }
    assert!(errors[2] < 0.01, "{} m off", errors[2]);
}
