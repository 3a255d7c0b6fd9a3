//! One rectangle, cut into triangles in many ways.

use glam::{DVec2, DVec3};
use taffeta::Mesh;
use taffeta::mesh::Faces;

use super::Dice;

/// How a rectangle is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Cells cut along one diagonal.
    Rising,
    /// Along the other.
    Falling,
    /// Along both in turn.
    Alternating,
    /// Into four by their centre: a grid at 45°.
    Crossed,
    /// Points moved at random, joined by Delaunay's rule.
    Irregular,
}

pub const CUTS: [Cut; 5] =
    [Cut::Rising, Cut::Falling, Cut::Alternating, Cut::Crossed, Cut::Irregular];

/// A rectangle from (0, 0) to `size` in the plane of x and z, in cells of which the triangles are
/// cut, with (u, v) = (x, z).
pub fn rectangle(size: DVec2, cells: [u32; 2], cut: Cut) -> Mesh {
    let points = |along: u32, across: u32| DVec2::new(f64::from(along), f64::from(across));
    let step = size / points(cells[0], cells[1]);
    let mut dice = Dice(7);
    let mut flat: Vec<DVec2> = Vec::new();
    for row in 0..=cells[1] {
        for column in 0..=cells[0] {
            let border = row == 0 || row == cells[1] || column == 0 || column == cells[0];
            let shake = match cut {
                Cut::Irregular if !border => DVec2::new(dice.number(), dice.number()) * 0.24,
                _ => DVec2::ZERO,
            };
            flat.push((points(column, row) + shake) * step);
        }
    }
    let mut triangles = Vec::new();
    for row in 0..cells[1] {
        for column in 0..cells[0] {
            let at = |c: u32, r: u32| (row + r) * (cells[0] + 1) + column + c;
            let [a, b, c, d] = [at(0, 0), at(0, 1), at(1, 1), at(1, 0)];
            let falling =
                cut == Cut::Falling || (cut == Cut::Alternating && (row + column) % 2 == 1);
            if cut == Cut::Crossed {
                let centre = flat.len() as u32;
                flat.push((points(column, row) + 0.5) * step);
                triangles.extend([[a, b, centre], [b, c, centre], [c, d, centre], [d, a, centre]]);
            } else if falling {
                triangles.extend([[a, b, d], [b, c, d]]);
            } else {
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    if cut == Cut::Irregular {
        while flip_one(&flat, &mut triangles) {}
    }
    mesh(&flat, &triangles)
}

fn mesh(flat: &[DVec2], triangles: &[[u32; 3]]) -> Mesh {
    let mut faces = Faces::new();
    triangles.iter().for_each(|triangle| faces.push(triangle));
    faces.set_uvs(triangles.iter().flatten().map(|&corner| flat[corner as usize]).collect());
    Mesh { positions: flat.iter().map(|p| DVec3::new(p.x, 0.0, p.y)).collect(), faces }
}

/// Lawson's flips, one pass: every edge whose opposite angles add up to more than 180° becomes the
/// other diagonal, unless a flip beside it has changed its triangles. False if nothing flipped.
fn flip_one(flat: &[DVec2], triangles: &mut [[u32; 3]]) -> bool {
    let mut sides: Vec<([u32; 2], usize, u32)> = Vec::new();
    for (t, corners) in triangles.iter().enumerate() {
        for i in 0..3 {
            let [a, b, far] = [0, 1, 2].map(|k| corners[(i + k) % 3]);
            sides.push(([a.min(b), a.max(b)], t, far));
        }
    }
    sides.sort_unstable();
    let mut touched = vec![false; triangles.len()];
    for pair in sides.chunk_by(|x, y| x.0 == y.0) {
        let &[([a, b], s, p), (_, t, q)] = pair else { continue };
        if touched[s] || touched[t] || angle(flat, a, p, b) + angle(flat, a, q, b) < 180.000001 {
            continue;
        }
        (touched[s], touched[t]) = (true, true);
        (triangles[s], triangles[t]) = (turned(flat, [p, a, q]), turned(flat, [q, b, p]));
    }
    touched.contains(&true)
}

/// The angle at `at` between `a` and `b`, in degrees.
fn angle(flat: &[DVec2], a: u32, at: u32, b: u32) -> f64 {
    let to = |end: u32| flat[end as usize] - flat[at as usize];
    to(a).angle_to(to(b)).abs().to_degrees()
}

/// A triangle whose front faces up: clockwise in (x, z).
fn turned(flat: &[DVec2], [a, b, c]: [u32; 3]) -> [u32; 3] {
    let at = |corner: u32| flat[corner as usize];
    if (at(b) - at(a)).perp_dot(at(c) - at(a)) < 0.0 { [a, b, c] } else { [a, c, b] }
}

/// Several pieces as one mesh.
pub fn together(pieces: &[Mesh]) -> Mesh {
    let (mut positions, mut faces) = (Vec::new(), Faces::new());
    for piece in pieces {
        let first = positions.len() as u32;
        for corners in piece.faces.iter() {
            faces.push(&corners.iter().map(|corner| corner + first).collect::<Vec<_>>());
        }
        positions.extend(&piece.positions);
    }
    Mesh { positions, faces }
}

/// A mesh with its vertices elsewhere.
pub fn moved(mesh: &Mesh, change: impl Fn(DVec3) -> DVec3) -> Mesh {
    Mesh { positions: mesh.positions.iter().map(|p| change(*p)).collect(), ..mesh.clone() }
}
