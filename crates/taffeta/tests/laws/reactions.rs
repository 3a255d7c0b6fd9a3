//! Reactions: the forces of pins are what it takes to hold the cloth.

use crate::common::{self, DAMPED, Method, for_each_integrator, for_each_limiter, square, start};
use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{Hold, Motion, Pin, Setup};

for_each_integrator!(
    cloth_at_rest_weighs_on_its_pins,
    a_frictionless_plane_carries_across_only,
    a_lift_pushes_with_weight_and_inertia,
    letting_go_ends_the_force,
);

for_each_limiter!(
    cloth_at_rest_weighs_on_its_pins,
    a_frictionless_plane_carries_across_only,
    a_lift_pushes_with_weight_and_inertia,
    letting_go_ends_the_force,
);

fn hanging(equip: Method) -> (Setup, DVec3) {
    let setup = equip(common::cloth(&square(7).mesh(), &DAMPED));
    let weight = setup.loads.gravity * setup.model.masses().iter().sum::<f64>();
    (setup, weight)
}

fn cloth_at_rest_weighs_on_its_pins(equip: Method) {
    let (mut setup, weight) = hanging(equip);
    setup.pins = vec![Pin::fixed([0, 6, 45])];
    let mut simulation = start(setup);
    common::settle(&mut simulation, 1.0 / 512.0, 16.0);
    // Limits that hold cloth back let it tremble.
    let mut pins = DVec3::ZERO;
    for _ in 0..64 {
        let time = simulation.state().time + 1.0 / 512.0;
        common::advance(&mut simulation, time);
        pins += simulation.pin_forces().map(|(_, force)| force).sum::<DVec3>() / 64.0;
    }
    let most = common::reaction_error(simulation.setup()) * weight.length();
    assert!((pins + weight).length() < most, "{pins} holds {weight}");
    // Pins pull inwards too, each against the others.
    assert!(simulation.pin_forces().any(|(_, force)| force.x.abs() > 0.02 * weight.length()));
}

fn a_frictionless_plane_carries_across_only(equip: Method) {
    let (mut setup, _) = hanging(equip);
    let normal = DVec3::new(0.6, 0.8, 0.0);
    let all = 0..setup.model.particles() as u32;
    setup.pins = vec![Pin { hold: Hold::Plane(normal), ..Pin::fixed(all) }];
    let masses = setup.model.masses().to_vec();
    let gravity = setup.loads.gravity;
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.1);
    assert_eq!(simulation.pin_forces().count(), masses.len());
    for ((_, force), mass) in simulation.pin_forces().zip(&masses) {
        let carried = normal * (-mass * gravity.dot(normal));
        assert!(force.distance(carried) < 1e-9, "{force}, not {carried}");
    }
}

/// In a lift that accelerates, evenly pinned cloth weighs m·(g + a).
fn a_lift_pushes_with_weight_and_inertia(equip: Method) {
    let (mut setup, weight) = hanging(equip);
    let h = 1.0 / 512.0;
    let all = 0..setup.model.particles() as u32;
    // Keys at every step of ½·a·t², with a = 2 m/s²: the velocity grows by a·h each step.
    let key = |step: i32| (f64::from(step) * h, DVec3::Y * (f64::from(step) * h).powi(2));
    let lift = Motion::path((0..=64).map(key));
    setup.pins = vec![Pin { motion: lift, ..Pin::fixed(all) }];
    setup.step.max = h;
    let mass: f64 = setup.model.masses().iter().sum();
    let expected = DVec3::Y * (2.0 * mass) - weight;
    let mut simulation = start(setup);
    common::advance(&mut simulation, h);
    common::step_by_step(&mut simulation, h, 63.0 * h, |simulation| {
        let pins: DVec3 = simulation.pin_forces().map(|(_, force)| force).sum();
        assert!(pins.distance(expected) < 1e-9, "{pins}, not {expected}");
    });
}

fn letting_go_ends_the_force(equip: Method) {
    let (mut setup, _) = hanging(equip);
    let edge = square(7).edge(SheetEdge::Top);
    setup.pins = vec![Pin { until: 0.25, ..Pin::fixed(edge) }];
    let mut simulation = start(setup);
    common::advance(&mut simulation, 0.25);
    assert_eq!(simulation.pin_forces().count(), 7);
    common::advance(&mut simulation, 0.3);
    assert_eq!(simulation.pin_forces().count(), 0);
}
