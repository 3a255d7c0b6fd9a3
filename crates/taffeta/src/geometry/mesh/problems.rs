//! What can be wrong with a mesh before it becomes cloth. Every problem is found, none is mended.

use glam::DVec3;
use thiserror::Error;

use super::Mesh;

/// A triangle counts as degenerate when its height is below this fraction of its longest side.
const THINNEST: f64 = 1e-9;

/// Something that keeps a mesh from being cloth.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MeshProblem {
    /// There is nothing to simulate.
    #[error("the mesh has no faces; cloth is made of triangles and quads")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is at ({}, {}, {}), which is not finite", at.x, at.y, at.z)]
    NotFinite {
        /// The vertex.
        vertex: u32,
        /// Where the file puts it.
        at: DVec3,
    },
    /// A texture coordinate is NaN or infinite.
    #[error("face {face} has a texture coordinate that is not finite")]
    UvNotFinite {
        /// The face.
        face: u32,
    },
    /// A face has too few or too many corners.
    #[error(
        "face {face} has {corners} corners; only triangles and quads can be cloth (triangulate it)"
    )]
    CornerCount {
        /// The face.
        face: u32,
        /// How many corners it has.
        corners: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} uses vertex {vertex}, but the mesh has {vertices} vertices, 0 to {}", *vertices as i64 - 1)]
    OutOfRange {
        /// The face.
        face: u32,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A face has no area.
    #[error("face {face} is degenerate: its corners {corners:?} lie on one line or coincide")]
    Degenerate {
        /// The face.
        face: u32,
        /// Its vertices.
        corners: Vec<u32>,
    },
    /// Two faces have the same corners.
    #[error("faces {first} and {second} are duplicates: both have the corners {corners:?}")]
    Duplicate {
        /// The face met first.
        first: u32,
        /// The same face again.
        second: u32,
        /// Their vertices, sorted.
        corners: Vec<u32>,
    },
    /// More than two faces share an edge.
    #[error("edge {}–{} is not manifold: it belongs to {} faces ({faces:?}), cloth allows two", ends[0], ends[1], faces.len())]
    NonManifold {
        /// The edge's vertices.
        ends: [u32; 2],
        /// The faces that share it.
        faces: Vec<u32>,
    },
    /// Two neighbouring faces are wound against each other.
    #[error("faces {} and {} run along edge {}–{} in the same direction: one of them is flipped; list its corners the other way around", faces[0], faces[1], ends[0], ends[1])]
    Flipped {
        /// The shared edge's vertices.
        ends: [u32; 2],
        /// The two faces.
        faces: [u32; 2],
    },
    /// Parts of the mesh hang together at a vertex alone.
    #[error(
        "vertex {vertex} joins {fans} parts of the mesh that share no edge there; split it, or give the parts a common edge"
    )]
    Pinched {
        /// The vertex.
        vertex: u32,
        /// How many parts meet there.
        fans: usize,
    },
    /// A vertex that would have no mass.
    #[error("vertex {vertex} belongs to no face and would have no mass")]
    Isolated {
        /// The vertex.
        vertex: u32,
    },
}

impl Mesh {
    /// Every problem of this mesh, in the order of the list of [`MeshProblem`]; empty if it is fit.
    ///
    /// Checks that need sound indices run only once the indices are sound.
    pub fn problems(&self) -> Vec<MeshProblem> {
        let mut problems = Vec::new();
        if self.faces.is_empty() {
            problems.push(MeshProblem::Empty);
        }
        self.find_non_finite(&mut problems);
        let before = problems.len();
        self.find_bad_indices(&mut problems);
        if problems.len() == before {
            self.find_degenerate(&mut problems);
            self.find_duplicates(&mut problems);
            self.find_bad_edges(&mut problems);
            self.find_pinched(&mut problems);
            self.find_isolated(&mut problems);
        }
        problems
    }

    fn find_non_finite(&self, problems: &mut Vec<MeshProblem>) {
        for (vertex, &at) in self.positions.iter().enumerate() {
            if !at.is_finite() {
                problems.push(MeshProblem::NotFinite { vertex: vertex as u32, at });
            }
        }
        for face in 0..self.faces.len() {
            let finite =
                self.faces.corner_uvs(face).is_none_or(|uvs| uvs.iter().all(|uv| uv.is_finite()));
            if !finite {
                problems.push(MeshProblem::UvNotFinite { face: face as u32 });
            }
        }
    }

