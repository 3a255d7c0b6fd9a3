use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use super::*;
use crate::{Coupling, FactorError, Filter, PcgLimits};

/// A band of triangles, long enough for several domains and pieces.
fn band(length: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let width = 9;
    let place = |i: u32| DVec3::new(f64::from(i / width), f64::from(i % width), 0.0);
    let rest = (0..length * width).map(place).collect();
    let cell = |row: u32, column: u32| {
        let a = row * width + column;
        [[a, a + 1, a + width], [a + 1, a + width + 1, a + width]]
    };
    let cells = (0..length - 1).flat_map(|row| (0..width - 1).map(move |c| (row, c)));
    (rest, cells.flat_map(|(row, column)| cell(row, column)).collect())
}

/// Numbers that look random, the same every time.
fn number(i: usize) -> f64 {
    ((i * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5
}

fn vector(i: usize) -> DVec3 {
    DVec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2))
}

/// Springs between the corners of a triangle, in directions of their own.
fn element(e: usize) -> ElementRows<3> {
    let mut out = ElementRows::ZERO;
    for (k, (a, b)) in [(1, 0), (2, 0), (2, 1)].into_iter().enumerate() {
        let n = vector(5 * e + k).normalize().as_vec3a();
        let block = Mat3A::from_cols(n * n.x, n * n.y, n * n.z) * 40.0 + Mat3A::IDENTITY * 3.0;
        out.blocks[a][a] += block;
        out.blocks[b][b] += block;
        out.blocks[a][b] -= block;
    }
    out.forces = [vector(e), vector(e + 1), vector(e + 2)];
    out
}

fn system() -> (RowMatrix, Vec<DVec3>, Vec<[u32; 3]>) {
    let (rest, triangles) = band(400);
    let groups: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
    let pattern = RowPattern::new(&rest, groups.iter().map(|group| &group[..]));
    let plan = RowPlan::new(&pattern, &triangles).unwrap();
    let mut matrix = RowMatrix::new(Arc::new(pattern));
    matrix.set_scalars(|_| 2.0, |_| 0.0);
    let mut right = vec![DVec3::ZERO; rest.len()];
    plan.add(&mut matrix, &mut right, element);
    (matrix, right, triangles)
}

/// Rows and right-hand sides hold what the elements say, one after the other.
#[test]
fn elements_are_summed_into_rows() {
    let (matrix, right, triangles) = system();
    let pattern = matrix.pattern();
    let count = pattern.len();
    let mut expected = vec![DVec3::ZERO; count];
    let x: Vec<Vec3A> = (0..count).map(|row| vector(pattern.particle(row)).as_vec3a()).collect();
    let mut image: Vec<DVec3> = x.iter().map(|x| x.as_dvec3() * 2.0).collect();
    for (e, corners) in triangles.iter().enumerate() {
        let ElementRows { blocks, forces } = element(e);
        for a in 0..3 {
            let row = pattern.row(corners[a]) as usize;
            expected[row] += forces[a];
            for b in 0..3 {
                let block = if b <= a { blocks[a][b] } else { blocks[b][a].transpose() };
                image[row] += (block * x[pattern.row(corners[b]) as usize]).as_dvec3();
            }
        }
    }
    let mut found = x.clone();
    matrix.multiply(&x, &mut found);
    for row in 0..count {
        assert!(right[row].distance(expected[row]) < 1e-12);
        assert!(found[row].as_dvec3().distance(image[row]) < 1e-3, "{row}");
    }
}

/// With all fill the factor is exact, whatever the domains; without any it still preconditions.
#[test]
fn factors_solve_and_precondition() {
    let (matrix, ..) = system();
    let count = matrix.pattern().len();
    let x: Vec<Vec3A> = (0..count).map(|row| vector(row).as_vec3a()).collect();
    let (mut image, mut found) = (x.clone(), x.clone());
    matrix.multiply(&x, &mut image);
    let mut whole = RowFactor::new(matrix.pattern(), 1000);
    whole.refresh(&matrix).unwrap();
    whole.apply(&image, &mut found);
    let error = (0..count).map(|i| found[i].distance(x[i])).fold(0.0, f32::max);
    assert!(error < 1e-3, "{error}");
    let iterations = [0, 1].map(|level| {
        let mut factor = RowFactor::new(matrix.pattern(), level);
        factor.refresh(&matrix).unwrap();
        let mut found = vec![DVec3::ZERO; count];
        let limits = PcgLimits { tolerance: 1e-4, enough: 0.0, max_iterations: 200 };
        let right: Vec<DVec3> = image.iter().map(|r| r.as_dvec3()).collect();
        let report =
            RowPcg::new(count).solve(&matrix, &mut factor, (&right, &mut found), limits).unwrap();
        assert!(report.converged);
        let error = (0..count).map(|i| found[i].distance(x[i].as_dvec3())).fold(0.0, f64::max);
        assert!(error < 5e-3, "{error}");
        report.iterations
    });
    assert!(iterations[1] < iterations[0] && iterations[0] < 100, "{iterations:?}");
}

