//! Newton's method solves the steps of backward Euler: the equations hold at their end, stiff
//! cloth keeps its length in long steps, pins hold exactly, and what does not converge is told.

use crate::common::{self, Dice, square, start};
use glam::DVec3;
use taffeta::measure::centre_of_mass;
use taffeta::{
    Fabric, Hold, ImplicitEuler, Integrator, Mesh, Model, Motion, Newton, Pin, Setup, Simulation,
    Solver,
};

const STIFF: f64 = 1e4;

fn setup(mesh: &Mesh, fabric: &Fabric, newton: Newton) -> Setup {
    let model = Model::continuum(mesh, fabric).unwrap();
    let implicit = ImplicitEuler { newton: Some(newton), ..ImplicitEuler::default() };
    let integrator = Integrator::Implicit(implicit);
    Setup { integrator, ..Setup::new(model, mesh.positions.clone()) }
}

/// A stiff sheet that falls from horizontal, held by two corners, at steps of 1/30 s.
fn falling(newton: Newton) -> Setup {
    let fabric = Fabric { stretch: STIFF, ..Fabric::default() };
    let mut setup = setup(&square(31).mesh(), &fabric, newton);
    setup.pins = vec![Pin::fixed([0, 30])];
    setup
}

#[test]
fn a_stiff_sheet_keeps_its_length_in_long_steps() {
    let mut simulation = start(falling(Newton { tolerance: 0.02, max_iterations: 100 }));
    let (mut worst, mut iterations): (f64, u32) = (0.0, 0);
    for frame in 1..=30 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        assert_eq!((tally.steps, tally.rejected, tally.newton_unconverged), (1, 0, 0), "{frame}");
        worst = worst.max(simulation.strain().extension);
        iterations += tally.newton;
        let height = centre_of_mass(simulation.model(), &simulation.state().positions).y;
        assert!(frame != 15 || (height + 0.505).abs() < 0.01, "{height} m after half a second");
    }
    assert!(worst < 0.012, "{worst}");
    assert!(iterations < 10 * 30, "{iterations} iterations in 30 steps");
}

/// M Δv/h = loads − ∇E at the end of the step, for every free particle.
fn left_over(before: &Simulation, velocities: &[DVec3], h: f64) -> f64 {
    let (model, at) = (before.model(), &before.state().positions);
    let mut forces: Vec<DVec3> =
        model.masses().iter().map(|m| before.setup().loads.gravity * *m).collect();
    for membrane in model.membranes() {
        let local = membrane.derivatives(&membrane.corners.map(|c| at[c as usize]));
        for (corner, gradient) in membrane.corners.iter().zip(local.gradient) {
            forces[*corner as usize] -= gradient;
        }
    }
    let bending = model.bending().unwrap();
    let mut memory = bending.memory().unwrap();
    for (hinge, moment) in bending.hinges().iter().zip(bending.moments(at, &mut memory)) {
        let local = hinge.derivatives(&hinge.corners.map(|c| at[c as usize]), *moment);
        for (corner, gradient) in hinge.corners.iter().zip(local.gradient) {
            forces[*corner as usize] -= gradient;
        }
    }
    (1..forces.len())
        .map(|i| {
            let change = before.state().velocities[i] - velocities[i];
            (change * (model.masses()[i] / h) - forces[i]).length()
        })
        .fold(0.0, f64::max)
}

#[test]
fn the_equations_hold_at_the_end_of_the_step() {
    let fabric = Fabric {
        stretch: 300.0,
        bending: 1e-4,
        stretch_damping: 0.0,
        shear_damping: 0.0,
        bend_damping: 0.0,
        ..Fabric::default()
    };
    let mesh = square(7).mesh();
    let mut setup = setup(&mesh, &fabric, Newton { tolerance: 1e-11, max_iterations: 1000 });
    let mut dice = Dice(4);
    setup.positions.iter_mut().for_each(|p| *p += dice.vector() * 0.02);
    setup.pins = vec![Pin::fixed([0])];
    setup.step.max_stretch_change = 10.0;
    let mut simulation = start(setup);
    for step in 1..=5 {
        let velocities = simulation.state().velocities.clone();
        let tally = common::advance(&mut simulation, f64::from(step) / 60.0);
        assert_eq!((tally.steps, tally.newton_unconverged), (1, 0));
        let left = left_over(&simulation, &velocities, 1.0 / 60.0);
        // Particles weigh 5 g: the forces are some 0.05 N and more.
        assert!(left < 1e-7, "{left} N");
    }
}

#[test]
fn pins_hold_exactly_and_carry_the_weight() {
    let mesh = square(9).mesh();
    for iterations in [1, 3, 100] {
        let newton = Newton { tolerance: 1e-6, max_iterations: iterations };
        let mut setup = setup(&mesh, &Fabric { stretch: 400.0, ..Fabric::default() }, newton);
        let solver = Solver::Pcg { tolerance: 1e-9, max_iterations: 2 };
        if iterations < 100 {
            let implicit = ImplicitEuler { solver, newton: Some(newton) };
            setup.integrator = Integrator::Implicit(implicit);
        }
        let carry = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::new(0.0, 0.2, 0.1))]);
        let plane = DVec3::new(1.0, 2.0, 0.5).normalize();
        setup.pins = vec![
            Pin::fixed([0]),
            Pin { motion: carry, ..Pin::fixed([8]) },
            Pin { hold: Hold::Plane(plane), ..Pin::fixed([40]) },
        ];
        setup.step.max_stretch_change = 1.0;
        let mut simulation = start(setup);
        common::advance(&mut simulation, 0.5);
        let at = |i: usize| simulation.state().positions[i] - mesh.positions[i];
        assert_eq!(at(0), DVec3::ZERO);
        assert!(at(8).distance(DVec3::new(0.0, 0.1, 0.05)) < 1e-15);
        assert!(at(40).dot(plane).abs() < 1e-15);
        if iterations == 100 {
            common::advance(&mut simulation, 6.0);
            let held: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
            assert!((held.y / (0.2 * 9.81) - 1.0).abs() < 1e-2, "{held}");
        }
    }
}

#[test]
fn steps_that_do_not_converge_are_counted() {
    let mut simulation = start(falling(Newton { tolerance: 1e-9, max_iterations: 2 }));
    let tally = common::advance(&mut simulation, 0.2);
    assert!(tally.newton_unconverged == tally.steps && tally.steps >= 6, "{tally:?}");
    assert_eq!(tally.newton, 2 * tally.steps);
}

#[test]
fn impossible_settings_are_refused() {
    for (tolerance, max_iterations) in [(0.0, 5), (f64::NAN, 5), (1e-3, 0)] {
        let setup = falling(Newton { tolerance, max_iterations });
        assert_eq!(setup.problems().len(), 1, "{tolerance} {max_iterations}");
    }
}
