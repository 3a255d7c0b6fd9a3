//! Strips: inextensible cloth by impulses along acyclic parts (BB08).

use crate::common::{self, Dice, farthest, on_threads, square, start, triangulated};
use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{
    Fabric, Hold, Limiter, Mesh, Model, Pin, Setup, SetupError, Sheet, Simulation, StrainLimits,
    Strips, Tally,
};

/// Cloth that shears and bends easily; the strips keep its edges.
const SUPPLE: Fabric =
    Fabric { stretch: 8000.0, shear: 0.3, bend: 0.01, bending: 1e-5, ..common::SOFT };

fn strips(mesh: &Mesh, extension: f64, max_iterations: u32) -> Setup {
    let mut setup = common::cloth(mesh, &SUPPLE);
    setup.limits = Some(StrainLimits { extension, compression: None });
    setup.limiter = Limiter::Strips(Strips { max_iterations });
    setup.step.max = 1.0 / 480.0;
    setup
}

fn hanging(mesh: &Mesh, corners: [u32; 2], extension: f64, max_iterations: u32) -> Setup {
    let pins = vec![Pin::fixed(corners)];
    Setup { pins, ..strips(mesh, extension, max_iterations) }
}

/// Every frame of 1/30 s up to a time, with what it took.
fn frames(simulation: &mut Simulation, duration: f64, mut look: impl FnMut(&Simulation, &Tally)) {
    for frame in 1..=(duration * 30.0) as u32 {
        let tally = common::advance(simulation, f64::from(frame) / 30.0);
        look(simulation, &tally);
    }
}

#[test]
fn limits_are_kept_where_strips_say_so() {
    let quads = square(21).mesh();
    // Triangles with edges of fixed lengths can only fold: what they allow is found more slowly.
    for (mesh, limit) in [(&quads, 2e-3), (&triangulated(&quads), 0.02)] {
        let mut simulation = start(hanging(mesh, [0, 20], limit, 200));
        let mut sweeps = (0, 0);
        frames(&mut simulation, 1.5, |simulation, tally| {
            let most = simulation.strain().extension;
            assert_eq!((tally.limit_unconverged, tally.over_limit), (0, 0), "{tally:?}");
            assert!(most <= limit + 1e-12, "{most}");
            sweeps = (sweeps.0 + tally.limit_iterations, sweeps.1 + tally.steps);
        });
        assert!(sweeps.0 < 25 * sweeps.1, "{sweeps:?} sweeps in steps");
        // Half a pendulum later the cloth is down.
        let lowest = simulation.state().positions.iter().map(|p| p.y).fold(0.0, f64::min);
        assert!(lowest < -0.7, "{lowest}");
    }
}

