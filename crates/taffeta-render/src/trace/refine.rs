//! Smooth surfaces: each face of a mesh becomes a patch of small triangles that bulges as its
//! corner normals say (Phong tessellation, T. Boubekeur and M. Alexa 2008).

use glam::{DVec3, Vec2, Vec3};
use taffeta::mesh::Faces;

use crate::scene::{Cover, Surface};

/// A mesh of triangles ready to be traced.
pub struct Fine {
    pub positions: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    /// Empty where the surface has none.
    pub colours: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// The places of each triangle's corners in the surface's picture; empty where it has none.
    pub places: Vec<[Vec2; 3]>,
}

/// A face of three or four corners, and their places in the surface's picture, if it has one.
struct Cell {
    corners: Vec<u32>,
    places: Vec<Vec2>,
}

/// How far a patch follows its corner normals; the paper's choice.
const BULGE: f64 = 0.75;

/// Cuts every edge of a surface into its number of pieces; `places` has one for each corner of its
/// faces, or none.
///
/// Points on an edge are made once and shared by the faces on both sides: there are no cracks.
pub fn refine(surface: &Surface, places: &[Vec2]) -> Fine {
    let cells = cells(&surface.faces, places);
    let colours = match &surface.cover {
        Cover::Vertices(colours) => colours.clone(),
        Cover::Plain | Cover::Texture(_) => Vec::new(),
    };
    let fine = Fine {
        positions: surface.positions.clone(),
        normals: normals(&surface.positions, &cells),
        colours,
        triangles: Vec::new(),
        places: Vec::new(),
    };
    let mut patches = Patches::new(fine, surface.pieces.max(1), &cells);
    for cell in &cells {
        match cell.corners[..] {
            [a, b, c, d] => patches.quad([a, b, c, d], &cell.places),
            [a, b, c] => patches.triangle([a, b, c], &cell.places),
            _ => {}
        }
    }
    patches.fine
}

/// The faces as triangles and quads.
fn cells(faces: &Faces, places: &[Vec2]) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(faces.len());
    let mut start = 0;
    for corners in faces.iter() {
        let cell = |chosen: &[usize]| Cell {
            corners: chosen.iter().map(|&i| corners[i]).collect(),
            places: chosen.iter().filter_map(|&i| places.get(start + i).copied()).collect(),
        };
        if corners.len() <= 4 {
            cells.push(cell(&[0, 1, 2, 3][..corners.len()]));
        } else {
            cells.extend((2..corners.len()).map(|i| cell(&[0, i - 1, i])));
        }
        start += corners.len();
    }
    cells
}

/// Vertex normals, weighted by area; up where a vertex has no face.
fn normals(positions: &[DVec3], cells: &[Cell]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for Cell { corners: cell, .. } in cells {
        let at = |i: usize| positions[cell[i % cell.len()] as usize];
        let area: DVec3 = (2..cell.len()).map(|i| (at(i - 1) - at(0)).cross(at(i) - at(0))).sum();
        cell.iter().for_each(|&vertex| normals[vertex as usize] += area);
    }
    normals.into_iter().map(|normal| normal.try_normalize().unwrap_or(DVec3::Y)).collect()
}

struct Patches {
    fine: Fine,
    pieces: u32,
    edges: Vec<[u32; 2]>,
    first_on_edge: u32,
}

impl Patches {
    fn new(fine: Fine, pieces: u32, cells: &[Cell]) -> Self {
        let sides = |cell: &[u32]| -> Vec<[u32; 2]> {
            (0..cell.len()).map(|i| [cell[i], cell[(i + 1) % cell.len()]]).collect()
        };
        let mut edges: Vec<[u32; 2]> = cells.iter().flat_map(|c| sides(&c.corners)).collect();
        edges.iter_mut().for_each(|ends| ends.sort_unstable());
        edges.sort_unstable();
        edges.dedup();
        let first_on_edge = fine.positions.len() as u32;
        let mut patches = Self { fine, pieces, edges, first_on_edge };
        for edge in 0..patches.edges.len() {
            let [a, b] = patches.edges[edge];
            for i in 1..pieces {
                let share = f64::from(i) / f64::from(pieces);
                patches.add(&[(a, 1.0 - share), (b, share)]);
            }
        }
        patches
    }