/// What is held does not move along what it is held in, and couplings act on all; to round-off if that
/// is asked for.
#[test]
fn held_rows_and_couplings_are_kept() {
    let (mut matrix, right, _) = system();
    let count = matrix.pattern().len();
    let weights = [1.0, -0.2, -0.5, -0.3];
    let strength = DMat3::from_diagonal(DVec3::new(900.0, 5.0, 5.0));
    matrix.couple(&Coupling { particles: [3, 2000, 2001, 2010], weights, strength });
    let normal = DVec3::new(0.6, 0.0, 0.8);
    matrix.hold(40, &Filter::HELD);
    matrix.hold(2001, &Filter::in_plane(normal));
    let mut factor = RowFactor::new(matrix.pattern(), 0);
    factor.refresh(&matrix).unwrap();
    let mut x = vec![DVec3::ZERO; count];
    let limits = PcgLimits { tolerance: 1e-11, enough: 0.0, max_iterations: 400 };
    let report = RowPcg::new(count).solve(&matrix, &mut factor, (&right, &mut x), limits).unwrap();
    assert!(report.converged, "{report:?}");
    let at = |particle: u32| x[matrix.pattern().row(particle) as usize];
    assert_eq!(at(40), DVec3::ZERO);
    assert!(at(2001).dot(normal).abs() < 1e-6);
    let mut image = x.clone();
    matrix.multiply_double(&x, &mut image);
    let row = |particle: u32| matrix.pattern().row(particle) as usize;
    let left = |i: usize| match right[i] - image[i] {
        _ if i == row(40) => DVec3::ZERO,
        left if i == row(2001) => left.reject_from_normalized(normal),
        left => left,
    };
    let error = (0..count).map(|i| left(i).length()).fold(0.0, f64::max);
    assert!(error < 1e-9, "{error}");
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let solve = || {
        let (matrix, right, _) = system();
        let mut factor = RowFactor::new(matrix.pattern(), 1);
        factor.refresh(&matrix).unwrap();
        let mut x = vec![DVec3::ZERO; right.len()];
        let limits = PcgLimits { tolerance: 1e-4, enough: 0.0, max_iterations: 100 };
        RowPcg::new(x.len()).solve(&matrix, &mut factor, (&right, &mut x), limits).unwrap();
        x
    };
    let on = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(solve)
    };
    let alone = on(1);
    assert!([2, 4, 8].into_iter().all(|threads| on(threads) == alone));
}

/// What is not positive definite is refused, and no numbers are.
#[test]
fn what_cannot_be_factored_is_refused() {
    let (mut matrix, ..) = system();
    matrix.add_to_diagonal(7, DMat3::from_diagonal(DVec3::splat(f64::NAN)));
    assert!(RowFactor::new(matrix.pattern(), 0).refresh(&matrix).is_err());
}

/// The matrix of Kershaw 1978, positive definite, whose factor without fill has a negative pivot:
/// 3 on the diagonal, and 2 and three times −2 around a circle of four.
#[test]
fn a_factor_that_breaks_down_is_mended_and_still_preconditions() {
    let circle = [[1, 0], [2, 1], [3, 2], [3, 0]];
    let rest: Vec<DVec3> = (0..4).map(vector).collect();
    let pattern = RowPattern::new(&rest, circle.iter().map(|pair| &pair[..]));
    let plan = RowPlan::new(&pattern, &circle).unwrap();
    let mut matrix = RowMatrix::new(Arc::new(pattern));
    matrix.set_scalars(|_| 3.0, |_| 0.0);
    plan.add(&mut matrix, &mut [DVec3::ZERO; 4], |e| {
        let mut out = ElementRows::ZERO;
        out.blocks[1][0] = Mat3A::IDENTITY * if e == 3 { 2.0 } else { -2.0 };
        out
    });
    let mut whole = RowFactor::new(matrix.pattern(), 4);
    whole.refresh(&matrix).unwrap();
    assert_eq!(whole.shift, 0.0);
    let mut factor = RowFactor::new(matrix.pattern(), 0);
    factor.refresh(&matrix).unwrap();
    let first = factor.shift;
    assert!(first > 0.0 && first < 1.0, "{first}");
    let right = [0, 1, 2, 3].map(vector);
    let mut found = [DVec3::ZERO; 4];
    let limits = PcgLimits { tolerance: 1e-12, enough: 0.0, max_iterations: 50 };
    let report = RowPcg::new(4).solve(&matrix, &mut factor, (&right, &mut found), limits).unwrap();
    let mut image = found;
    matrix.multiply_double(&found, &mut image);
    assert!(report.converged && (0..4).all(|i| image[i].distance(right[i]) < 1e-10), "{report:?}");
    // The next one begins near where this one passed; what is forgotten is no matter any more.
    factor.refresh(&matrix).unwrap();
    assert!(factor.shift != first, "{first}");
    factor.forget();
    factor.refresh(&matrix).unwrap();
    assert_eq!(factor.shift, first);
}

