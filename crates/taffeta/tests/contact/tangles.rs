//! Cloth that starts through itself comes out of it, and takes no momentum from anywhere.

use crate::common::meshes::{moved, together};
use crate::common::{self, DAMPED, Method, for_each_integrator, start};
use crate::self_contact::touching;
use glam::{DMat3, DVec3};
use taffeta::measure::momentum;
use taffeta::{Mesh, Sheet, Simulation};

for_each_integrator!(sheets_that_cross_come_clean, a_corner_that_came_through_goes_back);

/// In free space, so that nothing but the push moves the cloth.
fn floating(equip: Method, mesh: &Mesh) -> Simulation {
    start(equip(touching(mesh, &DAMPED)))
}

/// Runs until nothing passes through anything; from then on nothing may.
fn comes_clean(simulation: &mut Simulation) {
    assert!(!simulation.intersections().is_empty());
    let before = momentum(simulation.model(), simulation.state());
    let mut clean = None;
    for frame in 1..=40 {
        common::advance(simulation, f64::from(frame) / 60.0);
        let left = simulation.intersections();
        assert!(clean.is_none() || left.is_empty(), "in frame {frame} again: {left:?}");
        clean = clean.or(left.is_empty().then_some(frame));
    }
    assert!(clean.is_some(), "{:?} are left", simulation.intersections());
    let after = momentum(simulation.model(), simulation.state());
    assert!(after.distance(before) < 1e-9, "{before} to {after}");
}

const SHEET: Sheet = Sheet { width: 0.3, height: 0.3, columns: 12, rows: 12 };

fn sheets_that_cross_come_clean(equip: Method) {
    let sheet = SHEET.mesh();
    let tilt = DMat3::from_rotation_z(0.14);
    let other = moved(&sheet, |p| tilt * p + DVec3::new(0.011, 0.0157, 0.007));
    comes_clean(&mut floating(equip, &together(&[sheet, other])));
}

fn a_corner_that_came_through_goes_back(equip: Method) {
    let sheet = SHEET.mesh();
    let tilt = DMat3::from_rotation_z(0.5) * DMat3::from_rotation_x(0.4);
    let corner = tilt * DVec3::new(-0.15, 0.0, 0.15);
    let other = moved(&sheet, |p| tilt * p - corner + DVec3::new(0.011, -0.02, 0.017));
    comes_clean(&mut floating(equip, &together(&[sheet, other])));
}