    /// Adds the point of a patch with these weights of its corners.
    fn add(&mut self, weights: &[(u32, f64)]) -> u32 {
        let fine = &mut self.fine;
        let blend = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
            weights.iter().map(|&(vertex, weight)| of(vertex as usize) * weight).sum()
        };
        let flat = blend(&|v| fine.positions[v]);
        let bulged =
            blend(&|v| flat - fine.normals[v] * (flat - fine.positions[v]).dot(fine.normals[v]));
        let normal = blend(&|v| fine.normals[v]).try_normalize().unwrap_or(DVec3::Y);
        if !fine.colours.is_empty() {
            let colour = weights.iter().map(|&(v, w)| fine.colours[v as usize] * w as f32).sum();
            fine.colours.push(colour);
        }
        fine.positions.push(flat.lerp(bulged, BULGE));
        fine.normals.push(normal);
        fine.positions.len() as u32 - 1
    }

    /// The point so many pieces from one end of an edge to the other.
    fn on_edge(&self, from: u32, to: u32, i: u32) -> u32 {
        let ends = [from.min(to), from.max(to)];
        let edge = self.edges.partition_point(|other| *other < ends) as u32;
        match i {
            0 => from,
            i if i == self.pieces => to,
            i => {
                let steps = if from < to { i } else { self.pieces - i };
                self.first_on_edge + edge * (self.pieces - 1) + steps - 1
            }
        }
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4], places: &[Vec2]) {
        let n = self.pieces;
        let inner = self.fine.positions.len() as u32;
        let share = |i: u32| f64::from(i) / f64::from(n);
        for j in 1..n {
            for i in 1..n {
                let (u, v) = (share(i), share(j));
                let (p, q) = (1.0 - u, 1.0 - v);
                self.add(&[(a, p * q), (b, u * q), (c, u * v), (d, p * v)]);
            }
        }
        let at = |i: u32, j: u32| match (i, j) {
            (i, 0) => self.on_edge(a, b, i),
            (i, j) if j == n => self.on_edge(d, c, i),
            (0, j) => self.on_edge(a, d, j),
            (i, j) if i == n => self.on_edge(b, c, j),
            (i, j) => inner + (j - 1) * (n - 1) + i - 1,
        };
        let triangles: Vec<_> = within_quad(n).map(|t| t.map(|[i, j]| at(i, j))).collect();
        self.fine.triangles.extend(triangles);
        if let [a, b, c, d] = *places {
            let part = 1.0 / n as f32;
            let at = |[i, j]: [u32; 2]| {
                let (u, v) = (i as f32 * part, j as f32 * part);
                a.lerp(b, u).lerp(d.lerp(c, u), v)
            };
            self.fine.places.extend(within_quad(n).map(|t| t.map(at)));
        }
    }

    fn triangle(&mut self, [a, b, c]: [u32; 3], places: &[Vec2]) {
        let n = self.pieces;
        let inner = self.fine.positions.len() as u32;
        let share = |i: u32| f64::from(i) / f64::from(n);
        for j in 1..n {
            for i in 1..n - j {
                self.add(&[(a, share(n - i - j)), (b, share(i)), (c, share(j))]);
            }
        }
        // Row j has n − j − 1 inner points.
        let row = |j: u32| inner + (1..j).map(|j| n - j - 1).sum::<u32>();
        let at = |i: u32, j: u32| match (i, j) {
            (i, 0) => self.on_edge(a, b, i),
            (0, j) => self.on_edge(a, c, j),
            (i, j) if i + j == n => self.on_edge(b, c, j),
            (i, j) => row(j) + i - 1,
        };
        let triangles: Vec<_> = within_triangle(n).map(|t| t.map(|[i, j]| at(i, j))).collect();
        self.fine.triangles.extend(triangles);
        if let [a, b, c] = *places {
            let part = 1.0 / n as f32;
            let at =
                |[i, j]: [u32; 2]| a + (b - a) * (i as f32 * part) + (c - a) * (j as f32 * part);
            self.fine.places.extend(within_triangle(n).map(|t| t.map(at)));
        }
    }
}

