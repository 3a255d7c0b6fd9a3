//! Laws of the solvers on systems like those of implicit cloth.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cloth;

use cloth::{Cloth, System, noise};
use glam::{DMat3, DVec3};
use taffeta_linalg::{
    AssemblyPlan, BlockJacobi, BlockMatrix, BlockPattern, Coupling, DirectSolver, FactorError,
    Filter, FilteredSystem, IncompleteCholesky, LowerColumns, MultiplyScratch, Pcg, PcgError,
    PcgLimits, Preconditioner, SparseFactor, TwoLevel,
};

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn norm(vectors: &[DVec3]) -> f64 {
    vectors.iter().map(|v| v.length_squared()).sum::<f64>().sqrt()
}

/// Constraint forces and what of them lies in free directions, relative to the right-hand side.
fn free_error(system: &System, x: &[DVec3]) -> f64 {
    let mut forces = vec![DVec3::ZERO; x.len()];
    let mut scratch = MultiplyScratch::new(system.matrix.pattern());
    system.view().constraint_forces(x, &mut forces, &mut scratch);
    let free: Vec<DVec3> =
        system.filters.iter().zip(&forces).map(|(filter, &e)| filter.free_part(e)).collect();
    norm(&free) / norm(&system.right)
}

#[test]
fn constraints_hold_to_rounding_after_any_number_of_iterations() {
    let cloth = Cloth::new(15);
    let system = cloth.system(1.0 / 60.0);
    let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
    two.refresh(&system.view(), &cloth.positions).unwrap();
    let mut pcg = Pcg::new(&cloth.pattern);
    for max_iterations in [0, 1, 2, 5, 500] {
        let mut x: Vec<DVec3> = (0..cloth.rest.len()).map(noise).collect();
        let limits = PcgLimits { tolerance: 1e-12, enough: 0.0, max_iterations };
        let report = pcg.solve(&system.view(), &mut two, &mut x, limits).unwrap();
        assert_eq!(report.converged, max_iterations == 500, "{report:?}");
        assert_eq!(report.converged, report.relative_residual <= limits.tolerance, "{report:?}");
        for (i, filter) in system.filters.iter().enumerate() {
            let error = filter.held_part(x[i] - system.prescribed[i]);
            assert!(error.length() <= 4e-16 * x[i].length(), "{i}: {error}");
            if *filter == Filter::HELD {
                assert_eq!(x[i], system.prescribed[i]);
            }
        }
    }
}

#[test]
fn a_good_guess_saves_iterations_and_an_exact_one_all() {
    let cloth = Cloth::new(15);
    let system = cloth.system(1.0 / 240.0);
    let mut jacobi = BlockJacobi::new(cloth.rest.len());
    jacobi.refresh(&system.view());
    let mut pcg = Pcg::new(&cloth.pattern);
    let mut solve = |x: &mut [DVec3], tolerance| {
        let limits = PcgLimits { tolerance, enough: 0.0, max_iterations: 5000 };
        pcg.solve(&system.view(), &mut jacobi, x, limits).unwrap().iterations
    };
    let mut x = vec![DVec3::ZERO; cloth.rest.len()];
    let cold = solve(&mut x, 1e-10);
    let mut near: Vec<DVec3> = x.iter().enumerate().map(|(i, &x)| x + 1e-8 * noise(i)).collect();
    assert!(solve(&mut near, 1e-6) < cold / 2);
    assert_eq!(solve(&mut x, 1e-9), 0);
}

