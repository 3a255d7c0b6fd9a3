//! Contact: what touches a solid stays out of it, follows it, and leaves it freely.

use crate::common::{
    self, DAMPED, Method, advance, cloth, for_each_integrator, set_motion, square, start,
};
use glam::{DMat3, DVec3};
use taffeta::mesh::Sheet;
use taffeta::solid::SLACK;
use taffeta::{
    Ease, Motion, MotionKey, Pin, Pose, SelfContact, Setup, Shape, Side, Simulation, Solid,
};

for_each_integrator!(
    cloth_at_rest_weighs_on_its_table,
    rest_keeps_its_energy,
    a_fast_ball_enters_nothing,
    a_thin_plate_does_not_tunnel,
    a_lift_pushes_without_a_kick,
    what_is_thrown_leaves,
    a_turntable_carries_what_sticks,
    a_container_keeps_what_is_in_it,
    a_shell_keeps_cloth_on_its_side,
    a_growing_ball_pushes_cloth_ahead,
    what_starts_inside_is_led_out_gently,
    no_room_between_two_solids_is_told_and_survived,
    pins_win_over_solids,
    cloth_keeps_off_itself_and_off_solids_at_once,
    contacts_have_the_same_bits_on_any_number_of_threads,
    a_resumed_run_has_the_same_contacts,
);

const FLOOR: Shape = Shape::Plane { drawn: 1.0 };

fn floor(height: f64) -> Solid {
    Solid::resting(FLOOR, Pose::at(DVec3::Y * height))
}

fn moving(solid: Solid, velocity: DVec3) -> Solid {
    Solid { motion: Motion::path([(0.0, DVec3::ZERO), (100.0, velocity * 100.0)]), ..solid }
}

/// The least distance between the cloth and a solid. Contacts give way within their thickness where
/// cloth meets a solid fast.
fn clearance(simulation: &Simulation, solid: usize) -> f64 {
    let state = simulation.state();
    let solid = &simulation.setup().solids[solid];
    let depths = solid.depths(&state.positions, state.time);
    depths.iter().map(|depth| -depth).fold(f64::INFINITY, f64::min)
}

/// Advances in short pieces; nothing is ever inside.
fn watch(simulation: &mut Simulation, until: f64, mut look: impl FnMut(&Simulation)) {
    while simulation.state().time < until {
        let next = simulation.state().time + 1.0 / 240.0;
        advance(simulation, next);
        for solid in 0..simulation.setup().solids.len() {
            let clearance = clearance(simulation, solid);
            assert!(clearance > -1.01 * SLACK, "{clearance} m at {} s", simulation.state().time);
        }
        look(simulation);
    }
}

fn on_floor(equip: Method, side: u32) -> Setup {
    let mut setup = equip(cloth(&square(side).mesh(), &DAMPED));
    setup.solids = vec![floor(-1e-3)];
    setup
}

fn cloth_at_rest_weighs_on_its_table(equip: Method) {
    let setup = on_floor(equip, 7);
    let weight = setup.loads.gravity * setup.model.masses().iter().sum::<f64>();
    let mut simulation = start(setup);
    watch(&mut simulation, 0.1, |_| {});
    assert_eq!(simulation.state().contacts.len(), 49);
    let pushed: DVec3 = simulation.contact_forces().iter().map(|c| c.force).sum();
    assert!((pushed + weight).length() < 1e-5 * weight.length(), "{pushed} carries {weight}");
    let speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 1e-12, "{speed}");
}

/// Cloth falls on a ball and a floor and comes to rest; once there, its energy does not grow.
fn rest_keeps_its_energy(equip: Method) {
    let mut setup = on_floor(equip, 11);
    let ball = Shape::Sphere { radius: 0.2 };
    setup.solids = vec![floor(-0.3), Solid::resting(ball, Pose::at(DVec3::Y * -0.21))];
    let mut simulation = start(setup);
    let mut least = f64::INFINITY;
    watch(&mut simulation, 2.0, |simulation| {
        let energy = simulation.energy().total();
        // Contact may free what the springs hold, but never makes energy.
        assert!(energy < least + 1e-4, "{energy} after {least}");
        least = least.min(energy);
    });
    assert!(simulation.energy().kinetic < 1e-3, "{}", simulation.energy().kinetic);
}

