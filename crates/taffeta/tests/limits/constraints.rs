//! Implicit steps with everything as constraints: limits, self-contact, solids, friction and pins at
//! once, on any triangle mesh.

use std::sync::Arc;

use super::together::{keeps_everything, solid};
use crate::common::{self, on_threads};
use glam::DVec3;
use taffeta::measure::{angular_momentum, momentum};
use taffeta::solid::SolidMesh;
use taffeta::{
    Constraints, Ease, Fabric, Hold, ImplicitEuler, Integrator, Limiter, Mesh, Model, Motion,
    MotionKey, Newton, Pin, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid, Solver,
    StrainLimits,
};

const COTTON: Fabric =
    Fabric { shear: 50.0, bending: 1e-5, bend: 0.0, bend_damping: 0.01, ..common::SOFT };
const LIMIT: f64 = 0.01;

#[derive(Clone, Copy, Debug)]
enum Cloth {
    Springs,
    Continuum,
}

fn irregular(size: f64, side: u32) -> Mesh {
    Sheet { width: size, height: size, columns: side, rows: side }.irregular_mesh()
}

fn kept(mesh: &Mesh, cloth: Cloth, solids: Vec<Solid>) -> Setup {
    let model = match cloth {
        Cloth::Springs => Model::mass_spring(mesh, &COTTON),
        Cloth::Continuum => Model::continuum(mesh, &COTTON),
    };
    Setup {
        limits: Some(StrainLimits { extension: LIMIT, compression: None }),
        limiter: Limiter::Constraints(Constraints::default()),
        integrator: Integrator::Implicit(ImplicitEuler::default()),
        self_contact: Some(SelfContact { thickness: 0.004, friction: 0.3 }),
        solids,
        ..Setup::new(model.unwrap(), mesh.positions.clone())
    }
}

/// A shape of triangles.
fn faceted(shape: Shape) -> Shape {
    let solid = solid(shape, DVec3::ZERO);
    Shape::Mesh(Arc::new(SolidMesh::new(solid.surface_at(0.0)).unwrap()))
}

fn faceted_ball(radius: f64) -> Shape {
    faceted(Shape::Sphere { radius })
}

fn draped(cloth: Cloth, shape: Shape, side: u32) -> Setup {
    let mesh = irregular(0.6, side);
    let mut setup = kept(&mesh, cloth, vec![solid(shape, DVec3::Y * -0.17)]);
    setup.positions.iter_mut().for_each(|p| *p += DVec3::new(0.02, 0.0, 0.013));
    setup
}

#[test]
fn irregular_sheets_over_solids_keep_everything() {
    let shapes = [
        Shape::Sphere { radius: 0.15 },
        Shape::Box { size: DVec3::new(0.3, 0.3, 0.25) },
        faceted_ball(0.15),
    ];
    for shape in shapes {
        for cloth in [Cloth::Springs, Cloth::Continuum] {
            let fastest = keeps_everything(draped(cloth, shape.clone(), 25), 2.0);
            // From a ball of triangles cloth of springs slides off in the end.
            let falls = matches!((&shape, cloth), (Shape::Mesh(_), Cloth::Springs));
            assert!(fastest < 1.0 || falls, "{cloth:?}: {fastest} m/s");
        }
    }
}

/// By two corners, from horizontal: what limits of a thousandth ask most of.
#[test]
fn tight_limits_are_kept_by_cloth_that_swings() {
    let mut setup = kept(&irregular(0.6, 21), Cloth::Continuum, Vec::new());
    setup.limits = Some(StrainLimits { extension: 1e-3, compression: None });
    setup.pins = vec![Pin::fixed([0, 20])];
    keeps_everything(setup, 1.5);
}

/// Held at two corners, with a ball of triangles that swings through the cloth.
#[test]
fn moving_meshes_and_pins_keep_everything() {
    let mut ball = solid(faceted_ball(0.1), DVec3::new(0.0, -0.3, 0.5));
    let key = |time: f64, z: f64| MotionKey {
        time,
        offset: DVec3::Z * z,
        angle: time,
        ..MotionKey::default()
    };
    let keys = vec![key(0.3, 0.0), key(1.0, -0.9), key(1.6, 0.2)];
    ball.motion = Motion { keys, ease: Ease::Smooth, centre: DVec3::ZERO, axis: DVec3::Y };
    let mut setup = kept(&irregular(0.6, 25), Cloth::Continuum, vec![ball]);
    setup.limits = Some(StrainLimits { extension: 0.02, compression: None });
    setup.pins = vec![Pin::fixed([0, 24])];
    keeps_everything(setup, 1.8);
}

