//! The bones of a body, and which joint of another skeleton moves each.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3};
use gltf::Document;

use super::super::bvh::SkeletonMotion;
use super::super::{Fault, FormatError};
use super::nodes;

/// The nodes of a body's scene.
pub(super) struct Rig {
    /// Each behind the one above it.
    pub bones: Vec<Bone>,
    /// The one that the motion's root moves.
    pub root: usize,
    /// The names of joints of the body's skins that nothing moves.
    unmoved: Vec<String>,
}

/// A node of a body's scene.
pub(super) struct Bone {
    pub node: usize,
    pub name: String,
    /// The bone above it.
    pub parent: Option<usize>,
    /// How it is turned against that at rest, and in space.
    pub own: DQuat,
    pub turn: DQuat,
    /// Where it is at rest.
    pub at: DVec3,
    /// The joint that moves it.
    pub joint: Option<usize>,
    /// The next bone above it that a joint moves.
    pub before: Option<usize>,
}

impl Rig {
    /// The nodes of the default scene; those in `joints` are matched with a motion's by their names, or as
    /// `renamed` says: a joint of the motion and a bone of the body.
    pub fn read(
        document: &Document,
        joints: &BTreeSet<usize>,
        (motion, renamed): (&SkeletonMotion, &[[String; 2]]),
    ) -> Result<Self, FormatError> {
        let places = nodes::places(document)?;
        let mut bones: Vec<Bone> = Vec::new();
        let mut numbers = BTreeMap::new();
        for (node, above) in nodes::in_order(document) {
            let parent = above.and_then(|above| numbers.get(&above).copied());
            let own = nodes::turn(&node).normalize();
            numbers.insert(node.index(), bones.len());
            bones.push(Bone {
                node: node.index(),
                name: node.name().unwrap_or_default().into(),
                parent,
                own,
                turn: parent.map_or(own, |parent: usize| bones[parent].turn * own),
                at: places[node.index()].unwrap_or_default().transform_point3(DVec3::ZERO),
                joint: None,
                before: None,
            });
        }
        let mut rig = Self { bones, root: 0, unmoved: Vec::new() };
        rig.join(joints, (motion, renamed)).map_err(|fault| fault.in_part("bones"))?;
        Ok(rig)
    }

    fn join(
        &mut self,
        joints: &BTreeSet<usize>,
        (motion, renamed): (&SkeletonMotion, &[[String; 2]]),
    ) -> Result<(), Fault> {
        let is_bone = |bone: &&mut Bone| joints.contains(&bone.node);
        for [joint, bone] in renamed {
            let of_motion = motion.joints.iter().any(|one| one.name == *joint);
            let of_body =
                self.bones.iter().any(|one| one.name == *bone && joints.contains(&one.node));
            if !of_motion || !of_body {
                let (name, of) = if of_motion { (bone, "the body") } else { (joint, "the motion") };
                let both = self.both(joints, motion);
                return Err(Fault::malformed(format!("{of} has no `{name}`; {both}")));
            }
        }
        for (number, joint) in motion.joints.iter().enumerate() {
            let other = renamed.iter().find(|pair| pair[0] == joint.name);
            let wanted = key(other.map_or(&joint.name, |pair| &pair[1]));
            let taken = |bone: &&mut Bone| bone.joint.is_none() && key(&bone.name) == wanted;
            if let Some(bone) = self.bones.iter_mut().filter(is_bone).find(taken) {
                bone.joint = Some(number);
            }
        }
        let unmoved =
            self.bones.iter().filter(|bone| joints.contains(&bone.node) && bone.joint.is_none());
        self.unmoved = unmoved.map(|bone| bone.name.clone()).collect();
        for bone in 0..self.bones.len() {
            let above = self.bones[bone].parent;
            self.bones[bone].before = above.and_then(|above| match self.bones[above].joint {
                Some(_) => Some(above),
                None => self.bones[above].before,
            });
        }
        let root = self.bones.iter().position(|bone| bone.joint == Some(0));
        match root {
            Some(root) if self.bones[root].before.is_none() => self.root = root,
            Some(_) => {
                let name = &motion.joints[0].name;
                let what = format!(
                    "`{name}` is the motion's root, and has moved bones above it in the body"
                );
                return Err(Fault::malformed(what));
            }
            None => {
                let (name, both) = (&motion.joints[0].name, self.both(joints, motion));
                let what =
                    format!("no bone of the body is `{name}`, which moves the whole; {both}");
                return Err(Fault::malformed(what));
            }
        }
        Ok(())
    }

    /// All names of both.
    fn both(&self, joints: &BTreeSet<usize>, motion: &SkeletonMotion) -> String {
        let of_motion: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
        let of_body = self.bones.iter().filter(|bone| joints.contains(&bone.node));
        let of_body: Vec<&str> = of_body.map(|bone| bone.name.as_str()).collect();
        format!(
            "the motion has {}; the body has {}; `bones` says which are the same",
            of_motion.join(", "),
            of_body.join(", ")
        )
    }

    /// Which names of either have none of the other.
    pub fn unmatched(&self, motion: &SkeletonMotion) -> Option<String> {
        let moving: BTreeSet<usize> = self.bones.iter().filter_map(|bone| bone.joint).collect();
        let idle = motion.joints.iter().enumerate().filter(|(number, _)| !moving.contains(number));
        let idle: Vec<&str> = idle.map(|(_, joint)| joint.name.as_str()).collect();
        let list = |names: &[&str]| if names.is_empty() { "none".into() } else { names.join(", ") };
        let unmoved: Vec<&str> = self.unmoved.iter().map(String::as_str).collect();
        (!idle.is_empty() || !unmoved.is_empty()).then(|| {
            format!(
                "joints that move nothing: {}; bones that follow the one above: {}",
                list(&idle),
                list(&unmoved)
            )
        })
    }

    /// From a bone to the next below that a joint moves, if there is one only: in the body at rest, and
    /// between joints in these places.
    pub fn along(&self, bone: usize, places: &[DVec3]) -> Option<[DVec3; 2]> {
        let (mut end, from) = (bone, self.bones[bone].joint?);
        loop {
            let is_below = |&below: &usize| {
                self.bones[below].joint.is_some() && self.bones[below].before == Some(end)
            };
            let below: Vec<usize> = (0..self.bones.len()).filter(is_below).collect();
            let [only] = below[..] else { return None };
            end = only;
            let to = self.bones[end].joint?;
            let along = [self.bones[end].at - self.bones[bone].at, places[to] - places[from]];
            // Rigs have joints at the place of the one before.
            if along.iter().all(|along| along.length() > 1e-9) {
                return Some(along);
            }
        }
    }

    /// From the root to the lowest bone below it.
    pub fn way_down(&self) -> Vec<usize> {
        let below_root = |bone: &usize| self.way_up(*bone).last() == Some(&self.root);
        let moved = (0..self.bones.len()).filter(|bone| self.bones[*bone].joint.is_some());
        let lowest = moved
            .filter(below_root)
            .min_by(|a, b| self.bones[*a].at.y.total_cmp(&self.bones[*b].at.y));
        let mut way = lowest.map_or(Vec::new(), |lowest| self.way_up(lowest));
        way.reverse();
        way
    }

    fn way_up(&self, bone: usize) -> Vec<usize> {
        std::iter::successors(Some(bone), |bone| self.bones[*bone].before).collect()
    }
}

/// What names are compared by: without the part before a colon, capitals, and what is no letter or digit.
fn key(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or_default();
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
