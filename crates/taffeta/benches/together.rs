//! Limits, solids and self-contact together: what a frame costs, and what it keeps.
//!
//! `cargo bench -p taffeta --bench together [-- NAME …]` runs scenes by name, all without one. Times
//! are of the processor, on one thread.

#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::time::Instant;

use glam::DVec3;
use taffeta::{
    Fabric, Limiter, Model, Pin, Pose, SelfContact, Setup, Shape, Sheet, Simulation, Solid,
    StrainLimits, Strips,
};

struct Scene {
    name: &'static str,
    frames: u32,
    make: fn() -> Setup,
}

const SCENES: [Scene; 10] = [
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
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    println!(
        "scene           ms/frame  worst  steps  discarded  sweeps  strain %  over  cut  inside  fastest at the end"
    );
    for scene in SCENES.iter().filter(|s| wanted.is_empty() || wanted.iter().any(|w| w == s.name)) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| run(scene));
    }
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

fn run(scene: &Scene) {
    let mut simulation = Simulation::new((scene.make)()).unwrap();
    let (mut strain, mut over, mut cut, mut inside): (f64, _, _, _) = (0.0, 0, 0, 0);
    let (mut steps, mut rejected, mut sweeps) = (0, 0, 0);
    let (mut total, mut worst): (f64, f64) = (0.0, 0.0);
    for frame in 1..=scene.frames {
        let (begun, wall) = (processor_seconds(), Instant::now());
        let tally = match simulation.advance_to(f64::from(frame) / 30.0) {
            Ok(tally) => tally,
            Err(error) => return println!("{:15} frame {frame}: {error}", scene.name),
        };
        let seconds = processor_seconds() - begun;
        (total, worst) = (total + seconds, worst.max(seconds));
        steps += tally.steps;
        rejected += tally.rejected;
        sweeps += tally.limit_iterations;
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
    let frames = f64::from(scene.frames);
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
        "{:15} {:8.2}  {:5.1}  {:5.1}  {:9}  {:6.2}  {:8.4}  {:4}  {:3}  {:6}  {:.2e} m/s at {height:.4} m",
        scene.name,
        total / frames * 1e3,
        worst * 1e3,
        f64::from(steps) / frames,
        rejected,
        f64::from(sweeps) / f64::from(steps),
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
