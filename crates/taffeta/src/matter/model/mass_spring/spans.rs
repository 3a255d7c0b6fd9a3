//! Which particles bend springs join: every other one.

use crate::geometry::mesh::{Edge, Mesh};

/// Two particles with one between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The particles, the lower number first.
    pub ends: [u32; 2],
    /// The area of cloth the spring between them stands for [m²].
    pub area: f64,
}

/// Every span of a mesh: along the lines of quads, and across the hinges of triangles.
pub fn spans(mesh: &Mesh, edges: &[Edge], areas: &[f64]) -> Vec<Span> {
    let mut spans = lines(mesh, edges, areas);
    spans.extend(hinges(mesh, edges, areas));
    // A tube of three rows could span from a particle to itself.
    spans.retain(|span| {
        mesh.positions[span.ends[0] as usize] != mesh.positions[span.ends[1] as usize]
    });
    spans
}

/// The far corners of each two triangles that share an edge.
fn hinges(mesh: &Mesh, edges: &[Edge], areas: &[f64]) -> Vec<Span> {
    let far_corner = |face: u32, edge: &Edge| match *mesh.faces.corners(face as usize) {
        [a, b, c] => [a, b, c].into_iter().find(|corner| !edge.ends.contains(corner)),
        _ => None,
    };
    let mut spans = Vec::new();
    for edge in edges {
        let [first, second] = edge.faces[..] else { continue };
        if let (Some(a), Some(b)) = (far_corner(first, edge), far_corner(second, edge)) {
            let area = areas[first as usize] + areas[second as usize];
            spans.push(Span { ends: [a.min(b), a.max(b)], area });
        }
    }
    spans
}

/// The ends of each two edges that continue each other across a regular vertex of a quad mesh.
fn lines(mesh: &Mesh, edges: &[Edge], areas: &[f64]) -> Vec<Span> {
    let mut around: Vec<Vec<&Edge>> = vec![Vec::new(); mesh.positions.len()];
    for edge in edges {
        edge.ends.iter().for_each(|&end| around[end as usize].push(edge));
    }
    let mut quads = vec![0; mesh.positions.len()];
    for corners in mesh.faces.iter() {
        // A vertex of a triangle is no regular vertex of a quad mesh, however many quads it has.
        let weight = if corners.len() == 4 { 1 } else { 100 };
        corners.iter().for_each(|&corner| quads[corner as usize] += weight);
    }
    let mut spans = Vec::new();
    for (vertex, around) in around.iter().enumerate() {
        // Inside a grid four edges and four quads meet, on its border three and two.
        if !matches!((around.len(), quads[vertex]), (4, 4) | (3, 2)) {
            continue;
        }
        let other = |edge: &Edge| edge.ends[usize::from(edge.ends[0] as usize == vertex)];
        for (i, one) in around.iter().enumerate() {
            for two in &around[i + 1..] {
                if one.faces.iter().any(|face| two.faces.contains(face)) {
                    continue;
                }
                let area = edge_area(mesh, one, areas) + edge_area(mesh, two, areas);
                let (a, b) = (other(one), other(two));
                spans.push(Span { ends: [a.min(b), a.max(b)], area });
            }
        }
    }
    spans
}

/// The area an edge stands for: all of a triangle beside it (the three edges of a triangle
/// resist in different directions), half of a quad (shared with the opposite edge).
pub fn edge_area(mesh: &Mesh, edge: &Edge, areas: &[f64]) -> f64 {
    edge.faces
        .iter()
        .map(|&face| {
            let quad = mesh.faces.corners(face as usize).len() == 4;
            areas[face as usize] * if quad { 0.5 } else { 1.0 }
        })
        .sum()
}
