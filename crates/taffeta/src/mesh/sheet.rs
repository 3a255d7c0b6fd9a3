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
    /// Particles along x, at least 2.
    pub columns: u32,
    /// Particles along z, at least 2.
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
        let (columns, rows) = (self.columns, self.rows);
        match edge {
            SheetEdge::Left => (0..rows).map(|row| self.particle(0, row)).collect(),
            SheetEdge::Right => (0..rows).map(|row| self.particle(columns - 1, row)).collect(),
            SheetEdge::Top => (0..columns).map(|column| self.particle(column, 0)).collect(),
            SheetEdge::Bottom => {
                (0..columns).map(|column| self.particle(column, rows - 1)).collect()
            }
        }
    }

    /// The sheet as a mesh of quads whose fronts face up, with (u, v) in metres.
    pub fn mesh(&self) -> Mesh {
        let place = |column: u32, row: u32| {
            DVec2::new(
                self.width * f64::from(column) / f64::from(self.columns - 1),
                self.height * f64::from(row) / f64::from(self.rows - 1),
            )
        };
        let centre = DVec2::new(self.width, self.height) / 2.0;
        let mut positions = Vec::with_capacity((self.columns * self.rows) as usize);
        for row in 0..self.rows {
            for column in 0..self.columns {
                let at = place(column, row) - centre;
                positions.push(DVec3::new(at.x, 0.0, at.y));
            }
        }
        let mut faces = Faces::new();
        let mut uvs = Vec::new();
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
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
