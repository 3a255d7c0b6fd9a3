//! Pins: what is held stays exactly where the pin has it, and what is free is not held.

use crate::common::{
    self, DAMPED, Method, SOFT, cloth, for_each_integrator, for_each_limiter, square, start,
};
use glam::DVec3;
use taffeta::{Ease, Hold, Motion, MotionKey, Pin, Setup, Simulation};

for_each_integrator!(
    fixed_particles_do_not_move_by_one_bit,
    cloth_slides_down_a_plane,
    cloth_slides_along_a_line,
    held_particles_stay_in_their_plane_and_on_their_line,
    pins_carry_their_particles_along_their_motion,
    a_bead_on_a_turning_rod_flies_outwards,
    a_late_pin_takes_hold_where_the_particle_is,
    a_late_pin_joins_a_motion_under_way,
    a_pin_that_ends_lets_go_at_rest,
    one_pin_hands_over_to_the_next,
    events_a_few_bits_apart_are_one,
);

for_each_limiter!(
    fixed_particles_do_not_move_by_one_bit,
    cloth_slides_down_a_plane,
    cloth_slides_along_a_line,
    held_particles_stay_in_their_plane_and_on_their_line,
    pins_carry_their_particles_along_their_motion,
    a_late_pin_takes_hold_where_the_particle_is,
    a_late_pin_joins_a_motion_under_way,
    a_pin_that_ends_lets_go_at_rest,
    one_pin_hands_over_to_the_next,
    events_a_few_bits_apart_are_one,
);

const H: f64 = 1.0 / 512.0;

fn pinned(equip: Method, pins: Vec<Pin>) -> Simulation {
    let mut setup = equip(cloth(&square(5).mesh(), &DAMPED));
    setup.step.max = H;
    start(Setup { pins, ..setup })
}

fn all(hold: Hold) -> Vec<Pin> {
    vec![Pin { hold, ..Pin::fixed(0..25) }]
}

fn fixed_particles_do_not_move_by_one_bit(equip: Method) {
    let mut simulation = pinned(equip, vec![Pin::fixed([0, 4, 12])]);
    let start = simulation.setup().positions.clone();
    common::step_by_step(&mut simulation, H, 1.0, |simulation| {
        for particle in [0, 4, 12] {
            assert_eq!(simulation.state().positions[particle], start[particle]);
            assert_eq!(simulation.state().velocities[particle], DVec3::ZERO);
        }
    });
    assert!(simulation.state().positions[24].y < -0.1, "the rest falls");
}

/// Without friction, and with nothing to stretch, the fall along the free directions is free.
fn slides(equip: Method, hold: Hold, free: impl Fn(DVec3) -> DVec3) {
    let mut simulation = pinned(equip, all(hold));
    common::advance(&mut simulation, 1.0);
    let gravity = simulation.setup().loads.gravity;
    let fallen = free(gravity) * (0.5 * (1.0 + H));
    let tolerance = 20.0 * common::speed_round_off(simulation.setup());
    for (now, start) in simulation.state().positions.iter().zip(&simulation.setup().positions) {
        assert!(
            now.distance(*start + fallen) < tolerance,
            "{} fallen, not {fallen}",
            *now - *start
        );
    }
    for velocity in &simulation.state().velocities {
        assert!(velocity.distance(free(gravity)) < tolerance, "{velocity}");
    }
}

/// The normal's length does not matter.
fn cloth_slides_down_a_plane(equip: Method) {
    let normal = DVec3::new(0.36, 0.8, 0.48);
    slides(equip, Hold::Plane(normal * 7.0), |g| g - normal * normal.dot(g));
}

fn cloth_slides_along_a_line(equip: Method) {
    let along = DVec3::new(0.36, 0.8, 0.48);
    slides(equip, Hold::Line(along * 0.2), |g| along * along.dot(g));
}

fn held_particles_stay_in_their_plane_and_on_their_line(equip: Method) {
    let (normal, along) = (DVec3::new(0.6, 0.0, 0.8), DVec3::new(0.0, 0.28, 0.96));
    let plane = Pin { hold: Hold::Plane(normal), ..Pin::fixed([0, 1]) };
    let line = Pin { hold: Hold::Line(along), ..Pin::fixed([4]) };
    let mut simulation = pinned(equip, vec![plane, line]);
    let start = simulation.setup().positions.clone();
    let tolerance = 1e-2 * common::speed_round_off(simulation.setup());
    common::step_by_step(&mut simulation, H, 1.0, |simulation| {
        let (x, v) = (&simulation.state().positions, &simulation.state().velocities);
        for particle in [0, 1] {
            assert!((x[particle] - start[particle]).dot(normal).abs() < 1e-15);
            assert!(v[particle].dot(normal).abs() < tolerance);
        }
        assert!((x[4] - start[4]).cross(along).length() < 1e-15);
        assert!(v[4].cross(along).length() < tolerance);
    });
    let moved = |particle: usize| simulation.state().positions[particle].distance(start[particle]);
    assert!(moved(0) > 0.1 && moved(4) > 0.1, "they slide");
}

