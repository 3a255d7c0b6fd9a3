//! Cloth as yarns.

use glam::DVec3;
use taffeta::Frame;
use taffeta::woven::Thread;

use super::dress::Dress;
use super::fray::{Drawn, PIECES};
use super::grid::{Direction, Grid, Yarn};
use super::threads::{CRIMP, THICKNESS, Threads};
use crate::error::RenderError;
use crate::scene::{Curve, Finish, Material};

/// Every yarn as a curve that goes over and under the others: the warp in the colour of the front,
/// the weft in that of the back. Cloth that can tear has its own yarns (MBCN09 §5); in other cloth
/// they are the rows and columns of its mesh of quads.
pub fn yarns(frame: &Frame, dress: &Dress) -> Result<Vec<Curve>, RenderError> {
    let materials = dress.yarns.map(|code| Material::new(code, Finish::Yarn));
    match Threads::of(frame) {
        Some(threads) => Ok(own_yarns(&threads, materials)),
        None => rows_and_columns(frame, dress, materials),
    }
}

fn own_yarns(threads: &Threads, materials: [Material; 2]) -> Vec<Curve> {
    let mut curves = Vec::with_capacity(threads.all.len());
    for passing in &threads.all {
        let points = threads.path(passing);
        let drawn = Drawn {
            opacities: vec![1.0; points.len()],
            points,
            torn: passing.yarn.torn,
            radius: threads.radius,
            material: materials[usize::from(passing.yarn.thread == Thread::Weft)],
        };
        drawn.add_to(&mut curves);
    }
    curves
}

fn rows_and_columns(
    frame: &Frame,
    dress: &Dress,
    materials: [Material; 2],
) -> Result<Vec<Curve>, RenderError> {
    let (faces, positions) = (frame.faces, frame.positions);
    let grid = Grid::of(faces, positions.len())?;
    let normals = normals(frame);
    let radius = THICKNESS * spacing(frame);
    // As in `Threads::path`.
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