#[test]
fn cloth_dropped_in_a_heap_keeps_everything() {
    let mut setup = kept(
        &irregular(0.4, 25),
        Cloth::Continuum,
        vec![solid(Shape::Plane { drawn: 1.0 }, DVec3::ZERO)],
    );
    for p in &mut setup.positions {
        *p = DVec3::new(p.x, 0.23 + p.z, 0.005 * libm::sin(9.0 * p.x) + 0.02 * p.z);
    }
    let fastest = keeps_everything(setup, 3.0);
    assert!(fastest < 0.3, "{fastest} m/s");
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_when_resumed() {
    for shape in [Shape::Sphere { radius: 0.15 }, faceted_ball(0.15)] {
        let setup = || draped(Cloth::Continuum, shape.clone(), 15);
        let frames = |simulation: &mut Simulation, from: u32| {
            for frame in from..=20 {
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
        assert!(first.contact_forces().len() > 20);
        let mut resumed = Simulation::new(setup()).unwrap();
        common::advance(&mut resumed, 0.1);
        resumed.restore(&first.snapshot()).unwrap();
        assert_eq!(frames(&mut resumed, 13), alone);
    }
}

/// Loose cloth that spins, folds and meets itself keeps both momenta.
#[test]
fn loose_cloth_keeps_its_momenta() {
    for cloth in [Cloth::Springs, Cloth::Continuum] {
        let mut setup = kept(&irregular(0.4, 13), cloth, Vec::new());
        setup.loads.gravity = DVec3::ZERO;
        let mut simulation = Simulation::new(setup).unwrap();
        let x = simulation.state().positions.clone();
        let spin = |p: &DVec3| DVec3::new(0.3 + 2.0 * p.z, 3.0 * p.x, -p.x + libm::sin(9.0 * p.z));
        let velocities: Vec<DVec3> = x.iter().map(spin).collect();
        simulation.set_velocities(&velocities).unwrap();
        let both = |s: &Simulation| {
            (momentum(s.model(), s.state()), angular_momentum(s.model(), s.state()))
        };
        let before = both(&simulation);
        common::advance(&mut simulation, 0.3);
        let after = both(&simulation);
        assert!(after.0.distance(before.0) < 1e-12, "{before:?} {after:?}");
        // A straight step keeps angular momentum about where it begins.
        assert!(after.1.distance(before.1) < 2e-3 * before.1.length(), "{before:?} {after:?}");
    }
}

/// A sheet on a slope: it stays below the angle of friction, and above it slides as Coulomb says.
#[test]
fn a_slope_holds_below_the_angle_of_friction_and_not_above() {
    let plate = Solid::resting(Shape::Box { size: DVec3::new(2.0, 0.2, 2.0) }, Pose::IDENTITY);
    let plate = Shape::Mesh(Arc::new(SolidMesh::new(plate.surface_at(0.0)).unwrap()));
    for floor in
        [solid(Shape::Plane { drawn: 1.0 }, DVec3::Y * -0.003), solid(plate, DVec3::Y * -0.103)]
    {
        slides_as_coulomb_says(&floor);
    }
}

fn slides_as_coulomb_says(floor: &Solid) {
    let slide = |degrees: f64| {
        let angle = degrees.to_radians();
        let floor = floor.clone();
        let mut setup = kept(&irregular(0.3, 13), Cloth::Continuum, vec![floor]);
        setup.loads.gravity = 9.81 * DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
        let middle = |s: &Simulation| {
            let all = &s.state().positions;
            all.iter().map(|p| p.x).sum::<f64>() / all.len() as f64
        };
        let mut simulation = Simulation::new(setup).unwrap();
        let from = middle(&simulation);
        common::advance(&mut simulation, 1.0);
        middle(&simulation) - from
    };
    // arctan 0.4 = 21.8°.
    let held = slide(20.0);
    assert!(held.abs() < 1e-3, "{held} m");
    let angle = 26.0_f64.to_radians();
    let expected = 0.5 * 9.81 * (libm::sin(angle) - 0.4 * libm::cos(angle));
    let slid = slide(26.0);
    assert!((slid / expected - 1.0).abs() < 0.06, "{slid} m, not {expected} m");
}

/// Pins bear the weight of what hangs on them, by conjugate gradients and by a direct solver.
#[test]
fn hanging_cloth_weighs_on_its_pins() {
    for solver in [ImplicitEuler::default().solver, Solver::Direct] {
        let mut setup = kept(&irregular(0.4, 13), Cloth::Continuum, Vec::new());
        setup.integrator = Integrator::Implicit(ImplicitEuler {
            solver,
            newton: Some(Newton { tolerance: 1e-6, max_iterations: 20 }),
        });
        setup.loads.air = Some(taffeta::Air { density: 1.2, drag: 1.0, wind: DVec3::ZERO });
        setup.pins = vec![Pin::fixed([0, 12])];
        let mut simulation = Simulation::new(setup).unwrap();
        common::advance(&mut simulation, 6.0);
        let weight: f64 = simulation.model().masses().iter().sum::<f64>() * 9.81;
        let force: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
        assert!((force.y / weight - 1.0).abs() < 0.02, "{solver:?}: {force} for {weight}");
    }
}

/// Cloth that starts a tenth too long is led back, told of, and does not explode.
#[test]
fn cloth_that_starts_beyond_its_limits_is_led_back() {
    let mut setup = draped(Cloth::Continuum, Shape::Sphere { radius: 0.15 }, 25);
    setup.positions.iter_mut().for_each(|p| p.x *= 1.1);
    let mut simulation = Simulation::new(setup).unwrap();
    let first = common::advance(&mut simulation, 1.0 / 30.0);
    assert!(first.over_limit > 0);
    let tally = common::advance(&mut simulation, 1.0);
    assert!(simulation.strain().extension <= LIMIT, "{}", simulation.strain().extension);
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 5.0, "{fastest} m/s after {tally:?}");
}

/// Cloth that starts partly inside a ball of triangles comes out of it, gently.
#[test]
fn cloth_that_starts_inside_a_mesh_is_led_out() {
    let mut setup = kept(
        &irregular(0.4, 17),
        Cloth::Continuum,
        vec![solid(faceted_ball(0.15), DVec3::Y * -0.145)],
    );
    setup.limits = Some(StrainLimits { extension: 0.05, compression: None });
    let mut simulation = Simulation::new(setup).unwrap();
    let inside = |s: &Simulation| {
        let depths = s.setup().solids[0].depths(&s.state().positions, s.state().time);
        depths.into_iter().filter(|depth| *depth > 1e-9).count()
    };
    assert!(inside(&simulation) > 0);
    common::advance(&mut simulation, 1.0);
    assert_eq!(inside(&simulation), 0);
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 2.0, "{fastest} m/s");
}

/// Cloth that starts on a floor, or a little below it, comes to lie on it.
#[test]
fn cloth_on_a_floor_stays_on_it() {
    let block = Shape::Box { size: DVec3::new(1.0, 0.2, 1.0) };
    let solids = [
        solid(Shape::Plane { drawn: 1.0 }, DVec3::ZERO),
        solid(block.clone(), DVec3::Y * -0.1),
        solid(faceted(block), DVec3::Y * -0.1),
    ];
    for floor in solids {
        for height in [0.0, -5e-4, 1e-9] {
            let mut setup = kept(&irregular(0.4, 9), Cloth::Continuum, vec![floor.clone()]);
            setup.positions.iter_mut().for_each(|p| p.y = height);
            let mut simulation = Simulation::new(setup).unwrap();
            common::advance(&mut simulation, 0.5);
            let lowest =
                simulation.state().positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.0 && lowest < 0.004, "{lowest} m from {height} m");
            assert!(simulation.touching() > 60, "{}", simulation.touching());
        }
    }
}

