//! Cloth far softer than its limits, which constraints of the implicit step keep.

use crate::common::{
    self, DAMPED, Dice, cloth, meshes, on_threads, square, start, triangulated, weightless,
};
use glam::DVec3;
use taffeta::measure::momentum;
use taffeta::{
    Fabric, ImplicitEuler, Integrator, Mesh, Model, Pin, Setup, Sheet, Simulation, StrainLimits,
};

/// Cloth as soft as a wet rag: without limits it would stretch by half.
const RAG: Fabric = Fabric { stretch: 20.0, shear: 5.0, bend: 0.05, ..common::SOFT };

fn limited(setup: Setup, extension: f64) -> Setup {
    let integrator = Integrator::Implicit(ImplicitEuler::default());
    let limits = Some(StrainLimits { extension, compression: None });
    Setup { integrator, limits, ..setup }
}

/// A square held by two corners, that falls and swings in steps of 1/60 s.
fn hanging(mut setup: Setup, side: u32, extension: f64) -> Simulation {
    setup.pins = vec![Pin::fixed([0, side - 1])];
    setup.step.max = 1.0 / 60.0;
    start(limited(setup, extension))
}

/// Checks every frame of two seconds; returns the largest extension.
fn keeps(mut simulation: Simulation, extension: f64) -> f64 {
    let mut worst = f64::NEG_INFINITY;
    for frame in 1..=60 {
        let tally = common::advance(&mut simulation, f64::from(frame) / 30.0);
        assert_eq!(tally.over_limit, 0, "frame {frame}");
        let now = simulation.strain().extension;
        assert!(now <= extension, "frame {frame}: {now}");
        worst = worst.max(now);
    }
    worst
}

#[test]
fn the_bound_asked_for_is_the_bound_kept() {
    for (extension, side) in [(0.1, 21), (0.01, 11), (0.001, 21)] {
        let worst = keeps(hanging(cloth(&square(side).mesh(), &RAG), side, extension), extension);
        // The law would be empty if the cloth were stiff by itself.
        assert!(worst > 0.1 * extension, "{worst}");
    }
}

#[test]
fn triangles_are_limited_along_warp_and_weft() {
    let grid = triangulated(&square(15).mesh());
    let irregular = meshes::rectangle(glam::DVec2::ONE, [14, 14], meshes::Cut::Irregular);
    for mesh in [grid, irregular] {
        let model = Model::continuum(&mesh, &RAG).unwrap();
        let corner = |x: f64| nearest(&mesh, DVec3::new(x, 0.0, 0.0));
        let mut setup = Setup::new(model, mesh.positions.clone());
        setup.pins = vec![Pin::fixed([corner(-1.0), corner(2.0)])];
        setup.step.max = 1.0 / 60.0;
        keeps(start(limited(setup, 0.02)), 0.02);
    }
}