fn a_fast_ball_enters_nothing(equip: Method) {
    let mut setup = equip(cloth(&square(15).mesh(), &DAMPED));
    setup.pins = vec![Pin::fixed([0, 14, 210, 224])];
    let ball =
        Solid::resting(Shape::Sphere { radius: 0.1 }, Pose::at(DVec3::new(0.03, -0.3, 0.02)));
    setup.solids = vec![moving(ball, DVec3::Y * 20.0)];
    let mut simulation = start(setup);
    let mut met = 0;
    watch(&mut simulation, 0.03, |s| met = met.max(s.contact_forces().len()));
    assert!(met > 2, "{met}");
    // The ball has lifted what it hit.
    let highest = simulation.state().positions.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!(highest > 0.2, "{highest}");
}

/// A plate a hundredth of a millimetre thin passes the cloth many times its thickness at a step.
fn a_thin_plate_does_not_tunnel(equip: Method) {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    let plate = Shape::Box { size: DVec3::new(3.0, 1e-5, 3.0) };
    let plate = Solid { thickness: 1e-5, ..Solid::resting(plate, Pose::at(DVec3::Y * 0.05)) };
    setup.solids = vec![moving(plate, DVec3::Y * -10.0)];
    setup.loads.gravity = DVec3::ZERO;
    setup.step.max_stretch_change = 10.0;
    let mut simulation = start(setup);
    watch(&mut simulation, 0.2, |_| {});
    let below = 0.05 - 10.0 * simulation.state().time;
    for (x, v) in simulation.state().positions.iter().zip(&simulation.state().velocities) {
        // What is hit comes back a little.
        assert!(x.y < below - 5e-6, "{} under {below}", x.y);
        assert!(v.y < -10.0 + 1e-6 && v.y > -10.3, "{v}");
    }
}

/// A floor that comes from below takes the cloth up at its own velocity, no faster.
fn a_lift_pushes_without_a_kick(equip: Method) {
    let mut setup = on_floor(equip, 6);
    setup.loads.gravity = DVec3::ZERO;
    setup.solids = vec![moving(floor(-0.02), DVec3::Y * 0.5)];
    let mut simulation = start(setup);
    watch(&mut simulation, 0.2, |simulation| {
        let fastest = simulation.state().velocities.iter().map(|v| v.y).fold(0.0, f64::max);
        assert!(fastest < 0.51, "{fastest}");
    });
    for v in &simulation.state().velocities {
        assert!((*v - DVec3::Y * 0.5).length() < 0.01, "{v}");
    }
}

/// A floor that stops suddenly throws the cloth up; it flies freely and comes back.
fn what_is_thrown_leaves(equip: Method) {
    let mut setup = on_floor(equip, 4);
    let keys = [(0.0, DVec3::ZERO), (0.25, DVec3::Y * 0.25), (10.0, DVec3::Y * 0.25)];
    setup.solids[0].motion = Motion::path(keys);
    let mut simulation = start(setup);
    advance(&mut simulation, 0.25);
    assert_eq!(simulation.state().contacts.len(), 16);
    advance(&mut simulation, 0.3);
    assert_eq!((simulation.state().contacts.len(), simulation.contact_forces().len()), (0, 0));
    let (v, t) = (simulation.state().velocities[5], 0.05);
    assert!((v.y - (1.0 - 9.81 * t)).abs() < 0.02, "{v}");
    watch(&mut simulation, 0.6, |_| {});
    assert_eq!(simulation.state().contacts.len(), 16);
}

fn a_turntable_carries_what_sticks(equip: Method) {
    let mut setup = on_floor(equip, 5);
    let turned = MotionKey { time: 1.0, angle: 1.5, ..MotionKey::default() };
    let keys = vec![MotionKey::default(), turned];
    let motion = Motion { keys, ease: Ease::Smooth, ..Motion::still() };
    setup.solids[0].motion = motion.clone();
    setup.solids[0].friction = 2.0;
    let start_at = setup.positions.clone();
    let mut simulation = start(setup);
    watch(&mut simulation, 0.5, |_| {});
    let time = simulation.state().time;
    let expected: Vec<DVec3> = start_at.iter().map(|p| motion.place(*p, time)).collect();
    let off = common::farthest(&simulation.state().positions, &expected);
    assert!(off < 1e-5, "{off}");
    // Without friction it turns under the cloth.
    let mut setup = on_floor(equip, 5);
    setup.solids[0].motion = motion;
    setup.solids[0].friction = 0.0;
    let mut simulation = start(setup);
    watch(&mut simulation, 0.5, |_| {});
    assert!(common::farthest(&simulation.state().positions, &start_at) < 1e-5);
}

