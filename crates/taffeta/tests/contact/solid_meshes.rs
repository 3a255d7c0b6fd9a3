//! Solids made of triangles: closed and open, bent and moving, well made and not.

use std::sync::Arc;

use crate::common::{self, DAMPED, Method, advance, cloth, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::mesh::{Faces, Sheet};
use taffeta::solid::{SLACK, SolidMeshKey};
use taffeta::{Mesh, Motion, Pose, Setup, Shape, Side, Simulation, Solid, SolidMesh};

for_each_integrator!(
    a_box_of_triangles_is_a_box,
    a_sheet_without_an_inside_does_not_tunnel,
    a_groove_holds_cloth_on_both_its_sides,
    a_mesh_that_deforms_carries_cloth,
    a_fast_deforming_mesh_does_not_tunnel,
    what_starts_inside_a_mesh_is_led_out,
    flat_and_duplicate_faces_do_no_harm,
    meshes_give_the_same_bits_on_any_threads_and_when_resumed,
);

fn solid(mesh: Mesh, at: DVec3) -> Solid {
    let shape = Shape::Mesh(Arc::new(SolidMesh::new(mesh).unwrap()));
    Solid::resting(shape, Pose::at(at))
}

fn ball() -> Mesh {
    Shape::Sphere { radius: 0.25 }.mesh()
}

/// A level square of two triangles, cut from a sheet.
fn patch(side: f64) -> Mesh {
    Sheet { width: side, height: side, columns: 2, rows: 2 }.mesh()
}

fn falling(equip: Method, side: u32, solids: Vec<Solid>) -> Simulation {
    let mut setup = equip(cloth(&square(side).mesh(), &DAMPED));
    setup.solids = solids;
    start(setup)
}

fn clearance(simulation: &Simulation) -> f64 {
    let state = simulation.state();
    let solids = simulation.setup().solids.iter();
    let gaps = solids.flat_map(|solid| {
        let depths = solid.depths(&state.positions, state.time);
        depths.into_iter().map(|depth| -depth)
    });
    gaps.fold(f64::INFINITY, f64::min)
}

fn watch(simulation: &mut Simulation, until: f64) {
    while simulation.state().time < until {
        let next = simulation.state().time + 1.0 / 240.0;
        advance(simulation, next);
        let clearance = clearance(simulation);
        assert!(clearance > -1.01 * SLACK, "{clearance} m at {} s", simulation.state().time);
    }
}

fn height(simulation: &Simulation) -> f64 {
    let positions = &simulation.state().positions;
    taffeta::measure::centre_of_mass(simulation.model(), positions).y
}

fn a_box_of_triangles_is_a_box(equip: Method) {
    let shape = Shape::Box { size: DVec3::new(0.5, 0.2, 0.4) };
    let at = DVec3::new(0.02, -0.12, 0.01);
    let mut plain = falling(equip, 13, vec![Solid::resting(shape.clone(), Pose::at(at))]);
    let mut faceted = falling(equip, 13, vec![solid(shape.mesh(), at)]);
    assert!(faceted.setup().solids[0].side == Side::Outside);
    for time in [0.06, 0.12, 0.2] {
        watch(&mut plain, time);
        watch(&mut faceted, time);
        let apart = common::farthest(&plain.state().positions, &faceted.state().positions);
        assert!(apart < 0.02, "{apart}");
        // Edges of a box keep half a thickness, those of a mesh all of it.
        let higher = height(&plain) - height(&faceted);
        assert!(higher.abs() < 3e-3, "{higher}");
    }
    assert!(faceted.touching() > 10);
}

/// Two triangles that come from below, or from above, at many times their thickness a step.
fn a_sheet_without_an_inside_does_not_tunnel(equip: Method) {
    for (start_at, speed) in [(-0.1, 15.0), (0.1, -15.0)] {
        let shell = solid(patch(3.0), DVec3::Y * start_at);
        let motion = Motion::path([(0.0, DVec3::ZERO), (10.0, DVec3::Y * (speed * 10.0))]);
        let shell = Solid { side: Side::Both, motion, thickness: 1e-4, ..shell };
        let mut setup: Setup = equip(cloth(&square(5).mesh(), &DAMPED));
        setup.solids = vec![shell];
        setup.loads.gravity = DVec3::ZERO;
        setup.step.max_stretch_change = 10.0;
        let explicit = setup.integrator.is_explicit();
        let mut simulation = start(setup);
        watch(&mut simulation, 0.1);
        let surface = start_at + speed * simulation.state().time;
        for (x, v) in simulation.state().positions.iter().zip(&simulation.state().velocities) {
            // What is hit comes back a little; what explicit steps push out of a thickness, more.
            let [least, most] = if explicit { [0.99, 1.15] } else { [1.0, 1.03] };
            let (ahead, faster) = ((x.y - surface) * speed.signum(), v.y / speed);
            assert!(ahead > 2e-5, "{x} {surface}");
            assert!((least..most).contains(&(faster + 1e-6)), "{v}");
        }
    }
}

/// A groove along z whose walls rise at 45°.
fn groove() -> Mesh {
    let mut faces = Faces::new();
    faces.push(&[0, 1, 4, 3]);
    faces.push(&[1, 2, 5, 4]);
    let row = |z: f64| [-1.0, 0.0, 1.0].map(|x: f64| DVec3::new(x, x.abs(), z));
    Mesh { positions: [row(-1.0), row(1.0)].concat(), faces }
}

fn a_groove_holds_cloth_on_both_its_sides(equip: Method) {
    let walls = solid(groove(), DVec3::Y * -0.52);
    let walls = Solid { side: Side::Both, friction: 0.1, ..walls };
    let mut simulation = falling(equip, 9, vec![walls]);
    watch(&mut simulation, 1.0);
    let contacts = simulation.contact_forces();
    let leaning = |sign: f64| contacts.iter().filter(|c| c.normal.x * sign > 0.5).count();
    assert!(leaning(1.0) > 5 && leaning(-1.0) > 5, "{} {}", leaning(1.0), leaning(-1.0));
    // All of it is in the groove, above both walls.
    for p in &simulation.state().positions {
        assert!(p.y + 0.52 > p.x.abs(), "{p}");
    }
}

/// A level mesh whose vertices all rise, with its frame at rest.
fn rising(speed: f64) -> Solid {
    let Mesh { positions, faces } = Sheet { width: 3.0, height: 3.0, columns: 7, rows: 7 }.mesh();
    let moved = positions.iter().map(|p| *p + DVec3::Y * (10.0 * speed)).collect();
    let keys =
        vec![SolidMeshKey { time: 0.0, positions }, SolidMeshKey { time: 10.0, positions: moved }];
    let mesh = SolidMesh::sequence(faces, keys).unwrap();
    let shape = Shape::Mesh(Arc::new(mesh));
    Solid { side: Side::Both, ..Solid::resting(shape, Pose::at(DVec3::Y * -0.02)) }
}

fn a_mesh_that_deforms_carries_cloth(equip: Method) {
    let mut simulation = falling(equip, 6, vec![rising(0.4)]);
    watch(&mut simulation, 0.4);
    let surface = -0.02 + 0.4 * simulation.state().time;
    for (x, v) in simulation.state().positions.iter().zip(&simulation.state().velocities) {
        assert!((x.y - surface - 1e-3).abs() < 1e-4, "{x} over {surface}");
        assert!((*v - DVec3::Y * 0.4).length() < 1e-3, "{v}");
    }
}

fn a_fast_deforming_mesh_does_not_tunnel(equip: Method) {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    setup.solids = vec![Solid { thickness: 1e-4, ..rising(20.0) }];
    setup.step.max_stretch_change = 10.0;
    let mut simulation = start(setup);
    watch(&mut simulation, 0.05);
    assert!(simulation.state().positions.iter().all(|p| p.y > 0.9));
}

fn what_starts_inside_a_mesh_is_led_out(equip: Method) {
    let small = Sheet { width: 0.1, height: 0.1, columns: 4, rows: 4 };
    let mut setup = equip(cloth(&small.mesh(), &DAMPED));
    setup.solids = vec![solid(ball(), DVec3::Y * -0.2)];
    let inside = setup.starts_inside();
    assert_eq!((inside[0].solid, inside[0].particles), (0, 16));
    let mut simulation = start(setup);
    let mut highest: f64 = 0.0;
    for frame in 1..=30 {
        advance(&mut simulation, f64::from(frame) / 60.0);
        let now = simulation.state().positions[5].y;
        assert!(now - highest < taffeta::solid::LEAD_OUT / 60.0 + 1e-3, "{now} after {highest}");
        highest = highest.max(now);
    }
    assert!(clearance(&simulation) > -1e-6, "{}", clearance(&simulation));
}

fn flat_and_duplicate_faces_do_no_harm(equip: Method) {
    let at = DVec3::new(0.02, -0.27, 0.01);
    let sound = Solid { side: Side::Both, ..solid(ball(), at) };
    let mut odd = ball();
    let copy: Vec<u32> = odd.faces.corners(100).to_vec();
    odd.faces.push(&copy);
    odd.faces.push(&[3, 3, 70]);
    odd.faces.push(&[5, 6, 5]);
    let odd = Solid { side: Side::Both, ..solid(odd, at) };
    let heights = [sound, odd].map(|body| {
        let mut simulation = falling(equip, 9, vec![body]);
        watch(&mut simulation, 0.25);
        height(&simulation)
    });
    assert!((heights[0] - heights[1]).abs() < 1e-4, "{heights:?}");
}

fn meshes_give_the_same_bits_on_any_threads_and_when_resumed(equip: Method) {
    let begin = || {
        let lift = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::new(0.2, 0.3, 0.0))]);
        let body = Solid { motion: lift, ..solid(ball(), DVec3::Y * -0.27) };
        falling(equip, 27, vec![body, rising(0.2)])
    };
    let run = |threads: usize| {
        common::on_threads(threads, || {
            let mut simulation = begin();
            advance(&mut simulation, 0.1);
            let middle = simulation.snapshot();
            advance(&mut simulation, 0.15);
            assert!(simulation.touching() > 20);
            (middle, simulation.snapshot())
        })
    };
    let (middle, end) = run(1);
    assert_eq!(run(3), (middle.clone(), end.clone()));
    let mut resumed = begin();
    assert_eq!(resumed.restore(&middle), Ok(()));
    advance(&mut resumed, 0.15);
    assert_eq!(resumed.snapshot(), end);
}
