//! Faces stored flat: one list of corners, cut into triangles and quads.

use glam::DVec2;

/// Triangles and quads over numbered vertices, counter-clockwise seen from the front.
///
/// Texture coordinates belong to corners, not vertices: a particle on a seam has a different
/// (u, v) in each face (BW98 §4). So do colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Faces {
    starts: Vec<u32>,
    corners: Vec<u32>,
    uvs: Vec<DVec2>,
    colours: Vec<u32>,
}

/// An undirected mesh edge and the faces on its sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The two vertices, the lower number first.
    pub ends: [u32; 2],
    /// The faces that have this edge: one on a border, two inside, more where not manifold.
    pub faces: Vec<u32>,
}

impl Default for Faces {
    fn default() -> Self {
        Self::new()
    }
}

impl Faces {
    /// No faces yet.
    pub fn new() -> Self {
        Self { starts: vec![0], corners: Vec::new(), uvs: Vec::new(), colours: Vec::new() }
    }

    /// Appends a face without texture coordinates.
    pub fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.starts.push(self.corners.len() as u32);
    }

    /// Gives every corner its texture coordinates, in the order of the corners of all faces.
    ///
    /// Returns false, and changes nothing, if there is not exactly one per corner.
    pub fn set_uvs(&mut self, uvs: Vec<DVec2>) -> bool {
        let fits = uvs.len() == self.corners.len();
        if fits {
            self.uvs = uvs;
        }
        fits
    }

    /// Gives every corner its colour as an sRGB code 0xRRGGBB, in the order of the corners of all
    /// faces.
    ///
    /// Returns false, and changes nothing, if there is not exactly one per corner.
    pub fn set_colours(&mut self, colours: Vec<u32>) -> bool {
        let fits = colours.len() == self.corners.len();
        if fits {
            self.colours = colours;
        }
        fits
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices of one face.
    pub fn corners(&self, face: usize) -> &[u32] {
        &self.corners[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// The texture coordinates of one face's corners, if the mesh has any.
    pub fn corner_uvs(&self, face: usize) -> Option<&[DVec2]> {
        let range = self.starts[face] as usize..self.starts[face + 1] as usize;
        self.uvs.get(range)
    }

    /// Every corner of every face, in order.
    pub fn all_corners(&self) -> &[u32] {
        &self.corners
    }

    /// Every corner's texture coordinates, in the order of [`Faces::all_corners`]; empty if the
    /// mesh has none.
    pub fn all_uvs(&self) -> &[DVec2] {
        &self.uvs
    }

    /// Every corner's sRGB code, in the order of [`Faces::all_corners`]; empty if the mesh has no
    /// colours.
    pub fn all_colours(&self) -> &[u32] {
        &self.colours
    }

    /// The faces, each as its list of vertices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|face| self.corners(face))
    }

    /// The faces as triangles; a quad is cut along the diagonal from its first corner.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.iter().flat_map(|corners| {
            (2..corners.len()).map(move |i| [corners[0], corners[i - 1], corners[i]])
        })
    }

    /// How many triangles have texture coordinates without area, and so no direction of the warp;
    /// none if the mesh has no texture coordinates.
    pub fn without_warp(&self) -> usize {
        let flat = |uvs: &[DVec2], i: usize| (uvs[i - 1] - uvs[0]).perp_dot(uvs[i] - uvs[0]) == 0.0;
        let of_faces = (0..self.len()).filter_map(|face| self.corner_uvs(face));
        of_faces.map(|uvs| (2..uvs.len()).filter(|&i| flat(uvs, i)).count()).sum()
    }

    /// The edges, sorted by their vertices.
    pub fn edges(&self) -> Vec<Edge> {
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(self.corners.len());
        for (face, corners) in self.iter().enumerate() {
            for (i, &a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % corners.len()];
                sides.push(([a.min(b), a.max(b)], face as u32));
            }
        }
        sides.sort_unstable();
        let mut edges: Vec<Edge> = Vec::with_capacity(sides.len() / 2 + 1);
        for (ends, face) in sides {
            match edges.last_mut() {
                Some(edge) if edge.ends == ends => edge.faces.push(face),
                _ => edges.push(Edge { ends, faces: vec![face] }),
            }
        }
        edges
    }
}