fn a_container_keeps_what_is_in_it(equip: Method) {
    for shape in [Shape::Sphere { radius: 0.9 }, Shape::Box { size: DVec3::new(1.1, 1.1, 1.1) }] {
        let mut setup = equip(cloth(&square(7).mesh(), &DAMPED));
        let bowl = Solid::resting(shape, Pose::IDENTITY);
        setup.solids = vec![Solid { side: Side::Inside, friction: 0.1, ..bowl }];
        let mut simulation = start(setup);
        set_motion(&mut simulation, |_| DVec3::new(1.0, 0.5, 0.3));
        watch(&mut simulation, 1.0, |_| {});
        assert!(simulation.state().contacts.len() > 10);
    }
}

fn a_shell_keeps_cloth_on_its_side(equip: Method) {
    for inside in [false, true] {
        let mut setup = equip(cloth(&square(7).mesh(), &DAMPED));
        let radius = if inside { 0.9 } else { 0.3 };
        let height = if inside { 0.0 } else { -0.32 };
        let ball = Solid::resting(Shape::Sphere { radius }, Pose::at(DVec3::Y * height));
        setup.solids = vec![Solid { side: Side::Both, ..ball }];
        let mut simulation = start(setup);
        watch(&mut simulation, 0.5, |_| {});
        for p in &simulation.state().positions {
            let distance = p.distance(DVec3::Y * height);
            assert_eq!(distance < radius, inside, "{distance}");
        }
    }
}

fn a_growing_ball_pushes_cloth_ahead(equip: Method) {
    let mut setup = equip(cloth(&square(9).mesh(), &DAMPED));
    setup.loads.gravity = DVec3::ZERO;
    let mut ball = Solid::resting(Shape::Sphere { radius: 0.1 }, Pose::at(DVec3::Y * -0.15));
    ball.motion.centre = DVec3::Y * -0.15;
    let grown = MotionKey { time: 0.5, scale: 2.0, ..MotionKey::default() };
    ball.motion.keys = vec![MotionKey::default(), grown];
    setup.solids = vec![ball];
    let mut simulation = start(setup);
    watch(&mut simulation, 0.6, |_| {});
    let highest = simulation.state().positions.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!(highest > 0.05, "{highest}");
}

fn what_starts_inside_is_led_out_gently(equip: Method) {
    let mut setup = on_floor(equip, 4);
    setup.solids = vec![floor(0.01)];
    let inside = setup.starts_inside();
    assert_eq!(inside.len(), 1);
    assert_eq!((inside[0].solid, inside[0].particles), (0, 16));
    assert!((inside[0].deepest.1 - 0.01).abs() < 1e-12);
    let mut simulation = start(setup);
    let mut last = 0.0;
    let lead = taffeta::solid::LEAD_OUT;
    for step in 1..30 {
        advance(&mut simulation, f64::from(step) / 240.0);
        let height = simulation.state().positions[5].y;
        assert!(height - last < lead / 240.0 + 1e-9, "{height} after {last}");
        let speed = simulation.state().velocities[5].length();
        assert!(speed < 1.05 * lead, "led, not thrown: {speed} m/s");
        last = height;
    }
    assert!(clearance(&simulation, 0) > -SLACK);
}

/// Two floors close on the cloth, and open again.
fn no_room_between_two_solids_is_told_and_survived(equip: Method) {
    let mut setup = on_floor(equip, 4);
    let down = DMat3::from_rotation_x(std::f64::consts::PI);
    let lid = Solid::resting(FLOOR, Pose { turn: down, ..Pose::at(DVec3::Y * 0.02) });
    let keys = [(0.0, 0.0), (0.2, -0.0205), (0.4, 0.0)].map(|(t, y)| (t, DVec3::Y * y));
    setup.solids.push(Solid { motion: Motion::path(keys), ..lid });
    let mut simulation = start(setup);
    assert_eq!(advance(&mut simulation, 0.1).pinched, 0);
    let tally = advance(&mut simulation, 0.2);
    assert_eq!(tally.pinched, 16);
    assert!(tally.pinch.is_some_and(|pinch| pinch.particle < 16));
    // In the middle of what room there is, or where the last of the solids pushes it; and at rest.
    let off = if simulation.setup().integrator.is_explicit() { 8e-4 } else { 2e-4 };
    for (x, v) in simulation.state().positions.iter().zip(&simulation.state().velocities) {
        assert!((x.y + 0.00075).abs() < off, "{x}");
        assert!(v.length() < 0.2, "{v}");
    }
    advance(&mut simulation, 0.6);
    assert!(clearance(&simulation, 0) > -SLACK, "{}", clearance(&simulation, 0));
    let speed = simulation.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 1e-6, "{speed}");
}

