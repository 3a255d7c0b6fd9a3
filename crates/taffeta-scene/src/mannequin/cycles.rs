//! What the mannequin does: angles of joints over time, blended from the A-pose.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::skeleton::{Joint, Pose, Side, turn};

/// A motion that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// It stands in its A-pose.
    Stand,
    /// It walks ahead, along +z.
    Walk,
    /// It turns its trunk from side to side.
    Twist,
    /// It sways, steps, lifts its arms and turns around.
    Dance,
}

/// How long the blend from the A-pose takes \[s\].
const BLEND: f64 = 1.0;
/// How long the cycles take \[s\].
const STRIDE: f64 = 1.1;
/// The speed of a walk, at which the feet on the ground go backwards beneath the body \[m/s\].
const SPEED: f64 = 1.1;
const TWIST: f64 = 2.4;
const DANCE: f64 = 4.0;

/// Angles in degrees; arms are as in the A-pose where all are zero.
#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    /// Towards the side.
    lower: f64,
    /// Forwards.
    swing: f64,
    /// Of the elbow.
    bend: f64,
}

/// Angles in degrees.
#[derive(Clone, Copy, Debug, Default)]
struct Leg {
    /// Forwards.
    lift: f64,
    /// Outwards.
    spread: f64,
    /// Of the knee.
    bend: f64,
    /// Of the toes, upwards.
    toes: f64,
}

impl Cycle {
    /// The pose at a time.
    pub fn pose(self, time: f64) -> Pose {
        let share = (time / BLEND).clamp(0.0, 1.0);
        // Its first and second derivatives start and end at nothing.
        let share = share * share * share * (10.0 - share * (15.0 - 6.0 * share));
        let mut pose = Pose::default();
        match self {
            Self::Stand => {}
            Self::Walk => walk(&mut pose, time, share),
            Self::Twist => twist(&mut pose, time, share),
            Self::Dance => dance(&mut pose, time, share),
        }
        pose
    }
}

/// How far a walk has gone: its speed grows as the blend does \[m\].
fn gone(time: f64) -> f64 {
    let t = (time / BLEND).clamp(0.0, 1.0);
    let blended = t.powi(4) * (2.5 - t * (3.0 - t)) * BLEND;
    SPEED * (blended + (time - BLEND).max(0.0))
}

fn walk(pose: &mut Pose, time: f64, share: f64) {
    pose.offset.z = gone(time);
    let phase = TAU * time / STRIDE;
    for side in [Side::Left, Side::Right] {
        let phase = if side == Side::Left { phase } else { phase + TAU / 2.0 };
        // A third harmonic makes what is on the ground go back evenly.
        let forward = 0.9 * (libm::cos(phase) + libm::cos(3.0 * phase) / 9.0);
        // The knee bends while the leg comes forward.
        let swing = (-libm::sin(phase)).max(0.0);
        let lift = 21.0 * forward + 5.0;
        let bend = 8.0 + 46.0 * swing * swing;
        let toes = 0.8 * (bend - lift) - 9.0 * (-libm::sin(phase + 0.9)).max(0.0).powi(3);
        leg(pose, side, Leg { lift, spread: 0.0, bend, toes }, share);
        let swing = -19.0 * forward;
        arm(pose, side, Arm { lower: 32.0, swing, bend: 22.0 - 8.0 * forward }, share);
    }
    let [sin, cos] = [libm::sin(phase), libm::cos(phase)];
    let hips = turn(DVec3::Y, -5.0 * cos * share) * turn(DVec3::Z, -3.0 * sin * share);
    pose.turn(Joint::Pelvis, hips);
    pose.turn(Joint::Spine, turn(DVec3::Y, 5.0 * cos * share) * turn(DVec3::Z, 2.0 * sin * share));
    let lean = turn(DVec3::X, 2.0 * share);
    pose.turn(Joint::Chest, turn(DVec3::Y, 5.0 * cos * share) * lean);
    pose.turn(Joint::Neck, turn(DVec3::Y, -5.0 * cos * share));
}

fn twist(pose: &mut Pose, time: f64, share: f64) {
    let around = libm::sin(TAU * time / TWIST) * share;
    pose.turn(Joint::Pelvis, turn(DVec3::Y, 8.0 * around));
    pose.turn(Joint::Spine, turn(DVec3::Y, 18.0 * around));
    pose.turn(Joint::Chest, turn(DVec3::Y, 22.0 * around));
    pose.turn(Joint::Head, turn(DVec3::Y, 12.0 * around));
    for side in [Side::Left, Side::Right] {
        // Feet stay as they are.
        pose.turn(Joint::Thigh(side), turn(DVec3::Y, -8.0 * around));
        arm(pose, side, Arm { lower: 8.0, swing: 6.0, bend: 28.0 }, share);
    }
}

fn dance(pose: &mut Pose, time: f64, share: f64) {
    let beat = |times: f64, shift: f64| libm::sin(TAU * (times * time / DANCE + shift));
    let sway = beat(2.0, 0.0);
    let spin = 360.0 * rise((time / DANCE).fract(), 0.45, 0.95);
    let lean = turn(DVec3::Z, 5.0 * sway * share);
    pose.turn(Joint::Pelvis, turn(DVec3::Y, spin * share) * lean);
    pose.turn(
        Joint::Spine,
        turn(DVec3::Z, -8.0 * sway * share) * turn(DVec3::Y, 10.0 * beat(4.0, 0.1) * share),
    );
    pose.turn(Joint::Chest, turn(DVec3::Y, 12.0 * beat(4.0, 0.1) * share));
    pose.turn(Joint::Head, turn(DVec3::Y, 12.0 * beat(2.0, 0.3) * share));
    for side in [Side::Left, Side::Right] {
        let sign = side.sign();
        let step = (sign * sway).max(0.0);
        let bend = 10.0 + 38.0 * step * step;
        let lift = 5.0 + 22.0 * step * step;
        leg(
            pose,
            side,
            Leg { lift, spread: 2.0 + 5.0 * step, bend, toes: 0.85 * (bend - lift) },
            share,
        );
        let raise = 30.0 * (0.5 + 0.5 * beat(2.0, 0.1 * sign));
        let swing = 18.0 * beat(2.0, 0.25 + 0.1 * sign);
        arm(pose, side, Arm { lower: -raise, swing, bend: 25.0 + 18.0 * beat(4.0, 0.2) }, share);
    }
}

/// From 0 to 1 between two moments, smoothly.
fn rise(at: f64, from: f64, to: f64) -> f64 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * t * (10.0 - t * (15.0 - 6.0 * t))
}

fn arm(pose: &mut Pose, side: Side, arm: Arm, share: f64) {
    let lowered = turn(DVec3::Z, -side.sign() * arm.lower * share);
    pose.turn(Joint::UpperArm(side), turn(DVec3::X, -arm.swing * share) * lowered);
    let (elbow, wrist) = (Joint::Forearm(side).place(), Joint::Hand(side).place());
    let hinge = (wrist - elbow).cross(DVec3::Z);
    pose.turn(Joint::Forearm(side), turn(hinge, arm.bend * share));
}

fn leg(pose: &mut Pose, side: Side, leg: Leg, share: f64) {
    let about_x = |degrees: f64| -> DMat3 { turn(DVec3::X, degrees * share) };
    let spread = turn(DVec3::Z, side.sign() * leg.spread * share);
    pose.turn(Joint::Thigh(side), spread * about_x(-leg.lift));
    pose.turn(Joint::Shin(side), about_x(leg.bend));
    pose.turn(Joint::Foot(side), about_x(-leg.toes));
}
