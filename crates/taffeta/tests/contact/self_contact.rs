//! Cloth against itself: what starts apart stays apart, impulses keep momentum, and friction holds
//! what Coulomb says it holds.

use crate::common::meshes::{moved, together};
use crate::common::{self, DAMPED, Dice, Method, for_each_integrator, on_threads, square, start};
use glam::{DMat3, DVec3};
use taffeta::measure::{angular_momentum, momentum};
use taffeta::{
    Fabric, ImplicitEuler, Integrator, Mesh, Pin, Pose, SelfContact, Setup, Shape, Sheet,
    Simulation, Solid, Solver, StepError,
};

const CONTACT: SelfContact = SelfContact { thickness: 2e-3, friction: 0.3 };

/// Cloth without gravity that touches itself.
pub fn touching(mesh: &Mesh, fabric: &Fabric) -> Setup {
    let mut setup = common::weightless(mesh, fabric);
    setup.self_contact = Some(CONTACT);
    setup
}

for_each_integrator!(
    sheets_that_cross_fast_do_not_pass,
    a_crumpled_sheet_never_passes_through_itself,
    layers_slide_when_the_slope_is_steeper_than_friction,
    folded_cloth_falls_on_itself,
    pins_are_stronger_than_contact,
);

/// Two sheets, turned against each other, fly at each other.
fn crossing(equip: Method, down: DVec3) -> Simulation {
    let sheet = square(9).mesh();
    let turn = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_x(0.1);
    let upper = moved(&sheet, |p| turn * p + DVec3::new(0.05, 0.12, 0.03));
    let mesh = together(&[sheet, upper]);
    let mut simulation = start(equip(touching(&mesh, &DAMPED)));
    common::set_motion(&mut simulation, |i| if i < 81 { -down } else { down });
    simulation
}

fn sheets_that_cross_fast_do_not_pass(equip: Method) {
    for speed in [1.0, 20.0] {
        let down = DVec3::new(0.5, -1.0, 0.2) * speed;
        let mut simulation = crossing(equip, down);
        let before = momentum(simulation.model(), simulation.state());
        let mut contact = taffeta::ContactTally::default();
        for frame in 1..=20 {
            let tally = common::advance(&mut simulation, f64::from(frame) * 0.2 / speed / 20.0);
            contact.contacts += tally.contact.contacts;
            let cut = simulation.intersections();
            assert!(cut.is_empty(), "{speed} m/s, frame {frame}: {cut:?}");
        }
        assert!(contact.contacts > 0, "they never met: {contact:?}");
        // The same without contact passes: the law would be empty otherwise.
        let mut ghost = crossing(|setup| Setup { self_contact: None, ..setup }, down);
        common::advance(&mut ghost, 0.06 / speed);
        assert!(!ghost.intersections().is_empty());
        let after = momentum(simulation.model(), simulation.state());
        let tolerance = 100.0 * common::round_off(simulation.setup()).max(1e-11);
        assert!(after.distance(before) < tolerance * speed, "{before} to {after}");
    }
}

/// A sheet whose particles all fly at random crumples up.
fn a_crumpled_sheet_never_passes_through_itself(equip: Method) {
    let fabric = Fabric { bend: 0.01, shear: 1.0, stretch: 20.0, ..DAMPED };
    let mut simulation = start(equip(touching(&square(9).mesh(), &fabric)));
    let dice = &mut Dice(31);
    let places = simulation.state().positions.clone();
    // Everything flies to the middle and beyond, and swirls.
    common::set_motion(&mut simulation, |i| {
        let p = places[i];
        -p * 8.0 + DVec3::Y.cross(p) + dice.vector() * 4.0
    });
    let mut contacts = 0;
    for frame in 1..=20 {
        let tally = common::advance(&mut simulation, f64::from(frame) * 0.02);
        contacts += tally.contact.contacts;
        let cut = simulation.intersections();
        assert!(cut.is_empty(), "frame {frame}: {cut:?}");
    }
    assert!(contacts > 0, "it never touched itself");
}

