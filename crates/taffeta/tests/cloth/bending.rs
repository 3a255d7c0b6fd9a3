//! Bending does not know the mesh: a cylinder costs the same rolled in any direction on any
//! triangles, and a strip droops by its weight as the elastica says (Peirce 1930).

use std::f64::consts::PI;

use crate::common::meshes::{CUTS, Cut, rectangle};
use crate::common::{self, Dice, start};
use glam::{DMat3, DVec2, DVec3};
use taffeta::elements::Bending;
use taffeta::{Fabric, ImplicitEuler, Integrator, Mesh, Model, Pin, Setup, Solver};

const RIGIDITY: f64 = 2e-5;

fn model(mesh: &Mesh, bending_weft: Option<f64>) -> Model {
    let fabric = Fabric { bending: RIGIDITY, bending_weft, ..Fabric::default() };
    Model::continuum(mesh, &fabric).unwrap()
}

fn energy(bending: &Bending, at: &[DVec3]) -> f64 {
    bending.energy(at, &mut bending.memory().unwrap())
}

/// A flat cloth rolled to a curvature along the direction at an angle to the warp (x).
fn rolled(mesh: &Mesh, curvature: f64, angle: f64) -> Vec<DVec3> {
    let (sin, cos) = libm::sincos(angle);
    let (along, across) = (DVec3::new(cos, 0.0, sin), DVec3::new(-sin, 0.0, cos));
    let roll = |p: &DVec3| {
        let (sin, cos) = libm::sincos(p.dot(along) * curvature);
        (along * sin + DVec3::Y * (1.0 - cos)) / curvature + across * p.dot(across)
    };
    mesh.positions.iter().map(roll).collect()
}

/// The rigidity that a cylinder at an angle shows.
fn shown(mesh: &Mesh, model: &Model, angle: f64) -> f64 {
    let curvature = 2.0;
    let area: f64 = model.masses().iter().sum::<f64>() / 0.2;
    energy(model.bending().unwrap(), &rolled(mesh, curvature, angle))
        / (0.5 * area * curvature.powi(2))
}

#[test]
fn a_cylinder_stores_half_b_curvature_squared_per_area_whatever_direction_and_mesh() {
    for cut in CUTS {
        let mesh = rectangle(DVec2::new(1.0, 1.0), [60, 60], cut);
        let model = model(&mesh, None);
        for eighth in 0..8 {
            let angle = PI / 8.0 * f64::from(eighth);
            let ratio = shown(&mesh, &model, angle) / RIGIDITY;
            // A free border carries no moment, which costs about a row of triangles.
            assert!((0.955..1.005).contains(&ratio), "{cut:?} at {angle:.2}: {ratio}");
        }
    }
}

/// BW98 §4.4: k_u cos² + k_v sin².
#[test]
fn rigidity_turns_from_warp_to_weft_as_the_paper_says() {
    for cut in CUTS {
        let mesh = rectangle(DVec2::new(1.0, 1.0), [60, 60], cut);
        let model = model(&mesh, Some(4.0 * RIGIDITY));
        for eighth in 0..8 {
            let angle = PI / 8.0 * f64::from(eighth);
            let (sin, cos) = libm::sincos(angle);
            let expected = RIGIDITY * (cos * cos + 4.0 * sin * sin);
            let ratio = shown(&mesh, &model, angle) / expected;
            assert!((0.94..1.01).contains(&ratio), "{cut:?} at {angle:.2}: {ratio}");
        }
    }
}

/// A sheet that is curved at rest, somewhere in space, and the same shaken.
fn shaken(size: f64) -> (Mesh, Model, Vec<DVec3>) {
    let mut mesh = rectangle(DVec2::new(0.5, 0.3), [7, 5], Cut::Irregular);
    mesh.positions = rolled(&mesh, 3.0, 0.4);
    let model = model(&mesh, Some(5e-5));
    let mut dice = Dice(3);
    let at = mesh.positions.iter().map(|p| *p + dice.vector() * size).collect();
    (mesh, model, at)
}