/// Pins that slide along a line do not undo what keeps limits.
#[test]
fn limits_are_kept_at_pins_that_slide() {
    let mut setup = kept(&irregular(0.5, 16), Cloth::Continuum, Vec::new());
    setup.pins = vec![Pin { hold: Hold::Line(DVec3::X), ..Pin::fixed(0..16) }];
    keeps_everything(setup, 1.0);
}

/// Cloth just above a floor, in steps of 1/512 s.
fn on_floor() -> Setup {
    let plane = Solid::resting(Shape::Plane { drawn: 1.0 }, Pose::IDENTITY);
    let mut setup =
        kept(&irregular(0.5, 7), Cloth::Continuum, vec![Solid { friction: 0.4, ..plane }]);
    setup.positions.iter_mut().for_each(|p| p.y += 1e-3);
    setup.step.max = 1.0 / 512.0;
    setup
}

/// What hits a floor at a slant loses friction's share of its normal velocity along the floor.
#[test]
fn friction_takes_its_part_of_an_impact() {
    let mut setup = on_floor();
    setup.loads.gravity = DVec3::ZERO;
    setup.positions.iter_mut().for_each(|p| p.y += 0.1);
    let mut simulation = Simulation::new(setup).unwrap();
    common::set_motion(&mut simulation, |_| DVec3::new(3.0, -2.0, 0.0));
    common::advance(&mut simulation, 0.2);
    for v in &simulation.state().velocities {
        assert!((v.x - (3.0 - 0.4 * 2.0)).abs() < 0.06 * 0.4 * 2.0, "{v}");
        assert!(v.y > 0.0 && v.y < 0.2, "{v}");
    }
}