fn nearest(mesh: &Mesh, to: DVec3) -> u32 {
    let distance = |i: &usize| mesh.positions[*i].distance_squared(to);
    let found = (0..mesh.positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    found.unwrap_or_default() as u32
}

/// Cloth thrown into wild motion, its momentum and its strains looked at in every step.
fn compression_of_thrown_cloth(compression: Option<f64>) -> f64 {
    let dice = &mut Dice(7);
    let mut setup = limited(weightless(&square(9).mesh(), &RAG), 0.05);
    setup.limits = Some(StrainLimits { extension: 0.05, compression });
    setup.step.max = 1.0 / 256.0;
    let mut simulation = start(setup);
    common::set_motion(&mut simulation, |_| DVec3::new(0.3, 0.1, -0.2) + dice.vector());
    let before = momentum(simulation.model(), simulation.state());
    let (mut compressed, mut taut) = (0.0, 0.0);
    for step in 1..=128 {
        let tally = common::advance(&mut simulation, f64::from(step) / 256.0);
        assert_eq!(tally.over_limit, 0);
        compressed = simulation.strain().compression.max(compressed);
        taut = simulation.state().tensions.iter().copied().fold(taut, f64::max);
    }
    let after = momentum(simulation.model(), simulation.state());
    assert!(after.distance(before) < 1e-10 * before.length(), "{after} from {before}");
    // The law would be empty if no limit had been met.
    assert!(taut > 5.0, "{taut} N/m");
    compressed
}

#[test]
fn compression_is_limited_where_it_is_asked_for_and_momentum_kept() {
    let free = compression_of_thrown_cloth(None);
    assert!(free > 0.04, "{free}");
    let kept = compression_of_thrown_cloth(Some(0.02));
    assert!(kept <= 0.02, "{kept}");
}

#[test]
fn the_tension_at_the_top_carries_the_weight_below() {
    let sheet = Sheet { width: 0.5, height: 1.0, columns: 6, rows: 11 };
    let mesh = sheet.mesh();
    let mut setup = cloth(&mesh, &Fabric { stretch_damping: 0.05, ..RAG });
    // Hanging down from the start.
    setup.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, -p.z, 0.0));
    setup.pins = vec![Pin::fixed(0..6)];
    let mut simulation = start(limited(setup, 0.01));
    common::advance(&mut simulation, 4.0);
    let weight = 9.81 * simulation.model().masses()[6..].iter().sum::<f64>();
    // It still springs a little.
    let (width, mut carried) = (0.1, 0.0);
    for frame in 1..=120 {
        common::advance(&mut simulation, 4.0 + f64::from(frame) / 120.0);
        let (gauges, state) = (simulation.model().gauges(), simulation.state());
        for (gauge, tension) in gauges.iter().zip(&state.tensions) {
            let [top, below] = [gauge.particles[0], gauge.particles[1]];
            if top < 6 && below >= 6 {
                let share = if matches!(top, 0 | 5) { 0.5 } else { 1.0 };
                let own = 20.0 * gauge.strain(&state.positions);
                carried += (tension + own) * width * share / 120.0;
            }
        }
    }
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} N of {weight} N");
}

#[test]
fn swinging_cloth_does_not_gain_energy() {
    let mut simulation = hanging(cloth(&square(21).mesh(), &DAMPED), 21, 0.01);
    let mut last = simulation.energy().total();
    let begin = last;
    for frame in 1..=90 {
        common::advance(&mut simulation, f64::from(frame) / 30.0);
        let now = simulation.energy().total();
        // One solve a step leaves an error of its linearisation; a hundredth of the fall is not
        // more than that.
        assert!(now < last + 0.01 * 0.98, "frame {frame}: {now} J from {last} J");
        last = now;
    }
    assert!(begin - last > 0.5, "{begin} J to {last} J");
}

#[test]
fn what_cannot_be_kept_is_told_and_does_not_explode() {
    let mut setup = cloth(&square(9).mesh(), &RAG);
    let pull = taffeta::Motion::path([(0.0, DVec3::ZERO), (0.5, DVec3::X * 0.2)]);
    let column = |c: u32| (0..9).map(move |row| 9 * row + c);
    setup.pins = vec![Pin::fixed(column(0)), Pin { motion: pull, ..Pin::fixed(column(8)) }];
    let mut simulation = start(limited(setup, 0.05));
    let tally = common::advance(&mut simulation, 1.0);
    assert!(tally.over_limit > 0);
    assert!((0.14..0.16).contains(&tally.worst_excess), "{}", tally.worst_excess);
    let worst = simulation.strain().extension;
    assert!((0.19..0.22).contains(&worst), "{worst}");
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1.0, "{fastest} m/s");
}

#[test]
fn resumed_runs_and_any_threads_have_the_same_bits() {
    let make = || hanging(cloth(&square(25).mesh(), &RAG), 25, 0.005);
    let mut straight = make();
    common::advance(&mut straight, 0.3);
    let halfway = straight.snapshot();
    assert!(halfway.state.tensions.iter().any(|&tension| tension > 0.0));
    common::advance(&mut straight, 0.6);
    for threads in [1, 2, 4] {
        let resumed = on_threads(threads, || {
            let mut resumed = make();
            resumed.restore(&halfway).unwrap();
            common::advance(&mut resumed, 0.6);
            resumed.snapshot()
        });
        assert_eq!(resumed, straight.snapshot(), "{threads} threads");
    }
}
