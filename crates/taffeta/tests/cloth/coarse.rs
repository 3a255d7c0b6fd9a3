//! Coarse cloth away from tears: as stiff and as heavy as fine cloth, and fine before it tears.

use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::woven::{CoarseCells, Cut, Strength, Tearing, Weave, Woven};
use taffeta::{
    Bend, Ease, ExplicitEuler, Fabric, ImplicitEuler, Integrator, Loads, Model, Motion, MotionKey,
    Newton, Pin, Pose, SelfContact, Setup, SetupError, Shape, Shear, Sheet, Simulation, Solid,
    Solver, SpringKinds, StepLimits, StrainLimits,
};

const SPACING: f64 = 1.0 / 1200.0;
/// Neither side is a whole number of cells.
const COLUMNS: u32 = 24;
const ROWS: u32 = 15;
/// Yarns of a slit.
const SLIT: u32 = 9;

fn cells(size: u32) -> Tearing {
    let coarse = Some(CoarseCells { size, until: 0.6 });
    Tearing { strength: Strength::Force([0.5, 0.6]), coarse, ..Tearing::default() }
}

fn sheet() -> Sheet {
    let along = |n: u32| f64::from(n - 1) * SPACING;
    Sheet { width: along(COLUMNS), height: along(ROWS), columns: COLUMNS, rows: ROWS }
}

/// Free cloth without weight.
fn setup_of(tearing: Tearing, fabric: &Fabric, kinds: SpringKinds) -> Setup {
    let (sheet, weave) = (sheet(), (Weave::plain(), 1e-4));
    let mesh = sheet.mesh();
    let model = Model::mass_spring_of(&mesh, fabric, kinds).unwrap();
    let woven = Woven::new(model.clone(), &sheet, weave, tearing).unwrap();
    let solver = Solver::Direct;
    Setup {
        loads: Loads { gravity: DVec3::ZERO, ..Loads::default() },
        woven: Some(woven),
        integrator: Integrator::Implicit(ImplicitEuler { solver, newton: None }),
        step: StepLimits { max: 1.0 / 240.0, max_stretch_change: 0.5, ..StepLimits::default() },
        ..Setup::new(model, mesh.positions)
    }
}

fn fabric() -> Fabric {
    Fabric {
        density: 0.25,
        thickness: 1e-4,
        stretch: 10_000.0,
        stretch_damping: 1e-4,
        shear: 100.0,
        bend: 0.0,
        ..Fabric::default()
    }
}

fn free(tearing: Tearing) -> Setup {
    setup_of(tearing, &fabric(), SpringKinds::default())
}

/// Its left end held, its right end moved away.
fn pulled(mut setup: Setup, speed: DVec3) -> Setup {
    let key = |time: f64, offset: DVec3| MotionKey { time, offset, ..MotionKey::default() };
    let keys = vec![key(0.0, DVec3::ZERO), key(10.0, speed * 10.0)];
    let motion = Motion { keys, ease: Ease::Linear, ..Motion::still() };
    let right = Pin { motion, ..Pin::fixed(sheet().edge(SheetEdge::Right)) };
    setup.pins = vec![Pin::fixed(sheet().edge(SheetEdge::Left)), right];
    setup
}

fn coarse(simulation: &Simulation) -> u32 {
    simulation.frays().unwrap().coarse
}

fn momenta(simulation: &Simulation) -> [DVec3; 2] {
    let (model, state) = (simulation.model(), simulation.state());
    let mut sums = [DVec3::ZERO; 2];
    for ((mass, x), v) in model.masses().iter().zip(&state.positions).zip(&state.velocities) {
        sums[0] += *v * *mass;
        sums[1] += x.cross(*v) * *mass;
    }
    sums
}

#[test]
fn coarse_cloth_keeps_its_momentum_and_turns_like_fine_cloth() {
    let spin = DVec3::new(0.0, 3.0, 0.5);
    let run = |size: u32| {
        let mut simulation = Simulation::new(free(cells(size))).unwrap();
        // A rigid motion is one that leaders can have.
        let turn = |x: &DVec3| spin.cross(*x) + DVec3::new(0.1, -0.2, 0.3);
        let velocities: Vec<DVec3> = simulation.state().positions.iter().map(turn).collect();
        simulation.set_velocities(&velocities).unwrap();
        let before = momenta(&simulation);
        simulation.advance_to(0.05).unwrap();
        (before, momenta(&simulation), coarse(&simulation))
    };
    let (before, after, following) = run(4);
    assert!(following > 200, "{following}");
    let [linear, angular] = [before[0].length(), before[1].length()];
    assert!((after[0] - before[0]).length() < 1e-12 * linear, "{before:?} {after:?}");
    let (_, fine, none) = run(1);
    assert_eq!(none, 0);
    // Backward Euler brakes what turns; coarse cloth no more than fine cloth.
    let lost = |after: [DVec3; 2]| (after[1] - before[1]).length() / angular;
    assert!((lost(after) - lost(fine)).abs() < 0.05 * lost(fine) + 1e-4, "{after:?} {fine:?}");
}

