//! Limits, solids and self-contact together: what a frame costs, and what it keeps.
//!
//! `cargo bench -p taffeta --bench together [-- NAME …]` runs scenes by name, all without one. Times
//! are of the processor, on one thread; by the clock on more, if THREADS says so.

#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::time::Instant;

use glam::{DVec2, DVec3};
use taffeta::mesh::Faces;
use taffeta::solid::SolidMesh;
use taffeta::{
    Constraints, Ease, ExplicitEuler, Fabric, ImplicitEuler, Integrator, Limiter, Mesh, Model,
    Motion, MotionKey, Pin, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid, StepLimits,
    StrainLimits, Strips, Tube,
};

struct Scene {
    name: &'static str,
    frames: u32,
    make: fn() -> Setup,
}

const SCENES: [Scene; 28] = [
    Scene { name: "hang-41", frames: 150, make: || hang(41, 1e-3) },
    Scene { name: "hang-101", frames: 60, make: || hang(101, 1e-2) },
    Scene { name: "ball-51-soft", frames: 75, make: || drape(51, soft(), 0.01, 0.005) },
    Scene { name: "ball-51", frames: 75, make: || drape(51, cotton(), 0.01, 0.005) },
    Scene { name: "ball-101", frames: 75, make: || drape(101, cotton(), 0.01, 0.0025) },
    Scene { name: "ball-286", frames: 20, make: || drape(286, cotton(), 0.05, 0.001) },
    Scene { name: "rest-51", frames: 200, make: || drape(51, cotton(), 0.01, 0.005) },
    Scene { name: "shear-41", frames: 90, make: || shear(100.0) },
    Scene { name: "shear-stiff", frames: 90, make: || shear(500.0) },
    Scene { name: "heap-51", frames: 90, make: heap },
    Scene { name: "hang-any", frames: 90, make: || any(hang(51, 1e-2)) },
    Scene { name: "hang-any-tight", frames: 60, make: || any(hang(41, 1e-3)) },
    Scene { name: "ball-any", frames: 75, make: || any(drape(51, cotton(), 0.01, 0.005)) },
    Scene {
        name: "ball-any-soft",
        frames: 45,
        make: || soften(any(drape(51, cotton(), 0.01, 0.005))),
    },
    Scene { name: "ball-any-101", frames: 30, make: || any(drape(101, cotton(), 0.01, 0.005)) },
    Scene { name: "ball-any-201", frames: 15, make: || any(drape(201, cotton(), 0.01, 0.005)) },
    Scene { name: "rest-any", frames: 200, make: || any(drape(51, cotton(), 0.01, 0.005)) },
    Scene { name: "heap-any", frames: 90, make: || any(heap()) },
    Scene { name: "skirt", frames: 90, make: skirt },
    Scene { name: "cylinder-51", frames: 75, make: || over_cylinder(51) },
    Scene { name: "cylinder-101", frames: 40, make: || over_cylinder(101) },
    Scene { name: "cylinder-161", frames: 25, make: || over_cylinder(161) },
    Scene { name: "cylinder-317", frames: 12, make: || over_cylinder(317) },
    Scene { name: "sheet-51", frames: 75, make: || held_by_two(51) },
    Scene { name: "sheet-101", frames: 40, make: || held_by_two(101) },
    Scene { name: "sheet-178", frames: 12, make: || held_by_two(178) },
    Scene { name: "twisted", frames: 100, make: twisted },
    Scene { name: "pile", frames: 45, make: pile },
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    println!(
        "scene           ms/frame  worst  steps  discarded  sweeps  iterations  strain %  over  cut  inside  fastest at the end"
    );
    for scene in SCENES.iter().filter(|s| wanted.is_empty() || wanted.iter().any(|w| w == s.name)) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads()).build().unwrap();
        pool.install(|| run(scene));
    }
}

fn threads() -> usize {
    std::env::var("THREADS").map_or(1, |threads| threads.parse().unwrap())
}

fn soft() -> Fabric {
    Fabric { density: 0.2, stretch: 100.0, shear: 0.3, bending: 0.0, ..Fabric::default() }
}

fn cotton() -> Fabric {
    Fabric { density: 0.2, shear: 100.0, bending: 1e-5, ..Fabric::default() }
}

fn sheet(side: u32, fabric: Fabric, limit: f64) -> Setup {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
    let model = Model::continuum(&mesh, &fabric).unwrap();
    Setup {
        limits: Some(StrainLimits { extension: limit, compression: None }),
        limiter: Limiter::Strips(Strips::default()),
        integrator: ExplicitEuler::default().into(),
        ..Setup::new(model, mesh.positions)
    }
}

