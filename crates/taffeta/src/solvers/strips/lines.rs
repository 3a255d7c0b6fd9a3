//! The lines of a mesh of quads: where edges go straight on.

use super::partition::Strip;
use crate::geometry::mesh::Faces;

/// Cuts the edges of a mesh of quads into chains that go straight on as far as they can.
///
/// A chain that comes back to a particle it has passed is cut there: what is left is a chain of
/// its own.
pub(crate) fn lines(particles: usize, faces: &Faces, edges: &[[u32; 2]]) -> Vec<Strip> {
    Walk::along_edges(particles, faces, edges).chains(particles)
}

/// The same of the diagonals of quads, two for each, which go on in the quad across each corner;
/// first those from the first corners of the quads.
pub(crate) fn diagonal_lines(particles: usize, faces: &Faces, ends: &[[u32; 2]]) -> Vec<Strip> {
    let mut chains = Walk::along_diagonals(particles, faces, ends).chains(particles);
    chains.sort_by_key(|part| part.edges.first().is_some_and(|edge| edge % 2 == 1));
    chains
}

/// What is taken already: edges for good, particles by the chain of this number.
struct Passed<'a> {
    used: &'a mut [bool],
    by: &'a mut [u32],
}

/// Where an edge goes on at each of its ends.
struct Walk<'a> {
    edges: &'a [[u32; 2]],
    /// The edge that continues each edge beyond its first and beyond its second end.
    next: Vec<[Option<u32>; 2]>,
}

impl<'a> Walk<'a> {
    fn along_edges(particles: usize, faces: &Faces, edges: &'a [[u32; 2]]) -> Self {
        let sides: Vec<Vec<u32>> = faces.edges().into_iter().map(|edge| edge.faces).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); particles];
        for (edge, ends) in edges.iter().enumerate() {
            ends.iter().for_each(|&end| around[end as usize].push(edge as u32));
        }
        let apart = |one: u32, two: u32| {
            one != two && !sides[one as usize].iter().any(|f| sides[two as usize].contains(f))
        };
        // The one edge at this particle that has no face in common with an edge.
        let across = |edge: u32, at: u32| {
            let mut others = around[at as usize].iter().filter(|&&other| apart(edge, other));
            others.next().filter(|_| others.next().is_none()).copied()
        };
        let next = |edge: u32, at: u32| across(edge, at).filter(|&o| across(o, at) == Some(edge));
        let next = (0..).zip(edges).map(|(edge, ends)| ends.map(|end| next(edge, end))).collect();
        Self { edges, next }
    }

    fn along_diagonals(particles: usize, faces: &Faces, edges: &'a [[u32; 2]]) -> Self {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); particles];
        for (face, corners) in faces.iter().enumerate() {
            corners.iter().for_each(|&corner| around[corner as usize].push(face as u32));
        }
        let shared = |one: u32, two: u32| {
            let others = faces.corners(two as usize);
            faces.corners(one as usize).iter().filter(|corner| others.contains(corner)).count()
        };
        // The one quad at a corner that has nothing but this corner in common with another.
        let across = |face: u32, at: u32| {
            let mut others = around[at as usize].iter().filter(|&&other| shared(face, other) == 1);
            others.next().filter(|_| others.next().is_none()).copied()
        };
        let next = |diagonal: u32, at: u32| {
            let face = across(diagonal / 2, at).filter(|&f| across(f, at) == Some(diagonal / 2))?;
            [2 * face, 2 * face + 1].into_iter().find(|&d| edges[d as usize].contains(&at))
        };
        let next = (0..).zip(edges).map(|(edge, ends)| ends.map(|end| next(edge, end))).collect();
        Self { edges, next }
    }

    /// Every edge in a chain.
    fn chains(&self, particles: usize) -> Vec<Strip> {
        let mut used = vec![false; self.edges.len()];
        let mut passed_by = vec![u32::MAX; particles];
        let mut chains = Vec::new();
        for edge in 0..self.edges.len() as u32 {
            // The chain through an edge need not end with it: a ring is cut somewhere.
            while !used[edge as usize] {
                let mut passed = Passed { used: &mut used, by: &mut passed_by };
                chains.push(self.chain(edge, chains.len() as u32, &mut passed));
            }
        }
        chains
    }

    /// The chain through an edge: back to where it begins, and from there to its end.
    fn chain(&self, edge: u32, number: u32, passed: &mut Passed) -> Strip {
        let (mut first, mut start) = (edge, self.edges[edge as usize][0]);
        while let Some(before) = self.beyond(first, start) {
            if before == edge || passed.used[before as usize] {
                break;
            }
            (first, start) = (before, self.other_end(before, start));
        }
        let mut part = Strip::root(start);
        passed.by[start as usize] = number;
        let mut next = Some(first);
        while let Some(edge) = next.filter(|&edge| !passed.used[edge as usize]) {
            let end = self.other_end(edge, part.nodes[part.nodes.len() - 1]);
            if std::mem::replace(&mut passed.by[end as usize], number) == number {
                break;
            }
            passed.used[edge as usize] = true;
            part.hang(end, part.nodes.len() as u32 - 1, edge);
            next = self.beyond(edge, end);
        }
        part
    }

    fn beyond(&self, edge: u32, end: u32) -> Option<u32> {
        let [first, second] = self.next[edge as usize];
        if self.edges[edge as usize][0] == end { first } else { second }
    }

    fn other_end(&self, edge: u32, end: u32) -> u32 {
        let [a, b] = self.edges[edge as usize];
        if a == end { b } else { a }
    }
}
