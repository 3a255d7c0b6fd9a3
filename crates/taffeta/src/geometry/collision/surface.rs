//! A surface as collision sees it: triangles and their edges, and yarns that hang out of them.

use crate::geometry::mesh::Faces;

/// Triangles over numbered vertices, their edges, and which of them hang together.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The triangles; a quad is cut along the diagonal from its first corner.
    pub triangles: Vec<[u32; 3]>,
    /// The edges of the triangles and the spans of free yarns, the lower number first, sorted.
    pub edges: Vec<[u32; 2]>,
    /// The vertices that meet triangles.
    pub(crate) vertices: Vec<u32>,
    /// What hangs together without being an edge: yarns within the weave, warp with weft.
    pub(crate) joints: Vec<[u32; 2]>,
    /// The first vertex of those that come last and move as they are told: they meet cloth only.
    rigid: u32,
    /// For every vertex, the lowest vertex that edges connect it to: the name of its piece.
    pieces: Vec<u32>,
}

impl Surface {
    /// The surface of faces over so many vertices.
    pub fn new(faces: &Faces, vertices: usize) -> Self {
        let triangles: Vec<[u32; 3]> = faces.triangles().collect();
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let pieces = pieces(edges.iter().copied(), vertices);
        Self {
            triangles,
            edges,
            vertices: (0..vertices as u32).collect(),
            joints: Vec::new(),
            rigid: vertices as u32,
            pieces,
        }
    }

    /// Where the vertices from this one on are rigid: no face has such and others.
    #[must_use]
    pub(crate) fn rigid_from(self, rigid: u32) -> Self {
        Self { rigid, ..self }
    }

    /// Whether a vertex is rigid.
    pub(crate) fn is_rigid(&self, vertex: u32) -> bool {
        vertex >= self.rigid
    }

    /// With edges that are of no triangle, and vertices that hang together without being one. What
    /// is neither at a triangle nor at an edge then meets nothing.
    #[must_use]
    pub(crate) fn with_edges(
        mut self,
        edges: impl Iterator<Item = [u32; 2]>,
        joints: impl Iterator<Item = [u32; 2]>,
    ) -> Self {
        self.edges.extend(edges.map(|[a, b]| [a.min(b), a.max(b)]));
        self.edges.sort_unstable();
        self.edges.dedup();
        let corners = self.triangles.as_flattened().iter().chain(self.edges.as_flattened());
        let mut meets = vec![false; self.pieces.len()];
        corners.for_each(|&corner| meets[corner as usize] = true);
        self.vertices.retain(|&vertex| meets[vertex as usize]);
        self.joints.extend(joints);
        let joined = self.edges.iter().chain(&self.joints).copied();
        self.pieces = pieces(joined, meets.len());
        self
    }

    /// The name of the piece of cloth that a vertex belongs to.
    pub(crate) fn piece(&self, vertex: u32) -> u32 {
        self.pieces[vertex as usize]
    }

    /// Whether two vertices belong to one piece of cloth.
    pub fn connected(&self, a: u32, b: u32) -> bool {
        self.pieces[a as usize] == self.pieces[b as usize]
    }
}

/// Names every vertex after the lowest one it is connected to.
fn pieces(edges: impl Iterator<Item = [u32; 2]>, vertices: usize) -> Vec<u32> {
    let mut above: Vec<u32> = (0..vertices as u32).collect();
    for [a, b] in edges {
        let (a, b) = (top(&mut above, a), top(&mut above, b));
        above[a.max(b) as usize] = a.min(b);
    }
    (0..vertices as u32).map(|vertex| top(&mut above, vertex)).collect()
}

/// The top of the tree a vertex is in; the way there is made shorter for the next.
pub(crate) fn top(above: &mut [u32], vertex: u32) -> u32 {
    let mut at = vertex;
    while above[at as usize] != at {
        above[at as usize] = above[above[at as usize] as usize];
        at = above[at as usize];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_have_a_diagonal_and_pieces_have_names() {
        let mut faces = Faces::new();
        faces.push(&[4, 5, 6, 7]);
        faces.push(&[3, 1, 0]);
        let surface = Surface::new(&faces, 9);
        assert_eq!(surface.triangles, [[4, 5, 6], [4, 6, 7], [3, 1, 0]]);
        let edges = [[0, 1], [0, 3], [1, 3], [4, 5], [4, 6], [4, 7], [5, 6], [6, 7]];
        assert_eq!(surface.edges, edges);
        assert!(surface.connected(5, 7) && surface.connected(0, 3));
        assert!(!surface.connected(3, 4) && !surface.connected(2, 8));
    }
}
