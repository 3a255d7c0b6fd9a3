//! Golden bits: the same scene gives the same bits on any number of threads, at any level of
//! optimisation, on any machine.
//!
//! A change that means to change the motion changes these hashes, in the same commit and with a
//! reason; the failing test prints the new ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{DAMPED, cloth, on_threads, square, start, triangulated};
use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::woven::{Strength, Tearing, Weave, Woven};
use taffeta::{
    Air, Constraints, Ease, ExplicitEuler, Fabric, Hold, ImplicitEuler, Integrator, Limiter, Mesh,
    Model, Motion, MotionKey, Pin, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid,
    State, StrainLimits, Strips, Sweeps,
};
use xxhash_rust::xxh3::Xxh3;

const AIR: Air = Air { density: 1.2, drag: 1.1, wind: DVec3::new(1.0, 0.5, 3.0) };

/// The hash of every bit of the positions, then of the velocities.
fn hash(state: &State) -> u64 {
    let mut hash = Xxh3::new();
    for number in state.positions.iter().chain(&state.velocities).flat_map(DVec3::to_array) {
        hash.update(&number.to_bits().to_le_bytes());
    }
    hash.digest()
}

/// Runs a scene afresh on 1, 2, 4 and 8 threads.
fn assert_golden(golden: u64, run: impl Fn() -> Simulation + Sync) {
    for threads in [1, 2, 4, 8] {
        let found = on_threads(threads, || hash(run().state()));
        assert_eq!(found, golden, "on {threads} threads: {found:#018x}, not {golden:#018x}");
    }
}

/// A grid with pins that turn, slide, take hold and let go, in the wind, and steps refused.
fn grid() -> Simulation {
    let sheet = Sheet { width: 1.0, height: 0.7, columns: 23, rows: 17 };
    let mut setup = cloth(&sheet.mesh(), &DAMPED);
    let keys = vec![
        MotionKey { time: 0.05, ..MotionKey::default() },
        MotionKey { time: 0.3, offset: DVec3::new(0.1, 0.2, 0.0), angle: 0.9, scale: 1.0 },
    ];
    let motion =
        Motion { keys, ease: Ease::Smooth, axis: DVec3::new(0.0, 0.6, 0.8), ..Motion::still() };
    let rail = Hold::Line(DVec3::new(0.3, 0.1, 1.0));
    setup.pins = vec![
        Pin { motion, until: 0.4, ..Pin::fixed(sheet.edge(SheetEdge::Left)) },
        Pin { hold: rail, from: 0.1, ..Pin::fixed([sheet.particle(22, 16)]) },
    ];
    setup.loads.air = Some(AIR);
    setup.step.max_stretch_change = 0.02;
    let mut simulation = start(setup);
    let tally = common::advance(&mut simulation, 0.5);
    assert!(tally.rejected > 0, "step control belongs to the bits");
    simulation
}

/// Triangles by two corners.
fn triangles() -> Simulation {
    let sheet = square(15);
    let mut setup = cloth(&triangulated(&sheet.mesh()), &DAMPED);
    setup.pins = vec![Pin::fixed([0, 14])];
    setup.loads.air = Some(AIR);
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.5);
    simulation
}

/// A sheet so large that every loop over it is shared among threads.
fn large() -> Simulation {
    let mut setup = cloth(&square(120).mesh(), &DAMPED);
    setup.pins = vec![Pin::fixed([0, 119])];
    setup.loads.air = Some(AIR);
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.002);
    simulation
}

#[test]
fn a_grid_with_moving_pins_in_the_wind() {
    assert_golden(0xf8d4_cd81_f3b7_6615, grid);
}

/// Implicit steps factor matrices with a library that uses what the processor offers, so their
/// bits may differ between processors, but not between numbers of threads.
#[test]
fn an_implicit_continuum_does_not_see_the_threads() {
    let run = || {
        let mesh = square(60).mesh();
        let model = Model::continuum(&mesh, &DAMPED).unwrap();
        let mut setup = common::implicit(Setup::new(model, mesh.positions));
        setup.pins = vec![Pin::fixed([0, 59])];
        setup.loads.air = Some(AIR);
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.1);
        simulation
    };
    let alone = on_threads(1, || hash(run().state()));
    for threads in [2, 4, 8] {
        assert_eq!(on_threads(threads, || hash(run().state())), alone, "on {threads} threads");
    }
}

#[test]
fn a_triangle_mesh() {
    assert_golden(0x84f9_8d7e_65de_93e8, triangles);
}

#[test]
fn a_sheet_shared_among_threads() {
    assert_golden(0xb4e9_1e8f_daf6_777e, large);
}

