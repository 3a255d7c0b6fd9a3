//! Systems against dense arithmetic, on random small ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod system;

use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3A};
use proptest::prelude::*;
use system::{System, distance, noise, outer};
use taffeta_linalg::{
    BlockPattern, ElementRows, Filter, PcgLimits, RowMatrix, RowPattern, RowPlan,
};

/// A random system: elements of two, three and four particles, and every kind of filter.
struct Case {
    seed: usize,
    elements: Vec<Vec<u32>>,
    pattern: Arc<BlockPattern>,
    positions: Vec<DVec3>,
    system: System,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "seed {}, {:?}, {:?}", self.seed, self.elements, self.system.filters)
    }
}

/// The exact solution of a filtered system, by elimination on S A S + (I − S).
fn dense_solution(system: &System) -> Vec<DVec3> {
    let n = system.right.len();
    let s = |i: usize| system.filters[i].matrix();
    let held = system.held();
    let mut dense = vec![vec![0.0; 3 * n + 1]; 3 * n];
    for i in 0..n {
        let mut right = system.right[i];
        for j in 0..n {
            let block = system.block(i, j);
            right -= block * held[j];
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
    (0..n).map(|i| DVec3::from_slice(&x[3 * i..]) + held[i]).collect()
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
            .prop_map(move |(two, three, four, kinds)| build(seed, [two, three, four], &kinds))
    })
}

fn sized<const K: usize>(elements: &[Vec<u32>]) -> Vec<[u32; K]> {
    elements.iter().map(|e| std::array::from_fn(|k| e[k])).collect()
}

/// Elements of two, three and four particles.
fn build(seed: usize, [two, three, four]: [Vec<Vec<u32>>; 3], kinds: &[u8]) -> Case {
    let n = kinds.len();
    let positions: Vec<DVec3> = (0..n).map(|i| noise(2 * i)).collect();
    let elements = [&two[..], &three, &four].concat();
    let pattern = Arc::new(BlockPattern::new(n, &elements).unwrap());
    let rows = RowPattern::new(&positions, elements.iter().map(|e| &e[..]));
    let mut matrix = RowMatrix::new(Arc::new(rows));
    matrix.set_scalars(|_| 1.0, |_| 0.0);
    let mut right = vec![DVec3::ZERO; n];
    add(seed, 0, &sized::<2>(&two), (&mut matrix, &mut right));
    add(seed, two.len(), &sized::<3>(&three), (&mut matrix, &mut right));
    add(seed, two.len() + three.len(), &sized::<4>(&four), (&mut matrix, &mut right));
    let filters = kinds.iter().enumerate().map(|(i, kind)| match kind {
        0 => Filter::HELD,
        1 => Filter::in_plane(noise(i).normalize()),
        2 => Filter::along_line(noise(i).normalize()),
        _ => Filter::FREE,
    });
    let prescribed = (0..n).map(|i| noise(5 * i + 2)).collect();
    let system = System::new((matrix, &pattern), &right, (filters.collect(), prescribed));
    Case { seed, elements, pattern, positions, system }
}

/// Adds elements g gᵀ with gradients g from the noise: symmetric and positive semidefinite.
fn add<const K: usize>(
    seed: usize,
    first: usize,
    elements: &[[u32; K]],
    (matrix, right): (&mut RowMatrix, &mut [DVec3]),
) {
    let plan = RowPlan::new(matrix.pattern(), elements).unwrap();
    plan.add(matrix, right, |e| {
        let mut out = ElementRows::ZERO;
        for a in 0..K {
            for b in 0..=a {
                let block = block(seed, first + e, [a, b]).as_mat3();
                out.blocks[a][b] = Mat3A::from_cols_array(&block.to_cols_array());
            }
            out.forces[a] = gradient(seed, first + e, a);
        }
        out
    });
}

fn gradient(seed: usize, element: usize, local: usize) -> DVec3 {
    noise(seed + 17 * element + 5 * local)
}

fn block(seed: usize, element: usize, [a, b]: [usize; 2]) -> DMat3 {
    5.0 * outer(gradient(seed, element, a), gradient(seed, element, b))
}

proptest! {
    /// In rows and columns alike, whatever the order of an element's particles.
    #[test]
    fn systems_are_the_sums_of_their_elements(case in cases()) {
        let Case { seed, elements, system, .. } = case;
        let n = system.right.len();
        for i in 0..n {
            let mut forces = DVec3::ZERO;
            for j in 0..n {
                let mut expected = if i == j { DMat3::IDENTITY } else { DMat3::ZERO };
                for (e, element) in elements.iter().enumerate() {
                    let at = |p: usize| element.iter().position(|&q| q as usize == p);
                    if let (Some(a), Some(b)) = (at(i), at(j)) {
                        expected += block(seed, e, [a, b]);
                        forces += if a == b { gradient(seed, e, a) } else { DVec3::ZERO };
                    }
                }
                prop_assert!(system.block(i, j).abs_diff_eq(expected, 1e-4), "({}, {})", i, j);
                prop_assert_eq!(system.block(i, j), system.block(j, i).transpose());
            }
            prop_assert!(system.right[i].distance(forces) < 1e-12);
        }
    }

    #[test]
    fn every_solver_finds_the_dense_solution(case in cases()) {
        let Case { pattern, positions, system, .. } = case;
        let exact = dense_solution(&system);
        let direct = system.solve_directly(&pattern, &positions);
        prop_assert!(distance(&direct, &exact) < 1e-11);

        let guess: Vec<DVec3> = (0..exact.len()).map(|i| noise(9 * i)).collect();
        let limits = PcgLimits { tolerance: 1e-12, enough: 0.0, max_iterations: 1000 };
        let (iterated, report) = system.iterate(&guess, limits).unwrap();
        prop_assert!(report.converged, "{:?}", report);
        // Oblique filters are in single precision in the matrix.
        let oblique = system.filters.iter().any(|f| *f != Filter::FREE && *f != Filter::HELD);
        let error = distance(&iterated, &exact);
        prop_assert!(error < if oblique { 1e-4 } else { 1e-9 }, "{}", error);
    }
}
