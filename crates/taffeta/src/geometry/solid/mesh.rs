//! Solids of any shape: triangles that rest, or move from key to key.

use glam::DVec3;
use thiserror::Error;

use crate::geometry::mesh::{Faces, Mesh};

/// The surface of a solid as a mesh, in the solid's own frame; it may deform.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidMesh {
    faces: Faces,
    triangles: Vec<[u32; 3]>,
    keys: Vec<SolidMeshKey>,
    closed: bool,
    flaws: Flaws,
}

/// Where the vertices are at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidMeshKey {
    /// When \[s\].
    pub time: f64,
    /// Where each vertex is \[m\].
    pub positions: Vec<DVec3>,
}

/// What is odd about a mesh, and does no harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// Triangles without area: their edges count all the same.
    pub flat: u32,
    /// Triangles with the same corners as another one.
    pub duplicate: u32,
    /// Edges of one triangle only: the mesh has no inside, and cloth is kept on both sides of it.
    pub border: u32,
}

/// Why a mesh cannot be a solid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SolidMeshError {
    /// There is nothing to touch.
    #[error("it has no faces")]
    Empty,
    /// There is no time at which it is anywhere.
    #[error("its sequence has no key")]
    NoKey,
    /// A face names a vertex that does not exist, or has too few corners.
    #[error("face {face} has fewer than 3 corners, or one that is not a vertex")]
    Face {
        /// The face.
        face: usize,
    },
    /// A vertex is nowhere.
    #[error("vertex {vertex} of key {key} is at a position that is not finite")]
    NotFinite {
        /// The key.
        key: usize,
        /// The vertex.
        vertex: usize,
    },
    /// Keys of different meshes.
    #[error("key {key} has {found} vertices, the first has {wanted}: all must be the same mesh")]
    Vertices {
        /// The key.
        key: usize,
        /// Its vertices.
        found: usize,
        /// Those of the first.
        wanted: usize,
    },
    /// Keys out of order.
    #[error("key {key} is not later than the one before, or its time is not finite")]
    Time {
        /// The key.
        key: usize,
    },
}

impl SolidMesh {
    /// A mesh that keeps its shape.
    pub fn new(mesh: Mesh) -> Result<Self, SolidMeshError> {
        Self::sequence(mesh.faces, vec![SolidMeshKey { time: 0.0, positions: mesh.positions }])
    }

    /// A mesh whose vertices move in straight lines from key to key; before the first and after
    /// the last it rests.
    pub fn sequence(faces: Faces, keys: Vec<SolidMeshKey>) -> Result<Self, SolidMeshError> {
        let first = keys.first().ok_or(SolidMeshError::NoKey)?;
        let vertices = first.positions.len();
        check_faces(&faces, vertices)?;
        for (key, at) in keys.iter().enumerate() {
            let (found, wanted) = (at.positions.len(), vertices);
            if found != wanted {
                return Err(SolidMeshError::Vertices { key, found, wanted });
            }
            if let Some(vertex) = at.positions.iter().position(|p| !p.is_finite()) {
                return Err(SolidMeshError::NotFinite { key, vertex });
            }
            if !at.time.is_finite() || (key > 0 && at.time <= keys[key - 1].time) {
                return Err(SolidMeshError::Time { key });
            }
        }
        let triangles: Vec<[u32; 3]> = faces.triangles().collect();
        let flaws = flaws(&triangles, &first.positions);
        Ok(Self { closed: is_closed(&triangles), faces, triangles, keys, flaws })
    }

    /// The faces, as given.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// The faces, cut into triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Where its vertices are, and when.
    pub fn keys(&self) -> &[SolidMeshKey] {
        &self.keys
    }

    /// Whether every edge has a triangle on each side, so that there is an inside.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether its vertices move.
    pub fn deforms(&self) -> bool {
        self.keys.len() > 1
    }

    /// What is odd about it.
    pub fn flaws(&self) -> Flaws {
        self.flaws
    }

    /// Puts each vertex where it is at a time, in the solid's own frame.
    pub fn positions_at(&self, time: f64, to: &mut Vec<DVec3>) {
        let after = self.keys.partition_point(|key| key.time <= time);
        let earlier = &self.keys[after.saturating_sub(1)];
        let later = &self.keys[after.min(self.keys.len() - 1)];
        let span = later.time - earlier.time;
        let share = if span > 0.0 { (time - earlier.time) / span } else { 0.0 };
        to.clear();
        let both = earlier.positions.iter().zip(&later.positions);
        to.extend(both.map(|(a, b)| *a + (*b - *a) * share));
    }
}

