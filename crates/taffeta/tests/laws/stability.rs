//! Stability: the explicit step's bound holds, and it is not far from the truth.

use crate::common::{self, DAMPED, Dice, SOFT, triangulated, weightless};
use glam::DVec3;
use taffeta::{ExplicitEuler, Fabric, Integrator, Mesh, Setup, Sheet};

/// With nothing but the bound on the step.
fn unbounded(mesh: &Mesh, fabric: &Fabric, safety: f64) -> Setup {
    let mut setup = weightless(mesh, fabric);
    setup.integrator = Integrator::Explicit(ExplicitEuler { safety });
    setup.step.max = 1e3;
    setup.step.max_stretch_change = 1e6;
    setup
}

/// Shakes a cloth a little and lets it tremble for so many of its longest steps; how much the
/// energy has grown at most.
fn growth(setup: Setup, h: f64, steps: u32) -> f64 {
    let mut simulation = common::start(setup);
    let dice = &mut Dice(5);
    common::set_motion(&mut simulation, |_| dice.vector() * 1e-3);
    let before = simulation.energy().total();
    let mut growth: f64 = 0.0;
    for step in 1..=steps {
        if simulation.advance_to(f64::from(step) * h).is_err() {
            return f64::INFINITY;
        }
        growth = growth.max(simulation.energy().total() / before);
    }
    growth
}

fn fabrics() -> [Fabric; 4] {
    let damping_rules = Fabric { stretch_damping: 0.1, shear_damping: 0.3, ..SOFT };
    let stiff_bend = Fabric { bend: 500.0, shear: 200.0, bend_damping: 1e-3, ..SOFT };
    [SOFT, DAMPED, damping_rules, stiff_bend]
}

#[test]
fn the_longest_step_itself_is_stable() {
    let quads = Sheet { width: 1.0, height: 0.6, columns: 9, rows: 8 }.mesh();
    for mesh in [triangulated(&quads), quads] {
        for fabric in fabrics() {
            let setup = unbounded(&mesh, &fabric, 1.0);
            let h = setup.integrator.longest_step(&setup.model, &setup.pulls).unwrap().h;
            // Symplectic Euler wobbles most near its bound; but it does not grow.
            let growth = growth(setup, h, 3000);
            assert!(growth < 20.0, "{growth} times the energy with {fabric:?}");
        }
    }
}

/// The largest eigenvalue of M⁻¹·(h²·K + 2h·C), linearised at rest, by repeated multiplication:
/// the step is stable while it is below 4.
fn largest_eigenvalue(setup: &Setup, h: f64) -> f64 {
    let (model, x) = (&setup.model, &setup.positions);
    let dice = &mut Dice(9);
    let mut mode: Vec<DVec3> = x.iter().map(|_| dice.vector()).collect();
    let mut eigenvalue = 0.0;
    for _ in 0..200 {
        let mut image = vec![DVec3::ZERO; mode.len()];
        for spring in model.springs() {
            let [a, b] = spring.ends.map(|end| end as usize);
            let along = (x[b] - x[a]).normalize();
            let stiffness = h * h * spring.stiffness + 2.0 * h * spring.damping;
            let pull = along * (stiffness * along.dot(mode[b] - mode[a]));
            image[a] -= pull / model.masses()[a];
            image[b] += pull / model.masses()[b];
        }
        eigenvalue = image.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        mode = image.iter().map(|v| *v / eigenvalue).collect();
    }
    eigenvalue
}

/// The longest step that is stable at rest, found by halving.
fn true_limit(setup: &Setup) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let h = 0.5 * (low + high);
        if largest_eigenvalue(setup, h) < 4.0 { low = h } else { high = h }
    }
    low
}

#[test]
fn the_bound_is_below_the_truth_and_near_it() {
    let quads = Sheet { width: 1.0, height: 0.6, columns: 5, rows: 4 }.mesh();
    for mesh in [triangulated(&quads), quads] {
        for fabric in fabrics() {
            let setup = unbounded(&mesh, &fabric, 1.0);
            let ratio = setup.integrator.longest_step(&setup.model, &setup.pulls).unwrap().h
                / true_limit(&setup);
            // Circles lose a factor of two at most in the frequency, or in the damping rate.
            assert!((0.45..=1.0).contains(&ratio), "{ratio} of the truth with {fabric:?}");
        }
    }
}