fn forces(bending: &Bending, at: &[DVec3]) -> Vec<DVec3> {
    let mut memory = bending.memory().unwrap();
    let moments = bending.moments(at, &mut memory);
    let mut forces = vec![DVec3::ZERO; at.len()];
    for (hinge, moment) in bending.hinges().iter().zip(moments) {
        let local = hinge.derivatives(&hinge.corners.map(|c| at[c as usize]), *moment);
        for (corner, gradient) in hinge.corners.iter().zip(local.gradient) {
            forces[*corner as usize] -= gradient;
        }
    }
    forces
}

#[test]
fn forces_are_minus_the_gradient_of_the_energy_and_cancel() {
    let (_, model, at) = shaken(0.02);
    let bending = model.bending().unwrap();
    let forces = forces(bending, &at);
    let scale = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    for particle in [0, 9, 17, 20, 31, 47] {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let moved = |sign: f64| {
                let mut moved = at.clone();
                moved[particle] += axis * (sign * 1e-6);
                energy(bending, &moved)
            };
            let numeric = (moved(-1.0) - moved(1.0)) / 2e-6;
            let exact = forces[particle].dot(axis);
            assert!((numeric - exact).abs() < 1e-5 * scale, "{particle}: {numeric} {exact}");
        }
    }
    let force: DVec3 = forces.iter().sum();
    let torque: DVec3 = at.iter().zip(&forces).map(|(x, f)| x.cross(*f)).sum();
    assert!(force.length() < 1e-12 * scale && torque.length() < 1e-12 * scale);
}

#[test]
fn rigid_motion_makes_no_force() {
    let (mesh, model, _) = shaken(0.0);
    let turn = DMat3::from_rotation_x(2.0) * DMat3::from_rotation_z(-1.1);
    let moved: Vec<DVec3> =
        mesh.positions.iter().map(|p| turn * *p + DVec3::new(3.0, -1.0, 2.0)).collect();
    let forces = forces(model.bending().unwrap(), &moved);
    assert!(forces.iter().all(|force| force.length() < 1e-15), "{forces:?}");
}

/// What implicit steps rely on: the stiffness they take is never less than the true one.
#[test]
fn the_hinges_bound_the_plate() {
    for (cut, size) in CUTS.into_iter().flat_map(|cut| [(cut, 1.0), (cut, 0.15)]) {
        let mesh = rectangle(DVec2::new(1.0, size), [12, 9], cut);
        let model = model(&mesh, Some(5e-5));
        let bending = model.bending().unwrap();
        let mut dice = Dice(5);
        for _ in 0..50 {
            let at: Vec<DVec3> =
                mesh.positions.iter().map(|p| *p + DVec3::Y * (1e-3 * dice.number())).collect();
            let apart = |hinge: &taffeta::elements::Hinge| {
                let bend = hinge.bend(&hinge.corners.map(|c| at[c as usize]));
                0.5 * hinge.stiffness * bend * bend
            };
            let bound: f64 = bending.hinges().iter().map(apart).sum();
            let energy = energy(bending, &at);
            assert!(energy > 0.0 && energy < bound, "{cut:?}: {energy} {bound}");
        }
    }
}

/// The slope of an elastica of unit length that starts level and carries its weight, wL³/B, by its
/// chord [rad]: θ″ = −q (1 − s) cos θ, shot at θ′(1) = 0.
fn elastica(q: f64) -> f64 {
    let shoot = |start: f64| {
        let (steps, mut angle, mut rate, mut at) = (4000, 0.0f64, start, DVec2::ZERO);
        let h = 1.0 / f64::from(steps);
        for step in 0..steps {
            let s = (f64::from(step) + 0.5) * h;
            let middle = angle + 0.5 * h * rate;
            let (sin, cos) = libm::sincos(middle);
            at += DVec2::new(cos, sin) * h;
            rate -= h * q * (1.0 - s) * cos;
            angle = middle + 0.5 * h * rate;
        }
        (rate, libm::atan2(at.y, at.x))
    };
    let (mut low, mut high) = (0.0, q);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle).0 < 0.0 { low = middle } else { high = middle }
    }
    shoot(low).1
}