fn pins_win_over_solids(equip: Method) {
    let mut setup = on_floor(equip, 4);
    let sunk = Motion::path([(0.0, DVec3::ZERO), (0.1, DVec3::Y * -0.05)]);
    setup.pins = vec![Pin { motion: sunk, ..Pin::fixed([0]) }];
    let mut simulation = start(setup);
    advance(&mut simulation, 0.2);
    assert!((simulation.state().positions[0].y + 0.05).abs() < 1e-9);
    assert!(simulation.state().contacts.iter().all(|c| c.particle != 0));
    assert!(simulation.state().positions[1..].iter().all(|p| p.y > -1e-3));
}

/// A strip falls on its end, folds up on a floor, and is pushed together by a wall.
fn cloth_keeps_off_itself_and_off_solids_at_once(equip: Method) {
    let strip = Sheet { width: 0.1, height: 0.6, columns: 3, rows: 13 };
    let mut setup = equip(cloth(&strip.mesh(), &DAMPED));
    let lean = DMat3::from_rotation_x(1.4);
    setup.positions.iter_mut().for_each(|p| *p = lean * *p);
    setup.self_contact = Some(SelfContact { thickness: 2e-3, friction: 0.3 });
    let wall = Shape::Box { size: DVec3::new(1.0, 1.0, 0.02) };
    let wall = Solid::resting(wall, Pose::at(DVec3::new(0.0, 0.0, 0.35)));
    setup.solids = vec![floor(-0.32), moving(wall, DVec3::Z * -0.6)];
    let mut simulation = start(setup);
    let mut responded = 0;
    while simulation.state().time < 0.7 {
        let next = simulation.state().time + 1.0 / 60.0;
        responded += advance(&mut simulation, next).contact.contacts;
        for solid in [0, 1] {
            let clearance = clearance(&simulation, solid);
            assert!(clearance > -1.01 * SLACK, "{clearance} m at {}", simulation.state().time);
        }
        assert_eq!(simulation.intersections(), []);
    }
    assert!(responded > 0 && simulation.touching() > 6, "{responded}");
}

/// Cloth falls on a turning ball over a floor: it hits, sticks, slides and leaves.
fn eventful(equip: Method, side: u32) -> Simulation {
    let mut setup = on_floor(equip, side);
    let ball =
        Solid::resting(Shape::Sphere { radius: 0.2 }, Pose::at(DVec3::new(0.1, -0.22, 0.05)));
    let mut keys = [MotionKey::default(); 2];
    keys[1] = MotionKey { time: 1.0, angle: 5.0, offset: DVec3::Y * 0.2, scale: 1.2 };
    let motion = Motion { keys: keys.to_vec(), centre: DVec3::X * 0.1, ..Motion::still() };
    let table = Shape::Box { size: DVec3::new(0.4, 0.1, 2.0) };
    let table = Solid::resting(table, Pose::at(DVec3::new(-0.4, -0.1, 0.0)));
    setup.solids = vec![floor(-0.3), Solid { motion, ..ball }, table];
    start(setup)
}

fn contacts_have_the_same_bits_on_any_number_of_threads(equip: Method) {
    let run = |threads: usize| {
        common::on_threads(threads, || {
            let mut simulation = eventful(equip, 31);
            advance(&mut simulation, 0.15);
            simulation.snapshot()
        })
    };
    let alone = run(1);
    assert!(alone.state.contacts.len() > 50, "{}", alone.state.contacts.len());
    assert_eq!(run(4), alone);
}

fn a_resumed_run_has_the_same_contacts(equip: Method) {
    let mut straight = eventful(equip, 9);
    let mut snapshots = Vec::new();
    for frame in 1..=15 {
        advance(&mut straight, f64::from(frame) / 30.0);
        snapshots.push(straight.snapshot());
    }
    assert!(snapshots.iter().any(|s| s.state.contacts.len() > 20));
    for (begin, snapshot) in snapshots.iter().enumerate() {
        let mut resumed = eventful(equip, 9);
        advance(&mut resumed, 0.2);
        assert_eq!(resumed.restore(snapshot), Ok(()));
        for frame in begin + 2..=15 {
            advance(&mut resumed, frame as f64 / 30.0);
        }
        assert_eq!(resumed.snapshot(), straight.snapshot(), "from {begin}");
    }
    let mut broken = snapshots[10].clone();
    broken.state.contacts[0].solid = 9;
    assert!(straight.restore(&broken).is_err());
    broken.state.contacts[0].solid = 0;
    broken.state.contacts[0].force = f64::NAN;
    assert!(straight.restore(&broken).is_err());
}