/// The triangles a quad is cut into, by the steps of their corners along its first two sides.
fn within_quad(n: u32) -> impl Iterator<Item = [[u32; 2]; 3]> {
    (0..n).flat_map(move |j| {
        (0..n).flat_map(move |i| {
            let [a, b, c, d] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
            [[a, b, c], [a, c, d]]
        })
    })
}

/// The triangles a triangle is cut into, by the steps of their corners along its first two sides.
fn within_triangle(n: u32) -> impl Iterator<Item = [[u32; 2]; 3]> {
    (0..n).flat_map(move |j| {
        (0..n - j).flat_map(move |i| {
            let upright = [[i, j], [i + 1, j], [i, j + 1]];
            let turned = [[i + 1, j], [i + 1, j + 1], [i, j + 1]];
            [Some(upright), (i + j + 1 < n).then_some(turned)].into_iter().flatten()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Finish, Material};

    /// An octahedron, whose normals point outwards, or its upper half as a pyramid of a quad.
    fn octahedron(pieces: u32) -> Surface {
        let positions =
            [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].to_vec();
        let mut faces = Faces::new();
        for i in 0..4u32 {
            faces.push(&[i, (i + 1) % 4, 4]);
            faces.push(&[(i + 1) % 4, i, 5]);
        }
        let material = Material::new(0xff_ff_ff, Finish::Matte);
        Surface { positions, faces, cover: Cover::Plain, material, pieces }
    }

    fn cube(pieces: u32) -> Surface {
        let corner = |i: u32| {
            let side = |bit: u32| f64::from(i >> bit & 1) * 2.0 - 1.0;
            DVec3::new(side(0), side(1), side(2))
        };
        let mut faces = Faces::new();
        for quad in
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        {
            faces.push(&quad);
        }
        let material = Material::new(0xff_ff_ff, Finish::Matte);
        let positions = (0..8).map(corner).collect();
        Surface { positions, faces, cover: Cover::Plain, material, pieces }
    }

    #[test]
    fn closed_surfaces_stay_closed() {
        for pieces in 1..=4 {
            for surface in [octahedron(pieces), cube(pieces)] {
                let fine = refine(&surface, &[]);
                let mut sides: Vec<[u32; 2]> =
                    fine.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
                sides.sort_unstable();
                assert!(sides.windows(2).all(|pair| pair[0] != pair[1]));
                assert!(sides.iter().all(|&[a, b]| sides.binary_search(&[b, a]).is_ok()));
                let faces = fine.triangles.len();
                assert_eq!(fine.positions.len() + faces - sides.len() / 2, 2, "Euler's formula");
            }
        }
    }

    #[test]
    fn patches_bulge_towards_the_ball() {
        for surface in [octahedron(4), cube(4)] {
            let radius = surface.positions[0].length();
            let fine = refine(&surface, &[]);
            let least = fine.positions.iter().map(|p| p.length() / radius).fold(2.0, f64::min);
            // The faces' middles are at 0.577 of the corners' distance.
            assert!((0.75..1.0).contains(&least), "{least}");
        }
    }

    #[test]
    fn a_flat_sheet_stays_flat() {
        let mesh = taffeta::Sheet { width: 1.0, height: 1.0, columns: 3, rows: 4 }.mesh();
        let material = Material::new(0xff_ff_ff, Finish::Matte);
        let surface = Surface {
            positions: mesh.positions,
            faces: mesh.faces,
            cover: Cover::Plain,
            material,
            pieces: 3,
        };
        let fine = refine(&surface, &[]);
        assert_eq!(fine.triangles.len(), 2 * 3 * 2 * 9);
        assert_eq!(fine.positions.len(), 7 * 10);
        assert!(fine.positions.iter().all(|p| p.y.abs() < 1e-15));
    }
}
