//! Free fall: cloth that nothing holds falls as one body, and the fall is that of the integrator.

use crate::common::{
    self, Method, SOFT, cloth, farthest, for_each_integrator, for_each_limiter, square, start,
    triangulated,
};
use glam::DVec3;
use taffeta::Setup;

for_each_integrator!(
    falls_as_the_closed_form_says,
    throws_come_back,
    steps_of_any_length_fall_alike
);

for_each_limiter!(falls_as_the_closed_form_says, throws_come_back, steps_of_any_length_fall_alike);

const START: DVec3 = DVec3::new(0.75, 2.0, -0.5);

/// With v' = v + h·g and x' = x + h·v', as in every first-order integrator here that takes the
/// new velocity, n steps lead to x + t·v + ½·g·t·(t + h).
fn falls_as_the_closed_form_says(equip: Method) {
    let quads = square(7).mesh();
    for mesh in [triangulated(&quads), quads] {
        let h = 1.0 / 256.0;
        let mut setup = equip(cloth(&mesh, &SOFT));
        setup.step.max = h;
        let gravity = setup.loads.gravity;
        let mut simulation = start(setup);
        common::set_motion(&mut simulation, |_| START);
        let tally = common::advance(&mut simulation, 2.0);
        assert_eq!((tally.steps, tally.h_min, tally.h_max), (512, h, h));

        let fallen = START * 2.0 + gravity * (0.5 * 2.0 * (2.0 + h));
        let expected: Vec<DVec3> = mesh.positions.iter().map(|&p| p + fallen).collect();
        assert!(farthest(&simulation.state().positions, &expected) < 1e-11);
        let speed = vec![START + gravity * 2.0; mesh.positions.len()];
        let tolerance = 10.0 * common::speed_round_off(simulation.setup());
        assert!(farthest(&simulation.state().velocities, &speed) < tolerance);
        let strain = simulation.strain();
        assert!(strain.extension.abs().max(strain.compression.abs()) < 1e-12, "{strain:?}");
    }
}

/// Nothing is lost on the way up or down: thrown upwards, cloth passes its starting height at
/// the speed it left with.
fn throws_come_back(equip: Method) {
    let mesh = square(4).mesh();
    let mut setup = equip(cloth(&mesh, &SOFT));
    // A whole number of steps to the return, where t + h = 2·v/g.
    let h = 1.0 / 256.0;
    setup.step.max = h;
    setup.loads.gravity = DVec3::new(0.0, -8.0, 0.0);
    let mut simulation = start(setup);
    common::set_motion(&mut simulation, |_| DVec3::Y * (4.0 + 4.0 * h));
    common::advance(&mut simulation, 1.0);
    assert!(farthest(&simulation.state().positions, &mesh.positions) < 1e-12);
    let back = vec![DVec3::Y * (4.0 * h - 4.0); mesh.positions.len()];
    assert!(farthest(&simulation.state().velocities, &back) < 1e-12);
}

/// However a time is cut into steps, and wherever the frames lie, the velocity is g·t.
fn steps_of_any_length_fall_alike(equip: Method) {
    for (max, frames) in [(0.004, 7), (0.0017, 30), (1.0, 1)] {
        let setup: Setup = equip(cloth(&square(3).mesh(), &SOFT));
        let mut simulation =
            start(Setup { step: taffeta::StepLimits { max, ..setup.step }, ..setup });
        for frame in 1..=frames {
            let time = f64::from(frame) / f64::from(frames);
            common::advance(&mut simulation, time);
            assert_eq!(simulation.state().time, time);
        }
        let fall = DVec3::new(0.0, -9.81, 0.0);
        let tolerance = common::speed_round_off(simulation.setup());
        let off = |v: &DVec3| v.distance(fall);
        assert!(simulation.state().velocities.iter().all(|v| off(v) < tolerance), "{max}");
    }
}