/// Explicit steps keep both momenta to round-off; contact must not take any.
#[test]
fn contact_keeps_linear_and_angular_momentum() {
    // Slowly without and with friction; and so fast and flat that pairs meet far from where a step
    // begins.
    let cases = [(DVec3::new(0.5, -1.0, 0.2), 0.0), (DVec3::new(0.5, -1.0, 0.2), 0.5)];
    for (down, friction) in cases.into_iter().chain([(DVec3::new(30.0, -10.0, 3.0), 0.3)]) {
        let (speed, h) = (-down.y, if down.y < -5.0 { 5e-3 } else { 1e-3 });
        let mut simulation = crossing(|setup| setup, down);
        let mut setup = simulation.setup().clone();
        setup.self_contact = Some(SelfContact { friction, ..CONTACT });
        setup.step.max = h;
        let velocities = simulation.state().velocities.clone();
        simulation = start(setup);
        simulation.set_velocities(&velocities).unwrap();
        let linear = momentum(simulation.model(), simulation.state());
        let angular = angular_momentum(simulation.model(), simulation.state());
        let tally = common::advance(&mut simulation, 0.15 / speed);
        assert!(tally.contact.contacts > 100, "{:?}", tally.contact);
        let scale = 0.4 * down.length();
        let now = momentum(simulation.model(), simulation.state());
        assert!(now.distance(linear) < 1e-13 * scale, "{linear} to {now}");
        let now = angular_momentum(simulation.model(), simulation.state());
        assert!(now.distance(angular) < 1e-13 * scale, "{angular} to {now}");
    }
}

/// How far a small sheet slides down a large one that is held, along x, in a time.
fn slide(equip: Method, slope: f64, time: f64) -> f64 {
    let table = Sheet { width: 1.2, height: 0.8, columns: 13, rows: 9 }.mesh();
    let sheet = Sheet { width: 0.4, height: 0.4, columns: 6, rows: 6 }.mesh();
    // A little askew, so that no edge lies along another.
    let turn = DMat3::from_rotation_y(0.3);
    let upper = moved(&sheet, |p| turn * p + DVec3::new(-0.3, CONTACT.thickness, 0.013));
    let held = table.positions.len() as u32;
    let mut setup = touching(&together(&[table, upper]), &DAMPED);
    setup.pins = vec![Pin::fixed(0..held)];
    setup.step.max = 0.01;
    let (sin, cos) = libm::sincos(libm::atan(slope));
    setup.loads.gravity = DVec3::new(sin, -cos, 0.0) * 9.81;
    let mut simulation = start(equip(setup));
    common::advance(&mut simulation, time);
    assert!(simulation.intersections().is_empty());
    let positions = &simulation.state().positions[held as usize..];
    assert!(positions.iter().all(|p| p.y > 0.0 && p.y < 5.0 * CONTACT.thickness));
    positions.iter().map(|p| p.x + 0.3).sum::<f64>() / positions.len() as f64
}

/// A layer on a slope: it slides, as Coulomb says, if and only if tan α > μ.
fn layers_slide_when_the_slope_is_steeper_than_friction(equip: Method) {
    let (time, friction) = (0.3, CONTACT.friction);
    for slope in [0.0, 0.9 * friction] {
        let distance = slide(equip, slope, time);
        assert!(distance.abs() < 1e-3, "it slides {distance} m at {slope}");
    }
    for slope in [1.3 * friction, 3.0 * friction] {
        let (sin, cos) = libm::sincos(libm::atan(slope));
        let distance = slide(equip, slope, time);
        // Of ½·g·(sin α − μ·cos α)·t².
        let found = (sin - distance / (0.5 * 9.81 * time * time)) / cos;
        assert!((found / friction - 1.0).abs() < 0.08, "{distance} m, as of friction {found}");
    }
}

/// A sheet hinged at its middle line, one half held level, the other upright, falls shut.
fn folding(equip: Method) -> Simulation {
    let sheet = Sheet { width: 0.5, height: 1.0, columns: 8, rows: 15 };
    let mesh = sheet.mesh();
    let fabric = Fabric { bend: 0.01, bending: 1e-5, ..DAMPED };
    let mut setup = touching(&mesh, &fabric);
    setup.loads.gravity = DVec3::new(0.0, -9.81, 0.0);
    setup.positions = mesh
        .positions
        .iter()
        // 80° steep: the free half leans over the held one.
        .map(|p| if p.z > 0.0 { DVec3::new(p.x, p.z * 0.985, -p.z * 0.174) } else { *p })
        .collect();
    setup.pins = vec![Pin::fixed(0..sheet.particle(0, 8))];
    start(equip(setup))
}

fn folded_cloth_falls_on_itself(equip: Method) {
    let mut simulation = folding(equip);
    assert!(simulation.intersections().is_empty());
    for frame in 1..=24 {
        common::advance(&mut simulation, f64::from(frame) / 30.0);
        let cut = simulation.intersections();
        assert!(cut.is_empty(), "frame {frame}: {} edges pass", cut.len());
    }
    let heights = simulation.state().positions[8 * 8..].iter().map(|p| p.y);
    let height = heights.sum::<f64>() / f64::from(7 * 8);
    assert!(height < 0.1, "it does not lie down: {height} m");
}

