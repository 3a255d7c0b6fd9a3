//! Proximity detection on drapes and heaps, from 5,000 to 100,000 triangles, against three trees of
//! vertices, edges and triangles: `cargo bench -p taffeta --bench detection`.
//!
//! Milliseconds are the least of several repeats; powers say how figures grow with the triangles.

#![allow(missing_docs, clippy::print_stdout, clippy::panic, reason = "a benchmark")]

use std::f64::consts::TAU;
use std::time::Instant;

use glam::DVec3;
use taffeta::collision::{Bounds, Hierarchy, PairCache, Pairing, Pairs, Surface};
use taffeta::{Mesh, Sheet};

/// Particles along a side: 5,000 to 99,458 triangles.
const SIDES: [u32; 5] = [51, 72, 101, 143, 224];
/// [m]
const THICKNESS: f64 = 5e-3;
/// Sixteen steps of 1/480 s.
const HORIZON: f64 = 16.0 / 480.0;

fn main() {
    if let Ok(path) = std::env::var("TAFFETA_OBJ") {
        from_file(&path);
    }
    for (name, shape) in
        [("drape", drape as fn(DVec3) -> DVec3), ("heap", heap), ("meeting", meeting)]
    {
        heading(name);
        let mut first = None;
        for side in SIDES {
            let mesh = Sheet { width: 1.0, height: 1.0, columns: side, rows: side }.mesh();
            let x: Vec<DVec3> = mesh.positions.iter().map(|&p| shape(p)).collect();
            let (slow, fast) = (|p: DVec3| wobble(p) * 0.02, |p: DVec3| -DVec3::Y * p.x.signum());
            let speed = |p: DVec3| if name == "meeting" { fast(p) } else { slow(p) };
            let v: Vec<DVec3> = mesh.positions.iter().map(|&p| speed(p)).collect();
            let figures = run(&mesh, &x, &v, side <= 101);
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
        "\n{name}\n{:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}",
        "triangles", "pairs", "detect", "2 threads", "measure", "certify", "3 trees", "ratio"
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
    run(&mesh, &x, &v, true);
}

/// Prints a line; returns the triangles, the pairs and the milliseconds.
fn run(mesh: &Mesh, x: &[DVec3], v: &[DVec3], compare: bool) -> [f64; 3] {
    let surface = Surface::new(&mesh.faces, x.len());
    let mut trees = ThreeTrees::new(&surface, &mesh.positions);
    let triangles = surface.triangles.len();
    let mut cache = PairCache::new(surface.clone(), mesh.positions.clone(), THICKNESS);
    let [one, two] = [1, 2]
        .map(|threads| on_threads(threads, || least(|| cache.detect(x, v, HORIZON, |_| false))));
    let mut proximities = Vec::new();
    let measure = on_threads(1, || least(|| cache.measure(x, 2e-3, &mut proximities)));
    let step: Vec<DVec3> = x.iter().zip(v).map(|(x, v)| *x + *v / 480.0).collect();
    let mut after = Vec::new();
    cache.measure(&step, 2e-3, &mut after);
    let certify = on_threads(1, || {
        least(|| assert!(cache.certify([x, &step], [&proximities, &after]).is_ok()))
    });
    let pairs = cache.pairs().len();
    print!("{triangles:>9} {pairs:>8} {one:>9.3} {two:>9.3} {measure:>9.3} {certify:>9.3}");
    if compare {
        let old = on_threads(1, || least(|| trees.find(&surface, x, v)));
        println!(" {old:>9.2} {:>6.1} ({} pairs)", old / one, trees.found.len());
    } else {
        println!();
    }
    [triangles as f64, pairs as f64, one]
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(work)).unwrap_or_else(|error| panic!("{error}"))
}

/// The least milliseconds of several runs.
fn least(mut work: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    let mut count = 0;
    while count < 5 || (begin.elapsed().as_secs_f64() < 0.5 && count < 200) {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        count += 1;
    }
    best
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

/// What was before: trees over vertices, edges and triangles, boxes first and then distances.
struct ThreeTrees {
    vertices: Hierarchy,
    edges: Hierarchy,
    triangles: Hierarchy,
    pairs: Pairs,
    found: Vec<(Pairing, [u32; 4])>,
}

impl ThreeTrees {
    fn new(surface: &Surface, rest: &[DVec3]) -> Self {
        let middle = |particles: &[u32]| {
            particles.iter().map(|&i| rest[i as usize]).sum::<DVec3>() / particles.len() as f64
        };
        let edges: Vec<DVec3> = surface.edges.iter().map(|edge| middle(edge)).collect();
        let triangles: Vec<DVec3> = surface.triangles.iter().map(|t| middle(t)).collect();
        Self {
            vertices: Hierarchy::new(rest),
            edges: Hierarchy::new(&edges),
            triangles: Hierarchy::new(&triangles),
            pairs: Pairs::default(),
            found: Vec::new(),
        }
    }

    fn find(&mut self, surface: &Surface, x: &[DVec3], v: &[DVec3]) {
        let leeway = 1.5 * THICKNESS;
        let end = |i: usize| x[i] + v[i] * HORIZON;
        let way = |i: usize| Bounds::around([x[i], end(i)]).grown(leeway);
        let boxes: Vec<Bounds> = (0..x.len()).map(way).collect();
        let around = |particles: &[u32]| {
            let all = particles.iter().map(|&i| boxes[i as usize]);
            all.fold(Bounds::EMPTY, Bounds::union)
        };
        self.vertices.refit(|i| boxes[i as usize]);
        self.edges.refit(|i| around(&surface.edges[i as usize]));
        self.triangles.refit(|i| around(&surface.triangles[i as usize]));
        let mut overlapping = Vec::new();
        self.vertices.pairs_with(&self.triangles, &mut self.pairs);
        for &[vertex, triangle] in self.pairs.found() {
            let [a, b, c] = surface.triangles[triangle as usize];
            if vertex != a && vertex != b && vertex != c {
                overlapping.push((Pairing::VertexTriangle, [vertex, a, b, c]));
            }
        }
        self.edges.self_pairs(&mut self.pairs);
        for &[first, second] in self.pairs.found() {
            let ([a, b], [c, d]) = (surface.edges[first as usize], surface.edges[second as usize]);
            if a != c && a != d && b != c && b != d {
                overlapping.push((Pairing::EdgeEdge, [a, b, c, d]));
            }
        }
        self.found.clear();
        self.found.extend(overlapping.into_iter().filter(|(pairing, particles)| {
            let [a, b, c, d] = particles.map(|i| i as usize);
            let closest = pairing.closest(&[x[a], x[b], x[c], x[d]]);
            let ways = [a, b, c, d].map(|i| v[i] * HORIZON);
            let (first, second) = ways.split_at(pairing.first());
            let both = first.iter().flat_map(|a| second.iter().map(|b| a.distance(*b)));
            let longest = both.fold(0.0, f64::max);
            closest.apart.length() <= longest + 2.0 * 3.0_f64.sqrt() * leeway
        }));
    }
}
