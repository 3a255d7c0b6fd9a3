//! Several cloths in one model: apart they behave as alone, and on each other they keep off.

use crate::common::{self, on_threads};
use glam::DVec3;
use taffeta::{
    Constraints, Fabric, ImplicitEuler, Integrator, Limiter, Mesh, Model, ModelError, OfCloth, Pin,
    SelfContact, Setup, SetupError, Sheet, Simulation, Solver, State, StepLimits, StrainLimits,
    Strips,
};

const COTTON: Fabric = Fabric { bending: 1e-5, bend: 0.0, bend_damping: 0.01, ..common::SOFT };
const HEAVY: Fabric = Fabric { density: 0.4, bending: 1e-4, stretch: 9000.0, ..COTTON };

fn sheet(size: f64, side: u32) -> Mesh {
    Sheet { width: size, height: size, columns: side, rows: side }.mesh()
}

fn limits(extension: f64) -> StrainLimits {
    StrainLimits { extension, compression: None }
}

fn model(mesh: &Mesh, fabric: &Fabric, continuum: bool) -> Model {
    match continuum {
        true => Model::continuum(mesh, fabric).unwrap(),
        false => Model::mass_spring(mesh, fabric).unwrap(),
    }
}

/// One sheet that hangs from two corners, moved aside.
fn alone(mesh: &Mesh, fabric: &Fabric, (continuum, at): (bool, DVec3)) -> Setup {
    let side = f64::from(mesh.positions.len() as u32).sqrt() as u32;
    let positions = mesh.positions.iter().map(|p| *p + at).collect();
    Setup {
        pins: vec![Pin::fixed([0, side - 1])],
        ..common::explicit(Setup::new(model(mesh, fabric, continuum), positions))
    }
}

/// The same two sheets as one setup.
fn both(parts: [&Setup; 2]) -> Setup {
    let named = ["left", "right"].into_iter().zip(parts);
    let named = named.map(|(name, part)| (name.into(), Model::clone(&part.model))).collect();
    let first = parts[0].positions.len() as u32;
    let mut pins = parts[0].pins.clone();
    pins.extend(parts[1].pins.iter().cloned().map(|mut pin| {
        pin.particles.iter_mut().for_each(|particle| *particle += first);
        pin
    }));
    let positions = [&parts[0].positions[..], &parts[1].positions].concat();
    let setup = Setup::new(Model::together(named).unwrap(), positions);
    common::explicit(Setup { pins, ..setup })
}

fn after(setup: &Setup, time: f64) -> State {
    let mut simulation = Simulation::new(setup.clone()).unwrap();
    simulation.advance_to(time).unwrap();
    simulation.state().clone()
}

/// How far particles are from where they are alone.
fn apart(together: &State, alone: [&State; 2]) -> f64 {
    let alone = alone[0].positions.iter().chain(&alone[1].positions);
    let far = together.positions.iter().zip(alone).map(|(a, b)| a.distance(*b));
    far.fold(0.0, f64::max)
}

#[test]
fn cloths_that_do_not_meet_are_as_alone_to_the_last_bit_in_explicit_steps() {
    let mesh = sheet(0.4, 9);
    let one = alone(&mesh, &COTTON, (false, DVec3::ZERO));
    let other = alone(&mesh, &COTTON, (false, DVec3::X * 2.0));
    let together = after(&both([&one, &other]), 0.2);
    let (one, other) = (after(&one, 0.2), after(&other, 0.2));
    assert_eq!(together.positions, [one.positions, other.positions].concat());
    assert_eq!(together.velocities, [one.velocities, other.velocities].concat());
}

#[test]
fn cloths_that_do_not_meet_are_as_alone_to_round_off_in_implicit_steps() {
    for continuum in [false, true] {
        let solved = |setup: Setup| Setup {
            integrator: Integrator::Implicit(ImplicitEuler {
                solver: Solver::Direct,
                ..ImplicitEuler::default()
            }),
            // Steps are shared: none may be cut short for one of the cloths.
            step: StepLimits { max: 1.0 / 480.0, max_stretch_change: 10.0, ..setup.step },
            ..setup
        };
        let (small, large) = (sheet(0.3, 7), sheet(0.4, 9));
        let one = alone(&small, &COTTON, (continuum, DVec3::ZERO));
        let other = alone(&large, &HEAVY, (continuum, DVec3::X * 2.0));
        let together = after(&solved(both([&one, &other])), 0.1);
        let off = apart(&together, [&after(&solved(one), 0.1), &after(&solved(other), 0.1)]);
        assert!(off < 1e-9, "continuum {continuum}: {off}");
    }
}

