//! Hands from outside: they pull as strongly as they are and no more, and what they change while a
//! simulation goes on is as if it had been so.

use crate::common;
use glam::DVec3;
use taffeta::{
    Air, Fabric, Fan, Hand, HandGrip, ImplicitEuler, Integrator, Limiter, Loads, Model, Motion,
    Pin, Pose, Setup, SetupError, Shape, Sheet, Simulation, Solid, StrainLimits, Strips,
};

/// A hanging square of 9 × 9 particles.
fn hanging(implicit: bool) -> Setup {
    let sheet = Sheet { width: 0.4, height: 0.4, columns: 9, rows: 9 };
    let mesh = sheet.mesh();
    let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
    let mut setup = common::explicit(Setup::new(model, mesh.positions));
    setup.pins.push(Pin::fixed(0..9));
    setup.limits = Some(StrainLimits { extension: 0.01, compression: None });
    if implicit {
        setup.integrator = Integrator::Implicit(ImplicitEuler::default());
        setup.limiter = Limiter::Constraints(taffeta::Constraints::default());
    } else {
        setup.limiter = Limiter::Strips(Strips::default());
    }
    setup
}

fn hand_at(simulation: &Simulation, particle: u32, strength: f64) -> Hand {
    let place = simulation.state().positions[particle as usize];
    let grips = vec![HandGrip { particle, offset: DVec3::ZERO, share: 1.0 }];
    Hand { grips, place, stiffness: 500.0, damping: 1.0, strength }
}

fn advance(simulation: &mut Simulation, frames: u32) {
    for _ in 0..frames {
        let next = simulation.state().time + 1.0 / 30.0;
        simulation.advance_to(next).unwrap();
    }
}

#[test]
fn a_hand_brings_cloth_along_within_its_limits_and_never_pulls_harder_than_it_can() {
    for implicit in [false, true] {
        let mut simulation = Simulation::new(hanging(implicit)).unwrap();
        simulation.take_hold(Some(hand_at(&simulation, 76, 20.0))).unwrap();
        for frame in 1..=30 {
            // Far beyond what the cloth can follow.
            let to = simulation.state().positions[76] + DVec3::new(0.5, -2.0, 1.0);
            let until = simulation.state().time + 1.0 / 30.0;
            simulation.lead_hand(to, until).unwrap();
            advance(&mut simulation, 1);
            let (force, strain) = (simulation.hand_force().length(), simulation.strain().extension);
            assert!(force <= 20.0 + 1e-9, "frame {frame}: {force} N");
            assert!(strain < 0.0101, "frame {frame}: {strain}, implicit {implicit}");
        }
        assert!(simulation.hand_force().length() > 1.0);
        assert!(simulation.state().velocities.iter().all(|v| v.length() < 20.0));
        simulation.take_hold(None).unwrap();
        assert_eq!(simulation.hand_force(), DVec3::ZERO);
    }
}

#[test]
fn a_hand_holds_a_weight_with_the_force_of_the_weight() {
    // All of a free cloth in a hand that stands still.
    let mut setup = hanging(true);
    (setup.pins, setup.limits) = (Vec::new(), None);
    let mass: f64 = setup.model.masses().iter().sum();
    let mut simulation = Simulation::new(setup).unwrap();
    let mut hand = hand_at(&simulation, 40, 20.0);
    let x = simulation.state().positions.clone();
    let grip = |i: u32| HandGrip { particle: i, offset: x[i as usize] - x[40], share: 1.0 / 81.0 };
    hand.grips = (0..81).map(grip).collect();
    simulation.take_hold(Some(hand)).unwrap();
    advance(&mut simulation, 90);
    let force = simulation.hand_force();
    assert!((force.y - 9.81 * mass).abs() < 0.01 * 9.81 * mass, "{force} for {mass} kg");
}

#[test]
fn going_on_with_the_same_setup_changes_nothing() {
    for implicit in [false, true] {
        let [mut one, mut other] = [0, 1].map(|_| Simulation::new(hanging(implicit)).unwrap());
        advance(&mut one, 6);
        advance(&mut other, 6);
        other.go_on_with(hanging(implicit)).unwrap();
        advance(&mut one, 6);
        advance(&mut other, 6);
        assert_eq!(one.snapshot(), other.snapshot(), "implicit {implicit}");
    }
}

#[test]
fn pins_solids_and_fabrics_come_and_go_while_it_goes_on() {
    let mut simulation = Simulation::new(hanging(true)).unwrap();
    advance(&mut simulation, 10);
    let now = simulation.state().time;
    let before = simulation.state().positions[80];
    let mut setup = hanging(true);
    setup.pins.push(Pin { from: now, ..Pin::fixed([80]) });
    setup.solids.push(Solid::resting(Shape::Sphere { radius: 0.05 }, Pose::at(DVec3::Z * 3.0)));
    simulation.go_on_with(setup).unwrap();
    advance(&mut simulation, 10);
    assert!(simulation.state().positions[80].distance(before) < 1e-9, "the new pin holds");
    assert_eq!(simulation.setup().solids.len(), 1);
    let denim = taffeta::Preset::named("denim").unwrap().fabric;
    let mesh = Sheet { width: 0.4, height: 0.4, columns: 9, rows: 9 }.mesh();
    let heavy = Setup { model: Model::mass_spring(&mesh, &denim).unwrap().into(), ..hanging(true) };
    simulation.go_on_with(heavy).unwrap();
    advance(&mut simulation, 10);
    assert!(simulation.state().positions[80].distance(before) > 1e-3, "the pin is gone");
}

#[test]
fn another_cloth_is_refused_and_nothing_has_changed() {
    let mut simulation = Simulation::new(hanging(true)).unwrap();
    advance(&mut simulation, 3);
    let before = simulation.snapshot();
    let mesh = Sheet { width: 0.4, height: 0.4, columns: 5, rows: 5 }.mesh();
    let small = Setup::new(Model::mass_spring(&mesh, &Fabric::default()).unwrap(), mesh.positions);
    assert!(simulation.go_on_with(small).is_err());
    assert_eq!(simulation.snapshot(), before);
    assert_eq!(simulation.cut(&[0]), Err(SetupError::CutNeedsTearing));
    let moved = simulation.move_solid(3, Motion::still());
    assert_eq!(moved, Err(SetupError::NoSuchSolid { solid: 3, solids: 0 }));
    let bad = Loads { gravity: DVec3::NAN, ..Loads::default() };
    assert!(simulation.set_loads(bad).is_err());
    assert_eq!(simulation.setup().loads, Loads::default());
    let hand = hand_at(&simulation, 3, f64::NAN);
    assert_eq!(simulation.take_hold(Some(hand)), Err(SetupError::HandNotFinite));
}

#[test]
fn a_fan_blows_at_the_cloth_before_it() {
    let mut simulation = Simulation::new(hanging(true)).unwrap();
    advance(&mut simulation, 60);
    let air = Some(Air { density: 1.2, drag: 1.2, wind: DVec3::ZERO });
    let low = simulation.state().positions[76];
    let direction = DVec3::Z;
    let fan = Fan { place: low - direction * 0.5, direction, speed: 10.0, radius: 0.2 };
    simulation.set_loads(Loads { air, fan: Some(fan), ..Loads::default() }).unwrap();
    advance(&mut simulation, 30);
    assert!(simulation.state().positions[76].z > low.z + 0.02);
}
