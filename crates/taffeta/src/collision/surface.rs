//! A surface as collision sees it: triangles and their edges.

use crate::mesh::Faces;

/// Triangles over numbered vertices, their edges, and which of them hang together.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The triangles; a quad is cut along the diagonal from its first corner.
    pub triangles: Vec<[u32; 3]>,
    /// The edges of the triangles, the lower number first, sorted.
    pub edges: Vec<[u32; 2]>,
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
        let pieces = pieces(&edges, vertices);
        Self { triangles, edges, pieces }
    }

    /// Whether two vertices belong to one piece of cloth.
    pub fn connected(&self, a: u32, b: u32) -> bool {
        self.pieces[a as usize] == self.pieces[b as usize]
    }
}

/// Names every vertex after the lowest one it is connected to.
fn pieces(edges: &[[u32; 2]], vertices: usize) -> Vec<u32> {
    let mut above: Vec<u32> = (0..vertices as u32).collect();
    for &[a, b] in edges {
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
