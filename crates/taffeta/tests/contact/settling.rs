//! How contacts with solids settle: slowly back to the surface, and to Coulomb's friction.

use crate::common::{DAMPED, Method, advance, cloth, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::{Contact, Grip, Motion, Pin, Pose, Setup, Shape, Simulation, Solid};

for_each_integrator!(what_hovers_comes_back_slowly, what_is_left_of_friction_is_told);

const MU: f64 = 0.3;

fn on_table(equip: Method, side: u32) -> Setup {
    let mut setup = equip(cloth(&square(side).mesh(), &DAMPED));
    let table = Shape::Box { size: DVec3::new(2.0, 0.1, 2.0) };
    let table = Solid::resting(table, Pose::at(DVec3::new(-0.25, -0.052, 0.0)));
    setup.solids = vec![Solid { friction: MU, ..table }];
    setup
}

/// A contact whose particle is held a little too high must not bring it down at once, however
/// short the step: where something else holds it up, no step would be short enough.
fn what_hovers_comes_back_slowly(equip: Method) {
    let mut setup = on_table(equip, 3);
    setup.loads.gravity = DVec3::ZERO;
    let solid = &setup.solids[0];
    let height = 1.4 * solid.thickness - 0.002;
    setup.positions.iter_mut().for_each(|p| p.y = height);
    let contacts = (0..9).map(|particle| Contact {
        particle,
        solid: 0,
        point: DVec3::new(0.25, 0.05, 0.0),
        normal: DVec3::Y,
        grip: Grip::Slide,
        force: 0.0,
        rub: DVec3::ZERO,
        beside: false,
    });
    let contacts = contacts.collect();
    let mut simulation = start(setup);
    let mut snapshot = simulation.snapshot();
    snapshot.state.contacts = contacts;
    simulation.restore(&snapshot).unwrap();
    let time = 1e-5;
    advance(&mut simulation, time);
    for position in &simulation.state().positions {
        let way = height - position.y;
        assert!(way.abs() <= 0.25 * time * 1.01, "{way} m in {time} s");
    }
}

/// By how much contacts are outside the cone of friction, and how much friction there can be \[N\].
fn outside(simulation: &Simulation) -> (f64, f64) {
    let (mut excess, mut most) = (0.0, 0.0);
    for contact in simulation.contact_forces() {
        let pushed = contact.force.dot(contact.normal).max(0.0);
        let along = contact.force.reject_from_normalized(contact.normal).length();
        excess += (along - 1.02 * MU * pushed).max(0.0);
        most += MU * pushed;
    }
    (excess, most)
}

/// Cloth that is pulled by a corner: what sticks or slides with more than Coulomb's friction is no
/// more than the tally tells, and that is little.
fn what_is_left_of_friction_is_told(equip: Method) {
    let mut setup = on_table(equip, 9);
    let pull = [(0.0, DVec3::ZERO), (1.0, DVec3::new(0.3, 0.0, 0.1))];
    setup.pins = vec![Pin { motion: Motion::path(pull), ..Pin::fixed([8]) }];
    let mut simulation = start(setup);
    let (mut left, mut friction) = (0.0, 0.0);
    for frame in 1..=60 {
        let tally = advance(&mut simulation, f64::from(frame) / 120.0);
        let (excess, most) = outside(&simulation);
        let told = tally.unsettled_force;
        assert!(excess <= told + 0.02 * most + 1e-6, "{excess} N outside, {told} N told");
        left += told;
        friction += most;
    }
    assert!(friction > 1.0, "{friction}");
    assert!(left < 0.1 * friction, "{left} N of {friction} N");
}
