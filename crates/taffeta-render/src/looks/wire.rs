//! The edges of a mesh alone.

use taffeta::Frame;

use super::stage::Stage;
use crate::scene::{Curve, Finish, Material};

/// Half the width of a line, in thousandths of the picture's height.
const THICKNESS: f64 = 1.4;

/// Thin lines along the edges, magenta as the base cloth in MBCN09 fig. 11.
pub fn edges(frame: &Frame, stage: &Stage) -> Vec<Curve> {
    let material = Material::new(0xc2_1b_84, Finish::Matte);
    let edges = frame.faces.edges();
    let at = |vertex: u32| frame.positions.get(vertex as usize).copied();
    let lines = edges.iter().filter_map(|edge| Some([at(edge.ends[0])?, at(edge.ends[1])?]));
    let curve = |ends: [glam::DVec3; 2]| Curve {
        points: ends.to_vec(),
        radius: THICKNESS * stage.hair(),
        opacities: Vec::new(),
        material,
        pieces: 1,
    };
    lines.map(curve).collect()
}