    fn find_bad_indices(&self, problems: &mut Vec<MeshProblem>) {
        let vertices = self.positions.len();
        for (face, corners) in self.faces.iter().enumerate() {
            let face = face as u32;
            if !(3..=4).contains(&corners.len()) {
                problems.push(MeshProblem::CornerCount { face, corners: corners.len() });
            }
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices) {
                problems.push(MeshProblem::OutOfRange { face, vertex, vertices });
            }
        }
    }

    fn find_degenerate(&self, problems: &mut Vec<MeshProblem>) {
        for (face, corners) in self.faces.iter().enumerate() {
            let point = |i: usize| self.positions[corners[i % corners.len()] as usize];
            let thin = (0..corners.len()).any(|i| {
                let (a, b) = (point(i + 1) - point(i), point(i + 2) - point(i));
                let longest = a.length_squared().max(b.length_squared());
                a.cross(b).length() <= THINNEST * longest
            });
            if thin {
                problems
                    .push(MeshProblem::Degenerate { face: face as u32, corners: corners.to_vec() });
            }
        }
    }

    fn find_duplicates(&self, problems: &mut Vec<MeshProblem>) {
        let mut keys: Vec<(Vec<u32>, u32)> = self
            .faces
            .iter()
            .enumerate()
            .map(|(face, corners)| {
                let mut key = corners.to_vec();
                key.sort_unstable();
                (key, face as u32)
            })
            .collect();
        keys.sort();
        for pair in keys.windows(2) {
            if pair[0].0 == pair[1].0 {
                let (first, second) = (pair[0].1, pair[1].1);
                problems.push(MeshProblem::Duplicate { first, second, corners: pair[0].0.clone() });
            }
        }
    }

    fn find_bad_edges(&self, problems: &mut Vec<MeshProblem>) {
        for edge in self.faces.edges() {
            let ends = edge.ends;
            match edge.faces[..] {
                [_] => {}
                [first, second]
                    if self.runs_forward(first, ends) == self.runs_forward(second, ends) =>
                {
                    problems.push(MeshProblem::Flipped { ends, faces: [first, second] });
                }
                [_, _] => {}
                _ => problems.push(MeshProblem::NonManifold { ends, faces: edge.faces }),
            }
        }
    }

    /// Whether a face's border runs from the first to the second of an edge's ends.
    fn runs_forward(&self, face: u32, ends: [u32; 2]) -> bool {
        let corners = self.faces.corners(face as usize);
        (0..corners.len()).any(|i| [corners[i], corners[(i + 1) % corners.len()]] == ends)
    }

    /// Faces around a vertex belong together where they share an edge at it.
    fn find_pinched(&self, problems: &mut Vec<MeshProblem>) {
        let mut fans = vec![0usize; self.positions.len()];
        for &vertex in self.faces.all_corners() {
            fans[vertex as usize] += 1;
        }
        let mut starts = vec![0];
        for corners in self.faces.iter() {
            starts.push(starts[starts.len() - 1] + corners.len());
        }
        // A forest over all corners: corners of one vertex in one tree belong together.
        let mut parents: Vec<usize> = (0..self.faces.all_corners().len()).collect();
        let corner_at = |face: u32, vertex: u32| {
            let corners = self.faces.corners(face as usize);
            starts[face as usize] + corners.iter().position(|&v| v == vertex).unwrap_or(0)
        };
        for edge in self.faces.edges() {
            for pair in edge.faces.windows(2) {
                for vertex in edge.ends {
                    let [a, b] =
                        [pair[0], pair[1]].map(|f| root(&mut parents, corner_at(f, vertex)));
                    if a != b {
                        parents[a] = b;
                        fans[vertex as usize] -= 1;
                    }
                }
            }
        }
        for (vertex, &fans) in fans.iter().enumerate().filter(|(_, fans)| **fans > 1) {
            problems.push(MeshProblem::Pinched { vertex: vertex as u32, fans });
        }
    }

    fn find_isolated(&self, problems: &mut Vec<MeshProblem>) {
        let mut used = vec![false; self.positions.len()];
        for &vertex in self.faces.all_corners() {
            used[vertex as usize] = true;
        }
        for (vertex, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
            problems.push(MeshProblem::Isolated { vertex: vertex as u32 });
        }
    }
}

/// The root of a corner's tree, whose branches are shortened on the way.
fn root(parents: &mut [usize], mut corner: usize) -> usize {
    while parents[corner] != corner {
        parents[corner] = parents[parents[corner]];
        corner = parents[corner];
    }
    corner
}
