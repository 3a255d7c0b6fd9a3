//! Friction: Coulomb's law, on slopes, under pull, and never more than that.

use crate::common::{
    self, DAMPED, Method, advance, cloth, for_each_integrator, set_motion, square, start,
};
use glam::{DMat3, DVec3};
use taffeta::{Grip, Pin, Pose, Setup, Shape, Simulation, Solid};

for_each_integrator!(
    a_slope_holds_below_the_angle_of_friction_and_not_above,
    sliding_cloth_slows_by_coulombs_law_and_stops,
    forces_stay_in_the_cone,
    friction_takes_energy,
    a_fold_falls_with_friction_of_its_impact,
);

const MU: f64 = 0.4;

/// Cloth on a plane tilted about z; down the slope is +x.
fn on_slope(equip: Method, angle: f64) -> (Setup, DMat3) {
    let turn = DMat3::from_rotation_z(-angle);
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    let plane = Solid::resting(Shape::Plane { drawn: 1.0 }, Pose { turn, ..Pose::IDENTITY });
    setup.solids = vec![Solid { friction: MU, ..plane }];
    for position in &mut setup.positions {
        *position = turn * (*position + DVec3::Y * 1e-3);
    }
    (setup, turn)
}

fn a_slope_holds_below_the_angle_of_friction_and_not_above(equip: Method) {
    let limit = libm::atan(MU);
    let (setup, _) = on_slope(equip, limit - 0.01);
    let began = setup.positions.clone();
    let mut simulation = start(setup);
    // What is laid on a slope gives way until friction has taken hold, and no more.
    advance(&mut simulation, 0.5);
    let crept = common::farthest(&simulation.state().positions, &began);
    assert!(crept < 1e-5, "crept by {crept}");
    let held = simulation.state().positions.clone();
    advance(&mut simulation, 1.0);
    let crept = common::farthest(&simulation.state().positions, &held);
    assert!(crept < 1e-8, "crept by {crept}");
    assert!(simulation.state().contacts.iter().all(|c| c.grip == Grip::Stick));

    // Friction is Coulomb's to within 1 %, which is a third of what is left of gravity at first.
    for (beyond, tolerance) in [(0.01, 0.35), (0.1, 0.04), (0.3, 0.015)] {
        let (mut setup, turn) = on_slope(equip, limit + beyond);
        let began = setup.positions.clone();
        setup.step.max = 1.0 / 512.0;
        let mut simulation = start(setup);
        advance(&mut simulation, 1.0);
        let (sin, cos) = libm::sincos(limit + beyond);
        let acceleration = 9.81 * (sin - MU * cos);
        // Euler's steps go ½·a·t·(t + h) far.
        let way = turn * DVec3::X * (0.5 * acceleration * (1.0 + 1.0 / 512.0));
        let off = simulation.state().positions[12] - began[12] - way;
        assert!(off.length() < tolerance * way.length(), "{off} of {way}");
    }
}

fn sliding_cloth_slows_by_coulombs_law_and_stops(equip: Method) {
    let (mut setup, _) = on_slope(equip, 0.0);
    setup.step.max = 1.0 / 512.0;
    let began = setup.positions.clone();
    let mut simulation = start(setup);
    let along = DVec3::new(0.6, 0.0, 0.8);
    set_motion(&mut simulation, |_| along);
    advance(&mut simulation, 0.1);
    let v = simulation.state().velocities[12];
    assert!((v - along * (1.0 - MU * 9.81 * 0.1)).length() < 0.01, "{v}");
    advance(&mut simulation, 0.5);
    let way = 1.0 / (2.0 * MU * 9.81);
    let off = simulation.state().positions[12] - began[12] - along * way;
    assert!(off.length() < 0.05 * way, "{off}");
    let fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-9, "{fastest}");
    let rested = simulation.state().positions.clone();
    advance(&mut simulation, 1.0);
    assert!(common::farthest(&simulation.state().positions, &rested) < 1e-9);
}

/// Cloth that is dragged by one corner over a box and its edge.
fn dragged(equip: Method) -> Simulation {
    let mut setup = equip(cloth(&square(9).mesh(), &DAMPED));
    let table = Shape::Box { size: DVec3::new(1.0, 0.1, 2.0) };
    let table = Solid::resting(table, Pose::at(DVec3::new(-0.25, -0.052, 0.0)));
    setup.solids = vec![Solid { friction: MU, ..table }];
    let pull = [(0.0, DVec3::ZERO), (1.0, DVec3::new(0.6, -0.1, 0.0))];
    setup.pins = vec![Pin { motion: taffeta::Motion::path(pull), ..Pin::fixed([8]) }];
    start(setup)
}

fn forces_stay_in_the_cone(equip: Method) {
    let mut simulation = dragged(equip);
    let (mut sliding, mut sticking) = (0, 0);
    for frame in 1..=120 {
        advance(&mut simulation, f64::from(frame) / 120.0);
        for contact in simulation.contact_forces() {
            let pushed = contact.force.dot(contact.normal);
            let along = contact.force.reject_from_normalized(contact.normal).length();
            let inside = pushed >= 0.0 && along <= MU * pushed * (1.0 + 1e-6) + 1e-12;
            assert!(inside, "frame {frame}: {pushed} N and {along} N of friction");
        }
        let contacts = &simulation.state().contacts;
        sliding += contacts.iter().filter(|c| c.grip == Grip::Slide).count() as u32;
        sticking += contacts.iter().filter(|c| c.grip == Grip::Stick).count() as u32;
    }
    assert!(sliding > 300 && sticking > 300, "{sliding} slide, {sticking} stick");
}

/// Without any other force, friction never speeds up what it slows down.
fn friction_takes_energy(equip: Method) {
    let (setup, _) = on_slope(equip, 0.0);
    let mut simulation = start(setup);
    set_motion(&mut simulation, |i| DVec3::new(1.0, 0.0, if i % 2 == 0 { 0.5 } else { -0.5 }));
    let mut last = simulation.energy().total();
    for step in 1..=200 {
        advance(&mut simulation, f64::from(step) / 240.0);
        let energy = simulation.energy().total();
        assert!(energy < last + 1e-7, "{energy} after {last}");
        last = energy;
    }
    assert!(simulation.energy().kinetic < 1e-9, "{}", simulation.energy().kinetic);
}

/// A particle that hits a floor at a slant loses μ times its normal velocity along the floor, and what
/// little of it comes back.
fn a_fold_falls_with_friction_of_its_impact(equip: Method) {
    let (mut setup, _) = on_slope(equip, 0.0);
    setup.loads.gravity = DVec3::ZERO;
    setup.positions.iter_mut().for_each(|p| p.y += 0.1);
    let mut simulation = start(setup);
    set_motion(&mut simulation, |_| DVec3::new(3.0, -2.0, 0.0));
    advance(&mut simulation, 0.2);
    for v in &simulation.state().velocities {
        assert!((*v - DVec3::X * (3.0 - MU * 2.0)).length() < 0.05 * MU * 2.0, "{v}");
    }
}