fn hang(side: u32, limit: f64) -> Setup {
    Setup { pins: vec![Pin::fixed([0, side - 1])], ..sheet(side, cotton(), limit) }
}

fn drape(side: u32, fabric: Fabric, limit: f64, thickness: f64) -> Setup {
    let mut setup = sheet(side, fabric, limit);
    setup.positions.iter_mut().for_each(|p| *p += DVec3::new(0.02, 0.0, 0.01));
    let ball = Shape::Sphere { radius: 0.3 };
    let ball = Solid {
        thickness: 0.003,
        friction: 0.4,
        ..Solid::resting(ball, Pose::at(DVec3::Y * -0.32))
    };
    let floor = Solid {
        thickness: 0.003,
        friction: 0.4,
        ..Solid::resting(Shape::Plane { drawn: 2.0 }, Pose::at(DVec3::Y * -0.8))
    };
    setup.solids = vec![ball, floor];
    setup.self_contact = Some(SelfContact { thickness, friction: 0.3 });
    setup
}

/// A sheet held along one side, that shears under its weight in its plane by ρgW²/(2k).
fn shear(stiffness: f64) -> Setup {
    let fabric = Fabric { shear: stiffness, shear_damping: 0.02, ..cotton() };
    let mut setup = sheet(41, fabric, 0.01);
    setup.loads.gravity = DVec3::new(0.0, 0.0, 9.81);
    setup.pins = vec![
        Pin::fixed((0..41).map(|row| row * 41)),
        Pin {
            hold: taffeta::Hold::Plane(DVec3::Y),
            ..Pin::fixed((0..41 * 41).filter(|i| i % 41 != 0))
        },
    ];
    setup
}

/// BW98's sheet held by two particles: no limits, nothing to touch, long steps.
fn held_by_two(side: u32) -> Setup {
    let setup = any(hang(side, 1e-2));
    Setup { limits: None, step: StepLimits { max: 1.0 / 60.0, ..StepLimits::default() }, ..setup }
}

/// A sheet dropped on its edge.
fn heap() -> Setup {
    let mut setup = sheet(51, cotton(), 0.02);
    for p in &mut setup.positions {
        *p = DVec3::new(p.x, 0.55 + p.z, 0.02 * libm::sin(7.0 * p.x) + 0.01 * p.z);
    }
    let floor = Solid {
        thickness: 0.003,
        friction: 0.4,
        ..Solid::resting(Shape::Plane { drawn: 2.0 }, Pose::IDENTITY)
    };
    setup.solids = vec![floor];
    setup.self_contact = Some(SelfContact { thickness: 0.005, friction: 0.3 });
    setup
}

/// The same cloth as an irregular mesh of triangles, in implicit steps.
fn any(setup: Setup) -> Setup {
    let side = libm::sqrt(setup.positions.len() as f64) as u32;
    let sheet = Sheet { width: 1.0, height: 1.0, columns: side, rows: side };
    let (flat, mesh) = (sheet.mesh(), sheet.irregular_mesh());
    let rest = mesh.positions.clone();
    let model = Model::continuum(&mesh, &cotton()).unwrap();
    // Flat cloth is moved as its regular twin was.
    let moves = setup.positions.iter().zip(&flat.positions).zip(&rest);
    let positions = moves.map(|((moved, flat), rest)| *moved + (*rest - *flat));
    let positions = match setup.positions[0].y == setup.positions[side as usize].y {
        true => positions.collect(),
        false => heaped(&rest),
    };
    Setup {
        positions,
        limiter: Limiter::Constraints(Constraints::default()),
        integrator: implicit(),
        model: model.into(),
        ..setup
    }
}

/// The same cloth of a fabric that only limits keep from stretching.
fn soften(setup: Setup) -> Setup {
    let moved = setup.positions[0];
    let rest = setup.positions.iter().map(|p| *p - moved).collect();
    let mesh = Mesh { positions: rest, faces: setup.model.faces().clone() };
    let fabric = Fabric { stretch: 50.0, ..cotton() };
    Setup { model: Model::continuum(&mesh, &fabric).unwrap().into(), ..setup }
}

fn implicit() -> Integrator {
    Integrator::Implicit(ImplicitEuler::default())
}

fn heaped(rest: &[DVec3]) -> Vec<DVec3> {
    let stand = |p: &DVec3| DVec3::new(p.x, 0.55 + p.z, 0.02 * libm::sin(7.0 * p.x) + 0.01 * p.z);
    rest.iter().map(stand).collect()
}