/// A turn by a right angle, up and sideways.
fn turning(ease: Ease) -> Motion {
    let offset = DVec3::new(0.1, 0.3, -0.2);
    let angle = std::f64::consts::FRAC_PI_2;
    let keys = vec![
        MotionKey { time: 0.25, ..MotionKey::default() },
        MotionKey { time: 0.75, offset, angle, scale: 1.0 },
        MotionKey { time: 1.5, offset, ..MotionKey::default() },
    ];
    Motion { keys, ease, centre: DVec3::new(0.5, 0.0, 0.5), axis: DVec3::new(0.0, 0.8, 0.6) }
}

fn pins_carry_their_particles_along_their_motion(equip: Method) {
    for ease in [Ease::Linear, Ease::Smooth] {
        let pin = Pin { motion: turning(ease), ..Pin::fixed([0, 4]) };
        let mut simulation = pinned(equip, vec![pin.clone()]);
        let start = simulation.setup().positions.clone();
        let (mut before, mut checked) = ([start[0], start[4]], 0);
        for step in 1..=(1.75 / H) as u32 {
            let tally = common::advance(&mut simulation, f64::from(step) * H);
            let state = simulation.state();
            for (slot, particle) in [0, 4].into_iter().enumerate() {
                let wanted = pin.motion.place(start[particle], state.time);
                assert!(state.positions[particle].distance(wanted) < 1e-14, "{}", state.time);
                // Its velocity is what it travelled in the step; limits may take several.
                if tally.steps == 1 {
                    let velocity = (wanted - before[slot]) / H;
                    assert!(state.velocities[particle].distance(velocity) < 1e-11);
                    checked += 1;
                }
                before[slot] = wanted;
            }
        }
        assert!(checked > 1000, "only {checked} steps");
    }
}

/// A bead that slides without friction on a rod turning at ω leaves the axis as r·cosh(ωt):
/// held particles must move with the rod where they are, not where the rod took hold of them.
fn a_bead_on_a_turning_rod_flies_outwards(equip: Method) {
    let mut fabric = SOFT;
    (fabric.stretch, fabric.shear, fabric.bend) = (1e-9, 0.0, 0.0);
    let mut setup = equip(common::weightless(&square(2).mesh(), &fabric));
    let (omega, radius) = (2.0, DVec3::new(-0.5, 0.0, -0.5).length());
    let keys = vec![
        MotionKey::default(),
        MotionKey { time: 10.0, angle: 10.0 * omega, ..MotionKey::default() },
    ];
    let motion = Motion { keys, ..Motion::still() };
    let rod = Hold::Line(DVec3::new(1.0, 0.0, 1.0));
    // A bead has no cloth to hold it back.
    setup.limits = None;
    setup.pins = vec![Pin { hold: rod, motion, ..Pin::fixed([0]) }];
    setup.step.max = 1.0 / 4096.0;
    let mut simulation = start(setup);
    common::advance(&mut simulation, 1.0);
    let state = simulation.state();
    let (r, speed) = (state.positions[0].length(), state.velocities[0].length());
    assert!((r / (radius * libm::cosh(omega)) - 1.0).abs() < 2e-3, "{r} m");
    // Outwards r·ω·sinh, around r·ω·cosh.
    let expected = radius * omega * libm::sinh(omega).hypot(libm::cosh(omega));
    assert!((speed / expected - 1.0).abs() < 2e-3, "{speed} m/s, not {expected}");
}

/// The step ends exactly where the pin begins, so the pin holds the place of that very moment.
fn a_late_pin_takes_hold_where_the_particle_is(equip: Method) {
    let from = 0.123_456_789;
    let late = |from| vec![Pin::fixed([0]), Pin { from, ..Pin::fixed([24]) }];
    let mut simulation = pinned(equip, late(from));
    common::advance(&mut simulation, 0.7);
    let mut twin = pinned(equip, late(from));
    common::advance(&mut twin, from);
    assert_eq!(simulation.state().positions[24], twin.state().positions[24]);
    assert_ne!(simulation.state().positions[24], twin.setup().positions[24], "it fell before");
    assert_eq!(simulation.state().velocities[24], DVec3::ZERO);
}