#[test]
fn steps_that_end_early_are_counted_and_stay_calm() {
    let mut setup = hanging(&square(15).mesh(), [0, 14], 1e-9, 1);
    setup.step.max = 1.0 / 240.0;
    let (mut simulation, mut worst, mut over) = (start(setup), 0.0_f64, 0);
    let start = simulation.energy().total();
    frames(&mut simulation, 10.0, |simulation, tally| {
        over += tally.over_limit;
        worst = worst.max(simulation.strain().extension);
        let energy = simulation.energy();
        assert!(energy.total() < start + 0.02, "{energy:?} from {start}");
    });
    assert!(over > 0 && worst > 1e-9, "the limit is tighter than one sweep can keep: {worst}");
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn loose_cloth_keeps_its_momentum() {
    for mesh in [square(9).mesh(), triangulated(&square(7).mesh())] {
        // Limits that no step breaks, so that none is discarded: edges are brought to their rest
        // length all the same.
        let mut setup = strips(&mesh, 0.5, 5);
        setup.loads.gravity = DVec3::ZERO;
        setup.step.max_stretch_change = 1.0;
        let mut simulation = start(setup);
        let mut dice = Dice(5);
        common::set_motion(&mut simulation, |_| dice.vector() + DVec3::new(3.0, -1.0, 0.5));
        let before = momenta(&simulation);
        common::step_by_step(&mut simulation, 1.0 / 1024.0, 0.1, |simulation| {
            let now = momenta(simulation);
            assert!(now.0.distance(before.0) < 1e-13, "{} {}", now.0, before.0);
            assert!(now.1.distance(before.1) < 1e-13, "{} {}", now.1, before.1);
        });
        assert!(simulation.state().tensions.iter().any(|tension| *tension > 0.1));
    }
}

/// Linear momentum, and angular momentum about the origin.
fn momenta(simulation: &Simulation) -> (DVec3, DVec3) {
    let (state, masses) = (simulation.state(), simulation.model().masses());
    let each = state.velocities.iter().zip(masses).map(|(v, m)| *v * *m);
    let linear = each.clone().sum();
    (linear, each.zip(&state.positions).map(|(p, x)| x.cross(p)).sum())
}

#[test]
fn cloth_without_strain_falls_freely() {
    let mut simulation = start(strips(&square(6).mesh(), 1e-3, 3));
    let before = simulation.state().positions.clone();
    let tally = common::advance(&mut simulation, 0.5);
    let h = 0.5 / f64::from(tally.steps);
    let fallen = DVec3::new(0.0, -0.5 * 9.81 * 0.5 * (0.5 + h), 0.0);
    let expected: Vec<DVec3> = before.iter().map(|x| *x + fallen).collect();
    assert!(farthest(&simulation.state().positions, &expected) < 1e-12);
}

/// A quad held by one edge is a pendulum as long as the quad.
#[test]
fn a_flap_swings_as_a_pendulum() {
    let angle: f64 = 0.3;
    let sheet = Sheet { width: 0.4, height: 0.5, columns: 2, rows: 2 };
    let off = |h: f64| {
        let mut setup = strips(&sheet.mesh(), 1e-6, 20);
        setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
        for position in &mut setup.positions {
            let along = position.z + 0.25;
            *position = DVec3::new(position.x, -along * libm::cos(angle), along * libm::sin(angle));
        }
        setup.step.max = h;
        let mut simulation = start(setup);
        let (mut before, mut crossing) = (f64::NAN, 0.0);
        common::step_by_step(&mut simulation, h, 0.5, |simulation| {
            let (z, time) = (simulation.state().positions[3].z, simulation.state().time);
            if before > 0.0 && z <= 0.0 {
                crossing = time - h * z / (z - before);
            }
            before = z;
        });
        // A quarter of the period, whose series in the amplitude is cut after the fourth power.
        let series = 1.0 + angle.powi(2) / 16.0 + 11.0 * angle.powi(4) / 3072.0;
        let quarter = 0.5 * std::f64::consts::PI * (0.5_f64 / 9.81).sqrt() * series;
        (crossing / quarter - 1.0).abs()
    };
    let (coarse, fine) = (off(1.0 / 256.0), off(1.0 / 1024.0));
    assert!(coarse < 0.02 && fine < 0.005 && fine < 0.5 * coarse, "{coarse} {fine}");
}

/// A slack strip hangs as a cosh, and its pins pull as the ends of a catenary do.
#[test]
fn a_slack_strip_hangs_as_a_catenary() {
    let sheet = Sheet { width: 0.05, height: 1.0, columns: 2, rows: 41 };
    let (length, span) = (1.0, 0.7_f64);
    let mut setup = strips(&sheet.mesh(), 1e-3, 10);
    let drop = (1.0 - (span / length).powi(2)).sqrt();
    for p in &mut setup.positions {
        *p = DVec3::new(p.x, drop * (p.z.abs() - length / 2.0), span * p.z);
    }
    setup.pins =
        vec![Pin::fixed([sheet.edge(SheetEdge::Top), sheet.edge(SheetEdge::Bottom)].concat())];
    let weight = 9.81 * setup.model.masses().iter().sum::<f64>();
    let mut simulation = start(setup);
    common::settle(&mut simulation, 1.0 / 480.0, 6.0);

    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..60 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * libm::sinh(span / (2.0 * a)) > length { low = a } else { high = a }
    }
    let curve = |z: f64| low * (libm::cosh(z / low) - libm::cosh(span / (2.0 * low)));
    let positions = &simulation.state().positions;
    let off = positions.iter().map(|p| (p.y - curve(p.z)).abs()).fold(0.0, f64::max);
    assert!(off < 1e-3, "{off} m off the catenary");
    let right: DVec3 = simulation.pin_forces().filter(|(p, _)| *p > 2).map(|(_, f)| f).sum();
    let expected = DVec3::new(0.0, weight / 2.0, weight * low / length);
    assert!(right.distance(expected) < 0.01 * weight, "{right}, not {expected}");
}

