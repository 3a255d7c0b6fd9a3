//! A skeleton's motion on the bones of a body, by their names.
//!
//! Both have a pose at rest that means the same; from there each bone of the body turns in space as its
//! namesake does. Arms that hang in one pose (an A) and are spread in the other (a T), and legs, do not
//! mean the same: such long bones are first laid along their namesakes. A short bone goes with the one
//! before it, as a hand does, unless its own direction fits better as it stands, as a foot's: how a rig
//! runs through feet, hips and spine is its maker's choice, and not how the body stands.

use std::collections::BTreeMap;
use std::io;

use glam::{DMat4, DQuat, DVec3};
use gltf::Document;

use super::super::bvh::{SkeletonMotion, Stance};
use super::super::turns::{about, slerp};
use super::super::{Fault, FormatError, Motion};
use super::animation::Moved;
use super::buffers::Buffers;
use super::character::Body;
use super::rig::{Bone, Rig};
use super::{document, nodes};

/// Bones at least this long, over the body's height, are those of arms and legs: of people an upper arm
/// is 0.15 to 0.19, a foot to its toes and a collarbone 0.1.
const LONG: f64 = 0.135;

/// Poses whose long bones differ by more than this do not mean the same [rad].
const ALIKE: f64 = std::f64::consts::FRAC_PI_3;

/// The part upwards of a direction that is taken to be straight up.
const UPWARDS: f64 = 0.99;

/// How the motion of another skeleton is put on a body.
#[derive(Clone, Copy, Debug)]
pub struct RetargetWish<'a> {
    /// Moments a second.
    pub rate: f64,
    /// In which time the body comes from the pose of its file into the motion \[s\].
    pub blend: f64,
    /// Joints of the motion and the bones of the body they move, where names differ.
    pub names: &'a [[String; 2]],
    /// Whether the first frame of the motion is its pose at rest, if that is said.
    pub rest_first: Option<bool>,
}

/// Reads a body from a glTF file, text or GLB, and moves it; `open` reads a file that it names.
pub fn read_gltf_retargeted(
    bytes: &[u8],
    motion: &SkeletonMotion,
    wish: RetargetWish,
    open: &dyn Fn(&str) -> io::Result<Vec<u8>>,
) -> Result<Motion, FormatError> {
    let (document, blob) = document::parse(bytes)?;
    let mut buffers = Buffers::open(&document, blob, open)?;
    let body = Body::read(&document, &mut buffers)?;
    let joints = body.joints();
    if joints.is_empty() {
        let what = "a skin: only a body with bones can be moved by a skeleton; one";
        return Err(Fault::missing(what).in_part("scene"));
    }
    let rig = Rig::read(&document, &joints, (motion, wish.names))?;
    let rest = body.posed(&document, &BTreeMap::new())?;
    let [low, high] = heights(&rest);
    let puppet = Puppet::new(&document, rig, motion, (wish, high - low));
    let puppet = puppet.map_err(|fault| fault.in_part("skeleton"))?;
    let lasts = (motion.frames() - 1 - puppet.first) as f64 * motion.frame_time;
    let mut moments = body.moments(&document, (lasts, wish.rate), &|time| puppet.at(time))?;
    // It stands on the floor that it stands on at rest, as it does most of the time.
    let blended = moments.last().map_or(0.0, |last| last.time.min(wish.blend));
    let in_motion = moments.iter().filter(|moment| moment.time >= blended);
    let mut floors: Vec<f64> = in_motion.map(|moment| heights(&moment.positions)[0]).collect();
    floors.sort_by(f64::total_cmp);
    let lift = low - floors[floors.len() / 2];
    for moment in &mut moments {
        let lift = DVec3::Y * lift * puppet.share(moment.time);
        moment.positions.iter_mut().for_each(|at| *at += lift);
    }
    let mut read = body.moving(moments);
    read.notes.extend(motion.notes.iter().cloned());
    read.notes.extend(puppet.notes(lift));
    Ok(read)
}

fn heights(positions: &[DVec3]) -> [f64; 2] {
    let both = |[low, high]: [f64; 2], at: &DVec3| [low.min(at.y), high.max(at.y)];
    positions.iter().fold([f64::INFINITY, f64::NEG_INFINITY], both)
}

/// A body and the skeleton that moves it.
struct Puppet<'a> {
    rig: Rig,
    motion: &'a SkeletonMotion,
    wish: RetargetWish<'a>,
    /// The first frame of the motion.
    first: usize,
    /// For each bone what a turn of its joint in space acts on.
    carried: Vec<DQuat>,
    /// Turns the motion about y so that it begins as the body faces.
    heading: f64,
    /// Metres of the body's file to a unit of the motion's.
    unit: f64,
    /// From space to the frame of the bone above the root.
    above_root: DMat4,
}

