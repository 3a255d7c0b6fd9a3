//! A pass of proximity detection on drapes, heaps and layers that meet face to face, from 5,000 to
//! 100,000 triangles: `cargo bench -p taffeta --bench detection [-- NAME …]`.
//!
//! Milliseconds are of the processor, the least of several repeats; those of two threads are of the
//! busier one, and their gain is what one thread takes over that. *Follow* is a step in which one of
//! a hundred particles leaves its way. Powers say how figures grow with the triangles.

#![allow(missing_docs, clippy::print_stdout, clippy::panic, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::time::Instant;

use glam::DVec3;
use taffeta::PairCache;
use taffeta::collision::Surface;
use taffeta::{Mesh, Sheet};

/// Particles along a side: 5,000 to 99,458 triangles.
const SIDES: [u32; 4] = [51, 101, 143, 224];
/// [m]
const THICKNESS: f64 = 5e-3;
/// [s]
const STEP: f64 = 1.0 / 480.0;
/// Sixteen steps [s].
const HORIZON: f64 = 16.0 * STEP;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let Ok(path) = std::env::var("TAFFETA_OBJ") {
        from_file(&path);
    }
    for (name, shape) in
        [("drape", drape as fn(DVec3) -> DVec3), ("heap", heap), ("meeting", meeting)]
    {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            continue;
        }
        heading(name);
        let mut first = None;
        for side in SIDES {
            let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
            let x: Vec<DVec3> = mesh.positions.iter().map(|&p| shape(p)).collect();
            let (slow, fast) = (|p: DVec3| wobble(p) * 0.02, |p: DVec3| -DVec3::Y * p.x.signum());
            let speed = |p: DVec3| if name == "meeting" { fast(p) } else { slow(p) };
            let v: Vec<DVec3> = mesh.positions.iter().map(|&p| speed(p)).collect();
            let figures = run(&mesh, &x, &v);
            let [n, pairs, time] = figures;
            let [n0, pairs0, time0] = *first.get_or_insert(figures);
            let power = |a: f64, b: f64| libm::log(a / b) / libm::log(n / n0);
            if n > n0 {
                println!(
                    "   power: pairs {:.2}, ms {:.2}",
                    power(pairs, pairs0),
                    power(time, time0)
                );
            }
        }
    }
}

fn heading(name: &str) {
    println!(
        "\n{name}\n{:>9} {:>8} {:>9} {:>9} {:>6} {:>9} {:>9} {:>9}",
        "triangles", "pairs", "detect", "2 threads", "gain", "follow", "measure", "certify"
    );
}

/// The last frame of a run of `drape-sphere`, say: `taffeta export … --to frame.obj`.
fn from_file(path: &str) {
    let Ok(text) = std::fs::read_to_string(path) else { return println!("no file {path}") };
    let number = |word: &str| word.parse().unwrap_or(f64::NAN);
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    let x: Vec<DVec3> = lines
        .map(|line| DVec3::from_slice(&line.split(' ').map(number).collect::<Vec<f64>>()))
        .collect();
    let side = (x.len() as f64).sqrt() as u32;
    let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
    heading(path);
    let v: Vec<DVec3> = mesh.positions.iter().map(|&p| wobble(p) * 0.02).collect();
    run(&mesh, &x, &v);
}

