//! Strips on the hanging square: a frame of computing by number of threads.
//!
//! `cargo bench -p taffeta --bench strips`; the program it builds needs nothing else. Every step is
//! timed by itself, many times, and the least time of each is added up: on a busy machine a step
//! has all threads to itself now and then, a frame never.

#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::time::Instant;

use taffeta::{
    ExplicitEuler, Fabric, Integrator, Limiter, Model, Pin, Setup, Sheet, Simulation, Snapshot,
    StepLimits, StrainLimits, Strips,
};

/// Particles along a side, and steps a frame that keep them calm.
const SIZES: [(u32, u32); 2] = [(41, 16), (101, 96)];
const THREADS: [usize; 4] = [1, 2, 4, 8];
const REPEATS: usize = 40;
const FRAME: f64 = 1.0 / 30.0;

fn main() {
    println!("particles  threads  ms/frame  faster by");
    for (side, steps) in SIZES {
        let (mut simulation, start) = falling(side, steps);
        let mut alone = None;
        for threads in THREADS {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (seconds, end) = pool.install(|| frame(&mut simulation, &start, steps));
            let (first, reference) = alone.get_or_insert((seconds, end.clone()));
            assert_eq!(end, *reference, "the bits depend on the number of threads");
            let (time, gain) = (seconds * 1e3, *first / seconds);
            println!("{:9}  {threads:7}  {time:8.3}  {gain:9.2}", side * side);
        }
    }
}

/// The square of `strips-hang`, half a second on its way down.
fn falling(side: u32, steps: u32) -> (Simulation, Snapshot) {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
    let fabric = Fabric { density: 0.2, shear: 0.3, bend: 0.0, ..Fabric::default() };
    let model = Model::mass_spring(&mesh, &fabric).unwrap();
    let setup = Setup {
        integrator: Integrator::Explicit(ExplicitEuler::default()),
        limits: Some(StrainLimits { extension: 0.001, compression: None }),
        limiter: Limiter::Strips(Strips { max_iterations: 2 }),
        step: StepLimits { max: 1.000_01 * FRAME / f64::from(steps), ..StepLimits::default() },
        pins: vec![Pin::fixed([0, side - 1])],
        ..Setup::new(model, mesh.positions)
    };
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.advance_to(0.5).unwrap();
    let snapshot = simulation.snapshot();
    (simulation, snapshot)
}

/// The least time each step of a frame takes, added up [s], and where the frame ends.
fn frame(simulation: &mut Simulation, start: &Snapshot, steps: u32) -> (f64, Snapshot) {
    let mut least = vec![f64::INFINITY; steps as usize];
    for _ in 0..REPEATS {
        simulation.restore(start).unwrap();
        for (least, step) in least.iter_mut().zip(1..) {
            let time = start.state.time + FRAME * f64::from(step) / f64::from(steps);
            let begun = Instant::now();
            simulation.advance_to(time).unwrap();
            *least = least.min(begun.elapsed().as_secs_f64());
        }
    }
    (least.iter().sum(), simulation.snapshot())
}