/// Quads cut along either diagonal.
fn cut(quads: impl Iterator<Item = [u32; 4]>, random: &mut u64) -> Faces {
    let mut faces = Faces::new();
    for [a, b, c, d] in quads {
        let [one, two] =
            if number(random) < 0.0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        faces.push(&one);
        faces.push(&two);
    }
    faces
}

/// From −1 to 1 (splitmix64).
fn number(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A flared skirt of 2,430 vertices that hangs on the hip of a body of 2,880 triangles, which turns
/// and walks.
fn skirt() -> Setup {
    let random = &mut 7;
    let (around, down) = (81, 30);
    let ring = |radius: f64, angle: f64, y: f64| {
        DVec3::new(radius * libm::cos(angle), y, radius * libm::sin(angle))
    };
    let turn = std::f64::consts::TAU;
    let mut positions = Vec::new();
    for row in 0..down {
        for column in 0..around {
            let edge = row == 0 || row == down - 1;
            let up = if edge { 0.0 } else { 0.25 * number(random) };
            let share = (f64::from(row) + up) / f64::from(down - 1);
            let angle = (f64::from(column) + 0.25 * number(random)) / f64::from(around) * turn;
            positions.push(ring(0.135 + 0.165 * share, angle, -0.6 * share));
        }
    }
    let id = |row: u32, column: u32| row * around + column % around;
    let quads = (0..down - 1).flat_map(|row| (0..around).map(move |column| (row, column)));
    let quads = quads.map(|(r, c)| [id(r, c), id(r, c + 1), id(r + 1, c + 1), id(r + 1, c)]);
    let mut faces = cut(quads, random);
    let uv = |p: DVec3| DVec2::new(libm::atan2(p.z, p.x), p.y);
    let corners = |faces: &Faces| faces.iter().map(|c| [c[0], c[1], c[2]]).collect::<Vec<_>>();
    let uvs = corners(&faces).into_iter().flat_map(|triangle| {
        let flat = triangle.map(|corner| uv(positions[corner as usize]));
        // Across the cut of the angle.
        flat.map(|uv| {
            DVec2::new(
                uv.x + if uv.x - flat[0].x > 3.0 {
                    -turn
                } else if uv.x - flat[0].x < -3.0 {
                    turn
                } else {
                    0.0
                },
                uv.y,
            )
        })
    });
    let uvs = uvs.collect();
    assert!(faces.set_uvs(uvs));
    let mesh = Mesh { positions: positions.clone(), faces };
    let fabric =
        Fabric { density: 0.15, stretch: 2000.0, shear: 50.0, bending: 1e-5, ..Fabric::default() };
    let model = Model::continuum(&mesh, &fabric).unwrap();
    Setup {
        limits: Some(StrainLimits { extension: 0.02, compression: None }),
        solids: vec![body()],
        self_contact: Some(SelfContact { thickness: 0.005, friction: 0.3 }),
        integrator: implicit(),
        limiter: Limiter::Constraints(Constraints::default()),
        ..Setup::new(model, positions)
    }
}

/// Waist, hips and a trunk below them.
fn body() -> Solid {
    let (around, down) = (48_u32, 30_u32);
    let radius = |y: f64| match y {
        y if y > -0.2 => {
            let share = ((0.05 - y) / 0.25).clamp(0.0, 1.0);
            0.115 + 0.055 * (3.0 - 2.0 * share) * share * share
        }
        y => 0.17 - 0.05 * ((-0.2 - y) / 0.5).clamp(0.0, 1.0),
    };
    let mut positions = vec![];
    for row in 0..=down {
        let y = 0.15 - 0.85 * f64::from(row) / f64::from(down);
        for column in 0..around {
            let angle = f64::from(column) / f64::from(around) * std::f64::consts::TAU;
            positions.push(DVec3::new(
                radius(y) * libm::cos(angle),
                y,
                radius(y) * libm::sin(angle),
            ));
        }
    }
    let (top, bottom) = (positions.len() as u32, positions.len() as u32 + 1);
    positions.push(DVec3::Y * 0.15);
    positions.push(DVec3::Y * -0.7);
    let mut faces = Faces::new();
    let id = |row: u32, column: u32| row * around + column % around;
    for column in 0..around {
        faces.push(&[top, id(0, column + 1), id(0, column)]);
        faces.push(&[bottom, id(down, column), id(down, column + 1)]);
        for row in 0..down {
            let [a, b, c, d] = [
                id(row, column),
                id(row, column + 1),
                id(row + 1, column + 1),
                id(row + 1, column),
            ];
            faces.push(&[a, b, c]);
            faces.push(&[a, c, d]);
        }
    }
    let mesh = SolidMesh::new(Mesh { positions, faces }).unwrap();
    let key = |time: f64, x: f64, angle: f64| MotionKey {
        time,
        offset: DVec3::X * x,
        angle,
        ..MotionKey::default()
    };
    let keys = vec![
        key(0.3, 0.0, 0.0),
        key(0.8, 0.15, 0.7),
        key(1.3, 0.3, -0.7),
        key(1.8, 0.45, 0.7),
        key(2.4, 0.6, 0.0),
    ];
    let motion = Motion { keys, ease: Ease::Smooth, centre: DVec3::ZERO, axis: DVec3::Y };
    let solid = Solid::resting(Shape::Mesh(std::sync::Arc::new(mesh)), Pose::IDENTITY);
    Solid { motion, thickness: 0.003, friction: 0.4, ..solid }
}

/// The scene `drape-cylinder`, of so many particles a side: no limits, and steps as long as may be.
fn over_cylinder(side: u32) -> Setup {
    let fabric = Fabric { stretch: 4000.0, shear: 50.0, stretch_damping: 1e-3, ..cotton() };
    let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
    let model = Model::continuum(&mesh, &fabric).unwrap();
    let turn = glam::DQuat::from_rotation_y(20.0_f64.to_radians());
    let place = |p: &DVec3| turn * *p + DVec3::new(0.1, 0.0, 0.05);
    let cylinder = Shape::Cylinder { radius: 0.25, length: 0.5 };
    let cylinder = Solid::resting(cylinder, Pose::at(DVec3::Y * -0.3));
    Setup {
        solids: vec![Solid { thickness: 0.003, ..cylinder }],
        self_contact: Some(SelfContact { thickness: 1e-3, friction: 0.3 }),
        integrator: implicit(),
        step: StepLimits { max: 1.0 / 60.0, ..StepLimits::default() },
        ..Setup::new(model, mesh.positions.iter().map(place).collect())
    }
}

/// Cloth by strips within 2 %, with self-contact, moved a little off where it is at rest.
fn folded(mesh: &Mesh, fabric: Fabric, friction: f64, off: f64) -> Setup {
    let random = &mut 3;
    let mut apart = || DVec3::new(number(random), number(random), number(random)) * off;
    let positions = mesh.positions.iter().map(|p| *p + apart()).collect();
    let mut setup = Setup {
        limits: Some(StrainLimits { extension: 0.02, compression: None }),
        limiter: Limiter::Strips(Strips::default()),
        self_contact: Some(SelfContact { thickness: 1e-3, friction }),
        integrator: ExplicitEuler::default().into(),
        ..Setup::new(Model::continuum(mesh, &fabric).unwrap(), positions)
    };
    setup.loads.air = Some(taffeta::Air { density: 1.2, drag: 1.0, wind: DVec3::ZERO });
    setup
}

/// The scene `twisted-cylinder`.
fn twisted() -> Setup {
    let tube = Tube { radius: 0.1, length: 1.0, columns: 24, rows: 39, ..Tube::default() };
    let fabric = Fabric { stretch: 2000.0, shear: 50.0, ..cotton() };
    let turning = |row: u32, angle: f64, y: f64| {
        let key = |time: f64, share: f64| MotionKey {
            time,
            offset: DVec3::Y * (y * share),
            angle: angle * share,
            ..MotionKey::default()
        };
        let (keys, ease) = (vec![key(0.0, 0.0), key(3.0, 1.0)], Ease::Smooth);
        let motion = Motion { keys, ease, centre: DVec3::ZERO, axis: DVec3::Y };
        Pin { motion, ..Pin::fixed(row * 24..(row + 1) * 24) }
    };
    let turn = std::f64::consts::TAU;
    let pins = vec![turning(0, -turn, 0.1), turning(38, turn, -0.1)];
    Setup { pins, ..folded(&tube.mesh(), fabric, 0.2, 1e-5) }
}

/// The scene `ribbon-pile`.
fn pile() -> Setup {
    let fabric =
        Fabric { density: 0.15, stretch: 2000.0, shear: 50.0, bending: 2e-5, ..Fabric::default() };
    let mesh = Sheet { width: 0.05, height: 1.2, columns: 6, rows: 121 }.mesh();
    let mut setup = folded(&mesh, fabric, 0.3, 1e-4);
    let turn = glam::DQuat::from_euler(
        glam::EulerRot::ZYX,
        3.0_f64.to_radians(),
        0.0,
        std::f64::consts::FRAC_PI_2,
    );
    setup.positions.iter_mut().for_each(|p| *p = turn * *p + DVec3::Y * 0.62);
    let floor = Solid::resting(Shape::Plane { drawn: 2.0 }, Pose::IDENTITY);
    setup.solids = vec![Solid { thickness: 0.002, friction: 0.4, ..floor }];
    setup
}

fn run(scene: &Scene) {
    let mut simulation = Simulation::new((scene.make)()).unwrap();
    let (mut strain, mut over, mut cut, mut inside): (f64, _, _, _) = (0.0, 0, 0, 0);
    let (mut steps, mut rejected, mut sweeps, mut iterations) = (0, 0, 0, 0);
    let (mut total, mut worst): (f64, f64) = (0.0, 0.0);
    let frames = std::env::var("FRAMES").map_or(scene.frames, |frames| frames.parse().unwrap());
    for frame in 1..=frames {
        let wall = Instant::now();
        let clock =
            || if threads() == 1 { processor_seconds() } else { wall.elapsed().as_secs_f64() };
        let begun = clock();
        let tally = match simulation.advance_to(f64::from(frame) / 30.0) {
            Ok(tally) => tally,
            Err(error) => return println!("{:15} frame {frame}: {error}", scene.name),
        };
        let seconds = clock() - begun;
        (total, worst) = (total + seconds, worst.max(seconds));
        steps += tally.steps;
        rejected += tally.rejected;
        sweeps += tally.limit_iterations;
        iterations += tally.iterations;
        over += tally.over_limit;
        strain = strain.max(simulation.strain().extension).max(tally.worst_excess);
        cut += usize::from(!simulation.intersections().is_empty());
        let depth = |solid: &Solid| {
            let depths = solid.depths(&simulation.state().positions, simulation.state().time);
            depths.into_iter().filter(|depth| *depth > 1e-9).count()
        };
        inside += simulation.setup().solids.iter().map(depth).sum::<usize>();
        if std::env::var("EACH").is_ok() {
            let share = |phase| tally.times.of(phase).as_secs_f64() * 1e3;
            let kinetic = simulation.energy().kinetic;
            println!(
                "  {frame}: {:?} {:.1} ms cpu, {:.1} wall, {} steps {} rejected, {} sweeps, strain {:.4} %, E {kinetic:.2e}, h {:.2e}; {}",
                (tally.contact.detections, tally.contact.pairs, tally.contact.contacts),
                seconds * 1e3,
                wall.elapsed().as_secs_f64() * 1e3,
                tally.steps,
                tally.rejected,
                tally.limit_iterations,
                simulation.strain().extension * 100.0,
                tally.h_min,
                taffeta::Phase::ALL
                    .map(|phase| format!("{} {:.1}", phase.name(), share(phase)))
                    .join(" "),
            );
        }
    }
    let frames = f64::from(frames);
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    if std::env::var("FAST").is_ok() {
        let mut order: Vec<usize> = (0..simulation.state().velocities.len()).collect();
        order.sort_by(|a, b| {
            simulation.state().velocities[*b]
                .length()
                .total_cmp(&simulation.state().velocities[*a].length())
        });
        for &i in order.iter().take(12) {
            let touching = simulation.state().contacts.iter().any(|c| c.particle == i as u32);
            println!(
                "   {i} ({}, {}) {} {} {touching}",
                i % 51,
                i / 51,
                simulation.state().positions[i],
                simulation.state().velocities[i]
            );
        }
    }
    let height: f64 = simulation.state().positions.iter().map(|p| p.y).sum::<f64>()
        / simulation.state().positions.len() as f64;
    if scene.name.starts_with("shear") {
        let mesh = &simulation.setup().positions;
        let droop = simulation.state().positions[20 * 41 + 40].z - mesh[20 * 41 + 40].z;
        let k = simulation.model().membranes()[0].shear;
        println!("   droop {:.3} % of theory", droop / (0.2 * 9.81 / (2.0 * k)) * 100.0);
    }
    println!(
        "{:15} {:8.2}  {:5.1}  {:5.1}  {:9}  {:6.2}  {:10.1}  {:8.4}  {:4}  {:3}  {:6}  {:.2e} m/s at {height:.4} m",
        scene.name,
        total / frames * 1e3,
        worst * 1e3,
        f64::from(steps) / frames,
        rejected,
        f64::from(sweeps) / f64::from(steps),
        f64::from(iterations) / f64::from(steps),
        strain * 100.0,
        over,
        cut,
        inside,
        fastest,
    );
}

/// Seconds that all threads of this process have computed.
fn processor_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |task: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    tasks.filter_map(of_task).sum::<f64>() * 1e-9
}
