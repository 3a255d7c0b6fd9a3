//! Cloth as yarns.

use glam::DVec3;
use taffeta::Frame;

use super::dress::Dress;
use super::grid::{Direction, Grid, Yarn};
use crate::error::RenderError;
use crate::scene::{Curve, Finish, Material};

/// A yarn's radius, as a share of the distance between yarns.
const THICKNESS: f64 = 0.41;
/// How far a yarn goes over and under, in radii; less than one presses them together.
const CRIMP: f64 = 0.68;
/// Straight pieces drawn for a span between two crossings.
const PIECES: u32 = 4;

/// Every row and column of a mesh of quads as a curve that goes over and under the others: the warp
/// in the colour of the front, the weft in that of the back.
pub fn yarns(frame: &Frame, dress: &Dress) -> Result<Vec<Curve>, RenderError> {
    let (faces, positions) = (frame.faces, frame.positions);
    let grid = Grid::of(faces, positions.len())?;
    let normals = normals(frame);
    let radius = THICKNESS * spacing(frame);
    let materials = dress.yarns.map(|code| Material::new(code, Finish::Yarn));
    // MBCN09 eq. 2: a base particle stands for a warp and a weft particle, on either side of
    // it along the normal. The paper puts them half a cloth's thickness away; drawn yarns are
    // as thick as the mesh is coarse, so it is a share of their radius here.
    let lifted = |vertex: u32, direction: Direction| {
        let [weft, warp] = grid.places[vertex as usize].unwrap_or_default();
        let on_top = dress.weave.warp_on_top(warp, weft) == (direction == Direction::Warp);
        let sign = if on_top { 1.0 } else { -1.0 };
        positions[vertex as usize] + normals[vertex as usize] * (sign * CRIMP * radius)
    };
    let curve = |yarn: &Yarn| {
        let mut points: Vec<DVec3> =
            yarn.vertices.iter().map(|&vertex| lifted(vertex, yarn.direction)).collect();
        if yarn.closed {
            points.push(points[0]);
        }
        let material = materials[usize::from(yarn.direction == Direction::Weft)];
        Curve { points, radius, opacities: Vec::new(), material, pieces: PIECES }
    };
    Ok(grid.yarns.iter().map(curve).collect())
}

/// The mean length of an edge \[m\].
fn spacing(frame: &Frame) -> f64 {
    let edges = frame.faces.edges();
    let at = |vertex: u32| frame.positions[vertex as usize];
    let total: f64 = edges.iter().map(|edge| at(edge.ends[0]).distance(at(edge.ends[1]))).sum();
    total / edges.len().max(1) as f64
}

/// The mean normals of the faces around each vertex (MBCN09 §3.3).
fn normals(frame: &Frame) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; frame.positions.len()];
    for corners in frame.faces.triangles() {
        let [a, b, c] = corners.map(|corner| frame.positions[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        corners.iter().for_each(|&corner| normals[corner as usize] += normal);
    }
    normals.into_iter().map(|normal| normal.normalize_or(DVec3::Y)).collect()
}