/// Prints a line; returns the triangles, the pairs and the milliseconds.
fn run(mesh: &Mesh, x: &[DVec3], v: &[DVec3]) -> [f64; 3] {
    let surface = Surface::new(&mesh.faces, x.len());
    let triangles = surface.triangles.len();
    let mut cache = PairCache::new(surface, mesh.positions.clone(), THICKNESS);
    let [one, two] = [1, 2]
        .map(|threads| on_threads(threads, || least(|| cache.detect(x, v, HORIZON, |_| false))));
    let pairs = cache.pairs().len();
    let mut proximities = Vec::new();
    let measure = on_threads(1, || least(|| cache.measure(x, 2e-3, &mut proximities)));
    let step: Vec<DVec3> = x.iter().zip(v).map(|(x, v)| *x + *v * STEP).collect();
    let mut after = Vec::new();
    let certify = on_threads(1, || {
        least(|| assert!(cache.certify([x, &step], (&proximities, 2e-3), &mut after).is_ok()))
    });
    let kick = DVec3::Y * 0.06 * mesh.positions[0].distance(mesh.positions[1]);
    let mut to = step;
    to.iter_mut().step_by(100).for_each(|to| *to += kick);
    let mut follow = || {
        cache.detect(x, v, HORIZON, |_| false);
        cache.measure(x, 2e-3, &mut proximities);
        let begin = Instant::now();
        assert!(cache.follow([x, &to], [0.0, STEP], (&mut proximities, 2e-3), |_| false));
        begin.elapsed().as_secs_f64() * 1e3
    };
    // Too short for the system to count.
    let follow = on_threads(1, || (0..8).map(|_| follow()).fold(f64::INFINITY, f64::min));
    let gain = one / two;
    println!(
        "{triangles:>9} {pairs:>8} {one:>9.3} {two:>9.3} {gain:>6.2} {follow:>9.3} {measure:>9.3} {certify:>9.3}"
    );
    [triangles as f64, pairs as f64, one]
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(work)).unwrap_or_else(|error| panic!("{error}"))
}

/// The milliseconds that the busiest thread computes in a run of some work, the least of several
/// times: what others do on the machine counts little.
fn least(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..8 {
        // The system counts in steps of some milliseconds.
        let (begin, mut count, before) = (Instant::now(), 0, computed());
        while count == 0 || begin.elapsed().as_secs_f64() < 0.05 {
            work();
            count += 1;
        }
        let busy = |(task, now): (&String, &f64)| now - before.get(task).unwrap_or(&0.0);
        let busiest = computed().iter().map(busy).fold(0.0, f64::max);
        best = best.min(busiest / f64::from(count));
    }
    best
}

/// The milliseconds that each thread of this process has computed.
fn computed() -> BTreeMap<String, f64> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some((task.file_name().into_string().ok()?, nanoseconds * 1e-6))
    };
    tasks.filter_map(of_task).collect()
}

/// Smooth, between −1 and 1.
fn wobble(p: DVec3) -> DVec3 {
    DVec3::new(libm::sin(9.0 * p.x), libm::sin(7.0 * p.z), libm::sin(5.0 * (p.x + p.z)))
}

/// A curtain: folds that deepen along it. Across it is a sine-generated curve, whose direction
/// swings by `swing` to both sides, so that it does not stretch.
fn drape(p: DVec3) -> DVec3 {
    const FOLD: f64 = 0.2;
    let swing = 1.2 + 0.85 * (p.z + 0.5);
    let parts = (p.x.abs() / 1e-3).ceil().max(1.0);
    let step = p.x / parts;
    let mut at = DVec3::Z * p.z;
    for part in 0..parts as u32 {
        let angle = swing * libm::cos(TAU / FOLD * (f64::from(part) + 0.5) * step);
        let (sin, cos) = libm::sincos(angle);
        at += DVec3::new(cos, sin, 0.0) * step;
    }
    at
}

/// Rolled up in a spiral whose layers are 6 mm apart, with ripples along it.
fn heap(p: DVec3) -> DVec3 {
    const GROWTH: f64 = 6e-3 / TAU;
    let ripple = 5e-4 * libm::sin(90.0 * p.z + 40.0 * p.x);
    let radius = (0.03 * 0.03 + 2.0 * GROWTH * (p.x + 0.5)).sqrt();
    let (sin, cos) = libm::sincos(radius / GROWTH);
    DVec3::new((radius + ripple) * cos, (radius + ripple) * sin, p.z)
}

/// Folded in two flat halves 60 mm apart.
fn meeting(p: DVec3) -> DVec3 {
    const TURN: f64 = 0.03;
    let half = 0.25 * TAU * TURN;
    let (sin, cos) = libm::sincos((p.x / TURN).clamp(-0.25 * TAU, 0.25 * TAU));
    DVec3::new(TURN * cos - (p.x.abs() - half).max(0.0), TURN * sin, p.z * 1.001)
}
