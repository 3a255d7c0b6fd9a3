//! A rectangular sheet of quads.

use glam::{DVec2, DVec3};

use super::{Faces, Mesh};

/// A flat rectangle of cloth, horizontal, centred on the origin.
///
/// `u` runs along +x and `v` along +z; particle (column, row) has number `row * columns + column`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Extent along x \[m\].
    pub width: f64,
    /// Extent along z \[m\].
    pub height: f64,
    /// Particles along x; fewer than 2 make no faces, and no cloth.
    pub columns: u32,
    /// Particles along z; fewer than 2 make no faces, and no cloth.
    pub rows: u32,
}

/// One of a sheet's four borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetEdge {
    /// The first column, −x.
    Left,
    /// The last column, +x.
    Right,
    /// The first row, −z.
    Top,
    /// The last row, +z.
    Bottom,
}

impl Sheet {
    /// The number of the particle in a column and row.
    pub fn particle(&self, column: u32, row: u32) -> u32 {
        row * self.columns + column
    }

    /// The particles along a border, in increasing number.
    pub fn edge(&self, edge: SheetEdge) -> Vec<u32> {
        let (last_column, last_row) = (self.columns.saturating_sub(1), self.rows.saturating_sub(1));
        let column = |column: u32| (0..self.rows).map(|row| self.particle(column, row)).collect();
        let row = |row: u32| (0..self.columns).map(|column| self.particle(column, row)).collect();
        match edge {
            SheetEdge::Left => column(0),
            SheetEdge::Right => column(last_column),
            SheetEdge::Top => row(0),
            SheetEdge::Bottom => row(last_row),
        }
    }

    /// How many particles it has; none if they are too many to be numbered.
    pub fn particles(&self) -> Option<u32> {
        self.columns.checked_mul(self.rows)
    }

    /// The sheet as a mesh of quads whose fronts face up, with (u, v) in metres; an empty mesh, of
    /// which no cloth can be made, if its particles are too many to be numbered.
    pub fn mesh(&self) -> Mesh {
        let Some(particles) = self.particles() else {
            return Mesh { positions: Vec::new(), faces: Faces::new() };
        };
        let place = |column: u32, row: u32| {
            DVec2::new(
                self.width * f64::from(column) / (f64::from(self.columns) - 1.0),
                self.height * f64::from(row) / (f64::from(self.rows) - 1.0),
            )
        };
        let centre = DVec2::new(self.width, self.height) / 2.0;
        let mut positions = Vec::with_capacity(particles as usize);
        for row in 0..self.rows {
            for column in 0..self.columns {
                let at = place(column, row) - centre;
                positions.push(DVec3::new(at.x, 0.0, at.y));
            }
        }
        let mut faces = Faces::new();
        let mut uvs = Vec::new();
        for row in 0..self.rows.saturating_sub(1) {
            for column in 0..self.columns.saturating_sub(1) {
                let corners =
                    [(column, row), (column, row + 1), (column + 1, row + 1), (column + 1, row)];
                faces.push(&corners.map(|(column, row)| self.particle(column, row)));
                uvs.extend(corners.map(|(column, row)| place(column, row)));
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
    fn a_sheet_has_its_size_its_edges_and_its_fronts_up() {
        let sheet = Sheet { width: 3.0, height: 2.0, columns: 4, rows: 3 };
        let mesh = sheet.mesh();
        assert_eq!(mesh.problems(), []);
        assert_eq!(mesh.positions[0], DVec3::new(-1.5, 0.0, -1.0));
        assert_eq!(mesh.positions[11], DVec3::new(1.5, 0.0, 1.0));
        assert_eq!(sheet.edge(SheetEdge::Left), [0, 4, 8]);
        assert_eq!(sheet.edge(SheetEdge::Right), [3, 7, 11]);
        assert_eq!(sheet.edge(SheetEdge::Top), [0, 1, 2, 3]);
        assert_eq!(sheet.edge(SheetEdge::Bottom), [8, 9, 10, 11]);
        for [a, b, c] in mesh.faces.triangles().map(|t| t.map(|i| mesh.positions[i as usize])) {
            assert!((b - a).cross(c - a).y > 0.0);
        }
    }

    #[test]
    fn too_few_particles_make_no_faces() {
        for (columns, rows) in [(0, 0), (0, 5), (5, 0), (1, 5), (5, 1)] {
            let sheet = Sheet { width: 1.0, height: 1.0, columns, rows };
            assert!(sheet.mesh().problems().contains(&MeshProblem::Empty), "{columns}×{rows}");
            assert_eq!(sheet.edge(SheetEdge::Right).len(), rows as usize);
            assert_eq!(sheet.edge(SheetEdge::Bottom).len(), columns as usize);
        }
    }
}
