//! Laws of the solvers on systems like those of implicit cloth.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cloth;
mod system;

use std::sync::Arc;

use cloth::Cloth;
use glam::{DMat3, DVec3};
use system::{System, distance, noise, norm, outer};
use taffeta_linalg::{
    BlockMatrix, BlockPattern, Coupling, DirectSolver, FactorError, Filter, FilteredSystem,
    PcgError, PcgLimits, RowFactor, RowMatrix, RowPattern, RowPcg,
};

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Stops at a tolerance alone.
fn to(tolerance: f64) -> PcgLimits {
    PcgLimits { tolerance, enough: 0.0, max_iterations: 5000 }
}

fn nothing(cloth: &Cloth) -> Vec<DVec3> {
    vec![DVec3::ZERO; cloth.rest.len()]
}

/// Couplings of particles far apart in the pattern, of numbers that single precision has.
fn couple(system: &mut System) {
    let last = system.right.len() as u32 - 1;
    let coupling = |k: u32| {
        let n = noise(k as usize);
        let strength = outer(n, n) * f64::from(k + 1) + DMat3::IDENTITY * 1e-4;
        Coupling {
            particles: [k, last - k, 200 + k, 190 - k],
            weights: [1.0, -0.25, -0.5, -0.25],
            strength: strength.as_mat3().as_dmat3(),
        }
    };
    system.couple((0..60).map(coupling).collect());
}

/// What is held is where it is prescribed to be, to rounding.
fn assert_held(system: &System, x: &[DVec3]) {
    for (i, filter) in system.filters.iter().enumerate() {
        let error = filter.held_part(x[i] - system.prescribed[i]);
        assert!(error.length() <= 4e-16 * x[i].length(), "{i}: {error}");
        if *filter == Filter::HELD {
            assert_eq!(x[i], system.prescribed[i]);
        }
    }
}

#[test]
fn direct_solutions_leave_nothing_but_what_holds_the_constraints() {
    let cloth = Cloth::new(12);
    let system = cloth.system(1.0 / 60.0);
    let x = system.solve_directly(&cloth.blocks, &cloth.rest);
    assert!(system.free_error(&x) < 1e-11, "{:e}", system.free_error(&x));
    assert_held(&system, &x);
    let forces = system.left_over(&x);
    assert!(forces[0].length() > 1e-6, "{}", forces[0]);
}

#[test]
fn conjugate_gradients_come_as_near_to_the_direct_solution_as_they_are_asked_to() {
    let cloth = Cloth::new(40);
    let system = cloth.system(1.0 / 60.0);
    let exact = system.solve_directly(&cloth.blocks, &cloth.rest);
    // Oblique filters are in single precision in the matrix.
    for (tolerance, near) in [(1e-2, 1e-2), (1e-4, 1e-4), (1e-8, 1e-6)] {
        let (x, report) = system.iterate(&nothing(&cloth), to(tolerance)).unwrap();
        assert!(report.converged && report.relative_residual <= tolerance, "{report:?}");
        assert_held(&system, &x);
        let error = distance(&x, &exact) / norm(&exact);
        assert!(error < near, "{error:e} at {tolerance:e}");
    }
}

#[test]
fn constraints_hold_after_any_number_of_iterations() {
    let cloth = Cloth::new(15);
    let system = cloth.system(1.0 / 60.0);
    let guess: Vec<DVec3> = (0..cloth.rest.len()).map(noise).collect();
    for max_iterations in [0, 1, 2, 5, 500] {
        let limits = PcgLimits { max_iterations, ..to(1e-9) };
        let (x, report) = system.iterate(&guess, limits).unwrap();
        assert_eq!(report.converged, max_iterations == 500, "{report:?}");
        assert_eq!(report.converged, report.relative_residual <= limits.tolerance, "{report:?}");
        assert!(report.iterations <= max_iterations, "{report:?}");
        assert_held(&system, &x);
    }
}

#[test]
fn a_good_guess_saves_iterations_and_an_exact_one_all() {
    let cloth = Cloth::new(15);
    let system = cloth.system(1.0 / 240.0);
    let solve = |guess: &[DVec3], tolerance| system.iterate(guess, to(tolerance)).unwrap();
    let (exact, cold) = solve(&nothing(&cloth), 1e-9);
    let near: Vec<DVec3> = exact.iter().enumerate().map(|(i, &x)| x + 1e-6 * noise(i)).collect();
    let (_, warm) = solve(&near, 1e-4);
    assert!(2 * warm.iterations < cold.iterations, "{warm:?} {cold:?}");
    assert_eq!(solve(&exact, 1e-4).1.iterations, 0);
}

