//! Polygon meshes of triangles and quads: the shape cloth is cut from, and what frames show.

mod faces;
mod irregular;
mod problems;
mod sheet;
mod tube;

pub use faces::{Edge, Faces};
pub use problems::MeshProblem;
pub use sheet::{Sheet, SheetEdge};
pub use tube::Tube;

use glam::DVec3;

/// A surface in space: vertices and the faces between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Vertex positions \[m\].
    pub positions: Vec<DVec3>,
    /// Triangles and quads over the vertices, with their texture coordinates.
    pub faces: Faces,
}