#[test]
fn constraint_forces_live_in_the_held_directions_and_balance_the_load() {
    let cloth = Cloth::new(12);
    let system = cloth.system(1.0 / 60.0);
    let mut direct = DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap();
    direct.factorize(&system.view(), &cloth.positions).unwrap();
    let mut x = vec![DVec3::ZERO; cloth.rest.len()];
    direct.solve(&system.view(), &mut x);
    assert!(free_error(&system, &x) < 1e-11);
    let mut forces = x.clone();
    let mut scratch = MultiplyScratch::new(&cloth.pattern);
    system.view().constraint_forces(&x, &mut forces, &mut scratch);
    assert!(forces[0].length() > 1e-6, "{}", forces[0]);
    let mut momentum = x.clone();
    system.matrix.multiply(&x, &mut momentum, &mut scratch);
    let gap: DVec3 = (0..x.len()).map(|i| momentum[i] - system.right[i] - forces[i]).sum();
    assert!(gap.length() < 1e-12, "{gap}");
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Particles far apart in the pattern, pulled towards a common velocity: products are those of the
/// dense matrix, and every solver finds its solution.
#[test]
fn couplings_outside_the_pattern_are_part_of_the_system() {
    let cloth = Cloth::new(20);
    let mut system = cloth.system(1.0 / 60.0);
    let before = system.matrix.clone();
    let couplings: Vec<Coupling> = (0..60u32)
        .map(|k| Coupling {
            particles: [k, 399 - k, 200 + k, 190 - k],
            weights: [1.0, -0.2, -0.5, -0.3],
            strength: outer(noise(k as usize)) * f64::from(k + 1)
                + DMat3::from_diagonal(DVec3::splat(1e-4)),
        })
        .collect();
    couplings.iter().for_each(|coupling| system.matrix.couple(*coupling));
    let x: Vec<DVec3> = (0..cloth.rest.len()).map(noise).collect();
    let mut scratch = MultiplyScratch::new(&cloth.pattern);
    let (mut expected, mut product) = (x.clone(), x.clone());
    before.multiply(&x, &mut expected, &mut scratch);
    for Coupling { particles, weights, strength } in &couplings {
        let sum: DVec3 = (0..4).map(|k| x[particles[k] as usize] * weights[k]).sum();
        (0..4).for_each(|k| expected[particles[k] as usize] += *strength * sum * weights[k]);
    }
    system.matrix.multiply(&x, &mut product, &mut scratch);
    assert!((0..x.len()).all(|i| (product[i] - expected[i]).length() < 1e-12));
    let mut direct = DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap();
    direct.factorize(&system.view(), &cloth.positions).unwrap();
    let mut exact = x.clone();
    direct.solve(&system.view(), &mut exact);
    assert!(free_error(&system, &exact) < 1e-9, "{}", free_error(&system, &exact));
    let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
    two.refresh(&system.view(), &cloth.positions).unwrap();
    let mut iterated = vec![DVec3::ZERO; x.len()];
    let limits = PcgLimits { tolerance: 1e-10, enough: 0.0, max_iterations: 5000 };
    let mut pcg = Pcg::new(&cloth.pattern);
    assert!(pcg.solve(&system.view(), &mut two, &mut iterated, limits).unwrap().converged);
    assert!(free_error(&system, &iterated) < 1e-6, "{}", free_error(&system, &iterated));
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let cloth = Cloth::new(75);
    let solve = || {
        let system = cloth.system(1.0 / 240.0);
        let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
        two.refresh(&system.view(), &cloth.positions).unwrap();
        let mut x = vec![DVec3::ZERO; cloth.rest.len()];
        let limits = PcgLimits { tolerance: 1e-6, enough: 0.0, max_iterations: 200 };
        Pcg::new(&cloth.pattern).solve(&system.view(), &mut two, &mut x, limits).unwrap();
        let mut direct = DirectSolver::new(&cloth.pattern, &cloth.rest).unwrap();
        direct.factorize(&system.view(), &cloth.positions).unwrap();
        let mut exact = x.clone();
        direct.solve(&system.view(), &mut exact);
        (system.matrix.diagonal().to_vec(), system.right, x, exact)
    };
    let alone = on_threads(1, solve);
    for threads in [2, 4, 8] {
        assert!(on_threads(threads, solve) == alone, "{threads} threads");
    }
}

#[test]
fn half_storage_multiplies_as_full_storage_does_across_chunks() {
    let cloth = Cloth::new(60);
    let system = cloth.system(1.0 / 60.0);
    let x: Vec<DVec3> = (0..cloth.rest.len()).map(noise).collect();
    let mut full: Vec<DVec3> = (0..x.len()).map(|i| system.matrix.diagonal()[i] * x[i]).collect();
    for row in 0..x.len() {
        for (&column, block) in
            cloth.pattern.lower_columns(row).iter().zip(system.matrix.lower(row))
        {
            full[row] += *block * x[column as usize];
            full[column as usize] += block.transpose() * x[row];
        }
    }
    let mut half = vec![DVec3::NAN; x.len()];
    let mut scratch = MultiplyScratch::new(&cloth.pattern);
    for _ in 0..2 {
        system.matrix.multiply(&x, &mut half, &mut scratch);
        let error: Vec<DVec3> = half.iter().zip(&full).map(|(h, f)| *h - *f).collect();
        assert!(norm(&error) < 1e-14 * norm(&full));
    }
}

#[test]
fn the_two_level_preconditioner_needs_no_more_iterations_on_finer_cloth() {
    let iterations = |side: usize| {
        let cloth = Cloth::new(side);
        let system = cloth.system(1.0 / 60.0);
        let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
        two.refresh(&system.view(), &cloth.positions).unwrap();
        let mut x = vec![DVec3::ZERO; cloth.rest.len()];
        let limits = PcgLimits { tolerance: 1e-6, enough: 0.0, max_iterations: 1000 };
        let mut pcg = Pcg::new(&cloth.pattern);
        let two = pcg.solve(&system.view(), &mut two, &mut x, limits).unwrap().iterations;
        let mut near = IncompleteCholesky::new(&cloth.pattern);
        near.refresh(&system.view()).unwrap();
        x.fill(DVec3::ZERO);
        let one = pcg.solve(&system.view(), &mut near, &mut x, limits).unwrap().iterations;
        (two, one)
    };
    let ((coarse, _), (fine, without)) = (iterations(21), iterations(81));
    assert!(4 * fine < 7 * coarse, "{coarse} then {fine}");
    assert!(4 * fine < without, "{fine} against {without}");
}

/// What a motion leaves of a residual in the free directions.
fn left_over(system: &System, residual: &[DVec3], motion: &[DVec3]) -> Vec<DVec3> {
    let mut image = motion.to_vec();
    let mut scratch = MultiplyScratch::new(system.matrix.pattern());
    system.matrix.multiply(motion, &mut image, &mut scratch);
    (0..image.len()).map(|i| system.filters[i].free_part(residual[i] - image[i])).collect()
}

#[test]
fn patches_leave_nothing_they_could_solve_and_are_symmetric_on_the_rest() {
    let cloth = Cloth::new(40);
    let system = cloth.system(1.0 / 60.0);
    let mut two = TwoLevel::new(&cloth.pattern, &cloth.rest).unwrap();
    two.refresh(&system.view(), &cloth.positions).unwrap();
    let nothing = vec![DVec3::ZERO; cloth.rest.len()];
    let mut solvable = |residual: &[DVec3]| {
        let mut motion = nothing.clone();
        two.presolve(residual, &mut motion);
        motion
    };
    let [a, b] = [0, 7000].map(|seed| {
        let pushes: Vec<DVec3> = (0..nothing.len()).map(|i| noise(i + seed)).collect();
        let free = left_over(&system, &pushes, &nothing);
        let motion = solvable(&free);
        let left = left_over(&system, &free, &motion);
        assert!(norm(&solvable(&left)) < 1e-9 * norm(&motion));
        left
    });
    let [image_a, image_b] = [&a, &b].map(|left| {
        let mut image = nothing.clone();
        two.apply(left, &mut image);
        let mut motion = nothing.clone();
        two.presolve(&left_over(&system, left, &image), &mut motion);
        assert!(norm(&motion) < 1e-9 * norm(&image), "{} {}", norm(&motion), norm(&image));
        image
    });
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let (aa, ab, ba) = (dot(&a, &image_a), dot(&a, &image_b), dot(&b, &image_a));
    assert!(aa > 0.0 && (ab - ba).abs() < 1e-9 * aa, "{aa} {ab} {ba}");
}

#[test]
fn assembly_of_hinges_does_not_depend_on_threads_and_repeats() {
    let cloth = Cloth::new(40);
    let assemble = || {
        let mut plan = AssemblyPlan::new(&cloth.pattern, &cloth.hinges).unwrap();
        let mut matrix = BlockMatrix::new(cloth.pattern.clone());
        let mut right = vec![DVec3::ZERO; cloth.rest.len()];
        for _ in 0..2 {
            matrix.set_zero();
            right.fill(DVec3::ZERO);
            plan.add(&mut matrix, &mut right, |e, out| cloth.hinge(e, out));
        }
        let lower: Vec<DMat3> = (0..right.len()).flat_map(|i| matrix.lower(i).to_vec()).collect();
        (matrix.diagonal().to_vec(), lower, right)
    };
    let alone = on_threads(1, assemble);
    assert!(on_threads(3, assemble) == alone);
    assert!(alone.1.iter().any(|block| *block != DMat3::ZERO));
}

/// Two particles joined by a matrix with this coupling and no mass.
fn pair(diagonal: f64, coupling: f64) -> System {
    let pattern = std::sync::Arc::new(BlockPattern::new(2, [[0, 1]]).unwrap());
    let mut matrix = BlockMatrix::new(pattern.clone());
    matrix.diagonal_mut().fill(DMat3::IDENTITY * diagonal);
    let mut plan = AssemblyPlan::new(&pattern, &[[0, 1]]).unwrap();
    let mut right = vec![DVec3::X, DVec3::ZERO];
    plan.add(&mut matrix, &mut right, |_, out| out.blocks[1][0] = DMat3::IDENTITY * coupling);
    System { matrix, right, filters: vec![Filter::FREE; 2], prescribed: vec![DVec3::ZERO; 2] }
}

#[test]
fn singular_indefinite_and_unfinished_numbers_are_errors() {
    let rest = [DVec3::ZERO, DVec3::X];
    let limits = PcgLimits { tolerance: 1e-9, enough: 0.0, max_iterations: 10 };
    for system in [pair(1.0, 1.0), pair(1.0, 2.0), pair(0.0, 1.0), pair(-1.0, 0.0)] {
        let mut direct = DirectSolver::new(system.matrix.pattern(), &rest).unwrap();
        let refused = direct.factorize(&system.view(), &rest);
        assert!(matches!(refused, Err(FactorError::Pivot { .. })), "{refused:?}");
    }
    let indefinite = pair(1.0, -2.0);
    let mut jacobi = BlockJacobi::new(2);
    jacobi.refresh(&indefinite.view());
    let mut x = [DVec3::ZERO; 2];
    let mut pcg = Pcg::new(indefinite.matrix.pattern());
    let refused = pcg.solve(&indefinite.view(), &mut jacobi, &mut x, limits);
    assert!(matches!(refused, Err(PcgError::NotPositiveDefinite { .. })), "{refused:?}");
    let mut incomplete = IncompleteCholesky::new(indefinite.matrix.pattern());
    assert!(incomplete.refresh(&indefinite.view()).unwrap() > 0.1);
    let refused = incomplete.refresh(&pair(-1.0, 0.0).view());
    assert!(matches!(refused, Err(FactorError::Pivot { row: 0 })), "{refused:?}");

    let broken = pair(f64::NAN, 0.0);
    let mut direct = DirectSolver::new(broken.matrix.pattern(), &rest).unwrap();
    let refused = direct.factorize(&broken.view(), &rest);
    assert!(matches!(refused, Err(FactorError::NotFinite { .. })), "{refused:?}");
    jacobi.refresh(&broken.view());
    let refused = pcg.solve(&broken.view(), &mut jacobi, &mut x, limits);
    assert_eq!(refused, Err(PcgError::NotFinite));
}

#[test]
fn nothing_to_solve_is_solved() {
    let pattern = BlockPattern::new(0, [[0_u32; 2]; 0]).unwrap();
    let matrix = BlockMatrix::new(pattern.clone().into());
    let system = FilteredSystem { matrix: &matrix, right: &[], filters: &[], prescribed: &[] };
    let limits = PcgLimits { tolerance: 1e-9, enough: 0.0, max_iterations: 10 };
    let mut two = TwoLevel::new(&pattern, &[]).unwrap();
    two.refresh(&system, &[]).unwrap();
    let report = Pcg::new(&pattern).solve(&system, &mut two, &mut [], limits).unwrap();
    assert!(report.converged && report.iterations == 0);
    let mut direct = DirectSolver::new(&pattern, &[]).unwrap();
    assert_eq!(direct.factorize(&system, &[]), Ok(()));
    direct.solve(&system, &mut []);
}

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
fn scalar_factors_solve_by_either_order() {
    let (columns, values, points) = chain(500);
    let right: Vec<f64> = (0..500).map(|i| noise(i).x).collect();
    for mut factor in [
        SparseFactor::by_coordinates(columns.clone(), &points).unwrap(),
        SparseFactor::by_degree(columns).unwrap(),
    ] {
        for scale in [1.0, 3.0] {
            let scaled: Vec<f64> = values.iter().map(|v| scale * v).collect();
            assert_eq!(factor.factorize(&scaled), Ok(()));
            let mut x = right.clone();
            factor.solve(&mut x);
            for i in 0..500_usize {
                let beside =
                    x.get(i.wrapping_sub(1)).unwrap_or(&0.0) + x.get(i + 1).unwrap_or(&0.0);
                let error = scale * (2.001 * x[i] - beside) - right[i];
                assert!(error.abs() < 1e-12, "{error}");
            }
        }
    }
}

#[test]
fn the_failing_pivot_and_malformed_patterns_are_named() {
    let (columns, mut values, points) = chain(60);
    let at = columns.offsets[37] as usize;
    values[at] = -50.0;
    let mut factor = SparseFactor::by_degree(columns.clone()).unwrap();
    let refused = factor.factorize(&values);
    assert_eq!(refused, Err(FactorError::Pivot { row: 37 }));
    assert!(factor.factorize(&values[1..]).is_err());
    assert!(SparseFactor::by_coordinates(columns.clone(), &points[1..]).is_err());
    let mut upper = columns.clone();
    upper.rows[at] = 3;
    assert!(SparseFactor::by_degree(upper).is_err());
    let mut short = columns;
    short.offsets.pop();
    assert!(SparseFactor::by_degree(short).is_err());
}