fn check_faces(faces: &Faces, vertices: usize) -> Result<(), SolidMeshError> {
    if faces.is_empty() {
        return Err(SolidMeshError::Empty);
    }
    let bad =
        |corners: &[u32]| corners.len() < 3 || corners.iter().any(|c| *c as usize >= vertices);
    match faces.iter().position(bad) {
        Some(face) => Err(SolidMeshError::Face { face }),
        None => Ok(()),
    }
}

/// Every edge, as its triangles run along it.
fn directed_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges
}

/// Whether every edge is run along once in each direction.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let edges = directed_edges(triangles);
    let once = edges.windows(2).all(|pair| pair[0] != pair[1]);
    once && edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
}

fn flaws(triangles: &[[u32; 3]], positions: &[DVec3]) -> Flaws {
    let flat = triangles.iter().filter(|corners| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let longest = (b - a).length_squared().max((c - a).length_squared());
        (b - a).cross(c - a).length() <= 1e-9 * longest
    });
    let mut sorted: Vec<[u32; 3]> = triangles.to_vec();
    sorted.iter_mut().for_each(|corners| corners.sort_unstable());
    sorted.sort_unstable();
    let duplicate = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let edges = directed_edges(triangles);
    let border = edges.iter().filter(|&&[a, b]| edges.binary_search(&[b, a]).is_err());
    Flaws { flat: flat.count() as u32, duplicate: duplicate as u32, border: border.count() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn cube() -> Mesh {
        Shape::Box { size: DVec3::ONE }.mesh()
    }

    #[test]
    fn what_cannot_be_a_solid_is_named() {
        let error = |mesh: Mesh| SolidMesh::new(mesh).unwrap_err();
        let mut nan = cube();
        nan.positions[3].y = f64::NAN;
        assert_eq!(error(nan), SolidMeshError::NotFinite { key: 0, vertex: 3 });
        let mut loose = cube();
        loose.faces.push(&[0, 1, 99]);
        assert_eq!(error(loose), SolidMeshError::Face { face: 6 });
        let empty = Mesh { positions: Vec::new(), faces: Faces::new() };
        assert_eq!(error(empty), SolidMeshError::Empty);
        let key = |time: f64, positions: Vec<DVec3>| SolidMeshKey { time, positions };
        let Mesh { positions, faces } = cube();
        let sequence = |keys: Vec<SolidMeshKey>| SolidMesh::sequence(faces.clone(), keys);
        let late = sequence(vec![key(1.0, positions.clone()), key(1.0, positions.clone())]);
        assert_eq!(late, Err(SolidMeshError::Time { key: 1 }));
        let short = sequence(vec![key(0.0, positions.clone()), key(1.0, positions[1..].to_vec())]);
        assert_eq!(short, Err(SolidMeshError::Vertices { key: 1, found: 7, wanted: 8 }));
        assert_eq!(sequence(Vec::new()), Err(SolidMeshError::NoKey));
    }

    #[test]
    fn what_is_odd_is_counted() {
        assert!(SolidMesh::new(cube()).unwrap().is_closed());
        assert_eq!(SolidMesh::new(cube()).unwrap().flaws(), Flaws::default());
        let mut odd = cube();
        odd.faces.push(&[0, 1, 1]);
        odd.faces.push(&[0, 4, 6]);
        let odd = SolidMesh::new(odd).unwrap();
        assert!(!odd.is_closed());
        assert_eq!((odd.flaws().flat, odd.flaws().duplicate), (1, 1));
        let mut open = Mesh { positions: cube().positions, faces: Faces::new() };
        cube().faces.iter().skip(1).for_each(|face| open.faces.push(face));
        assert_eq!(SolidMesh::new(open).unwrap().flaws().border, 4);
    }

    #[test]
    fn vertices_move_in_straight_lines_from_key_to_key() {
        let Mesh { positions, faces } = cube();
        let moved = positions.iter().map(|p| *p + DVec3::X).collect();
        let keys = vec![
            SolidMeshKey { time: 1.0, positions: positions.clone() },
            SolidMeshKey { time: 2.0, positions: moved },
        ];
        let mesh = SolidMesh::sequence(faces, keys).unwrap();
        let mut found = Vec::new();
        for (time, way) in [(0.0, 0.0), (1.0, 0.0), (1.25, 0.25), (2.0, 1.0), (9.0, 1.0)] {
            mesh.positions_at(time, &mut found);
            assert!((found[5] - positions[5] - DVec3::X * way).length() < 1e-15, "{time}");
        }
    }
}
