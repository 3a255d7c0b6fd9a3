//! One step against the equation that it has to solve, for cloth so near to rest that its forces
//! are linear.

use glam::{DMat3, DVec3};
use taffeta_linalg::Filter;

use super::{ImplicitEuler, ImplicitMemory, Newton, Solver};
use crate::constraint::Constraint;
use crate::fabric::MEDIUM;
use crate::integrators::Step;
use crate::measure;
use crate::state::State;
use crate::{Fabric, Model, Sheet};

/// The step \[s\], and as long a damping, so that both count alike.
const H: f64 = 0.02;
/// How far particles are from rest \[m\]: forces are linear but for a part of this size.
const SMALL: f64 = 1e-7;

/// Vectors of up to `size` along each axis, from digits of the golden ratio.
fn noise(seed: usize, size: f64) -> DVec3 {
    let digit = |n: usize| ((3 * seed + n + 1) as f64 * 0.618_033_988_7).fract() - 0.5;
    DVec3::new(digit(0), digit(1), digit(2)) * (2.0 * size)
}

/// Cloth without bending rigidity, of which steps know a bound only.
const SOFT: Fabric = Fabric { stretch: 100.0, shear: 30.0, bend: 10.0, bending: 0.0, ..MEDIUM };
/// Damped, where the forces of damping can be had apart from a step.
const DAMPED: Fabric = Fabric { stretch_damping: H, shear_damping: H, bend_damping: H, ..SOFT };
const UNDAMPED: Fabric =
    Fabric { stretch_damping: 0.0, shear_damping: 0.0, bend_damping: 0.0, ..SOFT };

/// The forces of elements at places and velocities.
type Forces = fn(&Model, &[DVec3], &[DVec3]) -> Vec<DVec3>;

fn of_springs(model: &Model, places: &[DVec3], velocities: &[DVec3]) -> Vec<DVec3> {
    let mut forces = vec![DVec3::ZERO; places.len()];
    for spring in &model.springs {
        let [a, b] = spring.ends.map(|end| end as usize);
        let force = spring.force(places[b] - places[a], velocities[b] - velocities[a]);
        forces[a] += force;
        forces[b] -= force;
    }
    forces
}

/// By differences of the energy.
fn of_membranes(model: &Model, places: &[DVec3], _: &[DVec3]) -> Vec<DVec3> {
    let e = 10.0 * SMALL;
    let slope = |i: usize, axis: DVec3| {
        let mut moved = places.to_vec();
        moved[i] += axis * e;
        let more = measure::elastic(model, &moved, None);
        moved[i] -= axis * (2.0 * e);
        (more - measure::elastic(model, &moved, None)) / (2.0 * e)
    };
    let force = |i| -DVec3::new(slope(i, DVec3::X), slope(i, DVec3::Y), slope(i, DVec3::Z));
    (0..places.len()).map(force).collect()
}

/// One particle that is held and one that slides in a plane, both moved and put right.
fn constraints() -> [Constraint; 2] {
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let held = |particle, filter: Filter, seed| Constraint {
        particle,
        filter,
        velocity_change: filter.held_part(noise(seed, SMALL / H)),
        correction: filter.held_part(noise(seed + 1, SMALL)),
    };
    [held(0, Filter::HELD, 900), held(5, Filter::in_plane(normal), 950)]
}

/// The largest force \[N\] that is missing in m (v' − v) / h = f(x', v') at the end of a step, with
/// those of elements, loads, drag and constraints, and the largest of the elements'.
fn missing(settings: &ImplicitEuler, model: &Model, elements: Forces) -> (f64, f64) {
    let rest = &model.rest;
    let particles = rest.len();
    let start: Vec<DVec3> = (0..particles).map(|i| rest[i] + noise(i, SMALL)).collect();
    let mut trial = State::at_rest(start.clone(), 0, 0);
    let before: Vec<DVec3> = (0..particles).map(|i| noise(100 + i, SMALL / H)).collect();
    trial.velocities.copy_from_slice(&before);
    let loads: Vec<DVec3> = (0..particles).map(|i| noise(200 + i, 30.0 * SMALL)).collect();
    let drag = vec![DMat3::from_diagonal(DVec3::new(0.3, 0.5, 0.2)); particles];
    let (constraints, mut reactions) = (constraints(), Vec::new());
    let mut memory = ImplicitMemory::new(model, settings).unwrap();
    let step = Step {
        model,
        loads: &loads,
        drag: &drag,
        constraints: &constraints,
        links: &[],
        again: false,
        h: H,
    };
    memory.advance(&step, &mut trial, &mut reactions).unwrap();

    let (after, mut end) = (&trial.velocities, start);
    end.iter_mut().zip(after).for_each(|(place, velocity)| *place += *velocity * H);
    let mut forces = loads;
    for (i, force) in forces.iter_mut().enumerate() {
        let change = after[i] - before[i];
        *force -= drag[i] * change + change * (model.masses[i] / H);
    }
    for (constraint, reaction) in constraints.iter().zip(&reactions) {
        end[constraint.particle as usize] += constraint.correction;
        forces[constraint.particle as usize] += *reaction;
    }
    let inner = elements(model, &end, after);
    forces.iter_mut().zip(&inner).for_each(|(force, inner)| *force += *inner);
    let largest = |forces: &[DVec3]| forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    (largest(&forces), largest(&inner))
}

#[test]
fn a_step_solves_the_equation_of_backward_euler() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 4, rows: 4 }.mesh();
    let springs = Model::mass_spring(&mesh, &DAMPED).unwrap();
    let membranes = Model::continuum(&mesh, &UNDAMPED).unwrap();
    let newton = Some(Newton { tolerance: 1e-12, max_iterations: 20 });
    let pcg = Solver::Pcg { tolerance: 1e-12, max_iterations: 1000 };
    for (model, elements) in [(&springs, of_springs as Forces), (&membranes, of_membranes)] {
        for (solver, newton) in [(Solver::Direct, None), (pcg, None), (pcg, newton)] {
            let (missing, largest) = missing(&ImplicitEuler { solver, newton }, model, elements);
            assert!(missing < 1e-4 * largest, "{missing} of {largest} N: {solver:?}, {newton:?}");
        }
    }
}
