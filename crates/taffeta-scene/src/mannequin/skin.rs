//! How the skin follows the bones: every vertex is the nearest bone's, and that is spread along the
//! skin, so that what is near through the air only, as a thigh is to the other, has no say.

use glam::DVec3;
use taffeta::Mesh;

use super::skeleton::{ALL, JOINTS, Joint, Moved, Side};

/// How often shares are spread to neighbours: over about five centimetres.
const SPREAD: usize = 24;

/// The share that each bone has in each vertex.
pub struct Skin {
    shares: Vec<[f64; JOINTS]>,
}

impl Skin {
    /// Of a mesh in the A-pose.
    pub fn new(mesh: &Mesh) -> Self {
        let mut shares: Vec<[f64; JOINTS]> = mesh.positions.iter().map(|at| nearest(*at)).collect();
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for edge in mesh.faces.edges() {
            let [a, b] = edge.ends;
            around[a as usize].push(b);
            around[b as usize].push(a);
        }
        for _ in 0..SPREAD {
            shares =
                (0..shares.len()).map(|vertex| spread(&shares, vertex, &around[vertex])).collect();
        }
        Self { shares }
    }

    /// Where the skin is when the bones have moved.
    pub fn posed(&self, rest: &[DVec3], bones: &[Moved; JOINTS]) -> Vec<DVec3> {
        let place = |(at, shares): (&DVec3, &[f64; JOINTS])| {
            let of_bone = |(share, bone): (&f64, &Moved)| bone.apply(*at) * *share;
            shares.iter().zip(bones).filter(|(share, _)| **share > 0.0).map(of_bone).sum()
        };
        rest.iter().zip(&self.shares).map(place).collect()
    }
}

/// All of the share to the bone that is nearest, less its thickness.
fn nearest(at: DVec3) -> [f64; JOINTS] {
    let mut best = (f64::INFINITY, 0);
    for (index, joint) in ALL.into_iter().enumerate() {
        let (segments, radius) = capsule(joint);
        let distance = to_segment(at, segments) - radius;
        if on_side(at, joint) && distance < best.0 {
            best = (distance, index);
        }
    }
    let mut shares = [0.0; JOINTS];
    shares[best.1] = 1.0;
    shares
}

/// What a bone moves, roughly: a segment and how thick the body is around it \[m\].
fn capsule(joint: Joint) -> ([DVec3; 2], f64) {
    let across = |x: f64, y: f64| [DVec3::new(-x, y, -0.01), DVec3::new(x, y, -0.01)];
    match joint {
        Joint::Pelvis => (across(0.07, 0.93), 0.12),
        Joint::Spine => (across(0.05, 1.09), 0.105),
        Joint::Chest => (across(0.09, 1.29), 0.11),
        Joint::Thigh(side) => ([side.place(0.105, 0.80, 0.0), Joint::Shin(side).place()], 0.085),
        _ => ([joint.place(), joint.end()], radius(joint)),
    }
}

fn radius(joint: Joint) -> f64 {
    match joint {
        Joint::Head => 0.085,
        Joint::Neck | Joint::UpperArm(_) => 0.05,
        Joint::Shin(_) => 0.05,
        Joint::Foot(_) | Joint::Forearm(_) => 0.036,
        _ => 0.03,
    }
}

/// Left bones move nothing on the right.
fn on_side(at: DVec3, joint: Joint) -> bool {
    let side = match joint {
        Joint::Thigh(side) | Joint::Shin(side) | Joint::Foot(side) => side,
        Joint::UpperArm(side) | Joint::Forearm(side) | Joint::Hand(side) => side,
        _ => return true,
    };
    match side {
        Side::Left => at.x >= 0.0,
        Side::Right => at.x <= 0.0,
    }
}

fn to_segment(at: DVec3, [from, to]: [DVec3; 2]) -> f64 {
    let along = to - from;
    let share = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    at.distance(from + along * share)
}

/// Half its own shares, half the mean of its neighbours'.
fn spread(shares: &[[f64; JOINTS]], vertex: usize, around: &[u32]) -> [f64; JOINTS] {
    let mut mean = [0.0; JOINTS];
    for other in around {
        mean.iter_mut().zip(&shares[*other as usize]).for_each(|(sum, share)| *sum += share);
    }
    let count = around.len().max(1) as f64;
    std::array::from_fn(|bone| 0.5 * shares[vertex][bone] + 0.5 * mean[bone] / count)
}
