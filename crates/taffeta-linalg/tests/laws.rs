//! The block matrix against dense arithmetic, on random small systems.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cloth;

use std::sync::Arc;

use cloth::{noise, outer};
use glam::{DMat3, DVec3};
use proptest::prelude::*;
use taffeta_linalg::{
    AssemblyPlan, BlockJacobi, BlockMatrix, BlockPattern, DirectSolver, Filter, FilteredSystem,
    IncompleteCholesky, MultiplyScratch, Pcg, PcgLimits, TwoLevel,
};

/// A random system: elements of two, three and four particles, and every kind of filter.
#[derive(Debug)]
struct Case {
    matrix: BlockMatrix,
    positions: Vec<DVec3>,
    right: Vec<DVec3>,
    filters: Vec<Filter>,
    prescribed: Vec<DVec3>,
}

impl Case {
    fn view(&self) -> FilteredSystem<'_> {
        FilteredSystem {
            matrix: &self.matrix,
            right: &self.right,
            filters: &self.filters,
            prescribed: &self.prescribed,
        }
    }

    fn rows(&self) -> usize {
        self.right.len()
    }

    /// The whole matrix as scalars.
    fn dense(&self) -> Vec<Vec<f64>> {
        let n = 3 * self.rows();
        let entry = |r: usize, c: usize| {
            self.matrix.block((r / 3) as u32, (c / 3) as u32).col(c % 3)[r % 3]
        };
        (0..n).map(|r| (0..n).map(|c| entry(r, c)).collect()).collect()
    }

    /// The exact solution of the filtered system, by elimination on S A S + (I − S).
    fn dense_solution(&self) -> Vec<DVec3> {
        let n = self.rows();
        let s = |i: usize| self.filters[i].matrix();
        let held = |i: usize| self.filters[i].held_part(self.prescribed[i]);
        let mut dense = vec![vec![0.0; 3 * n + 1]; 3 * n];
        for i in 0..n {
            let mut right = self.right[i];
            for j in 0..n {
                let block = self.matrix.block(i as u32, j as u32);
                right -= block * held(j);
                let identity = if i == j { DMat3::IDENTITY - s(i) } else { DMat3::ZERO };
                let free = s(i) * block * s(j) + identity;
                for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                    dense[3 * i + r][3 * j + c] = free.col(c)[r];
                }
            }
            for (r, value) in s(i).mul_vec3(right).to_array().into_iter().enumerate() {
                dense[3 * i + r][3 * n] = value;
            }
        }
        let x = eliminate(dense);
        (0..n).map(|i| DVec3::from_slice(&x[3 * i..]) + held(i)).collect()
    }
}

/// Gaussian elimination with pivoting; the right-hand side is the last column.
fn eliminate(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for k in 0..n {
        let best = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs())).unwrap();
        a.swap(k, best);
        let (top, below) = a.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / top[k][k];
            for (entry, pivot) in row[k..].iter_mut().zip(&top[k][k..]) {
                *entry -= factor * pivot;
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| a[k][c] * x[c]).sum();
        x[k] = (a[k][n] - known) / a[k][k];
    }
    x
}

fn cases() -> impl Strategy<Value = Case> {
    (5_usize..24, 0_usize..1000).prop_flat_map(|(n, seed)| {
        let element =
            |k| proptest::sample::subsequence((0..n as u32).collect::<Vec<_>>(), k).prop_shuffle();
        (
            proptest::collection::vec(element(2), 0..40),
            proptest::collection::vec(element(3), 0..20),
            proptest::collection::vec(element(4), 0..20),
            proptest::collection::vec(0_u8..8, n),
        )
            .prop_map(move |(two, three, four, kinds)| {
                build(seed, (&sized(&two), &sized(&three), &sized(&four)), &kinds)
            })
    })
}

fn sized<const K: usize>(elements: &[Vec<u32>]) -> Vec<[u32; K]> {
    elements.iter().map(|e| std::array::from_fn(|k| e[k])).collect()
}

type Elements<'a> = (&'a [[u32; 2]], &'a [[u32; 3]], &'a [[u32; 4]]);

fn build(seed: usize, (two, three, four): Elements<'_>, kinds: &[u8]) -> Case {
    let n = kinds.len();
    let lists = two.iter().map(|e| &e[..]).chain(three.iter().map(|e| &e[..]));
    let lists = lists.chain(four.iter().map(|e| &e[..]));
    let pattern = Arc::new(BlockPattern::new(n, lists).unwrap());
    let mut matrix = BlockMatrix::new(Arc::clone(&pattern));
    matrix.diagonal_mut().fill(DMat3::IDENTITY);
    let mut right: Vec<DVec3> = (0..n).map(|i| noise(seed + i)).collect();
    add(seed, &pattern, two, (&mut matrix, &mut right));
    add(seed, &pattern, three, (&mut matrix, &mut right));
    add(seed, &pattern, four, (&mut matrix, &mut right));
    let filters = kinds.iter().enumerate().map(|(i, kind)| match kind {
        0 => Filter::HELD,
        1 => Filter::in_plane(noise(i).normalize()),
        2 => Filter::along_line(noise(i).normalize()),
        _ => Filter::FREE,
    });
    let positions = (0..n).map(|i| noise(2 * i)).collect();
    let prescribed = (0..n).map(|i| noise(5 * i + 2)).collect();
    Case { filters: filters.collect(), matrix, positions, right, prescribed }
}

