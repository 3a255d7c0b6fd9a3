//! Momentum: cloth cannot push itself, and what pushes it shows in its momentum, to round-off.

use crate::common::meshes::{moved, together};
use crate::common::{
    self, DAMPED, Dice, Method, for_each_integrator, for_each_limiter, square, start, triangulated,
    weightless,
};
use glam::DVec3;
use taffeta::measure::{angular_momentum, momentum};
use taffeta::{Air, Ease, Mesh, Motion, MotionKey, Pin, Seam, Setup, Simulation};

for_each_integrator!(
    stays_without_loads,
    grows_by_the_weight_times_the_time,
    grows_by_what_pins_and_weight_push,
);

for_each_limiter!(stays_without_loads);
mod with_true_masses {
    use super::{common, grows_by_what_pins_and_weight_push};
    common::for_each_limiter_of_true_masses!(grows_by_what_pins_and_weight_push);
}

/// A crumpled cloth in wild motion, far from the origin.
fn wild(mut setup: Setup) -> Simulation {
    let dice = &mut Dice(1);
    for position in &mut setup.positions {
        *position += DVec3::new(3.0, -2.0, 1.0) + dice.vector() * 0.05;
    }
    let mut simulation = start(setup);
    common::set_motion(&mut simulation, |_| DVec3::new(0.3, 0.1, -0.2) + dice.vector());
    simulation
}

/// What all momenta would add up to were they parallel: the scale of round-off.
fn scale(simulation: &Simulation) -> f64 {
    let (masses, state) = (simulation.model().masses(), simulation.state());
    masses.iter().zip(&state.velocities).map(|(m, v)| m * v.length()).sum()
}

fn meshes() -> [Mesh; 2] {
    let quads = square(9).mesh();
    [triangulated(&quads), quads]
}

fn stays_without_loads(equip: Method) {
    for mesh in meshes() {
        let mut simulation = wild(equip(weightless(&mesh, &DAMPED)));
        let linear = momentum(simulation.model(), simulation.state());
        let angular = angular_momentum(simulation.model(), simulation.state());
        // The largest arm there is gives the scale of angular momentum.
        let (scale, arm) = (scale(&simulation), 6.0);
        let round_off = common::round_off(simulation.setup());
        let elastic = simulation.energy().elastic;
        let tally = common::advance(&mut simulation, 1.0);
        assert!(tally.steps > 20);
        let now = momentum(simulation.model(), simulation.state());
        assert!(now.distance(linear) < round_off * scale, "{now} from {linear}");
        let now = angular_momentum(simulation.model(), simulation.state());
        if common::keeps_angular_momentum(simulation.setup()) {
            assert!(now.distance(angular) < round_off * scale * arm, "{now} from {angular}");
        }
        // The law would be empty if nothing had pulled.
        assert!((simulation.energy().elastic - elastic).abs() > 1e-4);
    }
}

fn grows_by_the_weight_times_the_time(equip: Method) {
    for mesh in meshes() {
        let mut setup = equip(weightless(&mesh, &DAMPED));
        setup.loads.gravity = DVec3::new(1.0, -9.81, 2.0);
        let weight = setup.loads.gravity * setup.model.masses().iter().sum::<f64>();
        let mut simulation = wild(setup);
        let before = momentum(simulation.model(), simulation.state());
        common::advance(&mut simulation, 1.0);
        let gained = momentum(simulation.model(), simulation.state()) - before;
        assert!(gained.distance(weight) < 1e-12, "{gained} for {weight}");
    }
}

/// Step by step, Δp = h·(weight + pin forces), whatever the pins do.
fn grows_by_what_pins_and_weight_push(equip: Method) {
    let sheet = square(6);
    let mut setup = equip(common::cloth(&sheet.mesh(), &DAMPED));
    let turning = Motion {
        keys: vec![
            MotionKey::default(),
            MotionKey { time: 0.5, offset: DVec3::new(0.1, 0.2, 0.0), angle: 0.7, scale: 1.0 },
        ],
        ease: Ease::Smooth,
        ..Motion::still()
    };
    let late = Pin { from: 0.25, ..Pin::fixed([sheet.particle(5, 5)]) };
    setup.pins = vec![Pin { motion: turning, ..Pin::fixed([0, 5]) }, late];
    let tolerance = 3.0 * common::round_off(&setup);
    let checked = common::momentum_grows_by_pins_and_weight(setup, 1.0 / 512.0, tolerance);
    assert!(checked > 100, "only {checked} steps");
}

/// Air in the frame that moves with the wind is still air: momentum is lost to it, never gained.
#[test]
fn still_air_takes_momentum_away() {
    let mut setup = weightless(&square(5).mesh(), &DAMPED);
    setup.loads.air = Some(Air { density: 1.2, drag: 1.0, wind: DVec3::ZERO });
    let mut simulation = start(setup);
    common::set_motion(&mut simulation, |_| DVec3::Y);
    let before = momentum(simulation.model(), simulation.state()).y;
    common::advance(&mut simulation, 0.1);
    let now = momentum(simulation.model(), simulation.state()).y;
    assert!(0.0 < now && now < 0.9 * before, "{now} of {before}");
}

/// Two panels that nothing holds, sewn along an edge: they come together, and their middle stays.
#[test]
fn sewn_panels_meet_halfway() {
    let panel = moved(&square(4).mesh(), |p| p * 0.06);
    let away = moved(&panel, |p| p + DVec3::new(0.0, 0.1, 0.0));
    let mut setup = common::implicit(weightless(&together(&[panel, away]), &DAMPED));
    let pairs = (12..16).map(|i| [i, i + 16]).collect();
    let seam = Seam { pairs, stiffness: 1000.0, time: 0.05 };
    setup.model = taffeta::Model::clone(&setup.model).with_seams(&[seam]).unwrap().into();
    let middle = |simulation: &Simulation| {
        taffeta::measure::centre_of_mass(simulation.model(), &simulation.state().positions)
    };
    let mut simulation = start(setup);
    let before = middle(&simulation);
    common::advance(&mut simulation, 1.0);
    let x = &simulation.state().positions;
    let gap = (12..16).map(|i| x[i].distance(x[i + 16])).fold(0.0, f64::max);
    assert!(gap < 1e-3, "{gap} m");
    assert!(middle(&simulation).distance(before) < 1e-6, "{} to {before}", middle(&simulation));
}
