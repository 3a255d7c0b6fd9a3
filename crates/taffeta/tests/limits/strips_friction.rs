//! Strips and friction: a band on a drum slides where Euler's law of ropes says so and nowhere else,
//! and cloth on a rough ball keeps its limits.

use crate::common;
use glam::{DMat3, DVec3};
use taffeta::{
    ExplicitEuler, Fabric, Integrator, Limiter, Pose, Setup, Shape, Sheet, Simulation, Solid,
    StrainLimits, Strips,
};

/// Radius of the drum, with the cloth's distance from it [m].
const RADIUS: f64 = 0.1;
/// How far the cloth stays away from solids [m].
const THICKNESS: f64 = 0.002;
/// Length of the band, and of each of its edges [m].
const LENGTH: f64 = 1.2;
const EDGE: f64 = 0.01;
/// How much more of it hangs down on one side than on the other [m].
const LONGER: f64 = 0.24;

const SUPPLE: Fabric = Fabric { shear: 0.3, bend: 0.01, bending: 1e-6, ..common::SOFT };

/// A band of cloth at rest over a drum.
fn band(friction: f64) -> Setup {
    let rows = (LENGTH / EDGE).round() as u32 + 1;
    let mesh = Sheet { width: 2.0 * EDGE, height: LENGTH, columns: 3, rows }.mesh();
    let mut setup = common::cloth(&mesh, &SUPPLE);
    setup.limits = Some(StrainLimits { extension: 0.01, compression: None });
    setup.limiter = Limiter::Strips(Strips::default());
    setup.integrator = Integrator::Explicit(ExplicitEuler::default());
    setup.step.max = 1.0 / 960.0;
    let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let drum = Shape::Cylinder { radius: RADIUS - THICKNESS, length: 0.5 };
    let pose = Pose { turn, ..Pose::at(DVec3::ZERO) };
    let solid = Solid::resting(drum, pose);
    setup.solids = vec![Solid { friction, thickness: THICKNESS, ..solid }];
    for position in &mut setup.positions {
        *position = draped(position.x, position.z + LONGER / 2.0);
    }
    setup
}

/// Where a point of the band is, this far from the one on top of the drum.
fn draped(x: f64, along: f64) -> DVec3 {
    let quarter = (RADIUS * std::f64::consts::FRAC_PI_2 / EDGE).floor();
    // Chords of the circle, then straight down.
    let chord = 2.0 * libm::asin(EDGE / 2.0 / RADIUS);
    let edges = along.abs() / EDGE;
    let angle = edges.min(quarter) * chord;
    let down = (edges - quarter).max(0.0) * EDGE;
    DVec3::new(x, RADIUS * libm::cos(angle) - down, (RADIUS * libm::sin(angle)).copysign(along))
}

/// The friction that holds the band: Euler's law T' = μ·T, with the weight of what lies on the drum.
fn needed() -> f64 {
    let hanging = LENGTH - std::f64::consts::PI * RADIUS;
    let [short, long] = [-0.5, 0.5].map(|side| 0.5 * hanging + side * LONGER);
    let steps = 1000;
    let held = |friction: f64| {
        (0..steps).fold(short, |tension, k| {
            let angle = std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(steps);
            let pressed = tension + RADIUS * libm::sin(angle);
            let slope = friction * pressed + RADIUS * libm::cos(angle);
            tension + slope * std::f64::consts::PI / f64::from(steps)
        })
    };
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        (low, high) = if held(middle) < long { (middle, high) } else { (low, middle) };
    }
    low
}

/// How far the long end comes down in a second [m].
fn fallen(friction: f64) -> f64 {
    let mut simulation = common::start(band(friction));
    let end = |simulation: &Simulation| {
        simulation.state().positions.iter().map(|position| position.y).fold(f64::INFINITY, f64::min)
    };
    common::advance(&mut simulation, 0.1);
    let before = end(&simulation);
    let tally = common::advance(&mut simulation, 1.0);
    assert_eq!(tally.over_limit, 0, "by up to {}", tally.worst_excess);
    before - end(&simulation)
}

#[test]
fn a_band_on_a_drum_slides_where_eulers_law_says_so_and_nowhere_else() {
    let needed = needed();
    // What is at rest creeps at up to 0.1 mm/s.
    let held = fallen(1.1 * needed);
    assert!(held.abs() < 2e-4, "it came down by {held}");
    let slid = fallen(0.9 * needed);
    assert!(slid > 0.1, "it came down by {slid} only");
}

#[test]
fn cloth_on_a_rough_ball_keeps_its_limits() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 31, rows: 31 }.mesh();
    let mut setup = common::cloth(&mesh, &Fabric { shear: 3.0, bend: 0.1, ..SUPPLE });
    setup.limits = Some(StrainLimits { extension: 0.01, compression: None });
    setup.limiter = Limiter::Strips(Strips::default());
    setup.integrator = Integrator::Explicit(ExplicitEuler::default());
    setup.step.max = 1.0 / 480.0;
    let ball = Shape::Sphere { radius: 0.3 };
    let solid = Solid::resting(ball, Pose::at(DVec3::new(0.02, -0.35, 0.03)));
    setup.solids = vec![Solid { friction: 0.3, thickness: THICKNESS, ..solid }];
    let mut simulation = common::start(setup);
    let tally = common::advance(&mut simulation, 1.5);
    assert_eq!(tally.over_limit, 0, "by up to {}", tally.worst_excess);
}
