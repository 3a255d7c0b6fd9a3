//! What programs do between steps: forces push, led pins arrive, and arrays that are parted with
//! stay as they were.

use crate::common::{self, Method, for_each_integrator, small, start};
use glam::DVec3;
use taffeta::measure::momentum;
use taffeta::{Hold, Motion, Pin, PinProblem, Setup, SetupError};

for_each_integrator!(
    momentum_grows_by_the_forces,
    a_led_pin_arrives_and_stays,
    a_led_pin_stays_where_it_is_after_a_restore,
    a_state_parted_with_changes_no_bit,
);

fn pinned(equip: Method) -> Setup {
    let mut setup = small(equip);
    setup.pins = vec![Pin {
        particles: vec![2, 0],
        hold: Hold::Point,
        motion: Motion::still(),
        from: 0.0,
        until: f64::INFINITY,
    }];
    setup
}

fn momentum_grows_by_the_forces(equip: Method) {
    let mut setup = small(equip);
    setup.loads.gravity = DVec3::ZERO;
    let mut simulation = start(setup);
    let forces: Vec<DVec3> =
        (0..9).map(|i| DVec3::new(0.001, 0.0, 0.0002 * f64::from(i))).collect();
    simulation.set_forces(&forces).unwrap();
    common::advance(&mut simulation, 0.25);
    let gained = momentum(simulation.model(), simulation.state());
    let wanted = forces.iter().sum::<DVec3>() * 0.25;
    assert!(gained.distance(wanted) < 1e-9, "{gained} instead of {wanted}");
    simulation.let_go();
    common::advance(&mut simulation, 0.5);
    assert!(momentum(simulation.model(), simulation.state()).distance(gained) < 1e-9);
}

fn a_led_pin_arrives_and_stays(equip: Method) {
    let mut simulation = start(pinned(equip));
    let to = [DVec3::new(0.06, 0.05, -0.05), DVec3::new(-0.04, 0.03, -0.05)];
    let from = [2, 0].map(|i: usize| simulation.state().positions[i]);
    simulation.lead_pin(0, &to, 0.5).unwrap();
    common::advance(&mut simulation, 0.25);
    for (place, particle) in [2, 0].into_iter().enumerate() {
        let half = (from[place] + to[place]) / 2.0;
        assert!(simulation.state().positions[particle].distance(half) < 1e-12);
    }
    for time in [0.5, 0.75] {
        common::advance(&mut simulation, time);
        for (place, particle) in [2, 0].into_iter().enumerate() {
            assert!(simulation.state().positions[particle].distance(to[place]) < 1e-12, "{time}");
        }
    }
}

fn a_led_pin_stays_where_it_is_after_a_restore(equip: Method) {
    let mut simulation = start(pinned(equip));
    let to = [DVec3::new(0.06, 0.05, -0.05), DVec3::new(-0.04, 0.03, -0.05)];
    simulation.lead_pin(0, &to, 0.125).unwrap();
    common::advance(&mut simulation, 0.25);
    let snapshot = simulation.snapshot();
    common::advance(&mut simulation, 0.5);
    let mut fresh = start(pinned(equip));
    fresh.restore(&snapshot).unwrap();
    common::advance(&mut fresh, 0.5);
    let apart = |i: usize| fresh.state().positions[i].distance(simulation.state().positions[i]);
    assert!((0..9).all(|i| apart(i) < 1e-12));
}

fn a_state_parted_with_changes_no_bit(equip: Method) {
    let mut whole = start(pinned(equip));
    let mut parting = start(pinned(equip));
    for frame in 1..5 {
        let time = f64::from(frame) / 60.0;
        common::advance(&mut whole, time);
        common::advance(&mut parting, time);
        let (place, before) = (parting.state().positions.as_ptr(), parting.snapshot());
        let kept = parting.part_with_state();
        assert_eq!((kept.positions.as_ptr(), kept), (place, before.state));
        assert_eq!(parting.snapshot(), whole.snapshot());
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut simulation = start(pinned(|setup| setup));
    let refused = simulation.set_forces(&[DVec3::X]);
    assert_eq!(refused, Err(SetupError::ForceCount { forces: 1, particles: 9 }));
    let refused = simulation.set_forces(&[DVec3::NAN; 9]);
    assert_eq!(refused, Err(SetupError::ForceNotFinite { particle: 0 }));
    assert_eq!(simulation.lead_pin(1, &[], 1.0), Err(SetupError::NoSuchPin { pin: 1, pins: 1 }));
    let mut lead = |to: &[DVec3], until| match simulation.lead_pin(0, to, until) {
        Err(SetupError::Pin { pin: 0, problem }) => problem,
        other => panic!("{other:?}"),
    };
    let count = PinProblem::LeadCount { places: 1, particles: 2 };
    assert_eq!(lead(&[DVec3::X], 1.0), count);
    assert_eq!(lead(&[DVec3::X; 2], 0.0), PinProblem::LeadTime { until: 0.0, now: 0.0 });
    let lost = lead(&[DVec3::X, DVec3::INFINITY], 1.0);
    assert_eq!(lost, PinProblem::LeadNotFinite { particle: 0 });
}
