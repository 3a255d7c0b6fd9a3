//! Wind: cloth in moving air goes with it, and falling cloth reaches its terminal velocity.

use crate::common::{
    DAMPED, Method, advance, cloth, for_each_integrator, square, start, triangulated,
};
use glam::DVec3;
use taffeta::{Air, Fabric, Loads, Mesh, Setup};

for_each_integrator!(
    a_sheet_across_the_wind_catches_up_with_it,
    wind_along_the_sheet_does_nothing,
    a_falling_sheet_reaches_its_terminal_velocity,
    a_storm_does_not_blow_up,
);

const AIR: Air = Air { density: 1.2, drag: 1.1, wind: DVec3::ZERO };

/// Per relative speed squared, the deceleration of a flat sheet across the flow [1/m].
const RATE: f64 = 0.5 * AIR.density * AIR.drag / DAMPED.density;

/// A flat sheet of triangles, or of quads: all of its particles move alike.
fn in_air(equip: Method, mesh: &Mesh, wind: DVec3) -> Setup {
    let mut setup = equip(cloth(mesh, &DAMPED));
    setup.loads = Loads { gravity: DVec3::ZERO, air: Some(Air { wind, ..AIR }), fan: None };
    setup.step.max = 1.0 / 1024.0;
    setup
}

fn meshes() -> [Mesh; 2] {
    let quads = square(6).mesh();
    [triangulated(&quads), quads]
}

/// The speed u relative to the wind obeys u' = −a·u², so u = w/(1 + a·w·t).
fn a_sheet_across_the_wind_catches_up_with_it(equip: Method) {
    let wind = 3.0;
    for mesh in meshes() {
        let mut simulation = start(in_air(equip, &mesh, DVec3::Y * wind));
        for time in [0.1, 0.5, 2.0, 4.0] {
            advance(&mut simulation, time);
            let behind = wind / (1.0 + RATE * wind * time);
            for velocity in &simulation.state().velocities {
                let off = velocity.distance(DVec3::Y * (wind - behind));
                assert!(off < 2e-3 * wind, "{time} s: {velocity}, {behind} m/s behind");
            }
        }
    }
}

/// Only the part across the cloth counts.
fn wind_along_the_sheet_does_nothing(equip: Method) {
    for mesh in meshes() {
        let mut simulation = start(in_air(equip, &mesh, DVec3::new(5.0, 0.0, -8.0)));
        advance(&mut simulation, 1.0);
        assert!(simulation.state().velocities.iter().all(|v| v.length() < 1e-12));
    }
}

/// Where drag balances weight: ½·ρ·c·A·v² = m·g.
fn a_falling_sheet_reaches_its_terminal_velocity(equip: Method) {
    for (mesh, wind) in meshes().into_iter().zip([0.0, 1.0]) {
        let mut setup = in_air(equip, &mesh, DVec3::Y * wind);
        setup.loads.gravity = DVec3::new(0.0, -9.81, 0.0);
        let (mass, area): (f64, f64) = (setup.model.masses().iter().sum(), 1.0);
        let speed = (2.0 * mass * 9.81 / (AIR.density * AIR.drag * area)).sqrt();
        let mut simulation = start(setup);
        // The difference dies out as exp(−2·g·t/v): to some 1e-10 in this time.
        advance(&mut simulation, 12.0 * speed / 9.81);
        for velocity in &simulation.state().velocities {
            assert!((velocity.y + speed - wind).abs() < 1e-9, "{velocity}, not {speed} m/s");
        }
    }
}

/// A soft, light sheet in a storm: without a bound by the air it would explode in frames that
/// look good, for every edge moves alike.
fn a_storm_does_not_blow_up(equip: Method) {
    let fabric = Fabric { stretch: 0.01, shear: 0.0, bend: 0.0, ..DAMPED };
    let mut setup = equip(cloth(&square(5).mesh(), &fabric));
    setup.loads = Loads {
        gravity: DVec3::ZERO,
        air: Some(Air { density: 1.2, drag: 1.2, wind: DVec3::Y * 20.0 }),
        fan: None,
    };
    let mut simulation = start(setup);
    let mut before = 0.0;
    for frame in 1..=20 {
        advance(&mut simulation, f64::from(frame) * 0.05);
        let speed = simulation.state().velocities[12].y;
        assert!(speed > before && speed < 20.0, "frame {frame}: {speed} m/s");
        before = speed;
    }
    assert!(before > 10.0, "{before} m/s");
}
