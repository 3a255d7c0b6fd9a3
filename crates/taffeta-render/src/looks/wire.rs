//! The edges of cloth alone.

use glam::DVec3;
use taffeta::Frame;

use super::stage::Stage;
use super::threads::Threads;
use crate::scene::{Curve, Finish, Material};

/// Half the width of a line, in thousandths of the picture's height.
const THICKNESS: f64 = 1.4;
/// Magenta for the base level and cyan for the yarn level, as in MBCN09 fig. 11.
const LEVELS: [u32; 2] = [0xc2_1b_84, 0x12_9f_b3];

/// Thin lines along the edges, and along yarns that are no edge of a face any more.
pub fn edges(frame: &Frame, stage: &Stage) -> Vec<Curve> {
    lines(frame, stage, |_| 0)
}

/// The same in two colours: where warp and weft share their particles, and where at least at one
/// end they have their own.
pub fn levels(frame: &Frame, stage: &Stage) -> Vec<Curve> {
    lines(frame, stage, usize::from)
}

/// A line for every edge, coloured by whether it is at the yarn level.
fn lines(frame: &Frame, stage: &Stage, level: fn(bool) -> usize) -> Vec<Curve> {
    let materials = LEVELS.map(|code| Material::new(code, Finish::Matte));
    let curve = |ends: [DVec3; 2], split: bool| Curve {
        points: ends.to_vec(),
        radius: THICKNESS * stage.hair(),
        opacities: Vec::new(),
        material: materials[level(split)],
        pieces: 1,
    };
    let Some(threads) = Threads::of(frame) else {
        let at = |vertex: u32| frame.positions.get(vertex as usize).copied();
        let edges = frame.faces.edges();
        let lines = edges.iter().filter_map(|edge| Some([at(edge.ends[0])?, at(edge.ends[1])?]));
        return lines.map(|ends| curve(ends, false)).collect();
    };
    let mut curves = Vec::new();
    for passing in &threads.all {
        for (span, ends) in passing.yarn.points.windows(2).enumerate() {
            let places = [span, span + 1].map(|point| threads.particle(passing, point));
            curves.push(curve(places, ends.iter().any(|end| end.split)));
        }
    }
    curves
}
