//! Spikes, ridges and corners: what is sharp does not poke through cloth between its particles.

use std::sync::Arc;

use crate::common::{DAMPED, Method, advance, cloth, for_each_integrator, start};
use glam::{DMat3, DVec3};
use taffeta::collision::cuts;
use taffeta::mesh::{Faces, Sheet};
use taffeta::{Mesh, Motion, Pose, Shape, Simulation, Solid, SolidMesh};

for_each_integrator!(
    a_spike_lifts_the_face_above_it,
    a_ridge_carries_cloth_whose_particles_all_miss_it,
    the_corner_of_a_box_lifts_a_face,
    a_rising_spike_does_not_tunnel,
    coarse_cloth_lies_on_a_rim,
);

/// Cloth of four cells, half a metre each.
const COARSE: Sheet = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 3 };

/// A pyramid with its tip at the origin.
fn spike() -> Mesh {
    let base = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
    let mut positions = vec![DVec3::ZERO];
    positions.extend(base.map(|[x, z]: [f64; 2]| DVec3::new(0.1 * x, -0.5, 0.1 * z)));
    let mut faces = Faces::new();
    for i in 0..4 {
        faces.push(&[0, 1 + i, 1 + (i + 1) % 4]);
    }
    faces.push(&[4, 3, 2, 1]);
    Mesh { positions, faces }
}

fn spiked(equip: Method, shape: Shape, pose: Pose) -> Simulation {
    let mut setup = equip(cloth(&COARSE.mesh(), &DAMPED));
    setup.solids = vec![Solid::resting(shape, pose)];
    start(setup)
}

/// How high the cloth is above a point, where it is above or below it.
fn above(simulation: &Simulation, point: DVec3) -> f64 {
    let positions = &simulation.state().positions;
    for corners in simulation.model().faces().triangles() {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let cross = |p: DVec3, q: DVec3| p.x * q.z - p.z * q.x;
        let area = cross(b - a, c - a);
        let (u, v) = (cross(point - a, c - a) / area, cross(b - a, point - a) / area);
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
            return a.y + (b.y - a.y) * u + (c.y - a.y) * v - point.y;
        }
    }
    f64::INFINITY
}

fn watch(simulation: &mut Simulation, until: f64, tip: impl Fn(f64) -> DVec3) {
    while simulation.state().time < until {
        let next = simulation.state().time + 1.0 / 240.0;
        let tally = advance(simulation, next);
        let height = above(simulation, tip(simulation.state().time));
        assert!(height > 2e-4, "{height} m at {}", simulation.state().time);
        assert_eq!(tally.pierced, 0);
    }
}

fn a_spike_lifts_the_face_above_it(equip: Method) {
    let tip = DVec3::new(0.21, -0.02, 0.28);
    let mesh = SolidMesh::new(spike()).unwrap();
    let mut simulation = spiked(equip, Shape::Mesh(Arc::new(mesh)), Pose::at(tip));
    watch(&mut simulation, 0.3, |_| tip);
    // It hangs there, while the far corner has fallen.
    assert!(above(&simulation, tip) < 0.01);
    assert!(simulation.state().positions[0].y < -0.2, "{}", simulation.state().positions[0]);
}

fn a_ridge_carries_cloth_whose_particles_all_miss_it(equip: Method) {
    // A wall along z, 1 cm wide and longer than the cloth, between two columns of particles.
    let wall = Shape::Box { size: DVec3::new(0.01, 0.4, 3.0) };
    let at = DVec3::new(0.2, -0.21, 0.0);
    let mut simulation = spiked(equip, wall, Pose::at(at));
    watch(&mut simulation, 0.25, |_| at + DVec3::Y * 0.2);
    let forces = simulation.contact_forces();
    assert!(forces.iter().map(|c| c.force.y).sum::<f64>() > 0.0, "{forces:?}");
}

fn the_corner_of_a_box_lifts_a_face(equip: Method) {
    // A cube that stands on one corner.
    let turn = DMat3::from_rotation_x(libm::atan(0.5f64.sqrt()))
        * DMat3::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let highest = turn * DVec3::splat(0.1);
    let corners = (0..8u32).map(|i| {
        let sign = |bit: u32| if i & bit == 0 { -0.1 } else { 0.1 };
        turn * DVec3::new(sign(1), sign(2), sign(4))
    });
    let highest = corners.fold(highest, |a, b| if b.y > a.y { b } else { a });
    let tip = DVec3::new(0.23, -0.02, 0.26);
    let shape = Shape::Box { size: DVec3::splat(0.2) };
    let pose = Pose { turn, ..Pose::at(tip - highest) };
    let mut simulation = spiked(equip, shape, pose);
    watch(&mut simulation, 0.25, |_| tip);
}

fn a_rising_spike_does_not_tunnel(equip: Method) {
    let tip = DVec3::new(0.21, -0.1, 0.28);
    let mut setup = equip(cloth(&COARSE.mesh(), &DAMPED));
    let mesh = SolidMesh::new(spike()).unwrap();
    let up = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::Y * 8.0)]);
    let spike = Solid::resting(Shape::Mesh(Arc::new(mesh)), Pose::at(tip));
    setup.solids = vec![Solid { motion: up, ..spike }];
    setup.step.max_stretch_change = 0.5;
    let mut simulation = start(setup);
    watch(&mut simulation, 0.06, |time| tip + DVec3::Y * (8.0 * time));
}

fn coarse_cloth_lies_on_a_rim(equip: Method) {
    let drum = Shape::Cylinder { radius: 0.18, length: 0.3 };
    let sheet = Sheet { width: 0.6, height: 0.6, columns: 6, rows: 6 };
    let mut setup = equip(cloth(&sheet.mesh(), &DAMPED));
    setup.solids = vec![Solid::resting(drum, Pose::at(DVec3::new(0.01, -0.155, 0.02)))];
    let mut simulation = start(setup);
    let at = |i: u32| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / 64.0);
        DVec3::new(0.01 + 0.18 * cos, -0.005, 0.02 - 0.18 * sin)
    };
    let mut touching = 0;
    while simulation.state().time < 0.4 {
        let next = simulation.state().time + 1.0 / 60.0;
        let tally = advance(&mut simulation, next);
        assert_eq!(tally.pierced, 0);
        touching = touching.max(simulation.contact_forces().len());
        // The rim and the cloth have no point in common.
        for i in 0..64 {
            let mut points = simulation.state().positions.clone();
            let ends = [points.len() as u32, points.len() as u32 + 1];
            points.extend([at(i), at(i + 1)]);
            for triangle in simulation.model().faces().triangles() {
                let time = simulation.state().time;
                assert!(!cuts(&ends, &triangle, &points), "{triangle:?} at {time}");
            }
        }
    }
    assert!(touching > 4, "{touching}");
}
