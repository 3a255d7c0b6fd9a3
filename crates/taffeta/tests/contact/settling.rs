//! How contacts with solids settle: slowly back to the surface, and to Coulomb's friction.

use crate::common::{DAMPED, Method, advance, cloth, for_each_integrator, square, start};
use glam::DVec3;
use taffeta::{Contact, Grip, Pose, Setup, Shape, Solid};

for_each_integrator!(what_hovers_comes_back_slowly);

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