#[test]
fn sliding_cloth_slows_by_coulombs_law_and_stops_for_good() {
    let setup = on_floor();
    let began = setup.positions[24];
    let mut simulation = Simulation::new(setup).unwrap();
    let along = DVec3::new(0.6, 0.0, 0.8);
    common::set_motion(&mut simulation, |_| along);
    common::advance(&mut simulation, 0.1);
    let v = simulation.state().velocities[24];
    assert!(v.distance(along * (1.0 - 0.4 * 9.81 * 0.1)) < 0.01, "{v}");
    common::advance(&mut simulation, 0.5);
    let way = 1.0 / (2.0 * 0.4 * 9.81);
    let off = simulation.state().positions[24] - began - along * way;
    assert!(off.length() < 0.05 * way, "{off}");
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{fastest} m/s");
}

/// Two floors close on the cloth, and open again.
#[test]
fn cloth_without_room_between_solids_is_told() {
    let mut setup = on_floor();
    let down = glam::DMat3::from_rotation_x(std::f64::consts::PI);
    let lid = Pose { turn: down, ..Pose::at(DVec3::Y * 0.02) };
    let lid = Solid::resting(Shape::Plane { drawn: 1.0 }, lid);
    let keys = [(0.0, 0.0), (0.2, -0.0185), (0.4, 0.0)].map(|(t, y)| (t, DVec3::Y * y));
    setup.solids.push(Solid { motion: Motion::path(keys), ..lid });
    let particles = setup.positions.len() as u32;
    let mut simulation = Simulation::new(setup).unwrap();
    assert_eq!(common::advance(&mut simulation, 0.1).pinched, 0);
    let tally = common::advance(&mut simulation, 0.2);
    assert_eq!(tally.pinched, particles);
    assert!(tally.pinch.is_some_and(|pinch| pinch.particle < particles));
    for x in &simulation.state().positions {
        assert!((x.y - 0.00075).abs() < 2e-4, "{x}");
    }
    let tally = common::advance(&mut simulation, 0.6);
    assert!(tally.pinched > 0 && simulation.state().positions.iter().all(|p| p.y > 9e-4));
}

/// Momentum grows by weight and pins, whose forces know what projections would have moved.
#[test]
fn pins_bear_what_limits_need() {
    let mut setup = kept(&irregular(0.5, 9), Cloth::Continuum, Vec::new());
    setup.self_contact = None;
    setup.integrator = common::implicit(setup.clone()).integrator;
    setup.pins = vec![Pin::fixed([0, 8])];
    let weight = 9.81 * setup.model.masses().iter().sum::<f64>();
    let checked = common::momentum_grows_by_pins_and_weight(setup, 1.0 / 512.0, 1e-6 * weight);
    assert!(checked > 200, "only {checked} steps");
}
