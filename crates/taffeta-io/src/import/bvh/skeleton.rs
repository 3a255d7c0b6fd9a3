//! A skeleton that moves: how it stands at a frame, and between two.

use glam::{DQuat, DVec3};

use super::super::turns::{about, angle, slerp};

/// A first frame is no part of a motion if it is so many times as far from the second as any other frame
/// from the next, and by more than so many radians.
const LEAP: (f64, f64) = (3.0, 0.03);

/// A skeleton that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonMotion {
    /// The joints, each behind the one above it; the first is the root.
    pub joints: Vec<Joint>,
    /// Seconds from frame to frame.
    pub frame_time: f64,
    /// What the reader left out, a sentence each.
    pub notes: Vec<String>,
    /// The channels of all joints at each frame, one frame after the other.
    pub(super) values: Vec<f64>,
}

/// A joint of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// The joint above it.
    pub parent: Option<usize>,
    /// Where it is from there where nothing is turned, in the units of the file.
    pub offset: DVec3,
    pub(super) channels: Vec<Channel>,
    /// The number of its first channel among those of all joints.
    pub(super) first: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Channel {
    /// Along an axis, in the units of the file.
    Position(usize),
    /// About an axis \[°\].
    Rotation(usize),
}

/// How a skeleton stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Stance {
    /// How each joint is turned in space.
    pub turns: Vec<DQuat>,
    /// Where the root is, in the units of the file.
    pub root: DVec3,
}

impl SkeletonMotion {
    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.values.len() / self.width().max(1)
    }

    /// How it stands if nothing is turned.
    pub fn unturned(&self) -> Stance {
        Stance { turns: vec![DQuat::IDENTITY; self.joints.len()], root: self.joints[0].offset }
    }

    /// How it stands at a frame, or between that and the next by a share.
    pub fn stance(&self, frame: usize, share: f64) -> Stance {
        let next = (frame + 1).min(self.frames() - 1);
        let mut turns: Vec<DQuat> = Vec::with_capacity(self.joints.len());
        for (joint, Joint { parent, .. }) in self.joints.iter().enumerate() {
            let own = slerp(self.turn(frame, joint), self.turn(next, joint), share);
            turns.push(parent.map_or(own, |parent| turns[parent] * own));
        }
        Stance { turns, root: self.root(frame).lerp(self.root(next), share) }
    }

    /// Where the joints are in a stance, from the root.
    pub fn places(&self, stance: &Stance) -> Vec<DVec3> {
        let mut places: Vec<DVec3> = Vec::with_capacity(self.joints.len());
        for Joint { parent, offset, .. } in &self.joints {
            let above = |parent: usize| places[parent] + stance.turns[parent] * *offset;
            places.push(parent.map_or(DVec3::ZERO, above));
        }
        places
    }

    /// Whether the first frame is a pose that was put before the motion, as a T-pose often is.
    pub fn begins_with_a_pose(&self) -> bool {
        let step = |frame: usize| {
            let turns =
                (0..self.joints.len()).map(|j| angle(self.turn(frame, j), self.turn(frame + 1, j)));
            turns.sum::<f64>() / self.joints.len() as f64
        };
        let most = (1..self.frames().saturating_sub(1)).map(step).fold(0.0, f64::max);
        self.frames() > 2 && step(0) > LEAP.1.max(LEAP.0 * most)
    }

    /// How a joint is turned against the one above it.
    fn turn(&self, frame: usize, joint: usize) -> DQuat {
        let turns = self.channels(frame, joint).filter_map(|(channel, value)| match channel {
            Channel::Rotation(axis) => Some(about(axis, value.to_radians())),
            Channel::Position(_) => None,
        });
        turns.fold(DQuat::IDENTITY, |all, turn| all * turn)
    }

    fn root(&self, frame: usize) -> DVec3 {
        let mut at = self.joints[0].offset;
        for (channel, value) in self.channels(frame, 0) {
            if let Channel::Position(axis) = channel {
                at[axis] = value;
            }
        }
        at
    }

    fn width(&self) -> usize {
        self.joints.iter().map(|joint| joint.channels.len()).sum()
    }

    fn channels(&self, frame: usize, joint: usize) -> impl Iterator<Item = (Channel, f64)> + '_ {
        let Joint { channels, first, .. } = &self.joints[joint];
        let begin = frame * self.width() + first;
        channels.iter().zip(&self.values[begin..]).map(|(channel, value)| (*channel, *value))
    }
}