/// Held by a whole edge, every column hangs on its own pin. (Two corners at the full width of cloth
/// that cannot stretch would have to pull without bounds.)
#[test]
fn cloth_at_rest_weighs_on_its_pins() {
    let sheet = square(11);
    let mut setup = strips(&sheet.mesh(), 1e-3, 5);
    setup.pins = vec![Pin::fixed(sheet.edge(SheetEdge::Top))];
    setup.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, -p.z, 0.05 * (p.z + 0.5)));
    let mut simulation = start(setup);
    let weight = 9.81 * simulation.model().masses().iter().sum::<f64>();
    common::settle(&mut simulation, 1.0 / 480.0, 6.0);
    let forces: Vec<DVec3> = simulation.pin_forces().map(|(_, force)| force).collect();
    let pins: DVec3 = forces.iter().sum();
    assert!(pins.distance(DVec3::Y * weight) < 2e-3 * weight, "{pins} holds {weight}");
    let middle = DVec3::Y * (weight / 10.0);
    assert!(forces[5].distance(middle) < 2e-3 * weight, "{} holds {middle}", forces[5]);
    // The tension of a column grows by the weight of what hangs on it, in newtons per metre.
    let edge = simulation.model().gauges().iter().position(|g| g.particles[..2] == [60, 71]);
    let tension = simulation.state().tensions[edge.unwrap()];
    assert!((tension - 0.45 * weight).abs() < 2e-3 * weight, "{tension} under {weight}");
}

#[test]
fn gliders_stay_on_their_rod() {
    let sheet = square(9);
    let mut setup = strips(&sheet.mesh(), 1e-3, 50);
    let rod = DVec3::X;
    let top = sheet.edge(SheetEdge::Top);
    setup.pins = vec![
        Pin { hold: Hold::Line(rod), ..Pin::fixed(top[1..8].iter().copied()) },
        Pin::fixed([top[0], top[8]]),
    ];
    let start_at = setup.positions.clone();
    let mut simulation = start(setup);
    frames(&mut simulation, 1.0, |simulation, tally| {
        assert_eq!(tally.over_limit, 0);
        for &particle in &top {
            let moved =
                simulation.state().positions[particle as usize] - start_at[particle as usize];
            assert!((moved - rod * moved.dot(rod)).length() < 1e-12);
        }
    });
    assert!(simulation.strain().extension <= 1e-3);
}

#[test]
fn the_bits_are_the_same_on_any_number_of_threads() {
    let quads = square(73).mesh();
    for mesh in [&quads, &triangulated(&square(67).mesh())] {
        let run = || {
            let side = if mesh.positions.len() == 73 * 73 { 72 } else { 66 };
            let mut simulation = start(hanging(mesh, [0, side], 1e-3, 3));
            let mut dice = Dice(3);
            common::set_motion(&mut simulation, |_| dice.vector() * 0.1);
            common::advance(&mut simulation, 6.0 / 480.0);
            simulation.snapshot()
        };
        let alone = on_threads(1, run);
        for threads in [2, 4, 8] {
            assert_eq!(on_threads(threads, run), alone, "{threads} threads");
        }
    }
}

#[test]
fn a_resumed_run_is_the_same_run() {
    let setup = || hanging(&square(13).mesh(), [0, 12], 1e-3, 4);
    let mut straight = start(setup());
    common::advance(&mut straight, 0.5);
    let snapshot = straight.snapshot();
    assert!(snapshot.state.tensions.iter().any(|tension| *tension != 0.0));
    common::advance(&mut straight, 1.0);
    let mut resumed = start(setup());
    common::advance(&mut resumed, 0.2);
    resumed.restore(&snapshot).unwrap();
    common::advance(&mut resumed, 1.0);
    assert_eq!(resumed.snapshot(), straight.snapshot());
}

#[test]
fn neither_stretch_nor_shear_bounds_the_step() {
    let bound = |fabric: Fabric| {
        let mut setup = strips(&square(5).mesh(), 1e-3, 5);
        setup.model = Model::mass_spring(&square(5).mesh(), &fabric).unwrap().into();
        setup.pins = vec![Pin::fixed([0, 4])];
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.5);
        simulation.integrator_bound().unwrap().h
    };
    let supple = bound(SUPPLE);
    assert_eq!(bound(Fabric { stretch: 1e7, ..SUPPLE }), supple);
    assert_eq!(bound(Fabric { shear: 500.0, ..SUPPLE }), supple);
    assert_eq!(bound(Fabric { shear: 0.0, bend: 0.0, ..SUPPLE }), supple);
    // Springs over every other particle are explicit still.
    assert!(bound(Fabric { bend: 1e5, ..SUPPLE }) < 0.1 * supple);
}

#[test]
fn what_strips_cannot_do_is_refused() {
    let mesh = square(4).mesh();
    let mut setup = strips(&mesh, 1e-3, 0);
    assert_eq!(setup.problems(), [SetupError::NoSweeps]);
    setup = common::implicit(strips(&mesh, 1e-3, 1));
    assert_eq!(setup.problems(), [SetupError::StripsUnsuited]);
    setup = strips(&mesh, 1e-3, 1);
    setup.model = Model::continuum(&triangulated(&mesh), &SUPPLE).unwrap().into();
    assert!(setup.problems().contains(&SetupError::StripsUnsuited));
}
