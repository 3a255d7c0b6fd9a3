//! Pulls: springs to points that move carry what hangs on them, and no more.

use crate::common::{self, Method, for_each_integrator, small, start};
use glam::DVec3;
use taffeta::measure::momentum;
use taffeta::{Motion, Pull, Setup, SetupError};

for_each_integrator!(
    a_pull_carries_the_weight,
    a_pull_follows_its_point_and_lets_go,
    momentum_grows_by_the_pull,
);

fn pull(setup: &Setup, particle: u32) -> Pull {
    Pull {
        particle,
        point: setup.positions[particle as usize],
        motion: Motion::still(),
        stiffness: 5.0,
        damping: 0.05,
        from: 0.0,
        until: f64::INFINITY,
    }
}

fn a_pull_carries_the_weight(equip: Method) {
    let mut setup = small(equip);
    setup.pulls = vec![pull(&setup, 4)];
    setup.step.max = 1.0 / 240.0;
    let weight = 9.81 * setup.model.masses().iter().sum::<f64>();
    let mut simulation = start(setup);
    common::advance(&mut simulation, 6.0);
    let sag = simulation.state().positions[4] * DVec3::new(1.0, -1.0, 1.0);
    assert!(sag.distance(DVec3::Y * (weight / 5.0)) < 1e-5, "{sag}");
}

fn a_pull_follows_its_point_and_lets_go(equip: Method) {
    let mut setup = small(equip);
    let up = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::new(0.2, 1.0, 0.0))]);
    let strong = Pull { stiffness: 200.0, damping: 1.0, motion: up, until: 1.5, ..pull(&setup, 4) };
    setup.pulls = vec![strong];
    setup.step.max = 1.0 / 480.0;
    let mut simulation = start(setup);
    common::advance(&mut simulation, 1.5);
    let place = simulation.state().positions[4];
    let goal = DVec3::new(0.2, 1.0, 0.0);
    assert!(place.distance(goal) < 5e-3, "{place}");
    common::advance(&mut simulation, 2.0);
    let fallen = place.y - simulation.state().positions[4].y;
    assert!((fallen / (0.5 * 9.81 * 0.25) - 1.0).abs() < 0.05, "{fallen} m in half a second");
}

/// The force that acts is the one at the end of an implicit step, at the start of an explicit one.
fn momentum_grows_by_the_pull(equip: Method) {
    let mut setup = small(equip);
    setup.loads.gravity = DVec3::ZERO;
    let h = 1.0 / 4096.0;
    setup.step.max = h;
    let near = setup.positions[0] + DVec3::new(0.003, 0.02, 0.001);
    let away = Pull { point: near, ..pull(&setup, 0) };
    setup.step.max_stretch_change = 10.0;
    setup.pulls = vec![away.clone()];
    let implicit = !setup.integrator.is_explicit();
    let tolerance = if implicit { 10.0 * common::round_off(&setup) } else { 1e-13 };
    let mut simulation = start(setup);
    let mut before = simulation.state().clone();
    common::step_by_step(&mut simulation, h, 0.25, |simulation| {
        let now = simulation.state();
        let at = if implicit { now } else { &before };
        let force = (away.point - at.positions[0]) * 5.0 - at.velocities[0] * 0.05;
        let [was, is] = [&before, now].map(|state| momentum(simulation.model(), state));
        let off = (is - was).distance(force * h);
        assert!(off < tolerance, "{off}");
        before = now.clone();
    });
}

#[test]
fn impossible_pulls_are_refused() {
    let setup = small(|setup| setup);
    let good = pull(&setup, 0);
    for bad in [
        Pull { particle: 99, ..good.clone() },
        Pull { stiffness: -1.0, ..good.clone() },
        Pull { point: DVec3::NAN, ..good.clone() },
        Pull { from: 2.0, until: 1.0, ..good.clone() },
    ] {
        let setup = Setup { pulls: vec![good.clone(), bad], ..setup.clone() };
        assert!(matches!(setup.problems()[..], [SetupError::Pull { pull: 1, .. }]));
    }
}

/// Explicit steps shorten for a stiff pull, and stay stable.
#[test]
fn stiff_pulls_bound_explicit_steps() {
    let mut setup = small(|setup| setup);
    let stiff = Pull { stiffness: 1e5, damping: 0.0, ..pull(&setup, 4) };
    let free = setup.integrator.longest_step(&setup.model, &[]).unwrap().h;
    let bound =
        setup.integrator.longest_step(&setup.model, std::slice::from_ref(&stiff)).unwrap().h;
    assert!(bound < 0.2 * free, "{bound} {free}");
    setup.pulls = vec![stiff];
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.2);
    assert!(simulation.state().positions[4].length() < 1e-3);
}
