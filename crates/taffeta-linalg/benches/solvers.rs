//! Assembly, product and solvers at the paper's size and at ten times that, on one thread and on
//! two; and before them the product against the memory bandwidth of the same run.

#![allow(missing_docs, reason = "divan makes public items of the benches")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

#[path = "../tests/cloth/mod.rs"]
mod cloth;

use std::time::{Duration, Instant};

use cloth::Cloth;
use divan::{Bencher, black_box};
use glam::DVec3;
use rayon::prelude::*;
use taffeta_linalg::{
    AssemblyPlan, BlockJacobi, DirectSolver, MultiplyScratch, Pcg, PcgLimits, TwoLevel,
};

/// Particles along a side: 2,601 and 25,921 particles.
const SIDES: [usize; 2] = [51, 161];
const CASES: [(usize, usize); 4] = [(51, 1), (51, 2), (161, 1), (161, 2)];
const H: f64 = 1.0 / 60.0;
const LIMITS: PcgLimits = PcgLimits { tolerance: 1e-3, enough: 0.0, max_iterations: 10_000 };

fn main() {
    for side in SIDES {
        for threads in [1, 2] {
            pool(threads).install(|| print_bandwidth(side, threads));
        }
    }
    divan::main();
}

/// A pool to enter in every sample, which costs some 20 µs.
fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// The least time of many calls.
fn least(repeats: usize, mut work: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..repeats).map(time).min().unwrap()
}

/// A sum fast enough that only reading limits it.
fn sum_in_lanes(numbers: &[f64]) -> [f64; 16] {
    let mut sums = [0.0; 16];
    for group in numbers.chunks_exact(16) {
        for (sum, number) in sums.iter_mut().zip(group) {
            *sum += number;
        }
    }
    sums
}

/// Compares a product with a plain read of as many bytes as the whole matrix, both halves, has.
fn print_bandwidth(side: usize, threads: usize) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let (x, mut y) = (cloth.positions.clone(), cloth.positions.clone());
    let mut scratch = MultiplyScratch::new(&cloth.pattern);
    let blocks = 2 * cloth.pattern.stored_blocks() - cloth.pattern.rows();
    let numbers = vec![1.0; 9 * blocks];
    let read = least(200, || {
        numbers.par_chunks(1 << 15).for_each(|part| {
            black_box(sum_in_lanes(part));
        });
    });
    let product = least(200, || system.matrix.multiply(&x, black_box(&mut y), &mut scratch));
    println!(
        "{} particles, {threads} threads: product {product:.1?}, read of both halves {read:.1?} \
         ({:.0} GB/s), ratio {:.2}",
        x.len(),
        8.0 * numbers.len() as f64 / read.as_secs_f64() * 1e-9,
        product.as_secs_f64() / read.as_secs_f64()
    );
}

#[divan::bench(args = CASES)]
fn assembly(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let mut system = cloth.system(H);
    let mut springs = AssemblyPlan::new(&cloth.pattern, &cloth.springs).unwrap();
    let mut bends = AssemblyPlan::new(&cloth.pattern, &cloth.bends).unwrap();
    let mut hinges = AssemblyPlan::new(&cloth.pattern, &cloth.hinges).unwrap();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            system.matrix.set_zero();
            let (matrix, right) = (&mut system.matrix, &mut system.right);
            springs.add(matrix, right, |e, out| cloth.spring(e, H * H, out));
            bends.add(matrix, right, |e, out| cloth.bend(e, H * H, out));
            hinges.add(matrix, right, |e, out| cloth.hinge(e, out));
        });
    });
}

#[divan::bench(args = CASES)]
fn product(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut y = cloth.positions.clone();
    let mut scratch = MultiplyScratch::new(&cloth.pattern);
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| system.matrix.multiply(&cloth.positions, &mut y, &mut scratch));
    });
}

#[divan::bench(args = [(51, 1), (51, 2)], sample_count = 10)]
fn pcg_block_jacobi(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut pcg = Pcg::new(&cloth.pattern);
    let mut jacobi = BlockJacobi::new(cloth.rest.len());
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            let mut x = vec![DVec3::ZERO; cloth.rest.len()];
            jacobi.refresh(&system.view());
            pcg.solve(&system.view(), &mut jacobi, &mut x, LIMITS).unwrap()
        })
    });
}

#[divan::bench(args = CASES, sample_count = 10)]
fn pcg_two_level(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut pcg = Pcg::new(&cloth.pattern);
    let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            let mut x = vec![DVec3::ZERO; cloth.rest.len()];
            two.refresh(&system.view(), &cloth.positions).unwrap();
            pcg.solve(&system.view(), &mut two, &mut x, LIMITS).unwrap()
        })
    });
}

#[divan::bench(args = SIDES, sample_count = 5)]
fn direct_plan(bencher: Bencher<'_, '_>, side: usize) {
    let cloth = Cloth::new(side);
    bencher.bench_local(|| DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap());
}

#[divan::bench(args = CASES, sample_count = 10)]
fn direct_factor(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut direct = DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| direct.factorize(&system.view(), &cloth.positions).unwrap());
    });
}

#[divan::bench(args = SIDES, sample_count = 20)]
fn direct_solve(bencher: Bencher<'_, '_>, side: usize) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut direct = DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap();
    direct.factorize(&system.view(), &cloth.positions).unwrap();
    let mut x = vec![DVec3::ZERO; cloth.rest.len()];
    bencher.bench_local(|| direct.solve(&system.view(), &mut x));
}
