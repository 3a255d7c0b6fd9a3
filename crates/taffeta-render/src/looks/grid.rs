//! The yarns of a mesh of quads: its rows and columns.

use std::collections::VecDeque;

use glam::DVec2;
use taffeta::mesh::Faces;

use crate::error::RenderError;

/// Which way a yarn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along the u of the texture coordinates, where the mesh has any.
    Warp,
    /// Across the warp.
    Weft,
}

/// A yarn as the vertices it passes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yarn {
    pub direction: Direction,
    pub vertices: Vec<u32>,
    /// Whether its end is its beginning.
    pub closed: bool,
}

/// The yarns of a mesh of quads.
pub struct Grid {
    /// The numbers of the weft and of the warp yarn at each vertex; none for a vertex without a
    /// face.
    pub places: Vec<Option<[i32; 2]>>,
    /// Every yarn.
    pub yarns: Vec<Yarn>,
}

impl Grid {
    /// Finds the yarns by walking from quad to quad.
    pub fn of(faces: &Faces, vertices: usize) -> Result<Self, RenderError> {
        if let Some(face) = faces.iter().position(|corners| corners.len() != 4) {
            let why = format!("face {face} has {} corners", faces.corners(face).len());
            return Err(RenderError::NoWeave { why });
        }
        let places = places(faces, vertices);
        let mut yarns = Vec::new();
        for direction in [Direction::Warp, Direction::Weft] {
            yarns.extend(chains(&links(faces, &places, direction)?, direction));
        }
        Ok(Self { places, yarns })
    }
}

/// Gives each vertex the numbers of its yarns, face by face from the first of each piece.
fn places(faces: &Faces, vertices: usize) -> Vec<Option<[i32; 2]>> {
    let mut places = vec![None; vertices];
    let mut around = vec![Vec::new(); vertices];
    for (face, corners) in faces.iter().enumerate() {
        corners.iter().for_each(|&corner| around[corner as usize].push(face));
    }
    let mut seen = vec![false; faces.len()];
    for first in 0..faces.len() {
        let mut queue = VecDeque::from([first]);
        while let Some(face) = queue.pop_front() {
            if std::mem::replace(&mut seen[face], true) {
                continue;
            }
            let corners = faces.corners(face);
            place_face(corners, along_u(faces, face), &mut places);
            // Only over an edge, whose two ends fix the face: over a corner it could be turned.
            for i in 0..4 {
                let [a, b] = [corners[i], corners[(i + 1) % 4]];
                let others = around[a as usize].iter().filter(|f| faces.corners(**f).contains(&b));
                queue.extend(others);
            }
        }
    }
    places
}

/// Whether a face's first edge runs along u rather than along v; where that is not known, it does
/// not.
fn along_u(faces: &Faces, face: usize) -> bool {
    faces.corner_uvs(face).is_some_and(|uvs| {
        let DVec2 { x, y } = (uvs[1] - uvs[0]).abs();
        x > y
    })
}

/// Completes the places of a face's corners from those that have one; the first face of a piece
/// starts along its warp or its weft.
fn place_face(corners: &[u32], along_warp: bool, places: &mut [Option<[i32; 2]>]) {
    let first_step = if along_warp { [1, 0] } else { [0, 1] };
    let known = |i: usize| places[corners[i % 4] as usize];
    let start = (0..4).find_map(|i| Some((i, known(i)?, known(i + 1)?)));
    let (i, [column, row], [next_column, next_row]) = start.unwrap_or((0, [0, 0], first_step));
    let step = [next_column - column, next_row - row];
    let turned = [step[1], -step[0]];
    let square = [
        [column, row],
        [next_column, next_row],
        [next_column + turned[0], next_row + turned[1]],
        [column + turned[0], row + turned[1]],
    ];
    for (offset, place) in square.into_iter().enumerate() {
        let vertex = corners[(i + offset) % 4] as usize;
        places[vertex].get_or_insert(place);
    }
}

/// For each vertex its neighbours along a direction, at most two.
fn links(
    faces: &Faces,
    places: &[Option<[i32; 2]>],
    direction: Direction,
) -> Result<Vec<Vec<u32>>, RenderError> {
    let mut links = vec![Vec::new(); places.len()];
    for edge in faces.edges() {
        let [a, b] = edge.ends;
        let (Some(from), Some(to)) = (places[a as usize], places[b as usize]) else { continue };
        if (from[0] != to[0]) == (direction == Direction::Warp) {
            links[a as usize].push(b);
            links[b as usize].push(a);
        }
    }
    match links.iter().position(|ends| ends.len() > 2) {
        None => Ok(links),
        Some(vertex) => {
            Err(RenderError::NoWeave { why: format!("more than two rows meet at vertex {vertex}") })
        }
    }
}

/// The chains of linked vertices: those with ends first, then the closed ones.
fn chains(links: &[Vec<u32>], direction: Direction) -> Vec<Yarn> {
    let mut used = vec![false; links.len()];
    let mut yarns = Vec::new();
    let ends = (0..links.len()).filter(|&v| links[v].len() == 1);
    let rest = (0..links.len()).filter(|&v| links[v].len() == 2);
    for first in ends.chain(rest) {
        if used[first] {
            continue;
        }
        let mut vertices = Vec::new();
        let mut next = Some(first as u32);
        while let Some(vertex) = next {
            used[vertex as usize] = true;
            vertices.push(vertex);
            next = links[vertex as usize].iter().copied().find(|&v| !used[v as usize]);
        }
        let closed = links[first].len() == 2;
        yarns.push(Yarn { direction, vertices, closed });
    }
    yarns
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta::Sheet;

    #[test]
    fn a_sheet_has_a_yarn_for_every_row_and_column_and_the_warp_runs_along_u() {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 5, rows: 4 };
        let mut turned = sheet.mesh().faces;
        let uvs = turned.all_uvs().iter().map(|uv| DVec2::new(uv.y, -uv.x)).collect();
        assert!(turned.set_uvs(uvs));
        for (faces, along_x) in [(sheet.mesh().faces, Direction::Warp), (turned, Direction::Weft)] {
            let grid = Grid::of(&faces, 20).unwrap();
            let lengths = |wanted: Direction| -> Vec<usize> {
                let yarns = grid.yarns.iter().filter(|yarn| yarn.direction == wanted);
                yarns.map(|yarn| yarn.vertices.len()).collect()
            };
            let (warp, weft) = (lengths(Direction::Warp), lengths(Direction::Weft));
            let (along, across) =
                if along_x == Direction::Warp { (warp, weft) } else { (weft, warp) };
            assert_eq!((along, across), (vec![5; 4], vec![4; 5]));
        }
    }

    #[test]
    fn a_tube_has_closed_yarns() {
        let mut faces = Faces::new();
        for i in 0..6u32 {
            let j = (i + 1) % 6;
            faces.push(&[i, j, j + 6, i + 6]);
        }
        let grid = Grid::of(&faces, 12).unwrap();
        assert_eq!(grid.yarns.iter().filter(|yarn| yarn.closed).count(), 2);
        assert_eq!(grid.yarns.len(), 2 + 6);
    }

    #[test]
    fn triangles_are_refused_by_number() {
        let mut faces = Faces::new();
        faces.push(&[0, 1, 2, 3]);
        faces.push(&[0, 1, 2]);
        let error = Grid::of(&faces, 4).err().unwrap().to_string();
        assert!(error.contains("face 1 has 3 corners"), "{error}");
    }
}