#[test]
fn every_cloth_keeps_its_own_limits() {
    let mesh = sheet(0.4, 9);
    let soft = Fabric { stretch: 30.0, ..COTTON };
    let one = alone(&mesh, &soft, (true, DVec3::ZERO));
    let other = alone(&mesh, &soft, (true, DVec3::X * 2.0));
    let contact = SelfContact { thickness: 1e-3, friction: 0.3 };
    let own = [0.01, 0.04].map(|limit| OfCloth { limits: limits(limit), contact });
    let setup = Setup {
        limits: Some(limits(0.04)),
        limiter: Limiter::Constraints(Constraints::default()),
        integrator: Integrator::Implicit(ImplicitEuler::default()),
        of_cloths: own.to_vec(),
        ..both([&one, &other])
    };
    let mut simulation = Simulation::new(setup).unwrap();
    let mut worst = [0.0_f64; 2];
    for frame in 1..=15 {
        let tally = simulation.advance_to(f64::from(frame) / 30.0).unwrap();
        assert_eq!(tally.over_limit, 0, "frame {frame}");
        let (model, positions) = (simulation.model(), &simulation.state().positions);
        for (cloth, worst) in model.cloths().iter().zip(&mut worst) {
            let gauges = cloth.gauges.start as usize..cloth.gauges.end as usize;
            let strains = model.gauges()[gauges].iter().map(|gauge| gauge.strain(positions));
            *worst = strains.fold(*worst, f64::max);
        }
    }
    assert!(worst[0] <= 0.01 && worst[0] > 0.005, "{worst:?}");
    assert!(worst[1] <= 0.04 && worst[1] > 0.015, "{worst:?}");
}

/// A small heavy sheet that falls onto a large one, which hangs at four corners.
fn layers() -> Setup {
    let (large, small) = (sheet(0.6, 13), sheet(0.3, 8));
    let models = vec![
        ("sheet".to_string(), model(&large, &COTTON, true)),
        ("patch".to_string(), model(&small, &HEAVY, true)),
    ];
    let above = small.positions.iter().map(|p| *p + DVec3::new(0.013, 0.03, 0.007));
    let contact = |thickness: f64| SelfContact { thickness, friction: 0.3 };
    let own = |thickness: f64| OfCloth { limits: limits(0.03), contact: contact(thickness) };
    Setup {
        limits: Some(limits(0.03)),
        limiter: Limiter::Constraints(Constraints::default()),
        integrator: Integrator::Implicit(ImplicitEuler::default()),
        self_contact: Some(contact(0.004)),
        of_cloths: vec![own(0.004), own(0.008)],
        pins: vec![Pin::fixed([0, 12, 156, 168])],
        ..Setup::new(
            Model::together(models).unwrap(),
            large.positions.iter().copied().chain(above).collect(),
        )
    }
}

#[test]
fn layers_of_different_fabrics_keep_off_each_other_on_any_number_of_threads() {
    let run = || {
        let mut simulation = Simulation::new(layers()).unwrap();
        for frame in 1..=20 {
            simulation.advance_to(f64::from(frame) / 30.0).unwrap();
            assert_eq!(simulation.intersections().len(), 0, "frame {frame}");
        }
        simulation.state().clone()
    };
    let state = on_threads(1, run);
    let heights = |range: std::ops::Range<usize>| {
        let all = state.positions[range].iter().map(|p| p.y);
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
    };
    let patch = heights(169..233);
    assert!(patch[0] > -0.3 && patch[1] < 0.03, "it fell, and was caught: {patch:?}");
    assert_eq!(state.positions, on_threads(4, run).positions);
}

#[test]
fn a_run_of_layers_is_taken_up_from_a_snapshot_to_the_same_bits() {
    let mut whole = Simulation::new(layers()).unwrap();
    whole.advance_to(0.3).unwrap();
    let kept = whole.snapshot();
    whole.advance_to(0.4).unwrap();
    let mut resumed = Simulation::new(layers()).unwrap();
    resumed.restore(&kept).unwrap();
    resumed.advance_to(0.4).unwrap();
    assert_eq!(resumed.state(), whole.state());
}

#[test]
fn what_cannot_be_together_is_refused() {
    let mesh = sheet(0.4, 5);
    let (springs, continuum) = (model(&mesh, &COTTON, false), model(&mesh, &COTTON, true));
    let mixed = Model::together(vec![("skirt".into(), continuum), ("belt".into(), springs)]);
    let names = ModelError::Mixed { continuum: "skirt".into(), springs: "belt".into() };
    assert_eq!(mixed.unwrap_err(), names);
    let one = alone(&mesh, &COTTON, (false, DVec3::ZERO));
    let other = alone(&mesh, &HEAVY, (false, DVec3::X));
    let strips = Setup {
        limits: Some(limits(0.01)),
        limiter: Limiter::Strips(Strips::default()),
        ..both([&one, &other])
    };
    assert!(strips.problems().contains(&SetupError::ClothsDiffer));
    let contact = SelfContact { thickness: 1e-3, friction: 0.3 };
    let own = vec![OfCloth { limits: limits(0.1), contact }];
    let counted = Setup { of_cloths: own, ..both([&one, &other]) };
    assert!(counted.problems().contains(&SetupError::ClothCount { given: 1, cloths: 2 }));
}
