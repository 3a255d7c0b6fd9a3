//! Limits, self-contact, solids, friction and pins at once: every frame keeps all of them.

use crate::common::{self, on_threads};
use glam::DVec3;
use taffeta::{
    Fabric, Limiter, Mesh, Model, Pin, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid,
    StrainLimits, Strips, Tube,
};

const COTTON: Fabric = Fabric { shear: 50.0, bending: 1e-5, bend: 0.0, ..common::SOFT };
const LIMIT: f64 = 0.01;

#[derive(Clone, Copy, Debug)]
enum Cloth {
    Springs,
    Continuum,
}

fn kept(mesh: &Mesh, cloth: Cloth, solids: Vec<Solid>) -> Setup {
    let model = match cloth {
        Cloth::Springs => Model::mass_spring(mesh, &COTTON),
        Cloth::Continuum => Model::continuum(mesh, &COTTON),
    };
    Setup {
        limits: Some(StrainLimits { extension: LIMIT, compression: None }),
        limiter: Limiter::Strips(Strips::default()),
        self_contact: Some(SelfContact { thickness: 0.004, friction: 0.3 }),
        solids,
        ..common::explicit(Setup::new(model.unwrap(), mesh.positions.clone()))
    }
}

pub fn solid(shape: Shape, at: DVec3) -> Solid {
    Solid { thickness: 0.003, friction: 0.4, ..Solid::resting(shape, Pose::at(at)) }
}

/// A sheet over a shape, somewhat askew.
fn draped(cloth: Cloth, shape: Shape) -> Setup {
    let mesh = Sheet { width: 0.6, height: 0.6, columns: 25, rows: 25 }.mesh();
    let mut setup = kept(&mesh, cloth, vec![solid(shape, DVec3::Y * -0.17)]);
    setup.positions.iter_mut().for_each(|p| *p += DVec3::new(0.02, 0.0, 0.013));
    setup
}

/// Runs and asserts that every frame keeps every promise; returns the fastest particle's speed.
pub fn keeps_everything(setup: Setup, seconds: f64) -> f64 {
    let limit = setup.limits.unwrap().extension;
    let mut simulation = Simulation::new(setup).unwrap();
    for frame in 1..=(seconds * 30.0) as u32 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        assert_eq!(tally.over_limit, 0, "frame {frame}: {}", tally.worst_excess);
        let strain = simulation.strain().extension;
        assert!(strain <= limit, "frame {frame}: {strain}");
        assert!(simulation.intersections().is_empty(), "frame {frame}");
        for solid in &simulation.setup().solids {
            let state = simulation.state();
            let deepest =
                solid.depths(&state.positions, state.time).into_iter().fold(-1.0, f64::max);
            assert!(deepest < 1e-9, "frame {frame}: {deepest} m inside");
        }
    }
    simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max)
}

#[test]
fn sheets_over_solids_keep_everything() {
    let shapes = [
        Shape::Sphere { radius: 0.15 },
        Shape::Cylinder { radius: 0.15, length: 0.3 },
        Shape::Box { size: DVec3::new(0.3, 0.3, 0.25) },
    ];
    for shape in shapes {
        for cloth in [Cloth::Springs, Cloth::Continuum] {
            let fastest = keeps_everything(draped(cloth, shape.clone()), 2.0);
            assert!(fastest < 0.6, "{shape:?} {cloth:?}: {fastest} m/s");
        }
    }
}

/// A tube that falls on its open end and folds up in rings, and one that is wrung.
#[test]
fn tubes_keep_everything() {
    let tube = Tube { radius: 0.1, length: 0.4, columns: 20, rows: 21, ..Tube::default() };
    let mut falls =
        kept(&tube.mesh(), Cloth::Continuum, vec![solid(Shape::Plane { drawn: 1.0 }, DVec3::ZERO)]);
    falls.positions.iter_mut().for_each(|p| p.y += 0.21 + 0.02 * p.x);
    keeps_everything(falls, 1.5);
    let mut held = kept(&tube.mesh(), Cloth::Springs, Vec::new());
    held.pins = vec![Pin::fixed(tube.ring(20))];
    keeps_everything(held, 1.0);
}

#[test]
fn cloth_dropped_in_a_heap_keeps_everything_and_comes_to_rest() {
    let mesh = Sheet { width: 0.4, height: 0.4, columns: 25, rows: 25 }.mesh();
    let mut setup =
        kept(&mesh, Cloth::Continuum, vec![solid(Shape::Plane { drawn: 1.0 }, DVec3::ZERO)]);
    for p in &mut setup.positions {
        *p = DVec3::new(p.x, 0.23 + p.z, 0.01 * libm::sin(9.0 * p.x) + 0.02 * p.z);
    }
    let fastest = keeps_everything(setup, 3.0);
    assert!(fastest < 0.2, "{fastest} m/s");
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_when_resumed() {
    let setup = || draped(Cloth::Continuum, Shape::Sphere { radius: 0.15 });
    let frames = |simulation: &mut Simulation, from: u32| {
        for frame in from..=24 {
            common::advance(simulation, f64::from(frame) / 30.0);
        }
        simulation.snapshot()
    };
    let run = || frames(&mut Simulation::new(setup()).unwrap(), 1);
    let alone = on_threads(1, run);
    for threads in [2, 4, 8] {
        assert_eq!(on_threads(threads, run), alone, "{threads} threads");
    }
    let mut first = Simulation::new(setup()).unwrap();
    for frame in 1..=12 {
        common::advance(&mut first, f64::from(frame) / 30.0);
    }
    assert!(!first.state().contacts.is_empty());
    let mut resumed = Simulation::new(setup()).unwrap();
    common::advance(&mut resumed, 0.1);
    resumed.restore(&first.snapshot()).unwrap();
    assert_eq!(frames(&mut resumed, 13), alone);
}