/// A sheet that falls on a ball and the floor beside it, with limits, self-contact and friction.
fn draped(mesh: &Mesh, limiter: Limiter, integrator: Integrator) -> Setup {
    let model = Model::mass_spring(mesh, &DAMPED).unwrap();
    let solid = |shape: Shape, y: f64| Solid {
        thickness: 0.004,
        friction: 0.4,
        ..Solid::resting(shape, Pose::at(DVec3::new(0.03, y, 0.01)))
    };
    Setup {
        limits: Some(StrainLimits { extension: 0.02, compression: None }),
        limiter,
        integrator,
        self_contact: Some(SelfContact { thickness: 0.01, friction: 0.3 }),
        solids: vec![
            solid(Shape::Sphere { radius: 0.3 }, -0.32),
            solid(Shape::Plane { drawn: 1.0 }, -0.5),
        ],
        ..Setup::new(model, mesh.positions.clone())
    }
}

fn run(setup: Setup, time: f64) -> Simulation {
    let mut simulation = start(setup);
    common::advance(&mut simulation, time);
    assert!(!simulation.state().contacts.is_empty(), "contacts belong to the bits");
    simulation
}

#[test]
fn strips_with_contact() {
    let limiter = Limiter::Strips(Strips::default());
    let setup = draped(&square(21).mesh(), limiter, ExplicitEuler::default().into());
    assert_golden(0x616a_3293_4b1a_b5d5, || run(setup.clone(), 0.5));
}

#[test]
fn constraints_with_contact() {
    let limiter = Limiter::Constraints(Constraints::default());
    let integrator = Integrator::Implicit(ImplicitEuler::default());
    let setup = draped(&triangulated(&square(21).mesh()), limiter, integrator);
    assert_golden(0x2854_940f_d661_bd82, || run(setup.clone(), 0.5));
}

/// A strip of woven cloth that is pulled apart in explicit steps: yarns tear, crossings split.
fn torn() -> Simulation {
    let along = |n: u32| f64::from(n - 1) / 1200.0;
    let sheet = Sheet { width: along(24), height: along(12), columns: 24, rows: 12 };
    let fabric = Fabric {
        density: 0.25,
        stretch: 0.1,
        shear: 0.02,
        bend: 0.0,
        thickness: 1e-4,
        ..Fabric::default()
    };
    let model = Model::mass_spring(&sheet.mesh(), &fabric).unwrap();
    let tearing = Tearing { strength: Strength::Strain([0.02, 0.05]), ..Tearing::default() };
    let woven = Woven::new(model.clone(), &sheet, (Weave::plain(), 1e-4), tearing).unwrap();
    let mut setup = common::explicit(Setup::new(model, sheet.mesh().positions));
    let apart = Motion::path([(0.0, DVec3::ZERO), (0.1, DVec3::new(0.004, 0.0, 0.002))]);
    setup.pins = vec![
        Pin::fixed(sheet.edge(SheetEdge::Left)),
        Pin { motion: apart, ..Pin::fixed(sheet.edge(SheetEdge::Right)) },
    ];
    setup.woven = Some(woven);
    setup.limits = Some(StrainLimits { extension: 1e-3, compression: None });
    setup.limiter = Limiter::Sweeps(Sweeps::default());
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.1);
    let frays = simulation.frays().unwrap();
    assert!(frays.torn > 5 && frays.split > 0, "{frays:?}: tearing belongs to the bits");
    simulation
}

#[test]
fn tearing() {
    assert_golden(0xa845_a447_f98f_ee1e, torn);
}

/// Solvers with a library's factors: the same bits on any number of threads.
#[test]
fn tensions_and_contact_of_implicit_steps_do_not_see_the_threads() {
    let integrator = Integrator::Implicit(ImplicitEuler::default());
    let limited = draped(&square(13).mesh(), Limiter::default(), integrator);
    let free = Setup { limits: None, ..limited.clone() };
    for setup in [limited, free] {
        let alone = on_threads(1, || hash(run(setup.clone(), 0.3).state()));
        for threads in [2, 4, 8] {
            let found = on_threads(threads, || hash(run(setup.clone(), 0.3).state()));
            assert_eq!(found, alone, "on {threads} threads");
        }
    }
}

/// Sums over the whole cloth have one order too.
#[test]
fn measures_of_a_large_sheet() {
    let simulation = large();
    let measure = || (simulation.energy(), simulation.strain());
    let alone = measure();
    assert_eq!(
        alone.0.total().to_bits(),
        0xbecd_b161_3957_1e58,
        "{:#018x}",
        alone.0.total().to_bits()
    );
    for threads in [1, 2, 4, 8] {
        assert_eq!(on_threads(threads, measure), alone, "{threads} threads");
    }
}