/// How far a strip droops on either side of its middle, where it is held by two particles, by the
/// mean of its chords [°]. Each side is the strip of Peirce's 41.5°: c = (B/w)^⅓ = L/2. Across the
/// strip, `other` times as stiff.
fn droop(cells: u32, cut: Cut, other: f64, weft: bool) -> f64 {
    let (length, width, weight) = (0.08, 0.032, 0.2 * 9.81);
    let rigidity = weight * (0.5f64 * length).powi(3);
    let mut mesh = rectangle(DVec2::new(2.0 * length, width), [2 * cells, cells * 2 / 5], cut);
    if weft {
        let uvs = mesh.faces.all_uvs().iter().map(|uv| DVec2::new(-uv.y, uv.x)).collect();
        mesh.faces.set_uvs(uvs);
    }
    let along = if weft { [other, 1.0] } else { [1.0, other] }.map(|k| k * rigidity);
    // Cloth that hardly stretches folds along the mesh's edges only, which on few cells is too
    // stiff where edges do not run across the strip: that is not what is tested here.
    let fabric = Fabric {
        stretch: 500.0,
        bending: along[0],
        bending_weft: Some(along[1]),
        ..Fabric::default()
    };
    let particles = |holds: &dyn Fn(DVec3) -> bool| -> Vec<u32> {
        (0..mesh.positions.len() as u32).filter(|&i| holds(mesh.positions[i as usize])).collect()
    };
    let mut setup = Setup::new(Model::continuum(&mesh, &fabric).unwrap(), mesh.positions.clone());
    setup.integrator = Integrator::Implicit(ImplicitEuler { solver: Solver::Direct, newton: None });
    let border = |p: DVec3| p.z.min(width - p.z) < 1e-9;
    setup.pins = vec![Pin::fixed(particles(&|p| border(p) && (p.x - length).abs() < 1e-9))];
    let mut simulation = start(setup);
    common::advance(&mut simulation, 2.0);
    assert!(simulation.energy().kinetic < 1e-9, "{cut:?} {}", simulation.energy().kinetic);
    let mean = |tip: &[u32]| {
        let at = |i: &u32| simulation.state().positions[*i as usize];
        tip.iter().map(at).sum::<DVec3>() / tip.len() as f64
    };
    let (left, right) =
        (mean(&particles(&|p| p.x < 1e-9)), mean(&particles(&|p| p.x > 1.9999 * length)));
    let chord = |tip: DVec3| libm::atan2(-tip.y, (tip.x - length).abs());
    (0.5 * (chord(left) + chord(right))).to_degrees()
}

#[test]
fn a_strip_droops_as_peirce_measured_on_any_mesh_at_any_resolution() {
    let peirce = elastica(8.0).to_degrees();
    assert!((peirce - 41.5).abs() < 1.0, "{peirce}");
    for cut in CUTS {
        for (cells, within) in [(10, 0.012), (20, 0.004), (40, 0.002)] {
            let found = droop(cells, cut, 1.0, false);
            assert!((found / peirce - 1.0).abs() < within, "{cut:?}, {cells} cells: {found:.2}°");
        }
    }
}

#[test]
fn a_strip_droops_by_the_rigidity_along_it() {
    let peirce = elastica(8.0).to_degrees();
    for (cut, weft) in CUTS.into_iter().flat_map(|cut| [(cut, false), (cut, true)]) {
        let found = droop(20, cut, 6.0, weft);
        assert!((found / peirce - 1.0).abs() < 0.01, "{cut:?}, weft: {weft}: {found:.2}°");
    }
}