/// Particles far apart in the pattern, pulled towards a common velocity.
#[test]
fn couplings_outside_the_pattern_are_part_of_the_system() {
    let cloth = Cloth::new(20);
    let mut system = cloth.system(1.0 / 60.0);
    let apart = system.solve_directly(&cloth.blocks, &cloth.positions);
    couple(&mut system);
    let exact = system.solve_directly(&cloth.blocks, &cloth.positions);
    assert!(system.free_error(&exact) < 1e-9, "{:e}", system.free_error(&exact));
    assert!(system.free_error(&apart) > 1e-2, "{:e}", system.free_error(&apart));
    assert_held(&system, &exact);
    let (iterated, report) = system.iterate(&nothing(&cloth), to(1e-8)).unwrap();
    let error = distance(&iterated, &exact) / norm(&exact);
    assert!(report.converged && error < 1e-6, "{error:e}, {report:?}");
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let (large, small) = (Cloth::new(75), Cloth::new(40));
    let both = |cloth: &Cloth, system: &System| {
        let exact = system.solve_directly(&cloth.blocks, &cloth.positions);
        (exact, system.iterate(&nothing(cloth), to(1e-4)).unwrap().0)
    };
    let solve = || {
        let mut coupled = small.system(1.0 / 240.0);
        couple(&mut coupled);
        (both(&large, &large.system(1.0 / 240.0)), both(&small, &coupled))
    };
    let alone = on_threads(1, solve);
    for threads in [2, 4, 8] {
        assert!(on_threads(threads, solve) == alone, "{threads} threads");
    }
}

/// Memory and plans of other patterns, and of couplings that are gone, leave no trace.
#[test]
fn a_solver_planned_again_has_the_bits_of_a_new_one() {
    let (small, large) = (Cloth::new(15), Cloth::new(20));
    let system = small.system(1.0 / 60.0);
    let mut other = large.system(1.0 / 60.0);
    couple(&mut other);
    let mut direct = DirectSolver::new(&large.blocks, &large.rest).unwrap();
    direct.factorize(&other.view(), &large.positions).unwrap();
    direct.plan_again(&small.blocks, &small.rest).unwrap();
    direct.factorize(&system.view(), &small.positions).unwrap();
    let mut again = nothing(&small);
    direct.solve(&system.view(), &mut again);
    assert_eq!(again, system.solve_directly(&small.blocks, &small.rest));
    assert!(direct.plan_again(&small.blocks, &large.rest).is_err());
}

#[test]
fn larger_factors_are_counted_as_larger() {
    let bytes = [15, 30].map(|side| {
        let cloth = Cloth::new(side);
        DirectSolver::bytes(&cloth.blocks, &cloth.rest)
    });
    // No factor is smaller than the matrix, of nine numbers for each of some seven blocks a row.
    assert!(bytes[0] > 15 * 15 * 7 * 72 && bytes[1] > 4 * bytes[0], "{bytes:?}");
}

/// Two particles joined by a matrix with this coupling and no mass.
fn pair(diagonal: f64, coupling: f64) -> System {
    let rest = [DVec3::ZERO, DVec3::X];
    let mut matrix = RowMatrix::new(Arc::new(RowPattern::new(&rest, [&[0, 1][..]])));
    matrix.set_scalars(|_| diagonal as f32, |_| coupling as f32);
    let pattern = Arc::new(BlockPattern::new(2, [[0, 1]]).unwrap());
    let held = (vec![Filter::FREE; 2], vec![DVec3::ZERO; 2]);
    System::new((matrix, &pattern), &[DVec3::X, DVec3::ZERO], held)
}

#[test]
fn singular_indefinite_and_unfinished_numbers_are_errors() {
    let rest = [DVec3::ZERO, DVec3::X];
    let pattern = BlockPattern::new(2, [[0, 1]]).unwrap();
    let refused = |system: &System| {
        let mut direct = DirectSolver::new(&pattern, &rest).unwrap();
        direct.factorize(&system.view(), &rest)
    };
    for system in [pair(1.0, 1.0), pair(1.0, 2.0), pair(0.0, 1.0), pair(-1.0, 0.0)] {
        let refused = refused(&system);
        assert!(matches!(refused, Err(FactorError::Pivot { .. })), "{refused:?}");
    }
    let refused = refused(&pair(f64::NAN, 0.0));
    assert!(matches!(refused, Err(FactorError::NotFinite { .. })), "{refused:?}");
    let iterate = |system: &System| system.iterate(&[DVec3::ZERO; 2], to(1e-9));
    let refused = iterate(&pair(1.0, -2.0));
    assert!(matches!(refused, Err(PcgError::NotPositiveDefinite { .. })), "{refused:?}");
    let mut broken = pair(1.0, 0.5);
    assert!(iterate(&broken).unwrap().1.converged);
    broken.right[1].y = f64::NAN;
    assert_eq!(iterate(&broken), Err(PcgError::NotFinite));
}

#[test]
fn nothing_to_solve_is_solved() {
    let pattern = BlockPattern::new(0, [[0_u32; 2]; 0]).unwrap();
    let matrix = BlockMatrix::new(pattern.clone().into());
    let system = FilteredSystem { matrix: &matrix, right: &[], filters: &[], prescribed: &[] };
    let mut direct = DirectSolver::new(&pattern, &[]).unwrap();
    assert_eq!(direct.factorize(&system, &[]), Ok(()));
    direct.solve(&system, &mut []);
    let matrix = RowMatrix::new(Arc::new(RowPattern::new(&[], [])));
    let mut factor = RowFactor::new(matrix.pattern(), 0);
    factor.refresh(&matrix).unwrap();
    let report = RowPcg::new(0).solve(&matrix, &mut factor, (&[], &mut []), to(1e-9)).unwrap();
    assert!(report.converged && report.iterations == 0);
}