/// However hard cloth is hit, what is held does not move.
fn pins_are_stronger_than_contact(equip: Method) {
    let sheet = square(7).mesh();
    let upper = moved(&sheet, |p| p * 0.8 + DVec3::new(0.01, 0.02, 0.02));
    let mut setup = touching(&together(&[sheet, upper]), &DAMPED);
    let held: Vec<u32> = (0..7).chain([24]).collect();
    let rail = taffeta::Hold::Line(DVec3::X);
    setup.pins = vec![Pin::fixed(held.clone()), Pin { hold: rail, ..Pin::fixed([30]) }];
    let before = setup.positions.clone();
    let mut simulation = start(equip(setup));
    common::set_motion(&mut simulation, |i| if i < 49 { DVec3::ZERO } else { DVec3::Y * -5.0 });
    let tally = common::advance(&mut simulation, 0.1);
    assert!(tally.contact.contacts > 0);
    let now = &simulation.state().positions;
    for particle in held {
        let i = particle as usize;
        assert!(now[i].distance(before[i]) < 1e-12, "particle {particle}");
    }
    let off_rail = (now[30] - before[30]).with_x(0.0).length();
    assert!(off_rail < 1e-12, "{off_rail}");
    assert!(simulation.intersections().is_empty());
}

#[test]
fn contact_does_not_see_the_threads() {
    let run = || {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 40, rows: 40 }.mesh();
        let turn = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_x(0.05);
        let upper = moved(&sheet, |p| turn * p + DVec3::new(0.0, 0.04, 0.0));
        let mut simulation = start(touching(&together(&[sheet, upper]), &DAMPED));
        common::set_motion(&mut simulation, |i| if i < 1600 { DVec3::Y } else { -DVec3::Y });
        let tally = common::advance(&mut simulation, 0.02);
        assert!(tally.contact.contacts > 0);
        simulation.state().clone()
    };
    let alone = on_threads(1, run);
    for threads in [2, 4] {
        assert!(on_threads(threads, run) == alone, "{threads} threads");
    }
}

/// Going on from a snapshot gives the same bits as going on.
#[test]
fn contact_goes_on_from_a_snapshot() {
    goes_on(common::implicit);
}

/// So it does where links are part of a factor, whose order follows from where particles are.
#[test]
fn contact_solved_directly_goes_on_from_a_snapshot() {
    goes_on(|setup| {
        let solver = Solver::Direct;
        let integrator = Integrator::Implicit(ImplicitEuler { solver, newton: None });
        Setup { integrator, ..common::implicit(setup) }
    });
}

fn goes_on(integrated: fn(Setup) -> Setup) {
    let mut simulation = folding(integrated);
    common::advance(&mut simulation, 0.5);
    for next in [0.52, 0.55, 0.6] {
        let snapshot = simulation.snapshot();
        common::advance(&mut simulation, next);
        let mut again = folding(integrated);
        again.restore(&snapshot).unwrap();
        common::advance(&mut again, next);
        assert!(again.state() == simulation.state(), "until {next} s");
    }
}

/// Two crossed sheets drift apart, come clean, and are kept apart from then on.
#[test]
fn cloth_that_starts_tangled_comes_apart_and_stays_so() {
    let sheet = square(9).mesh();
    let turn = DMat3::from_rotation_y(0.4) * DMat3::from_rotation_x(0.3);
    // The upper sheet dips through the lower one.
    let upper = moved(&sheet, |p| turn * p * 0.7 + DVec3::new(0.05, 0.06, 0.03));
    let mut simulation = start(touching(&together(&[sheet, upper]), &DAMPED));
    let tangled = simulation.intersections().len();
    assert!(tangled > 10, "{tangled}");
    common::set_motion(&mut simulation, |i| if i < 81 { DVec3::ZERO } else { DVec3::Y });
    let mut time = 0.0;
    while !simulation.intersections().is_empty() {
        time += 0.01;
        common::advance(&mut simulation, time);
        assert!(time < 0.3, "{} of {tangled} left", simulation.intersections().len());
    }
    common::set_motion(&mut simulation, |i| if i < 81 { DVec3::ZERO } else { DVec3::Y * -3.0 });
    let mut contacts = 0;
    for _ in 0..20 {
        time += 0.01;
        contacts += common::advance(&mut simulation, time).contact.contacts;
        assert!(simulation.intersections().is_empty(), "at {time} s");
    }
    assert!(contacts > 0);
}