impl<'a> Puppet<'a> {
    fn new(
        document: &Document,
        rig: Rig,
        motion: &'a SkeletonMotion,
        (wish, height): (RetargetWish<'a>, f64),
    ) -> Result<Self, Fault> {
        let begins = wish.rest_first.unwrap_or_else(|| motion.begins_with_a_pose());
        let first = usize::from(begins);
        if motion.frames() <= first {
            return Err(Fault::missing("a frame behind the pose at rest"));
        }
        let rest = if begins { motion.stance(0, 0.0) } else { motion.unturned() };
        let places = motion.places(&rest);
        let laid = lay(&rig, &places, height)?;
        let carry = |(bone, laid): (&Bone, DQuat)| match bone.joint {
            Some(joint) => rest.turns[joint].inverse() * laid * bone.turn,
            None => DQuat::IDENTITY,
        };
        let carried = rig.bones.iter().zip(laid).map(carry).collect();
        let way = rig.way_down();
        let length = |place: &dyn Fn(usize) -> DVec3| -> f64 {
            way.windows(2).map(|pair| place(pair[0]).distance(place(pair[1]))).sum()
        };
        let joint = |bone: usize| rig.bones[bone].joint.map_or(DVec3::ZERO, |joint| places[joint]);
        let unit = length(&|bone| rig.bones[bone].at) / length(&joint);
        if !(unit.is_finite() && unit > 0.0) {
            return Err(Fault::missing("a length of the bones from the root down"));
        }
        let facing = motion.stance(first, 0.0).turns[0] * rest.turns[0].inverse() * DVec3::Z;
        let above = rig.bones[rig.root].parent.map(|above| rig.bones[above].node);
        let above = above.and_then(|node| nodes::places(document).ok()?[node]);
        Ok(Self {
            carried,
            // Who looks straight up or down faces nowhere.
            heading: if facing.y.abs() > UPWARDS { 0.0 } else { -libm::atan2(facing.x, facing.z) },
            unit,
            above_root: above.unwrap_or_default().inverse(),
            rig,
            motion,
            wish,
            first,
        })
    }

    /// How much of the motion there is at a time: it begins in the body's own pose.
    fn share(&self, time: f64) -> f64 {
        if time >= self.wish.blend {
            return 1.0;
        }
        let t = time / self.wish.blend;
        t * t * (3.0 - 2.0 * t)
    }

    fn stance(&self, time: f64) -> Stance {
        let frames = time / self.motion.frame_time;
        // The last frame is behind as many as there are before it.
        let frame = (frames as usize).min(self.motion.frames() - 1 - self.first);
        self.motion.stance(self.first + frame, (frames - frame as f64).clamp(0.0, 1.0))
    }

    /// What each bone is at a time.
    fn at(&self, time: f64) -> BTreeMap<usize, Moved> {
        let (stance, share) = (self.stance(time), self.share(time));
        let heading = about(1, self.heading);
        let mut turns: Vec<DQuat> = Vec::with_capacity(self.rig.bones.len());
        let mut moved = BTreeMap::new();
        for (bone, carried) in self.rig.bones.iter().zip(&self.carried) {
            let above = bone.parent.map_or(DQuat::IDENTITY, |above| turns[above]);
            let Some(joint) = bone.joint else {
                turns.push(above * bone.own);
                continue;
            };
            let turn = heading * stance.turns[joint] * *carried;
            turns.push(turn);
            let rotation = slerp(bone.own, (above.inverse() * turn).normalize(), share);
            moved.insert(bone.node, Moved { rotation: Some(rotation), ..Moved::default() });
        }
        let root = &self.rig.bones[self.rig.root];
        let went = stance.root - self.motion.stance(self.first, 0.0).root;
        let at = root.at + heading * (went * self.unit * share);
        let place = self.above_root.transform_point3(at);
        moved.entry(root.node).or_default().translation = Some(place);
        moved
    }

    /// How the motion was taken, for the user to know.
    fn notes(&self, lift: f64) -> Vec<String> {
        let rest = match self.first {
            0 => "where no joint is turned",
            _ => "in the first frame, which is no part of the motion",
        };
        let how = format!(
            "{} of {} joints move the body's bones; it is at rest {rest}; a unit is {:.5} of the body's \
             file, it is turned by {:.1}° to begin as the body faces, and moved up by {lift:.4} to stand \
             where the body stands",
            self.rig.bones.iter().filter(|bone| bone.joint.is_some()).count(),
            self.motion.joints.len(),
            self.unit,
            self.heading.to_degrees()
        );
        std::iter::once(how).chain(self.rig.unmatched(self.motion)).collect()
    }
}

/// What turns each bone from how it is at rest to what means the same in the motion's pose at rest.
fn lay(rig: &Rig, places: &[DVec3], height: f64) -> Result<Vec<DQuat>, Fault> {
    let (mut laid, mut apart, mut long) = (Vec::with_capacity(rig.bones.len()), 0.0, 0);
    for bone in 0..rig.bones.len() {
        let before = rig.bones[bone].before.map_or(DQuat::IDENTITY, |before: usize| laid[before]);
        laid.push(match rig.along(bone, places) {
            Some([own, wanted]) if own.length() >= LONG * height => {
                let [own, wanted] = [own.normalize(), wanted.normalize()];
                apart += libm::acos(own.dot(wanted).clamp(-1.0, 1.0));
                long += 1;
                DQuat::from_rotation_arc(own, wanted)
            }
            Some([own, wanted]) if own.dot(wanted) >= (before * own).dot(wanted) => DQuat::IDENTITY,
            _ => before,
        });
    }
    if long == 0 {
        return Err(Fault::missing("a bone of an arm or a leg that the motion moves"));
    }
    let mean = apart / f64::from(long);
    if mean > ALIKE {
        return Err(Fault::malformed(format!(
            "in their poses at rest the bones of body and motion differ by {:.0}° on average: both must \
             stand upright, y up, and face the same way (+z)",
            mean.to_degrees()
        )));
    }
    Ok(laid)
}
