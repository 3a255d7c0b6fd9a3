//! Assembly and solvers at the paper's size and at ten times that, on one thread and on two.

#![allow(missing_docs, reason = "divan makes public items of the benches")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

#[path = "../tests/cloth/mod.rs"]
mod cloth;
#[path = "../tests/system/mod.rs"]
mod system;

use cloth::Cloth;
use divan::Bencher;
use glam::DVec3;
use taffeta_linalg::{DirectSolver, PcgLimits, RowFactor, RowPcg, RowPlan};

/// Particles along a side: 2,601 and 25,921 particles.
const SIDES: [usize; 2] = [51, 161];
const CASES: [(usize, usize); 4] = [(51, 1), (51, 2), (161, 1), (161, 2)];
const H: f64 = 1.0 / 60.0;
const LIMITS: PcgLimits = PcgLimits { tolerance: 1e-3, enough: 0.0, max_iterations: 10_000 };

fn main() {
    divan::main();
}

/// A pool to enter in every sample, which costs some 20 µs.
fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[divan::bench(args = CASES)]
fn assembly(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let mut system = cloth.system(H);
    let springs = RowPlan::new(&cloth.rows, &cloth.springs).unwrap();
    let bends = RowPlan::new(&cloth.rows, &cloth.bends).unwrap();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            let (matrix, right) = (&mut system.rows, &mut system.right);
            matrix.set_scalars(|_| 1.0, |_| 0.0);
            springs.add(matrix, right, |e| cloth.spring(e, H * H));
            bends.add(matrix, right, |e| cloth.bend(e, H * H));
        });
    });
}

#[divan::bench(args = CASES)]
fn incomplete_factor(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut factor = RowFactor::new(&cloth.rows, 0);
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            factor.forget();
            factor.refresh(&system.rows).unwrap();
        });
    });
}

#[divan::bench(args = CASES, sample_count = 10)]
fn conjugate_gradients(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut factor = RowFactor::new(&cloth.rows, 0);
    factor.refresh(&system.rows).unwrap();
    let mut pcg = RowPcg::new(cloth.rest.len());
    let right: Vec<DVec3> =
        (0..cloth.rest.len()).map(|row| system.right[cloth.rows.particle(row)]).collect();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| {
            let mut x = vec![DVec3::ZERO; cloth.rest.len()];
            pcg.solve(&system.rows, &mut factor, (&right, &mut x), LIMITS).unwrap()
        })
    });
}

#[divan::bench(args = SIDES, sample_count = 5)]
fn direct_plan(bencher: Bencher<'_, '_>, side: usize) {
    let cloth = Cloth::new(side);
    bencher.bench_local(|| DirectSolver::new(&cloth.blocks, &cloth.rest).unwrap());
}

#[divan::bench(args = CASES, sample_count = 10)]
fn direct_factor(bencher: Bencher<'_, '_>, (side, threads): (usize, usize)) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut direct = DirectSolver::new(&cloth.blocks, &cloth.rest).unwrap();
    let pool = pool(threads);
    bencher.bench_local(|| {
        pool.install(|| direct.factorize(&system.view(), &cloth.positions).unwrap());
    });
}

#[divan::bench(args = SIDES, sample_count = 20)]
fn direct_solve(bencher: Bencher<'_, '_>, side: usize) {
    let cloth = Cloth::new(side);
    let system = cloth.system(H);
    let mut direct = DirectSolver::new(&cloth.blocks, &cloth.rest).unwrap();
    direct.factorize(&system.view(), &cloth.positions).unwrap();
    let mut x = vec![DVec3::ZERO; cloth.rest.len()];
    bencher.bench_local(|| direct.solve(&system.view(), &mut x));
}