/// While two sheets are tangled in one place, they are kept apart everywhere else.
#[test]
fn a_tangle_opens_no_door_elsewhere() {
    let sheet = square(13).mesh();
    // Tangled at one corner only, where the upper sheet is bent down through the lower one.
    let upper = moved(&sheet, |p| {
        let dip = if p.x < -0.4 && p.z < -0.4 { 0.05 } else { 0.0 };
        p * 0.9 + DVec3::new(0.0, 0.03 - dip, 0.0)
    });
    let mut setup = touching(&together(&[sheet, upper]), &DAMPED);
    setup.pins = vec![Pin::fixed(0..169)];
    let mut simulation = start(setup);
    let tangled = simulation.intersections();
    assert!(!tangled.is_empty());
    common::set_motion(&mut simulation, |i| if i < 169 { DVec3::ZERO } else { DVec3::Y * -2.0 });
    common::advance(&mut simulation, 0.1);
    // Elsewhere the upper sheet has been stopped by the lower one.
    let far = |i: &usize| simulation.setup().positions[*i].x > 0.0;
    assert!((169..338).filter(far).all(|i| simulation.state().positions[i].y > 0.0));
}

/// Pins that carry cloth through cloth leave contact no way out: the run ends, and says where.
#[test]
fn what_cannot_be_kept_apart_is_named() {
    let sheet = square(3).mesh();
    let upper = moved(&sheet, |p| p * 0.7 + DVec3::new(0.02, 0.05, 0.03));
    let mut setup = touching(&together(&[sheet, upper]), &DAMPED);
    let keys = vec![
        taffeta::MotionKey::default(),
        taffeta::MotionKey { time: 0.2, offset: DVec3::Y * -0.2, ..taffeta::MotionKey::default() },
    ];
    let down = taffeta::Motion { keys, ..taffeta::Motion::still() };
    setup.pins = vec![Pin::fixed(0..9), Pin { motion: down, ..Pin::fixed(9..18) }];
    let mut simulation = start(setup);
    let error = simulation.advance_to(0.2).unwrap_err();
    let StepError::Contact { at, time, .. } = error else { panic!("{error}") };
    assert!(at.particles.iter().any(|&p| p < 9) && at.particles.iter().any(|&p| p >= 9));
    assert!(time > 0.03 && time < 0.05, "{time}");
    assert!(error.to_string().contains("cannot be kept apart"), "{error}");
    assert!(simulation.intersections().is_empty());
}

#[test]
fn impossible_contacts_are_refused() {
    for (contact, words) in [
        (SelfContact { thickness: 0.0, ..CONTACT }, "thickness of contact is 0 m"),
        (SelfContact { friction: -0.1, ..CONTACT }, "friction of contact is -0.1"),
    ] {
        let mut setup = touching(&square(3).mesh(), &DAMPED);
        setup.self_contact = Some(contact);
        let error = Simulation::new(setup).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Layers dropped on each other and on the floor, one askew above the other: they come to rest
/// there, apart from each other, and contact does not stretch them.
#[test]
fn layers_pile_up_on_the_floor_and_do_not_stretch() {
    let sheet = Sheet { width: 0.3, height: 0.3, columns: 9, rows: 9 }.mesh();
    let layer = |k: u32| {
        let turn = DMat3::from_rotation_y(0.3 + f64::from(k));
        moved(&sheet, |p| turn * p + DVec3::Y * (0.01 + 0.02 * f64::from(k)))
    };
    let mut setup = touching(&together(&[layer(0), layer(1), layer(2)]), &DAMPED);
    setup.loads.gravity = DVec3::new(0.0, -9.81, 0.0);
    let floor = Solid::resting(Shape::Plane { drawn: 1.0 }, Pose::IDENTITY);
    setup.solids = vec![Solid { thickness: 2e-3, friction: 0.4, ..floor }];
    setup.step.max = 1.0 / 60.0;
    let mut simulation = start(common::implicit(setup));
    let mut worst = 0.0_f64;
    for frame in 1..=20 {
        common::advance(&mut simulation, f64::from(frame) / 30.0);
        worst = worst.max(simulation.strain().extension);
        assert!(simulation.intersections().is_empty(), "frame {frame}");
        assert!(simulation.state().positions.iter().all(|p| p.y > 0.0), "frame {frame}");
    }
    assert!(simulation.state().positions.iter().all(|p| p.y > 1.9e-3));
    assert!(worst < 0.02, "{worst}");
    // And stay so, in the corners that hang over the layer below too.
    for frame in 21..=40 {
        common::advance(&mut simulation, f64::from(frame) / 30.0);
        let speeds = simulation.state().velocities.iter().map(|v| v.length());
        let (particle, speed) = (0..).zip(speeds).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!(speed < 0.01, "frame {frame}: particle {particle} at {speed} m/s");
    }
}
