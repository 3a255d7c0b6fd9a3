//! A tube of quads.

use glam::{DVec2, DVec3};

use super::{Faces, Mesh};

/// A tube around the y axis, open at both ends, centred on the origin.
///
/// `u` runs around, from +x towards −z, and `v` along +y; particle (column, row) has number
/// `row * columns + column`, and the last column is next to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Distance of the particles from the axis \[m\].
    pub radius: f64,
    /// Extent along y \[m\].
    pub length: f64,
    /// Particles around; fewer than 3 make no tube.
    pub columns: u32,
    /// Particles along y; fewer than 2 make no tube.
    pub rows: u32,
    /// Distance from the axis at the last row, if it is another than at the first: a skirt flares \[m\].
    pub top_radius: Option<f64>,
    /// How deep it is along z, as a share of its width: below 1 it is as oval as a waist.
    pub oval: f64,
}

impl Default for Tube {
    /// Round, and one metre wide and long, with the fewest particles.
    fn default() -> Self {
        Self { radius: 0.5, length: 1.0, columns: 3, rows: 2, top_radius: None, oval: 1.0 }
    }
}

impl Tube {
    /// How many particles it has; none if they are too many to be numbered.
    pub fn particles(&self) -> Option<u32> {
        self.columns.checked_mul(self.rows)
    }

    /// The particles of a row, the lowest of which is row 0.
    pub fn ring(&self, row: u32) -> Vec<u32> {
        (0..self.columns).map(|column| row * self.columns + column).collect()
    }

    /// The tube as a mesh of quads whose fronts face out, with (u, v) in metres; an empty mesh, of
    /// which no cloth can be made, if it has too few particles or more than can be numbered.
    pub fn mesh(&self) -> Mesh {
        let (mut positions, mut faces, mut uvs) = (Vec::new(), Faces::new(), Vec::new());
        if self.particles().is_none() || self.columns < 3 || self.rows < 2 {
            return Mesh { positions, faces };
        }
        let turn =
            |column: u32| std::f64::consts::TAU * f64::from(column) / f64::from(self.columns);
        let up = |row: u32| f64::from(row) / f64::from(self.rows - 1);
        let height = |row: u32| self.length * up(row);
        let wider = self.top_radius.map_or(0.0, |top| top - self.radius);
        // The warp runs straight around, as wide as the tube is at half its length.
        let middle = self.radius + 0.5 * wider;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (sin, cos) = libm::sincos(turn(column));
                let y = height(row) - 0.5 * self.length;
                let radius = self.radius + wider * up(row);
                positions.push(DVec3::new(radius * cos, y, -radius * sin * self.oval));
            }
        }
        for row in 0..self.rows - 1 {
            for column in 0..self.columns {
                let corners =
                    [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
                let particle = |(column, row)| row * self.columns + column % self.columns;
                faces.push(&corners.map(particle));
                let uv = |(column, row)| DVec2::new(middle * turn(column), height(row));
                uvs.extend(corners.map(uv));
            }
        }
        faces.set_uvs(uvs);
        Mesh { positions, faces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::MeshProblem;

    #[test]
    fn a_tube_is_closed_around_and_faces_out() {
        let tube = Tube { radius: 0.5, length: 2.0, columns: 12, rows: 5, ..Tube::default() };
        let mesh = tube.mesh();
        assert_eq!(mesh.problems(), []);
        assert_eq!(mesh.positions[0], DVec3::new(0.5, -1.0, 0.0));
        let borders = mesh.faces.edges().iter().filter(|edge| edge.faces.len() == 1).count();
        assert_eq!(borders, 2 * 12);
        assert_eq!(tube.ring(4), (48..60).collect::<Vec<_>>());
        for [a, b, c] in mesh.faces.triangles().map(|t| t.map(|i| mesh.positions[i as usize])) {
            let out = (a + b + c) * DVec3::new(1.0, 0.0, 1.0);
            assert!((b - a).cross(c - a).dot(out) > 0.0);
        }
        // Texture coordinates keep lengths, as far as a polygon is a circle, across the seam too.
        for (face, corners) in mesh.faces.iter().enumerate() {
            let uvs = mesh.faces.corner_uvs(face).unwrap();
            for k in 0..4 {
                let [a, b] = [k, (k + 1) % 4].map(|k| mesh.positions[corners[k] as usize]);
                let flat = uvs[k].distance(uvs[(k + 1) % 4]);
                assert!((a.distance(b) / flat - 1.0).abs() < 0.02, "face {face}");
            }
        }
    }

    #[test]
    fn a_skirt_flares_and_is_oval() {
        let (columns, rows, top_radius) = (16, 4, Some(0.15));
        let tube = Tube { radius: 0.3, length: 0.6, columns, rows, top_radius, oval: 0.8 };
        let mesh = tube.mesh();
        assert_eq!(mesh.problems(), []);
        let reach = |row: u32, axis: DVec3| {
            let all = tube.ring(row).into_iter().map(|i| mesh.positions[i as usize].dot(axis));
            all.fold(0.0, f64::max)
        };
        for (row, radius) in [(0, 0.3), (1, 0.25), (3, 0.15)] {
            assert!((reach(row, DVec3::X) - radius).abs() < 1e-12);
            assert!((reach(row, DVec3::Z) - 0.8 * radius).abs() < 1e-12);
        }
    }

    #[test]
    fn too_few_particles_make_no_faces() {
        for (columns, rows) in [(0, 0), (2, 5), (5, 1), (65_536, 65_536)] {
            let tube = Tube { radius: 1.0, length: 1.0, columns, rows, ..Tube::default() };
            assert!(tube.mesh().problems().contains(&MeshProblem::Empty), "{columns}×{rows}");
        }
    }
}