/// Adds elements g gᵀ with gradients g from the noise: symmetric and positive semidefinite.
fn add<const K: usize>(
    seed: usize,
    pattern: &BlockPattern,
    elements: &[[u32; K]],
    (matrix, right): (&mut BlockMatrix, &mut [DVec3]),
) {
    let mut plan = AssemblyPlan::new(pattern, elements).unwrap();
    plan.add(matrix, right, |e, out| {
        for a in 0..K {
            for b in 0..=a {
                out.blocks[a][b] = 5.0 * outer(gradient(seed, e, a), gradient(seed, e, b));
            }
            out.vectors[a] = gradient(seed, e, a);
        }
    });
}

fn gradient(seed: usize, element: usize, local: usize) -> DVec3 {
    noise(seed + 17 * element + 5 * local)
}

fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn products_equal_dense_products(case in cases()) {
        let dense = case.dense();
        let n = case.rows();
        let mut y = vec![DVec3::NAN; n];
        let mut scratch = MultiplyScratch::new(case.matrix.pattern());
        case.matrix.multiply(&case.positions, &mut y, &mut scratch);
        for r in 0..3 * n {
            let expected: f64 = (0..3 * n).map(|c| dense[r][c] * case.positions[c / 3][c % 3]).sum();
            prop_assert!((y[r / 3][r % 3] - expected).abs() < 1e-12);
            for (c, row) in dense.iter().enumerate() {
                prop_assert_eq!(dense[r][c], row[r]);
            }
        }
    }

    #[test]
    fn every_solver_finds_the_dense_solution(case in cases()) {
        let exact = case.dense_solution();
        let system = case.view();
        let limits = PcgLimits { tolerance: 1e-13, enough: 0.0, max_iterations: 1000 };
        let mut pcg = Pcg::new(case.matrix.pattern());
        let start: Vec<DVec3> = (0..case.rows()).map(|i| noise(9 * i)).collect();

        let mut x = start.clone();
        let mut jacobi = BlockJacobi::new(case.rows());
        jacobi.refresh(&system);
        prop_assert!(pcg.solve(&system, &mut jacobi, &mut x, limits).unwrap().converged);
        prop_assert!(distance(&x, &exact) < 1e-9);

        let mut x = start.clone();
        let mut incomplete = IncompleteCholesky::new(case.matrix.pattern());
        incomplete.refresh(&system).unwrap();
        prop_assert!(pcg.solve(&system, &mut incomplete, &mut x, limits).unwrap().converged);
        prop_assert!(distance(&x, &exact) < 1e-9);

        let mut x = start;
        let mut two = TwoLevel::new(case.matrix.pattern(), &case.positions).unwrap();
        two.refresh(&system, &case.positions).unwrap();
        prop_assert!(pcg.solve(&system, &mut two, &mut x, limits).unwrap().converged);
        prop_assert!(distance(&x, &exact) < 1e-9);

        let mut x = vec![DVec3::NAN; case.rows()];
        let mut direct = DirectSolver::new(case.matrix.pattern(), &case.positions).unwrap();
        prop_assert_eq!(direct.factorize(&system, &case.positions), Ok(()));
        direct.solve(&system, &mut x);
        prop_assert!(distance(&x, &exact) < 1e-11);
    }
}

#[test]
fn assembly_adds_element_by_element_and_transposes_where_numbers_fall() {
    let elements = [[4, 1, 3], [1, 4, 0], [2, 3, 1]];
    let pattern = Arc::new(BlockPattern::new(5, elements).unwrap());
    let mut matrix = BlockMatrix::new(Arc::clone(&pattern));
    let mut right = vec![DVec3::ZERO; 5];
    add(1, &pattern, &elements, (&mut matrix, &mut right));
    for i in 0..5 {
        for j in 0..5 {
            let mut expected = DMat3::ZERO;
            for (e, element) in elements.iter().enumerate() {
                let at = |p: u32| element.iter().position(|&q| q == p);
                if let (Some(a), Some(b)) = (at(i), at(j)) {
                    expected += 5.0 * outer(gradient(1, e, a), gradient(1, e, b));
                }
            }
            assert!(matrix.block(i, j).abs_diff_eq(expected, 1e-14), "({i}, {j})");
        }
    }
}