/// A motion under way carries a particle on from where it is, by what is left of the motion.
fn a_late_pin_joins_a_motion_under_way(equip: Method) {
    let (from, motion) = (0.5, turning(Ease::Linear));
    let pins = vec![Pin { from, motion: motion.clone(), ..Pin::fixed([24]) }, Pin::fixed([0])];
    let mut simulation = pinned(equip, pins);
    common::advance(&mut simulation, from);
    let joined = simulation.state().positions[24];
    for time in [0.51, 0.75, 1.1, 2.0] {
        common::advance(&mut simulation, time);
        // Undo the motion up to `from`, do it up to now.
        let wanted = motion.place(motion.body_point(joined, from), time);
        assert!(simulation.state().positions[24].distance(wanted) < 1e-14, "{time} s");
    }
    assert!(simulation.state().positions[24].distance(joined) > 0.1);
}

fn a_pin_that_ends_lets_go_at_rest(equip: Method) {
    let until = 0.3;
    let mut simulation = pinned(equip, vec![Pin { until, ..Pin::fixed(0..25) }]);
    let start = simulation.setup().positions.clone();
    common::advance(&mut simulation, 0.8);
    // 0.5 s of free fall, in steps that need not be exactly H.
    let speed = DVec3::new(0.0, -9.81 * 0.5, 0.0);
    for (velocity, (now, start)) in
        simulation.state().velocities.iter().zip(simulation.state().positions.iter().zip(&start))
    {
        assert!(velocity.distance(speed) < 1e-12, "{velocity}");
        let fallen = start.y - now.y;
        let (least, most) = (0.5 * 9.81 * 0.25, 0.5 * 9.81 * 0.5 * (0.5 + H));
        assert!(least < fallen && fallen <= most * (1.0 + 1e-12), "{fallen} m");
    }
}

/// A pin takes over at the moment the other one ends; the particle does not fall in between.
fn one_pin_hands_over_to_the_next(equip: Method) {
    let lift = Motion::path([(0.4, DVec3::ZERO), (0.6, DVec3::Y * 0.25)]);
    let first = Pin { until: 0.4, ..Pin::fixed([0, 4]) };
    let second = Pin { from: 0.4, motion: lift, ..Pin::fixed([4, 0]) };
    let mut simulation = pinned(equip, vec![second, first]);
    let start = simulation.setup().positions.clone();
    common::advance(&mut simulation, 1.0);
    for particle in [0, 4] {
        let lifted = start[particle] + DVec3::Y * 0.25;
        assert!(simulation.state().positions[particle].distance(lifted) < 1e-15);
    }
    // The order of a pin's particles does not matter either.
    let anchors = &simulation.state().anchors;
    assert_eq!(anchors[..2], [Some(start[4]), Some(start[0])]);
    assert_eq!(anchors[2..], [None, None]);
}

/// Times that differ by a few bits, as sums of decimal fractions do, are one time: there is no
/// step between them, in which a moving pin's velocity would be round-off over round-off.
fn events_a_few_bits_apart_are_one(equip: Method) {
    for gap in [-1e-9, -1e-16, 1e-16, 1e-15, 1e-12, 1e-9] {
        let carry = Motion::path([(0.0, DVec3::ZERO), (1.0, DVec3::new(0.2, 0.1, 0.0))]);
        let carry = Motion { centre: DVec3::new(5.0, 3.0, 1.0), ..carry };
        let pins = vec![
            Pin { motion: carry, ..Pin::fixed([0, 4]) },
            Pin { until: 0.3 + gap, ..Pin::fixed([12]) },
            Pin { from: 0.3, ..Pin::fixed([24]) },
        ];
        let mut simulation = pinned(equip, pins);
        let tally = common::advance(&mut simulation, 0.3 + 2.0 * gap);
        assert!(tally.h_min > 0.5 * H, "a step of {} s", tally.h_min);
        let velocity = simulation.state().velocities[0];
        assert!(velocity.distance(DVec3::new(0.2, 0.1, 0.0)) < 1e-11, "{velocity}");
        let here = simulation.state().positions[24];
        let tally = common::advance(&mut simulation, 0.5);
        assert!(tally.h_min > 0.5 * H, "a step of {} s", tally.h_min);
        assert_eq!(simulation.state().positions[24], here, "both changes have happened");
        assert_eq!(simulation.pin_forces().map(|(p, _)| p).collect::<Vec<_>>(), [0, 4, 24]);
    }
}
