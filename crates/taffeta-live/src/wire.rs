//! What pages are sent: little-endian numbers behind a header of 64 bytes, so that a page can look
//! at them where they arrive. `viewer/src/wire.ts` reads it.
//!
//! ```text
//! every message   0 "TAFL"   4 u16 version   6 u16 kind
//! frame (1)       8 f64 time   16 u32 number   20 u32 topology   24 u32 solids' message
//!                 28 u32 particles   32 u32 pins   36 u32 solids
//!                 40 3×f32 hand's force   52 3×f32 hand's place, NaN without a hand
//!                 64 3×f32 where the hand is led to, NaN without one
//!                 76 positions 3×f32 · strains f32 · poses 12×f32 · pinned particles u32
//! topology (2)    8 u32 number   12 u32 particles   16 u32 triangles   20 u32 lines
//!                 24 u32 points of yarns   28 f32 thickness of the weave   32 f32 between yarns
//!                 64 triangles 3×u32 · lines 2×u32 · points 2×u32 (particle, flags)
//! solids (3)      8 u32 number   12 u32 solids
//!                 64 each: u32 vertices · u32 triangles · 3×f32 … · 3×u32 …
//! ```

use glam::DVec3;
use taffeta::mesh::Faces;
use taffeta::woven::{Thread, Yarns};
use taffeta::{Gauge, Shape, Solid};

/// The version of the format.
pub const VERSION: u16 = 2;

const HEADER: usize = 64;

/// What a point of a yarn is, bit by bit.
mod flag {
    pub const OVER: u32 = 1;
    pub const SPLIT: u32 = 2;
    pub const APART: u32 = 4;
    pub const WEFT: u32 = 8;
    pub const FIRST: u32 = 16;
    pub const LAST: u32 = 32;
    pub const TORN: u32 = 64;
}

/// A message being written.
struct Writer(Vec<u8>);

impl Writer {
    fn new(kind: u16, size: usize) -> Self {
        let mut bytes = Vec::with_capacity(HEADER + size);
        bytes.extend_from_slice(b"TAFL");
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&kind.to_le_bytes());
        Self(bytes)
    }

    fn number(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn float(&mut self, value: f64) {
        self.0.extend_from_slice(&(value as f32).to_le_bytes());
    }

    fn vector(&mut self, value: DVec3) {
        value.to_array().into_iter().for_each(|x| self.float(x));
    }

    fn end_header(&mut self) {
        self.0.resize(HEADER, 0);
    }
}

/// A frame to be sent.
pub struct FrameMessage<'a> {
    pub time: f64,
    pub number: u32,
    pub topology: u32,
    pub solids_number: u32,
    pub positions: &'a [DVec3],
    pub strains: &'a [f32],
    pub solids: &'a [Solid],
    pub pins: &'a [u32],
    pub hand: Option<HandSeen>,
}

/// A hand, as pages see it.
#[derive(Clone, Copy)]
pub struct HandSeen {
    pub force: DVec3,
    pub place: DVec3,
    /// Where it is led to: by this a page knows its own hand's answer.
    pub to: DVec3,
}

impl FrameMessage<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let size = 12 + self.positions.len() * 16 + self.solids.len() * 48 + self.pins.len() * 4;
        let mut to = Writer::new(1, size);
        to.0.extend_from_slice(&self.time.to_le_bytes());
        let counts = [self.positions.len(), self.pins.len(), self.solids.len()];
        [self.number, self.topology, self.solids_number].into_iter().for_each(|n| to.number(n));
        counts.into_iter().for_each(|n| to.number(n as u32));
        let nobody = HandSeen { force: DVec3::ZERO, place: DVec3::NAN, to: DVec3::NAN };
        let hand = self.hand.unwrap_or(nobody);
        [hand.force, hand.place].into_iter().for_each(|v| to.vector(v));
        to.end_header();
        to.vector(hand.to);
        self.positions.iter().for_each(|p| to.vector(*p));
        self.strains.iter().for_each(|s| to.0.extend_from_slice(&s.to_le_bytes()));
        for solid in self.solids {
            let pose = solid.pose_at(self.time);
            let turn = pose.turn * pose.scale;
            [turn.x_axis, turn.y_axis, turn.z_axis, pose.shift].iter().for_each(|v| to.vector(*v));
        }
        self.pins.iter().for_each(|&pin| to.number(pin));
        to.0
    }
}

/// The strain at each particle: that of the most strained gauge at it.
pub fn strains(gauges: &[Gauge], positions: &[DVec3]) -> Vec<f32> {
    let mut strains = vec![0f32; positions.len()];
    for gauge in gauges {
        let strain = gauge.strain(positions) as f32;
        for particle in gauge.particles.map(|particle| particle as usize) {
            if strain.abs() > strains[particle].abs() {
                strains[particle] = strain;
            }
        }
    }
    strains
}

/// What a frame's particles belong to.
pub struct TopologyMessage<'a> {
    pub number: u32,
    pub particles: usize,
    pub faces: &'a Faces,
    pub yarns: Option<&'a Yarns>,
    /// The mean distance between yarns \[m\].
    pub spacing: f64,
}

