//! Particles on curves and surfaces: on them to round-off in every step, free along them without
//! loss, carried along when they move, and held by forces that account for the motion.

use crate::common::{self, DAMPED, Method, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::measure::momentum;
use taffeta::{
    Curve, Fabric, Guide, Hold, ImplicitEuler, Integrator, Model, Motion, MotionKey, Pin, Setup,
    Sheet, Solver,
};

for_each_integrator!(
    a_bead_on_a_circle_swings_like_a_pendulum,
    particles_stay_on_guides_that_move,
    momentum_grows_by_what_guides_push,
    the_end_of_a_curve_stops_what_comes_along,
);

fn on(guide: Guide, particles: impl IntoIterator<Item = u32>) -> Pin {
    Pin { hold: Hold::Guide(guide), ..Pin::fixed(particles) }
}

/// A rod that curves: a spline through a few points near the far border of a sheet.
fn rod() -> Guide {
    let points = [(-0.6, 0.0), (-0.2, 0.06), (0.2, 0.06), (0.6, 0.0)];
    let point = |(x, y): (f64, f64)| DVec3::new(x, y, -0.5);
    Guide::Curve(Curve::new(points.map(point).to_vec(), true, false))
}

/// Every particle of a small sheet on a circle of its own: the sheet swings as one.
fn a_bead_on_a_circle_swings_like_a_pendulum(equip: Method) {
    let mesh = Sheet { width: 0.1, height: 0.1, columns: 2, rows: 2 }.mesh();
    let (radius, swing) = (0.25, 0.1f64);
    let mut setup = equip(common::cloth(&mesh, &DAMPED));
    let circle = |i: u32| {
        let centre = mesh.positions[i as usize];
        on(Guide::Circle { centre, axis: DVec3::Z, radius }, [i])
    };
    setup.pins = (0..4).map(circle).collect();
    let (sin, cos) = libm::sincos(swing);
    setup.positions.iter_mut().for_each(|p| *p += DVec3::new(sin, -cos, 0.0) * radius);
    let implicit = matches!(setup.integrator, Integrator::Implicit(_));
    setup.step.max = 1.0 / 4096.0;
    let mut simulation = start(setup);
    // Half a period, corrected for the finite swing.
    let half = std::f64::consts::PI * (radius / 9.81).sqrt() * (1.0 + swing * swing / 16.0);
    common::advance(&mut simulation, half);
    let offset = simulation.state().positions[0] - mesh.positions[0];
    let angle = libm::atan2(offset.x, -offset.y);
    // Backward Euler loses some of the swing, at first order in the step.
    let lost = if implicit { 0.01 } else { 1e-4 };
    assert!((angle + swing).abs() < lost * swing, "{angle}");
    assert!((offset.length() - radius).abs() < 1e-15);
}

fn particles_stay_on_guides_that_move(equip: Method) {
    let sheet = square(7);
    let mesh = sheet.mesh();
    let mut setup = equip(common::cloth(&mesh, &DAMPED));
    let keys = vec![
        MotionKey::default(),
        MotionKey { time: 0.4, offset: DVec3::new(0.1, 0.2, 0.05), angle: 0.8, scale: 1.0 },
    ];
    let turning = Motion { keys, axis: DVec3::new(0.0, 0.6, 0.8), ..Motion::still() };
    let ball = Guide::Sphere { centre: DVec3::new(0.0, -0.3, 0.0), radius: 0.3 };
    let roller =
        Guide::Cylinder { centre: DVec3::new(0.0, -0.2, 0.5), axis: DVec3::X, radius: 0.2 };
    setup.pins = vec![
        Pin { motion: turning.clone(), ..on(rod(), 0..7) },
        Pin { motion: turning.clone(), ..on(ball.clone(), [sheet.particle(3, 3)]) },
        Pin {
            motion: turning.clone(),
            until: 77.0 / 256.0,
            ..on(roller.clone(), [sheet.particle(3, 6)])
        },
    ];
    setup.step.max = 1.0 / 256.0;
    setup.step.max_stretch_change = 0.2;
    let mut simulation = start(setup);
    common::step_by_step(&mut simulation, 1.0 / 256.0, 0.4, |simulation| {
        let state = simulation.state();
        let off = |guide: &Guide, particle: u32| {
            let body = turning.body_point(state.positions[particle as usize], state.time);
            guide.nearest(body).place.distance(body)
        };
        assert!((0..7).all(|particle| off(&rod(), particle) < 1e-14), "{} s", state.time);
        assert!(off(&ball, sheet.particle(3, 3)) < 1e-14);
        let on_roller = off(&roller, sheet.particle(3, 6)) < 1e-14;
        assert_eq!(on_roller, state.time < 77.5 / 256.0, "{} s", state.time);
    });
}

/// Step by step, Δp = h·(weight + pin forces): turning a velocity takes a force.
fn momentum_grows_by_what_guides_push(equip: Method) {
    let sheet = square(6);
    let mut setup = equip(common::cloth(&sheet.mesh(), &DAMPED));
    let circle = Guide::Circle { centre: DVec3::new(0.0, 0.5, -0.5), axis: DVec3::Z, radius: 0.7 };
    setup.pins = vec![on(circle, [0, 5])];
    let h = 1.0 / 512.0;
    setup.step.max = h;
    setup.step.max_stretch_change = 1.0;
    let weight = setup.loads.gravity * setup.model.masses().iter().sum::<f64>();
    let mut simulation = start(setup);
    let mut before = DVec3::ZERO;
    common::step_by_step(&mut simulation, h, 0.5, |simulation| {
        let now = momentum(simulation.model(), simulation.state());
        let pins: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
        let pushed = (weight + pins) * h;
        let (off, tolerance) =
            ((now - before).distance(pushed), common::round_off(simulation.setup()));
        assert!(off < tolerance, "{off} at {} s", simulation.state().time);
        before = now;
    });
}

/// A sheet slides down rails that end.
fn the_end_of_a_curve_stops_what_comes_along(equip: Method) {
    let mesh = Sheet { width: 0.1, height: 0.1, columns: 2, rows: 2 }.mesh();
    let mut setup = equip(common::cloth(&mesh, &DAMPED));
    let down = DVec3::new(0.4, -0.3, 0.0);
    let rail = |i: u32| {
        let from = mesh.positions[i as usize];
        on(Guide::Curve(Curve::new(vec![from, from + down], false, false)), [i])
    };
    setup.pins = (0..4).map(rail).collect();
    setup.step.max = 1.0 / 512.0;
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.25);
    let slid = simulation.state().positions[0] - mesh.positions[0];
    // Without friction, ½ g sin α t² along the rail.
    assert!((slid.length() / (0.5 * 9.81 * 0.6 * 0.0625) - 1.0).abs() < 0.01, "{slid}");
    common::advance(&mut simulation, 1.0);
    for i in 0..4 {
        assert!(simulation.state().positions[i].distance(mesh.positions[i] + down) < 1e-14);
        assert_eq!(simulation.state().velocities[i], DVec3::ZERO);
    }
    let held: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
    let weight = 9.81 * simulation.model().masses().iter().sum::<f64>();
    assert!(held.distance(DVec3::Y * weight) < 1e-9 * weight, "{held}");
}

/// A curtain on a curved rod, with solves that are cut short.
#[test]
fn guides_hold_exactly_whatever_the_iteration_count() {
    let mesh = square(11).mesh();
    for solver in [1, 2, 5]
        .map(|max_iterations| Solver::Pcg { tolerance: 1e-9, max_iterations })
        .into_iter()
        .chain([Solver::Direct])
    {
        let fabric = Fabric { stretch: 300.0, ..Fabric::default() };
        let model = Model::continuum(&mesh, &fabric).unwrap();
        let mut setup = Setup::new(model, mesh.positions.clone());
        setup.integrator = Integrator::Implicit(ImplicitEuler { solver, newton: None });
        setup.pins = vec![on(rod(), 0..11)];
        setup.step.max = 1.0 / 240.0;
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.25);
        let mut slid = 0.0f64;
        for i in 0..11 {
            let place = simulation.state().positions[i];
            assert!(rod().nearest(place).place.distance(place) < 1e-15, "{solver:?}");
            slid = slid.max((place.x - mesh.positions[i].x).abs());
        }
        assert!(slid > 1e-4, "{solver:?}: nothing slid");
    }
}
