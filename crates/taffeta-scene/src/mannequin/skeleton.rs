//! The mannequin's joints, and where bones are when each joint has turned.
//!
//! All frames are those of the room in the A-pose: y up, the face towards +z, the left side at +x.

use glam::{DMat3, DVec3};

/// A joint; its bone goes from here to the joints after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    Thigh(Side),
    Shin(Side),
    Foot(Side),
    UpperArm(Side),
    Forearm(Side),
    Hand(Side),
}

/// Which side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

use Joint::{Chest, Foot, Forearm, Hand, Head, Neck, Pelvis, Shin, Spine, Thigh, UpperArm};
use Side::{Left, Right};

/// How many joints there are.
pub const JOINTS: usize = 17;

/// Every joint, parents first.
pub const ALL: [Joint; JOINTS] = [
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    Thigh(Left),
    Shin(Left),
    Foot(Left),
    UpperArm(Left),
    Forearm(Left),
    Hand(Left),
    Thigh(Right),
    Shin(Right),
    Foot(Right),
    UpperArm(Right),
    Forearm(Right),
    Hand(Right),
];

/// Where soles touch the ground, of the left foot: heel, ball and toes \[m\].
const SOLE: [DVec3; 3] =
    [DVec3::new(0.139, 0.0, -0.07), DVec3::new(0.15, 0.0, 0.10), DVec3::new(0.153, 0.0, 0.165)];

impl Side {
    /// A point given for the left side.
    pub fn place(self, x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(self.sign() * x, y, z)
    }

    /// +1 on the left, −1 on the right.
    pub fn sign(self) -> f64 {
        match self {
            Left => 1.0,
            Right => -1.0,
        }
    }
}

impl Joint {
    /// Its place in the list of all.
    pub fn index(self) -> usize {
        ALL.iter().position(|joint| *joint == self).unwrap_or(0)
    }

    /// The joint it hangs at.
    fn parent(self) -> Self {
        match self {
            Pelvis | Spine | Thigh(_) => Pelvis,
            Chest => Spine,
            Neck | UpperArm(_) => Chest,
            Head => Neck,
            Shin(side) => Thigh(side),
            Foot(side) => Shin(side),
            Forearm(side) => UpperArm(side),
            Hand(side) => Forearm(side),
        }
    }

    /// Where it is in the A-pose, arms 45° down \[m\].
    pub fn place(self) -> DVec3 {
        match self {
            Pelvis => DVec3::new(0.0, 0.93, 0.0),
            Spine => DVec3::new(0.0, 1.04, -0.01),
            Chest => DVec3::new(0.0, 1.16, -0.015),
            Neck => DVec3::new(0.0, 1.45, -0.02),
            Head => DVec3::new(0.0, 1.53, 0.005),
            Thigh(side) => side.place(0.095, 0.885, 0.0),
            Shin(side) => side.place(0.122, 0.48, 0.002),
            Foot(side) => side.place(0.14, 0.085, -0.02),
            UpperArm(side) => side.place(0.17, 1.385, -0.015),
            Forearm(side) => side.place(0.368, 1.187, -0.02),
            Hand(side) => side.place(0.545, 1.01, -0.005),
        }
    }

    /// The other end of its bone in the A-pose \[m\].
    pub fn end(self) -> DVec3 {
        match self {
            Pelvis => Spine.place(),
            Spine => Chest.place(),
            Chest => Neck.place(),
            Neck => Head.place(),
            Head => DVec3::new(0.0, 1.70, 0.02),
            Thigh(side) => Shin(side).place(),
            Shin(side) => Foot(side).place(),
            Foot(side) => side.place(0.153, 0.025, 0.16),
            UpperArm(side) => Forearm(side).place(),
            Forearm(side) => Hand(side).place(),
            Hand(side) => side.place(0.66, 0.895, 0.0),
        }
    }
}

/// How the joints are turned, each in the frame of the one it hangs at, and where the pelvis is.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    pub turns: [DMat3; JOINTS],
    /// How far the body has moved \[m\].
    pub offset: DVec3,
}

impl Default for Pose {
    /// The A-pose.
    fn default() -> Self {
        Self { turns: [DMat3::IDENTITY; JOINTS], offset: DVec3::ZERO }
    }
}

/// How a bone has moved from the A-pose.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub turn: DMat3,
    pub shift: DVec3,
}

impl Moved {
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.turn * point + self.shift
    }
}

impl Pose {
    pub fn turn(&mut self, joint: Joint, by: DMat3) {
        self.turns[joint.index()] = by;
    }

    /// How every bone has moved.
    pub fn bones(&self) -> [Moved; JOINTS] {
        let mut bones = [Moved { turn: DMat3::IDENTITY, shift: self.offset }; JOINTS];
        for (index, joint) in ALL.into_iter().enumerate() {
            let parent = if index == 0 { bones[0] } else { bones[joint.parent().index()] };
            let turn = parent.turn * self.turns[index];
            let place = parent.apply(joint.place());
            bones[index] = Moved { turn, shift: place - turn * joint.place() };
        }
        bones
    }

    /// Where the points of both soles are \[m\].
    pub fn soles(&self) -> [DVec3; 6] {
        let bones = self.bones();
        std::array::from_fn(|i| {
            let side = if i < 3 { Left } else { Right };
            let point = SOLE[i % 3];
            bones[Foot(side).index()].apply(side.place(point.x, point.y, point.z))
        })
    }
}

/// A turn about an axis by an angle in degrees; libm for the same bits on every platform.
pub fn turn(axis: DVec3, degrees: f64) -> DMat3 {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let a = axis.normalize_or_zero();
    let cross = DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    );
    DMat3::IDENTITY + cross * sin + cross * cross * (1.0 - cos)
}