/// No factor, whatever the enlargement.
#[test]
fn a_negative_diagonal_is_refused_by_its_row() {
    let (mut matrix, ..) = system();
    matrix.set_scalars(|row| if row == 70 { -1.0 } else { 1.0 }, |_| 0.0);
    let refused = RowFactor::new(matrix.pattern(), 0).refresh(&matrix);
    assert_eq!(refused, Err(FactorError::Pivot { row: 210 }));
}

/// A square of so many particles a side, whose neighbours hold each other, and which weighs so little that
/// what moves all of it hardly does.
fn square(side: u32) -> (RowMatrix, Vec<DVec3>) {
    let place = |i: u32| DVec3::new(f64::from(i % side), 0.0, f64::from(i / side));
    let rest: Vec<DVec3> = (0..side * side).map(place).collect();
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| [i, i + 1]);
    let down = (0..side * (side - 1)).map(|i| [i, i + side]);
    let edges: Vec<[u32; 2]> = right.chain(down).collect();
    let pattern = RowPattern::new(&rest, edges.iter().map(|edge| &edge[..]));
    let plan = RowPlan::new(&pattern, &edges).unwrap();
    let mut matrix = RowMatrix::new(Arc::new(pattern));
    matrix.set_scalars(|_| 1e-4, |_| 0.0);
    plan.add(&mut matrix, &mut vec![DVec3::ZERO; rest.len()], |_| {
        let mut out = ElementRows::ZERO;
        for (a, b) in [(0, 0), (1, 0), (1, 1)] {
            out.blocks[a][b] = Mat3A::IDENTITY * if a == b { 1.0 } else { -1.0 };
        }
        out
    });
    (matrix, rest)
}

/// With patches, iterations grow less than a square is wide, a coupling and a held corner included, and
/// the answer is the same, on any number of threads.
#[test]
fn patches_take_the_size_out_of_the_iterations() {
    let solve = |side: u32, patched: bool| {
        let (mut matrix, rest) = square(side);
        let weights = [1.0, -0.2, -0.5, -0.3];
        let strength = DMat3::from_diagonal(DVec3::new(900.0, 5.0, 5.0));
        let far = side * side - 3;
        matrix.couple(&Coupling { particles: [3, far, far + 1, far + 2], weights, strength });
        matrix.hold(0, &Filter::HELD);
        matrix.hold(side, &Filter::in_plane(DVec3::Y));
        let right: Vec<DVec3> = (0..rest.len()).map(vector).collect();
        let mut factor = RowFactor::new(matrix.pattern(), 0);
        if patched {
            factor = factor.with_patches(matrix.pattern(), &rest);
        }
        factor.refresh(&matrix).unwrap();
        let mut x = vec![DVec3::ZERO; right.len()];
        let limits = PcgLimits { tolerance: 1e-8, enough: 0.0, max_iterations: 10_000 };
        let report = RowPcg::new(x.len()).solve(&matrix, &mut factor, (&right, &mut x), limits);
        let report = report.unwrap();
        assert!(report.converged, "{report:?}");
        (report.iterations, x)
    };
    let [(few, _), (alone, known)] = [75, 150].map(|side| solve(side, false));
    let [(least, _), (most, found)] = [75, 150].map(|side| solve(side, true));
    assert!(alone as f64 > 1.5 * few as f64, "{few} {alone}");
    assert!((most as f64) < 1.3 * least as f64 && 2 * most < alone, "{least} {most} {alone}");
    let size = known.iter().map(|x| x.length()).fold(0.0, f64::max);
    let error = known.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(error < 1e-5 * size, "{error} {size}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    assert!(pool.install(|| solve(150, true)).1 == found);
}
