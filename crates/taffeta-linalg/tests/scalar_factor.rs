//! The sparse factor of scalars.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod system;

use glam::DVec3;
use system::noise;
use taffeta_linalg::{FactorError, LowerColumns, SparseFactor};

/// A chain of springs: the scalar matrix with 2 + ε on the diagonal and −1 beside it.
fn chain(n: u32) -> (LowerColumns, Vec<f64>, Vec<DVec3>) {
    let (mut offsets, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in 0..n {
        rows.push(column);
        values.push(2.001);
        if column + 1 < n {
            rows.push(column + 1);
            values.push(-1.0);
        }
        offsets.push(rows.len() as u32);
    }
    let points = (0..n).map(|i| DVec3::new(f64::from(i), 0.0, 0.0)).collect();
    (LowerColumns { offsets, rows }, values, points)
}

#[test]
fn scalar_factors_solve_for_those_who_own_and_those_who_share_them() {
    let (columns, values, points) = chain(500);
    let right: Vec<f64> = (0..500).map(|i| noise(i).x).collect();
    let mut factor = SparseFactor::by_coordinates(columns, &points).unwrap();
    let mut memory = factor.solve_memory().unwrap();
    for scale in [1.0, 3.0] {
        let scaled: Vec<f64> = values.iter().map(|v| scale * v).collect();
        assert_eq!(factor.factorize(&scaled), Ok(()));
        let (mut x, mut shared) = (right.clone(), right.clone());
        factor.solve(&mut x);
        factor.solve_in(&mut memory, &mut shared);
        assert_eq!(x, shared);
        for i in 0..500_usize {
            let beside = x.get(i.wrapping_sub(1)).unwrap_or(&0.0) + x.get(i + 1).unwrap_or(&0.0);
            let error = scale * (2.001 * x[i] - beside) - right[i];
            assert!(error.abs() < 1e-12, "{error}");
        }
    }
}

#[test]
fn the_failing_pivot_and_malformed_patterns_are_named() {
    let (columns, mut values, points) = chain(60);
    let at = columns.offsets[37] as usize;
    values[at] = -50.0;
    let mut factor = SparseFactor::by_coordinates(columns.clone(), &points).unwrap();
    let refused = factor.factorize(&values);
    assert_eq!(refused, Err(FactorError::Pivot { row: 37 }));
    assert!(factor.factorize(&values[1..]).is_err());
    assert!(SparseFactor::by_coordinates(columns.clone(), &points[1..]).is_err());
    let mut upper = columns.clone();
    upper.rows[at] = 3;
    assert!(SparseFactor::by_coordinates(upper, &points).is_err());
    let mut short = columns;
    short.offsets.pop();
    assert!(SparseFactor::by_coordinates(short, &points[1..]).is_err());
}