#[test]
fn coarse_cloth_falls_like_a_stone() {
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let setup = Setup { loads: Loads { gravity, ..Loads::default() }, ..free(cells(4)) };
    let start = setup.positions.clone();
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.advance_to(0.1).unwrap();
    assert!(coarse(&simulation) > 200);
    // Of backward Euler in steps of h: g t (t + h) / 2.
    let fall = gravity * (0.5 * 0.1 * (0.1 + 0.1 / 24.0));
    for (x, x0) in simulation.state().positions.iter().zip(&start) {
        assert!((*x - *x0 - fall).length() < 1e-12, "{x} {x0}");
    }
}

#[test]
fn cells_that_are_coarse_beside_fine_ones_stretch_alike() {
    let kinds = |bend: Bend| SpringKinds { bend, shear: Shear::Compression };
    let bent = Fabric { bend: 50.0, bending: 1e-6, ..fabric() };
    let pcg = Solver::Pcg { tolerance: 1e-6, max_iterations: 1000 };
    for (fabric, kinds, solver) in [
        (fabric(), SpringKinds::default(), Solver::Direct),
        (fabric(), SpringKinds::default(), pcg),
        (bent, SpringKinds::default(), Solver::Direct),
        (bent, kinds(Bend::ChoiKo), Solver::Direct),
    ] {
        let run = |size: u32| {
            let strong = Tearing { strength: Strength::Force([50.0, 60.0]), ..cells(size) };
            let slow = DVec3::new(0.002, 0.0, 0.0007);
            let mut setup = pulled(setup_of(strong, &fabric, kinds), slow);
            setup.integrator = Integrator::Implicit(ImplicitEuler { solver, newton: None });
            let mut simulation = Simulation::new(setup).unwrap();
            simulation.advance_to(0.2).unwrap();
            let force: DVec3 = simulation
                .pin_forces()
                .map(|(p, f)| if p % COLUMNS > 0 { f } else { DVec3::ZERO })
                .sum();
            (simulation.state().positions.clone(), force, coarse(&simulation))
        };
        let ((places, force, following), (fine_places, fine_force, none)) = (run(4), run(1));
        // What the pins hold is fine, the middle is not.
        assert!(none == 0 && following > 100 && following < 250, "{following}");
        assert!((force - fine_force).length() < 0.01 * fine_force.length(), "{force} {fine_force}");
        for (at, fine) in places.iter().zip(&fine_places) {
            assert!(at.distance(*fine) < 0.02 * SPACING, "{at} {fine}");
        }
    }
}

/// The load at which more than so many spans are torn \[N\], and how much is coarse then.
fn onset(setup: Setup, torn: u32) -> (f64, u32) {
    let mut simulation = Simulation::new(setup).unwrap();
    let mut load = 0.0;
    for step in 1..2000 {
        simulation.advance_to(f64::from(step) / 240.0).unwrap();
        if simulation.frays().unwrap().torn > torn {
            return (load, coarse(&simulation));
        }
        let right = simulation.pin_forces().filter(|(p, _)| p % COLUMNS == COLUMNS - 1);
        load = f64::max(load, right.map(|(_, force)| force.x).sum());
    }
    panic!("nothing tore; the load was {load} N");
}

fn assert_alike((load, following): (f64, u32), (fine, none): (f64, u32)) {
    assert!(none == 0 && following > 0, "{following}");
    assert!((load / fine - 1.0).abs() < 0.05, "{load} {fine}");
}

#[test]
fn a_slit_tears_on_at_the_same_load() {
    let middle = |ends: [u32; 2]| ends[0] % COLUMNS == COLUMNS / 2 && ends[1] == ends[0] + 1;
    let run = |size: u32| {
        let setup = free(cells(size));
        let edges = (0u32..).zip(setup.model.structural());
        let slit = edges.filter(|(_, s)| middle(s.ends) && s.ends[0] / COLUMNS < SLIT);
        let cuts = vec![Cut { time: 0.0, edges: slit.map(|(edge, _)| edge).collect() }];
        onset(pulled(free(Tearing { cuts, ..cells(size) }), DVec3::X * 0.004), SLIT)
    };
    assert_alike(run(4), run(1));
}

