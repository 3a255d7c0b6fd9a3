//! Step control: violence is met with shorter steps, hopelessness with an error that says where,
//! and the state is always the last good one.

use crate::common::{self, DAMPED, Dice, Method, cloth, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::{Air, Motion, Pin, Setup, SetupError, Simulation, State, StepError};

for_each_integrator!(
    a_jerk_is_taken_in_shorter_steps,
    every_step_keeps_the_stretch_limit,
    a_jump_gives_up_at_the_last_good_step,
    forces_beyond_all_numbers_give_up,
    a_velocity_that_is_no_number_is_refused,
    endless_retries_give_up,
    whatever_the_loads_the_state_is_finite,
);

/// Cloth whose first corner is moved by 5 cm within a time, from 0.1 s on.
fn jerked(equip: Method, within: f64) -> Simulation {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    let jerk = Motion::path([(0.1, DVec3::ZERO), (0.1 + within, DVec3::Y * 0.05)]);
    setup.pins = vec![Pin { motion: jerk, ..Pin::fixed([0]) }, Pin::fixed([4])];
    setup.step.max_stretch_change = 0.01;
    start(setup)
}

fn is_finite(state: &State) -> bool {
    state.positions.iter().chain(&state.velocities).all(|vector| vector.is_finite())
}

fn a_jerk_is_taken_in_shorter_steps(equip: Method) {
    let mut simulation = jerked(equip, 0.01);
    let calm = common::advance(&mut simulation, 0.05);
    assert_eq!(calm.rejected, 0);
    let violent = common::advance(&mut simulation, 0.15);
    assert!(violent.rejected > 0 && violent.h_min < 0.5 * simulation.longest_step());
    // Once it is calm again the steps are as long as ever.
    common::advance(&mut simulation, 3.0);
    let calm = common::advance(&mut simulation, 3.1);
    assert!(calm.h_max > 0.9 * simulation.longest_step(), "{calm:?}");
}

/// Seen from outside, at more times than there are steps.
fn every_step_keeps_the_stretch_limit(equip: Method) {
    let mut simulation = jerked(equip, 0.01);
    let gauges = simulation.model().gauges().to_vec();
    let strains = |state: &State| -> Vec<f64> {
        gauges.iter().map(|gauge| gauge.strain(&state.positions)).collect()
    };
    let mut before = strains(simulation.state());
    for moment in 1..1000 {
        let tally = common::advance(&mut simulation, f64::from(moment) * 2e-4);
        let now = strains(simulation.state());
        let change = now.iter().zip(&before).map(|(n, b)| (n - b).abs()).fold(0.0, f64::max);
        assert!(change < 0.010_001 * f64::from(tally.steps), "{change} in {} steps", tally.steps);
        before = now;
    }
}

fn a_jump_gives_up_at_the_last_good_step(equip: Method) {
    let mut simulation = jerked(equip, 1e-9);
    let result = simulation.advance_to(0.2);
    let Err(error @ StepError::Stretch { at, change, time, h }) = result else {
        unreachable!("{result:?}");
    };
    assert!(at.particles.contains(&0), "{at}");
    assert!(change > 0.01 && h >= 1e-8, "{change} in {h} s");
    assert!((0.09..=0.1).contains(&time));
    assert_eq!(simulation.state().time, time);
    assert!(is_finite(simulation.state()));
    assert_eq!(simulation.state().positions[0], simulation.setup().positions[0], "not moved yet");
    let weight = 9.81 * simulation.model().masses().iter().sum::<f64>();
    assert!(simulation.pin_forces().all(|(_, force)| force.length() < 10.0 * weight));
    // It is the last good step for good, and a look at it harms nothing.
    let kept = simulation.state().clone();
    assert!(simulation.advance_to(0.2).is_err());
    assert_eq!(*simulation.state(), kept);
    let message = error.to_string();
    assert!(message.contains("step.max_stretch_change") && message.contains("0.1"), "{message}");
}

fn forces_beyond_all_numbers_give_up(equip: Method) {
    let mut setup = equip(cloth(&square(3).mesh(), &DAMPED));
    setup.pins = vec![Pin::fixed([0])];
    setup.loads.gravity = DVec3::new(0.0, -f64::MAX, 0.0);
    let mut simulation = start(setup);
    let error = simulation.advance_to(0.1);
    let refused = matches!(error, Err(StepError::NotFinite { .. } | StepError::Unsolvable { .. }));
    assert!(refused, "{error:?}");
    assert_eq!(simulation.state().time, 0.0);
    assert!(is_finite(simulation.state()));
}

/// What is no number never gets into the state.
fn a_velocity_that_is_no_number_is_refused(equip: Method) {
    for pins in [vec![], vec![Pin::fixed([4])]] {
        let setup = equip(cloth(&square(3).mesh(), &DAMPED));
        let mut simulation = start(Setup { pins, ..setup });
        let mut velocities = simulation.state().velocities.clone();
        velocities[4].y = f64::NAN;
        let error = simulation.set_velocities(&velocities);
        assert_eq!(error, Err(SetupError::StartNotFinite { particle: 4 }));
        assert!(is_finite(simulation.state()));
    }
}

fn endless_retries_give_up(equip: Method) {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    setup.pins = vec![Pin::fixed([0, 4])];
    setup.step.max_stretch_change = 1e-6;
    setup.step.max_per_frame = 200;
    let mut simulation = start(setup);
    let error = simulation.advance_to(0.2);
    assert!(matches!(error, Err(StepError::TooManyRetries { limit: 200, .. })), "{error:?}");
    assert!(simulation.state().time > 0.0 && is_finite(simulation.state()));
}

/// Good or bad, an end of a run is never a state of nonsense.
fn whatever_the_loads_the_state_is_finite(equip: Method) {
    let dice = &mut Dice(11);
    let mut failures = 0;
    for _ in 0..60 {
        let mut setup: Setup = equip(cloth(&square(4).mesh(), &DAMPED));
        let violence = libm::pow(10.0, 1.0 + 9.0 * dice.number().abs());
        setup.loads.gravity = dice.vector() * violence;
        setup.loads.air =
            Some(Air { density: 1.2, drag: 1.1, wind: dice.vector() * violence.sqrt() });
        setup.pins = vec![Pin::fixed([dice.throw() as u32 % 16])];
        setup.step.max_per_frame = 2000;
        let mut simulation = start(setup);
        let result = simulation.advance_to(0.05);
        failures += u32::from(result.is_err());
        assert!(is_finite(simulation.state()), "{violence}: {result:?}");
        assert_eq!(result.is_ok(), simulation.state().time == 0.05);
    }
    assert!((5..55).contains(&failures), "{failures} of 60 failed: too tame, or too wild");
}

/// A bound of the explicit step: too stiff for the frame is known before the first step.
#[test]
fn too_stiff_for_the_frame_is_refused_at_once() {
    let fabric = taffeta::Fabric { stretch: 1e12, ..DAMPED };
    let mut simulation = start(cloth(&square(5).mesh(), &fabric));
    let before = simulation.snapshot();
    let error = simulation.advance_to(1.0);
    let Err(StepError::TooManySteps { needed, limit, h, particle, mass, stiffness }) = error else {
        unreachable!("{error:?}");
    };
    assert_eq!((limit, h), (100_000, simulation.longest_step()));
    assert!((needed * h - 1.0).abs() < 1e-5 && needed > 1e5);
    let model = simulation.model();
    let springs = model.springs().iter().filter(|spring| spring.ends.contains(&particle));
    assert_eq!(mass, model.masses()[particle as usize]);
    let sum: f64 = springs.map(|spring| spring.stiffness).sum();
    assert!((stiffness / sum - 1.0).abs() < 1e-12);
    assert_eq!(simulation.snapshot(), before);
}

/// Nor can a time that is none be reached.
#[test]
fn no_step_leads_to_a_time_that_is_not_finite() {
    for time in [f64::NAN, f64::INFINITY] {
        let mut simulation = start(cloth(&square(3).mesh(), &DAMPED));
        let error = simulation.advance_to(time);
        assert!(matches!(error, Err(StepError::TooManySteps { .. })), "{error:?}");
        assert_eq!(simulation.state().time, 0.0);
    }
}
