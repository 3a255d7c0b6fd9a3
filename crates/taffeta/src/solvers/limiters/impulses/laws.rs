//! What impulses must obey, whatever the cloth does.

use glam::DVec3;
use taffeta_linalg::Filter;

use super::memory::ImpulseMemory;
use super::rows::ImpulseRow;
use super::system::{ImpulseSystem, REGULARISATION};
use crate::matter::model::Model;
use crate::setup::limiter::{ImpulseSolver, ImpulseVariant, Impulses};
use crate::setup::limits::StrainLimits;
use crate::solvers::limiters::LimitStep;
use crate::state::State;
use crate::state::constraint::Constraint;
use crate::step::outcome::Limited;
use crate::{Fabric, Sheet};

const H: f64 = 2e-3;
const LIMITS: StrainLimits = StrainLimits { extension: 0.05, compression: Some(0.02) };
const PAPER: ImpulseVariant = ImpulseVariant::Paper;

/// Sheets of springs and of triangles.
fn models() -> [Model; 2] {
    let mesh = Sheet { width: 1.0, height: 0.8, columns: 6, rows: 5 }.mesh();
    [Model::mass_spring, Model::continuum].map(|make| make(&mesh, &Fabric::default()).unwrap())
}

/// Digits of the golden ratio: numbers in −0.5 … 0.5 without a pattern.
fn shake(i: usize, size: f64) -> DVec3 {
    let digit = |k: usize| ((3 * i + k) as f64 * 0.618_033_988_7).fract() - 0.5;
    DVec3::new(digit(1), digit(2), digit(3)) * size
}

/// A crumpled cloth whose particles fly about.
fn flying(model: &Model) -> State {
    let crumpled = |(i, x): (usize, &DVec3)| *x + DVec3::Y * shake(i, 0.05).x;
    let positions = model.rest.iter().enumerate().map(crumpled).collect();
    let mut state = State::at_rest(positions, 0, model.gauges.len());
    for (i, velocity) in state.velocities.iter_mut().enumerate() {
        *velocity = shake(i + 1000, 20.0);
    }
    state
}

/// The velocities after a step of these settings, and what became of the limits.
fn limited(model: &Model, settings: Impulses, held: &[Constraint]) -> (State, Limited, Vec<DVec3>) {
    let state = flying(model);
    let mut candidate = state.clone();
    let mut memory = ImpulseMemory::new(model, &settings).unwrap();
    let mut reactions = vec![DVec3::ZERO; held.len()];
    let step =
        LimitStep { model, limits: &LIMITS, constraints: held, h: H, longest: H, state: &state };
    let limited = memory.limit(&step, &mut candidate, &mut reactions).unwrap();
    (candidate, limited, reactions)
}

fn impulses(model: &Model, after: &State) -> Vec<DVec3> {
    let before = flying(model).velocities;
    let change = after.velocities.iter().zip(before).zip(&model.masses);
    change.map(|((after, before), mass)| (*after - before) * *mass).collect()
}

#[test]
fn momentum_is_conserved_to_round_off() {
    for model in models() {
        for variant in [PAPER, ImpulseVariant::default()] {
            let settings = Impulses { variant, ..Impulses::default() };
            let (after, ..) = limited(&model, settings, &[]);
            let impulses = impulses(&model, &after);
            let size: f64 = impulses.iter().map(|p| p.length()).sum();
            assert!(size > 1e-3, "nothing happened");
            assert!(impulses.iter().sum::<DVec3>().length() < 1e-13 * size, "{variant:?}");
        }
    }
}

/// Angular momentum is conserved about the places that directions are taken from: the start of
/// the step in the paper, the predicted places in the first refined solve.
#[test]
fn angular_momentum_is_conserved_to_round_off() {
    for model in models() {
        let start = flying(&model);
        let predicted = |i: usize| start.positions[i] + start.velocities[i] * H;
        for variant in [PAPER, ImpulseVariant::Refined { max_solves: 1 }] {
            let (after, ..) = limited(&model, Impulses { variant, ..Impulses::default() }, &[]);
            let impulses = impulses(&model, &after);
            let size: f64 = impulses.iter().map(|p| p.length()).sum();
            let place = |i| if variant == PAPER { start.positions[i] } else { predicted(i) };
            let moment: DVec3 = (0..impulses.len()).map(|i| place(i).cross(impulses[i])).sum();
            assert!(moment.length() < 1e-13 * size, "{variant:?}: {moment}");
        }
    }
}

#[test]
fn refined_steps_end_within_the_limits() {
    let [springs, _] = models();
    let (after, limited, _) = limited(&springs, Impulses::default(), &[]);
    assert!(limited.converged, "{limited:?}");
    for gauge in &springs.gauges {
        let places: Vec<DVec3> =
            after.positions.iter().zip(&after.velocities).map(|(x, v)| *x + *v * H).collect();
        assert!(LIMITS.excess(gauge.strain(&places)) <= 1e-12);
    }
}

