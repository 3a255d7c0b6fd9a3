//! Setups that cannot be simulated are refused, each for its own reason.

use crate::common::{DAMPED, cloth, square};
use glam::DVec3;
use taffeta::{
    Air, ExplicitEuler, Fabric, Hold, Integrator, Motion, MotionKey, Pin, PinProblem, Setup,
    SetupError, Simulation, StepLimits,
};

const NAN: DVec3 = DVec3::NAN;

/// Why a good setup is refused after a change.
fn refused(change: impl FnOnce(&mut Setup)) -> SetupError {
    let mut setup = cloth(&square(4).mesh(), &DAMPED);
    assert_eq!(setup.problems(), []);
    change(&mut setup);
    match Simulation::new(setup) {
        Err(error) => error,
        Ok(_) => unreachable!("accepted"),
    }
}

/// What is wrong with the second of two pins; the first holds particles 0 and 1 for a second.
fn pin_refused(pin: Pin) -> PinProblem {
    let first = Pin { until: 1.0, ..Pin::fixed([0, 1]) };
    match refused(|setup| setup.pins = vec![first, pin]) {
        SetupError::Pin { pin: 1, problem } => problem,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn positions_must_be_finite_and_as_many_as_particles() {
    let error = refused(|setup| setup.positions.truncate(15));
    assert_eq!(error, SetupError::PositionCount { positions: 15, particles: 16 });
    for nowhere in [NAN, DVec3::INFINITY, DVec3::new(0.0, f64::NEG_INFINITY, 0.0)] {
        let error = refused(|setup| setup.positions[7] = nowhere);
        assert_eq!(error, SetupError::StartNotFinite { particle: 7 });
    }
}

#[test]
fn loads_must_be_finite_and_air_not_negative() {
    let load = |change: fn(&mut Air, &mut DVec3)| {
        let error = refused(|setup| {
            let mut air = Air { density: 1.2, drag: 1.0, wind: DVec3::ZERO };
            change(&mut air, &mut setup.loads.gravity);
            setup.loads.air = Some(air);
        });
        match error {
            SetupError::Load { what, .. } => what,
            other => unreachable!("{other:?}"),
        }
    };
    assert_eq!(load(|_, gravity| *gravity = NAN), "gravity");
    assert_eq!(load(|air, _| air.wind.z = f64::INFINITY), "wind");
    assert_eq!(load(|air, _| air.density = -1.0), "the density of air");
    assert_eq!(load(|air, _| air.density = f64::NAN), "the density of air");
    assert_eq!(load(|air, _| air.drag = -0.1), "drag");
    assert_eq!(load(|air, _| air.drag = f64::INFINITY), "drag");
}

#[test]
fn safety_is_a_fraction() {
    for safety in [0.0, -0.5, 1.0 + 1e-9, f64::INFINITY, f64::NAN] {
        let error =
            refused(|setup| setup.integrator = Integrator::Explicit(ExplicitEuler { safety }));
        assert!(matches!(error, SetupError::Safety(_)), "{error:?}");
    }
}

#[test]
fn step_limits_are_positive_and_in_order() {
    let good = StepLimits::default();
    for (limits, field) in [
        (StepLimits { max: f64::INFINITY, ..good }, "max"),
        (StepLimits { max: -1.0, ..good }, "max"),
        (StepLimits { min: 0.0, ..good }, "min"),
        (StepLimits { min: 0.5, max: 0.1, ..good }, "min"),
        (StepLimits { max_stretch_change: f64::NAN, ..good }, "max_stretch_change"),
        (StepLimits { max_per_frame: 0, ..good }, "max_per_frame"),
    ] {
        let error = refused(|setup| setup.step = limits);
        assert!(matches!(error, SetupError::StepLimits(e) if e.field == field), "{error:?}");
    }
}

#[test]
fn stiffness_and_mass_must_allow_a_step() {
    for fabric in [
        Fabric { stretch: f64::MAX, ..DAMPED },
        Fabric { density: f64::MIN_POSITIVE, ..DAMPED },
        Fabric { stretch_damping: f64::MAX, ..DAMPED },
    ] {
        let error = Simulation::new(cloth(&square(3).mesh(), &fabric)).map(|_| "accepted");
        assert!(matches!(error, Err(SetupError::NoStableStep { .. })), "{error:?}");
    }
}

#[test]
fn pins_hold_particles_that_exist_once() {
    assert_eq!(pin_refused(Pin::fixed([])), PinProblem::Empty);
    let beyond = PinProblem::OutOfRange { particle: 16, particles: 16 };
    assert_eq!(pin_refused(Pin::fixed([3, 16])), beyond);
    let twice = |particle, other| PinProblem::HeldTwice { particle, other };
    assert_eq!(pin_refused(Pin::fixed([5, 3, 5])), PinProblem::NamedTwice { particle: 5 });
    assert_eq!(pin_refused(Pin::fixed([3, 1])), twice(1, 0));
    assert_eq!(pin_refused(Pin { from: 0.999, ..Pin::fixed([0]) }), twice(0, 0));
    // One after the other is fine.
    let mut setup = cloth(&square(4).mesh(), &DAMPED);
    let first = Pin { until: 1.0, ..Pin::fixed([0, 1]) };
    setup.pins = vec![first, Pin { from: 1.0, ..Pin::fixed([1, 0]) }];
    assert_eq!(setup.problems(), []);
}

#[test]
fn pins_have_times_in_order() {
    for (from, until) in [(2.0, 1.0), (2.0, 2.0), (f64::INFINITY, f64::INFINITY)] {
        let problem = pin_refused(Pin { from, until, ..Pin::fixed([3]) });
        assert_eq!(problem, PinProblem::Times { from, until });
    }
    for (from, until) in [(f64::NAN, 1.0), (0.0, f64::NAN)] {
        let problem = pin_refused(Pin { from, until, ..Pin::fixed([3]) });
        assert!(matches!(problem, PinProblem::Times { .. }), "{problem:?}");
    }
}

#[test]
fn planes_and_lines_point_somewhere() {
    for nowhere in [DVec3::ZERO, NAN, DVec3::new(1.0, f64::INFINITY, 0.0), DVec3::splat(1e-200)] {
        let held = |hold| pin_refused(Pin { hold, ..Pin::fixed([3]) });
        assert_eq!(held(Hold::Plane(nowhere)), PinProblem::Direction("normal"));
        assert_eq!(held(Hold::Line(nowhere)), PinProblem::Direction("direction"));
    }
}

#[test]
fn motions_turn_about_a_real_axis_along_keys_in_order() {
    let moved = |motion| pin_refused(Pin { motion, ..Pin::fixed([3]) });
    let axis = |axis| moved(Motion { axis, ..Motion::still() });
    assert_eq!(axis(DVec3::ZERO), PinProblem::Direction("axis"));
    assert_eq!(axis(NAN), PinProblem::Direction("axis"));
    assert_eq!(axis(DVec3::new(3.0, 0.0, 4.0)), PinProblem::AxisLength(5.0));
    assert_eq!(moved(Motion { centre: NAN, ..Motion::still() }), PinProblem::Centre);

    let key = |time: f64| MotionKey { time, ..MotionKey::default() };
    let keyed = |keys: Vec<MotionKey>| moved(Motion { keys, ..Motion::still() });
    assert_eq!(keyed(vec![key(0.0), key(1.0), key(0.5)]), PinProblem::Key(2));
    assert_eq!(keyed(vec![key(0.0), key(0.0)]), PinProblem::Key(1));
    assert_eq!(keyed(vec![key(f64::NAN)]), PinProblem::Key(0));
    assert_eq!(keyed(vec![key(0.0), key(f64::INFINITY)]), PinProblem::Key(1));
    assert_eq!(keyed(vec![MotionKey { offset: NAN, ..key(0.0) }]), PinProblem::Key(0));
    assert_eq!(keyed(vec![MotionKey { angle: f64::NAN, ..key(0.0) }]), PinProblem::Key(0));
    assert_eq!(keyed(vec![MotionKey { scale: 0.0, ..key(0.0) }]), PinProblem::Key(0));
}
