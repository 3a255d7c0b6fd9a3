//! Gravity and wind that change: momentum is the sum of all impulses, and cloth lags behind a wind
//! that grows.

use crate::common::{
    DAMPED, Method, advance, cloth, for_each_integrator, round_off, small, square, start,
};
use glam::DVec3;
use taffeta::measure::momentum;
use taffeta::{Air, LoadKey, Loads, SetupError};

for_each_integrator!(
    momentum_is_the_sum_of_changing_gravity,
    cloth_is_as_far_behind_a_growing_wind_as_drag_asks,
);

fn key(time: f64, gravity: DVec3, wind: DVec3) -> LoadKey {
    LoadKey { time, gravity, wind }
}

/// From 2 to −6 m/s² in a second, then at rest: −2 m/s, and −5 m/s half a second later.
fn momentum_is_the_sum_of_changing_gravity(equip: Method) {
    let mut setup = small(equip);
    setup.step.max = 1.0 / 128.0;
    setup.load_keys =
        vec![key(0.0, DVec3::Y * 2.0, DVec3::ZERO), key(1.0, DVec3::Y * -6.0, DVec3::ZERO)];
    let (mass, tolerance) = (setup.model.masses().iter().sum::<f64>(), 1e3 * round_off(&setup));
    let mut simulation = start(setup);
    for (time, speed) in [(0.5, 0.0), (1.0, -2.0), (1.5, -5.0)] {
        advance(&mut simulation, time);
        let off =
            momentum(simulation.model(), simulation.state()).distance(DVec3::Y * (speed * mass));
        assert!(off < tolerance, "{time} s: {off}");
    }
}

/// The speed u relative to a wind that grows by k a second obeys u' = k − a·u², so u comes to √(k/a).
fn cloth_is_as_far_behind_a_growing_wind_as_drag_asks(equip: Method) {
    let air = Air { density: 1.2, drag: 1.1, wind: DVec3::ZERO };
    let (growth, rate) = (2.0, 0.5 * air.density * air.drag / DAMPED.density);
    let mut setup = equip(cloth(&square(6).mesh(), &DAMPED));
    setup.loads = Loads { gravity: DVec3::ZERO, air: Some(air), fan: None };
    setup.step.max = 1.0 / 512.0;
    setup.load_keys = vec![
        key(0.0, DVec3::ZERO, DVec3::ZERO),
        key(10.0, DVec3::ZERO, DVec3::Y * (10.0 * growth)),
    ];
    let mut simulation = start(setup);
    advance(&mut simulation, 4.0);
    let behind = f64::sqrt(growth / rate);
    for velocity in &simulation.state().velocities {
        let off = velocity.distance(DVec3::Y * (4.0 * growth - behind));
        assert!(off < 5e-3 * behind, "{velocity}, {behind} m/s behind");
    }
}

#[test]
fn what_keys_lead_is_not_set_from_outside_but_a_fan_is() {
    let mut setup = small(|setup| setup);
    setup.load_keys = vec![key(0.0, DVec3::Y, DVec3::ZERO)];
    let mut simulation = start(setup);
    let loads = simulation.setup().loads;
    let heavier = Loads { gravity: DVec3::Y * -20.0, ..loads };
    assert_eq!(simulation.set_loads(heavier), Err(SetupError::KeyedLoads));
    let fan = taffeta::Fan { place: DVec3::ZERO, direction: DVec3::X, speed: 1.0, radius: 0.1 };
    assert_eq!(simulation.set_loads(Loads { fan: Some(fan), ..loads }), Ok(()));
}

#[test]
fn keys_that_make_no_sense_are_refused() {
    let mut setup = small(|setup| setup);
    setup.load_keys = vec![key(0.0, DVec3::Y, DVec3::X)];
    let problem = "has wind, which takes air";
    assert_eq!(setup.problems(), [SetupError::LoadKey { key: 0, problem }]);
}
