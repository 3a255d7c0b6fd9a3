//! Catenary: a strip held at both ends, closer than it is long, hangs as a cosh.

use crate::common::{self, Method, for_each_integrator};
use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{Fabric, Pin, Sheet, Simulation};

for_each_integrator!(a_slack_strip_hangs_as_a_cosh);

const LENGTH: f64 = 1.0;
const SPAN: f64 = 0.7;
const ROWS: u32 = 41;

/// Rows of two particles and no resistance to bending: a chain with a width.
const STRIP: Sheet = Sheet { width: 0.05, height: LENGTH, columns: 2, rows: ROWS };
const CHAIN: Fabric = Fabric {
    density: 0.2,
    thickness: 5e-4,
    stretch: 2000.0,
    stretch_weft: None,
    shear: 20.0,
    bending: 0.0,
    bending_weft: None,
    bend: 0.0,
    stretch_damping: 1e-5,
    shear_damping: 1e-4,
    bend_damping: 0.0,
};

/// a in y = a·cosh(z/a), from the length of the curve over the span: L = 2a·sinh(span/2a).
fn parameter() -> f64 {
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..60 {
        let a = 0.5 * (low + high);
        let length = 2.0 * a * libm::sinh(SPAN / (2.0 * a));
        if length > LENGTH { low = a } else { high = a }
    }
    low
}

/// The strip as a V: its own length, folded down the middle.
fn folded() -> Vec<DVec3> {
    let (run, drop) = (SPAN / LENGTH, (1.0 - (SPAN / LENGTH).powi(2)).sqrt());
    let place = |p: &DVec3| DVec3::new(p.x, drop * (p.z.abs() - LENGTH / 2.0), run * p.z);
    STRIP.mesh().positions.iter().map(place).collect()
}

fn settled(equip: Method) -> Simulation {
    let mut setup = equip(common::cloth(&STRIP.mesh(), &CHAIN));
    setup.positions = folded();
    let ends = [STRIP.edge(SheetEdge::Top), STRIP.edge(SheetEdge::Bottom)];
    setup.pins = vec![Pin::fixed(ends.concat())];
    let mut simulation = common::start(setup);
    common::settle(&mut simulation, 1.0 / 1024.0, 6.0);
    simulation
}

/// The strip is a chain of 40 bars that stretch by 4e-4 of their length: both make its shape
/// differ from the curve by some 1e-3 of the strip's length at most.
fn a_slack_strip_hangs_as_a_cosh(equip: Method) {
    let simulation = settled(equip);
    let a = parameter();
    let curve = |z: f64| a * (libm::cosh(z / a) - libm::cosh(SPAN / (2.0 * a)));
    let positions = &simulation.state().positions;
    let off = positions.iter().map(|p| (p.y - curve(p.z)).abs()).fold(0.0, f64::max);
    assert!(off < 1e-3 * LENGTH, "{off} m off the catenary");
    // Each particle is also at its own place along the curve: s = a·sinh(z/a).
    for (p, rest) in positions.iter().zip(&STRIP.mesh().positions) {
        let along = a * libm::sinh(p.z / a);
        assert!((along - rest.z).abs() < 1e-3 * LENGTH, "{along} m along, not {}", rest.z);
    }
    pulls_as_a_catenary(&simulation, a);
}

/// Each end carries half the weight, and pulls sideways with the weight of a length a.
fn pulls_as_a_catenary(simulation: &Simulation, a: f64) {
    let weight = 9.81 * CHAIN.density * STRIP.width * LENGTH;
    let right: DVec3 = simulation.pin_forces().filter(|(p, _)| *p > 2).map(|(_, f)| f).sum();
    let expected = DVec3::new(0.0, weight / 2.0, weight * a / LENGTH);
    assert!(right.distance(expected) < 2e-3 * weight, "{right}, not {expected}");
}