#[test]
fn conjugate_gradients_find_the_same_impulses() {
    let cg = ImpulseSolver::Cg { tolerance: 1e-13, max_iterations: 10_000 };
    for model in models() {
        let of = |solver| limited(&model, Impulses { variant: PAPER, solver }, &[]).0.velocities;
        let (direct, iterated) = (of(ImpulseSolver::Direct), of(cg));
        let off = direct.iter().zip(&iterated).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off} m/s");
    }
}

#[test]
fn held_directions_are_not_touched_and_bear_what_they_must() {
    let [springs, _] = models();
    let none = DVec3::ZERO;
    let constraint =
        |particle, filter| Constraint { particle, filter, velocity_change: none, correction: none };
    let rail = Filter::along_line(DVec3::X);
    let held = [constraint(0, Filter::HELD), constraint(5, rail)];
    let (after, _, reactions) = limited(&springs, Impulses::default(), &held);
    let impulses = impulses(&springs, &after);
    assert_eq!(impulses[0], DVec3::ZERO);
    assert!(impulses[5].x != 0.0 && impulses[5].y == 0.0 && impulses[5].z == 0.0);
    // All impulses on the cloth add up to what the constraints give it.
    let borne: DVec3 = reactions.iter().map(|force| *force * H).sum();
    assert!((impulses.iter().sum::<DVec3>() - borne).length() < 1e-12, "{borne}");
}

/// Ye08 eq. 9–10, from their definition: A = J M⁻¹ C Jᵀ, entry by entry.
#[test]
fn the_matrix_is_that_of_the_paper() {
    for model in models() {
        let mut filters = vec![Filter::FREE; model.particles()];
        filters[3] = Filter::HELD;
        filters[8] = Filter::in_plane(DVec3::new(0.6, 0.8, 0.0));
        let state = flying(&model);
        let rows: Vec<ImpulseRow> = model
            .gauges
            .iter()
            .map(|gauge| ImpulseRow {
                direction: gauge.vector(&state.positions).normalize(),
                ..ImpulseRow::default()
            })
            .collect();
        let mut system = ImpulseSystem::new(&model);
        system.fill(&rows, &filters);
        let weight = |p: usize, i: usize| -> f64 {
            model.gauges[p].corners().filter(|(k, _)| *k as usize == i).map(|(_, w)| w).sum()
        };
        let mut stored = 0;
        for q in 0..rows.len() {
            for p in q..rows.len() {
                let expected: f64 = (0..model.particles())
                    .map(|i| {
                        let together = weight(p, i) * weight(q, i) / model.masses[i];
                        together * filters[i].free_part(rows[p].direction).dot(rows[q].direction)
                    })
                    .sum();
                let column =
                    system.columns.offsets[q] as usize..system.columns.offsets[q + 1] as usize;
                let place = column.into_iter().find(|&k| system.columns.rows[k] as usize == p);
                let found = place.map_or(0.0, |place| system.values[place]);
                stored += usize::from(place.is_some());
                assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{p} {q}");
            }
        }
        assert_eq!(stored, system.values.len());
    }
}

/// A straight taut row between two fixed particles makes A singular; rows with both ends fixed
/// have nothing in it at all. Neither breaks the factorisation.
#[test]
fn taut_rows_and_fixed_edges_do_not_break_the_solve() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 9, rows: 2 }.mesh();
    let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
    let none = DVec3::ZERO;
    let held: Vec<Constraint> = [0, 8, 9, 17]
        .map(|particle| Constraint {
            particle,
            filter: Filter::HELD,
            velocity_change: none,
            correction: none,
        })
        .to_vec();
    let stretched = mesh.positions.iter().map(|x| *x * DVec3::new(1.4, 1.0, 1.0)).collect();
    let state = State::at_rest(stretched, 0, model.gauges.len());
    for variant in [PAPER, ImpulseVariant::default()] {
        let mut memory =
            ImpulseMemory::new(&model, &Impulses { variant, ..Impulses::default() }).unwrap();
        let mut candidate = state.clone();
        let step = LimitStep {
            model: &model,
            limits: &LIMITS,
            constraints: &held,
            h: H,
            longest: H,
            state: &state,
        };
        let limited = memory.limit(&step, &mut candidate, &mut [DVec3::ZERO; 4]).unwrap();
        assert!(!limited.converged, "{variant:?} claims the impossible");
        assert!(candidate.velocities.iter().all(|v| v.is_finite() && v.length() < 1.0));
    }
    const { assert!(REGULARISATION > 1e-12) };
}