impl TopologyMessage<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let triangles: Vec<[u32; 3]> = self.faces.triangles().collect();
        let lines = lines_of(self.faces);
        let points = self.yarns.map_or_else(Vec::new, points_of);
        let size = triangles.len() * 12 + lines.len() * 8 + points.len() * 8;
        let mut to = Writer::new(2, size);
        to.number(self.number);
        let counts = [self.particles, triangles.len(), lines.len(), points.len()];
        counts.into_iter().for_each(|n| to.number(n as u32));
        to.float(self.yarns.map_or(0.0, |yarns| yarns.thickness));
        to.float(self.spacing);
        to.end_header();
        triangles.iter().flatten().for_each(|&i| to.number(i));
        lines.iter().chain(&points).flatten().for_each(|&i| to.number(i));
        to.0
    }
}

/// Every edge of every face, once.
fn lines_of(faces: &Faces) -> Vec<[u32; 2]> {
    let mut lines = Vec::new();
    for corners in faces.iter() {
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            lines.push([from.min(to), from.max(to)]);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn points_of(yarns: &Yarns) -> Vec<[u32; 2]> {
    let mut points = Vec::new();
    for yarn in &yarns.all {
        let last = yarn.points.len() - 1;
        for (i, point) in yarn.points.iter().enumerate() {
            let torn = (i == 0 && yarn.torn[0]) || (i == last && yarn.torn[1]);
            let marks = [
                (point.over, flag::OVER),
                (point.split, flag::SPLIT),
                (point.apart, flag::APART),
                (yarn.thread == Thread::Weft, flag::WEFT),
                (i == 0, flag::FIRST),
                (i == last, flag::LAST),
                (torn, flag::TORN),
            ];
            let set = marks.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum();
            points.push([point.particle, set]);
        }
    }
    points
}

/// The surfaces of the solids, in their own frames; those that deform, as they are at a time.
pub fn solids_message(number: u32, solids: &[Solid], time: f64) -> Vec<u8> {
    solids_at(number, solids, time, |place| place)
}

/// The same with the coordinates of those that deform in steps of this length \[m\].
pub fn solids_in_steps(number: u32, solids: &[Solid], time: f64, step: f64) -> Vec<u8> {
    solids_at(number, solids, time, |place| (place / step).round() * step)
}

fn solids_at(number: u32, solids: &[Solid], time: f64, seen: impl Fn(DVec3) -> DVec3) -> Vec<u8> {
    let mut to = Writer::new(3, 0);
    to.number(number);
    to.number(solids.len() as u32);
    to.end_header();
    for solid in solids {
        let mesh = solid.shape.mesh_at(time);
        let triangles: Vec<[u32; 3]> = mesh.faces.triangles().collect();
        to.number(mesh.positions.len() as u32);
        to.number(triangles.len() as u32);
        let place = |p: &DVec3| if deforms(solid) { seen(*p) } else { *p };
        mesh.positions.iter().for_each(|p| to.vector(place(p)));
        triangles.iter().flatten().for_each(|&i| to.number(i));
    }
    to.0
}

/// Whether a solid changes its shape with time.
pub fn deforms(solid: &Solid) -> bool {
    matches!(&solid.shape, Shape::Mesh(mesh) if mesh.deforms())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn float(bytes: &[u8], at: usize) -> f32 {
        f32::from_bits(number(bytes, at))
    }

    #[test]
    fn a_frame_is_where_the_table_says() {
        let positions = [DVec3::X, DVec3::Y];
        let solids = [Solid::resting(Shape::Sphere { radius: 1.0 }, taffeta::Pose::at(DVec3::Z))];
        let message = FrameMessage {
            time: 0.5,
            number: 7,
            topology: 3,
            solids_number: 2,
            positions: &positions,
            strains: &[0.25, -0.5],
            solids: &solids,
            pins: &[1],
            hand: None,
        };
        let bytes = message.encode();
        assert_eq!(&bytes[..4], b"TAFL");
        assert_eq!((number(&bytes, 4), bytes.len()), (2 | 1 << 16, 76 + 2 * 16 + 48 + 4));
        let head: Vec<u32> = (16..40).step_by(4).map(|at| number(&bytes, at)).collect();
        assert_eq!(head, [7, 3, 2, 2, 1, 1]);
        assert!(float(&bytes, 52).is_nan());
        assert_eq!([76, 92, 100, 104].map(|at| float(&bytes, at)), [1.0, 1.0, 0.25, -0.5]);
        assert_eq!(float(&bytes, 108 + 44), 1.0);
        assert_eq!(number(&bytes, 156), 1);
    }

    #[test]
    fn a_topology_has_triangles_and_every_line_once() {
        let mesh = taffeta::Sheet { width: 1.0, height: 1.0, columns: 3, rows: 2 }.mesh();
        let message = TopologyMessage {
            number: 4,
            particles: 6,
            faces: &mesh.faces,
            yarns: None,
            spacing: 0.0,
        };
        let bytes = message.encode();
        let head: Vec<u32> = (8..28).step_by(4).map(|at| number(&bytes, at)).collect();
        assert_eq!(head, [4, 6, 4, 7, 0]);
        assert_eq!(bytes.len(), 64 + 4 * 12 + 7 * 8);
    }
}
