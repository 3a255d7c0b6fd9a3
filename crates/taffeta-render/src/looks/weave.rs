//! The rows and columns of a mesh of quads, and which of them is on top where they cross.

use std::collections::VecDeque;

use taffeta::mesh::Faces;

use crate::error::RenderError;

/// A pattern of over and under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weave {
    /// Over one, under one.
    Plain,
}

impl Weave {
    /// Whether the yarn along a column is above the one along a row where they cross.
    pub fn column_on_top(self, column: i32, row: i32) -> bool {
        match self {
            Self::Plain => (column + row).rem_euclid(2) == 0,
        }
    }
}

/// Which way a yarn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Across the columns.
    Row,
    /// Across the rows.
    Column,
}

/// A yarn as the vertices it passes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yarn {
    pub direction: Direction,
    pub vertices: Vec<u32>,
    /// Whether its end is its beginning.
    pub closed: bool,
}

/// The rows and columns of a mesh of quads.
pub struct Grid {
    /// Column and row of each vertex; none for a vertex without a face.
    pub places: Vec<Option<[i32; 2]>>,
    /// Every row and column.
    pub yarns: Vec<Yarn>,
}

impl Grid {
    /// Finds rows and columns by walking from quad to quad.
    pub fn of(faces: &Faces, vertices: usize) -> Result<Self, RenderError> {
        if let Some(face) = faces.iter().position(|corners| corners.len() != 4) {
            let why = format!("face {face} has {} corners", faces.corners(face).len());
            return Err(RenderError::NoWeave { why });
        }
        let places = places(faces, vertices);
        let mut yarns = Vec::new();
        for direction in [Direction::Row, Direction::Column] {
            yarns.extend(chains(&links(faces, &places, direction)?, direction));
        }
        Ok(Self { places, yarns })
    }
}

/// Gives each vertex a column and a row, face by face from the first of each piece.
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
            place_face(corners, &mut places);
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

/// Completes the columns and rows of a face's corners from those that have them.
fn place_face(corners: &[u32], places: &mut [Option<[i32; 2]>]) {
    let known = |i: usize| places[corners[i % 4] as usize];
    let start = (0..4).find_map(|i| Some((i, known(i)?, known(i + 1)?)));
    let (i, [column, row], [next_column, next_row]) = start.unwrap_or((0, [0, 0], [0, 1]));
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
        if (from[0] != to[0]) == (direction == Direction::Row) {
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
    fn a_sheet_has_a_yarn_for_every_row_and_column() {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 5, rows: 4 };
        let grid = Grid::of(&sheet.mesh().faces, 20).unwrap();
        let count = |direction: Direction, length: usize| {
            let fits = |y: &&Yarn| y.direction == direction && y.vertices.len() == length;
            grid.yarns.iter().filter(fits).count()
        };
        let pairs = (count(Direction::Row, 5), count(Direction::Column, 4));
        let swapped = (count(Direction::Column, 5), count(Direction::Row, 4));
        assert!(pairs == (4, 5) || swapped == (4, 5), "{pairs:?} {swapped:?}");
        assert_eq!(grid.yarns.len(), 9);
    }

    #[test]
    fn plain_weave_alternates_along_every_yarn() {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 6, rows: 7 };
        let grid = Grid::of(&sheet.mesh().faces, 42).unwrap();
        let top = |vertex: u32| {
            let [column, row] = grid.places[vertex as usize].unwrap();
            Weave::Plain.column_on_top(column, row)
        };
        for yarn in &grid.yarns {
            assert!(yarn.vertices.windows(2).all(|pair| top(pair[0]) != top(pair[1])));
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