/// What holds a corner of a cell holds the yarns that cross there, and no others.
#[test]
fn cloth_held_by_a_crossing_tears_at_the_same_load() {
    let run = |size: u32| {
        let mut setup = pulled(free(cells(size)), DVec3::X * 0.004);
        setup.pins[0] = Pin::fixed(vec![0]);
        onset(setup, 0)
    };
    assert_alike(run(4), run(1));
}

#[test]
fn coarse_cloth_that_lands_is_fine_there_and_goes_on_with_the_same_bits() {
    let mut setup = free(cells(4));
    setup.loads = Loads::default();
    let ball = Shape::Sphere { radius: 0.004 };
    let at = DVec3::new(0.001, -0.005, 0.002);
    setup.solids = vec![Solid { thickness: 2e-4, ..Solid::resting(ball, Pose::at(at)) }];
    setup.self_contact = Some(SelfContact { thickness: 1.5e-4, friction: 0.3 });
    let mut one = Simulation::new(setup.clone()).unwrap();
    let start = coarse(&one);
    let mut time = 0.0;
    while one.touching() < 3 {
        time += 1.0 / 240.0;
        assert!(time < 0.2, "nothing touched");
        one.advance_to(time).unwrap();
    }
    assert!(coarse(&one) > 0 && coarse(&one) < start);
    let snapshot = one.snapshot();
    let mut two = Simulation::new(setup).unwrap();
    two.restore(&snapshot).unwrap();
    for simulation in [&mut one, &mut two] {
        simulation.advance_to(time + 0.05).unwrap();
    }
    assert_eq!(one.snapshot(), two.snapshot());
    assert_eq!(one.intersections().len(), 0);
}

#[test]
fn what_splits_is_fine_and_a_run_that_goes_on_has_the_same_bits() {
    let mut setup = pulled(free(cells(4)), DVec3::X * 0.01);
    setup.loads = Loads::default();
    let mut one = Simulation::new(setup.clone()).unwrap();
    let mut time = 0.0;
    let mut least = u32::MAX;
    while one.frays().unwrap().torn < 4 {
        time += 1.0 / 120.0;
        assert!(time < 3.0, "nothing tore");
        one.advance_to(time).unwrap();
        let following = coarse(&one);
        // Never coarser again.
        assert!(following <= least);
        least = following;
    }
    let snapshot = one.snapshot();
    let mut two = Simulation::new(setup).unwrap();
    two.restore(&snapshot).unwrap();
    assert_eq!(two.snapshot(), snapshot);
    assert_eq!(coarse(&two), coarse(&one));
    for simulation in [&mut one, &mut two] {
        simulation.advance_to(time + 0.1).unwrap();
    }
    assert_eq!(one.snapshot(), two.snapshot());
    let mut broken = snapshot.clone();
    broken.tears.as_mut().unwrap().fine.pop();
    assert!(two.restore(&broken).is_err());
}

#[test]
fn cells_that_cannot_be_are_refused() {
    let mesh = sheet().mesh();
    let model = Model::mass_spring(&mesh, &fabric()).unwrap();
    for coarse in [CoarseCells { size: 0, until: 0.5 }, CoarseCells { size: 4, until: 0.95 }] {
        let tearing = Tearing { coarse: Some(coarse), ..Tearing::default() };
        let woven = Woven::new(model.clone(), &sheet(), (Weave::plain(), 1e-4), tearing);
        assert!(matches!(woven, Err(SetupError::CoarseCells { .. })));
    }
    let explicit = Setup { integrator: ExplicitEuler::default().into(), ..free(cells(4)) };
    let newton = Some(Newton { tolerance: 1e-3, max_iterations: 9 });
    let solver = Solver::Direct;
    let newton = Integrator::Implicit(ImplicitEuler { solver, newton });
    let newton = Setup { integrator: newton, ..free(cells(4)) };
    let limits = Some(StrainLimits { extension: 0.1, compression: None });
    let limited = Setup { limits, ..free(cells(4)) };
    let yarns = free(Tearing { all_yarn: true, ..cells(4) });
    for setup in [explicit, newton, limited, yarns] {
        assert!(setup.problems().contains(&SetupError::CoarseCloth), "{:?}", setup.problems());
    }
}
