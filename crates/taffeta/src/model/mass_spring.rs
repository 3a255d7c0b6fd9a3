//! Mass-spring cloth from a mesh (Ye08 §3, MBCN09 §3.2), with stiffnesses that do not depend on
//! the resolution.
//!
//! A spring of length l that stands for the area a of cloth has the stiffness k·a/l² for a cloth
//! of stiffness k \[N/m\]: on a grid that is k·width/l, on equilateral triangles it is exact
//! (Van Gelder 1998, Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes).
//! The papers give every spring the same stiffness instead.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{Incidence, Model, ModelError};
use crate::elements::Spring;
use crate::fabric::Fabric;
use crate::gauge::Gauge;
use crate::mesh::{Edge, Mesh};

impl Model {
    /// Cloth of springs, at rest in the shape of `mesh`.
    ///
    /// - Structural springs along the mesh's edges.
    /// - Shear springs across both diagonals of each quad. Triangles need none: their third edge
    ///   resists shear.
    /// - Bend springs over every other particle along the lines of a quad mesh, and between the
    ///   far corners of two neighbouring triangles. At an irregular vertex (five or more quads, or
    ///   quads and triangles mixed) lines end. A linear spring resists a small curvature κ only in
    ///   proportion to κ³, so `fabric.bend` is a numerical stiffness and not a flexural rigidity.
    pub fn mass_spring(mesh: &Mesh, fabric: &Fabric) -> Result<Self, ModelError> {
        fabric.check()?;
        let problems = mesh.problems();
        if !problems.is_empty() {
            return Err(ModelError::Mesh(problems));
        }
        let areas = face_areas(mesh);
        let edges = mesh.faces.edges();
        let mut springs = structural_springs(mesh, fabric, &edges, &areas);
        let structural = springs.len();
        springs.extend(shear_springs(mesh, fabric, &areas));
        let shear = springs.len() - structural;
        springs.extend(bend_springs(mesh, fabric, &edges, &areas));

        let particles = mesh.positions.len();
        let faces = &mesh.faces;
        let corners = (0..faces.len()).map(|face| faces.corners(face).iter().copied());
        Ok(Self {
            masses: lumped_masses(mesh, fabric, &areas),
            gauges: springs[..structural]
                .iter()
                .map(|spring| Gauge::edge(spring.ends, spring.rest_length))
                .collect(),
            structural,
            shear,
            spring_incidence: Incidence::new(particles, springs.iter().map(|spring| spring.ends)),
            springs,
            face_incidence: Incidence::new(particles, corners),
            faces: faces.clone(),
            revision: 0,
        })
    }
}

fn face_areas(mesh: &Mesh) -> Vec<f64> {
    let point = |vertex: u32| mesh.positions[vertex as usize];
    let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).length();
    mesh.faces
        .iter()
        .map(|corners| {
            let fan = |i: usize| area(point(corners[0]), point(corners[i - 1]), point(corners[i]));
            (2..corners.len()).map(fan).sum()
        })
        .collect()
}

fn lumped_masses(mesh: &Mesh, fabric: &Fabric, areas: &[f64]) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (corners, area) in mesh.faces.iter().zip(areas) {
        for &corner in corners {
            masses[corner as usize] += fabric.density * area / corners.len() as f64;
        }
    }
    masses
}

/// A spring along `ends` that stands for `area` of a cloth of the given stiffness and damping.
fn spring(mesh: &Mesh, ends: [u32; 2], area: f64, cloth: Law) -> Spring {
    let [a, b] = ends.map(|end| mesh.positions[end as usize]);
    let rest_length = a.distance(b);
    let stiffness = cloth.stiffness * area / (rest_length * rest_length);
    Spring { ends, rest_length, stiffness, damping: cloth.damping * stiffness }
}

/// One of the fabric's stiffnesses [N/m] and its damping [s].
#[derive(Clone, Copy)]
struct Law {
    stiffness: f64,
    damping: f64,
}

/// The area an edge stands for: all of a triangle beside it (the three edges of a triangle
/// resist in different directions), half of a quad (shared with the opposite edge).
fn edge_area(mesh: &Mesh, edge: &Edge, areas: &[f64]) -> f64 {
    edge.faces
        .iter()
        .map(|&face| {
            let quad = mesh.faces.corners(face as usize).len() == 4;
            areas[face as usize] * if quad { 0.5 } else { 1.0 }
        })
        .sum()
}

fn structural_springs(mesh: &Mesh, fabric: &Fabric, edges: &[Edge], areas: &[f64]) -> Vec<Spring> {
    let law = Law { stiffness: fabric.stretch, damping: fabric.stretch_damping };
    edges.iter().map(|edge| spring(mesh, edge.ends, edge_area(mesh, edge, areas), law)).collect()
}

/// Two diagonals that share a quad: sheared by γ, a quad of area a with a diagonal of length d
/// changes that diagonal by γ·a/d, so k = G·d²/(2a) each gives the energy ½·G·γ²·a.
fn shear_springs(mesh: &Mesh, fabric: &Fabric, areas: &[f64]) -> Vec<Spring> {
    if fabric.shear == 0.0 {
        return Vec::new();
    }
    let mut springs = Vec::new();
    for (corners, area) in mesh.faces.iter().zip(areas) {
        let &[a, b, c, d] = corners else { continue };
        for ends in [[a, c], [b, d]] {
            let [from, to] = ends.map(|end| mesh.positions[end as usize]);
            let rest_length = from.distance(to);
            let stiffness = fabric.shear * rest_length * rest_length / (2.0 * area);
            let damping = fabric.shear_damping * stiffness;
            springs.push(Spring { ends, rest_length, stiffness, damping });
        }
    }
    springs
}

fn bend_springs(mesh: &Mesh, fabric: &Fabric, edges: &[Edge], areas: &[f64]) -> Vec<Spring> {
    if fabric.bend == 0.0 {
        return Vec::new();
    }
    let law = Law { stiffness: fabric.bend, damping: fabric.bend_damping };
    let mut pairs = quad_line_pairs(mesh, edges, areas);
    pairs.extend(hinge_pairs(mesh, edges, areas));
    // Two hinges or lines can join the same two particles: one spring with both areas.
    let mut spans: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for (a, b, area) in pairs {
        if mesh.positions[a as usize] != mesh.positions[b as usize] {
            *spans.entry([a.min(b), a.max(b)]).or_default() += area;
        }
    }
    spans.into_iter().map(|(ends, area)| spring(mesh, ends, area, law)).collect()
}

/// The far corners of each two triangles that share an edge, with their area.
fn hinge_pairs(mesh: &Mesh, edges: &[Edge], areas: &[f64]) -> Vec<(u32, u32, f64)> {
    let far_corner = |face: u32, edge: &Edge| match *mesh.faces.corners(face as usize) {
        [a, b, c] => [a, b, c].into_iter().find(|corner| !edge.ends.contains(corner)),
        _ => None,
    };
    let mut pairs = Vec::new();
    for edge in edges {
        let [first, second] = edge.faces[..] else { continue };
        if let (Some(a), Some(b)) = (far_corner(first, edge), far_corner(second, edge)) {
            pairs.push((a, b, areas[first as usize] + areas[second as usize]));
        }
    }
    pairs
}

/// The ends of each two edges that continue each other across a regular vertex of a quad mesh:
/// they share the vertex but no face.
fn quad_line_pairs(mesh: &Mesh, edges: &[Edge], areas: &[f64]) -> Vec<(u32, u32, f64)> {
    let mut around: Vec<Vec<&Edge>> = vec![Vec::new(); mesh.positions.len()];
    for edge in edges {
        for end in edge.ends {
            around[end as usize].push(edge);
        }
    }
    let mut quads_only = vec![true; mesh.positions.len()];
    for &corner in mesh.faces.iter().filter(|corners| corners.len() != 4).flatten() {
        quads_only[corner as usize] = false;
    }
    let mut pairs = Vec::new();
    for (vertex, edges) in around.iter().enumerate() {
        if !quads_only[vertex] || edges.len() > 4 {
            continue;
        }
        let other = |edge: &Edge| edge.ends[usize::from(edge.ends[0] as usize == vertex)];
        for (i, first) in edges.iter().enumerate() {
            for second in &edges[i + 1..] {
                if first.faces.iter().all(|face| !second.faces.contains(face)) {
                    let area = edge_area(mesh, first, areas) + edge_area(mesh, second, areas);
                    pairs.push((other(first), other(second), area));
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Faces, Sheet};

    fn sheet(columns: u32, rows: u32) -> Mesh {
        Sheet { width: 1.5, height: 1.0, columns, rows }.mesh()
    }

    fn triangulated(mesh: &Mesh) -> Mesh {
        let mut faces = Faces::new();
        mesh.faces.triangles().for_each(|triangle| faces.push(&triangle));
        Mesh { positions: mesh.positions.clone(), faces }
    }

    /// Energy of the whole cloth after each particle moves to `place(position)`.
    fn energy(springs: &[Spring], mesh: &Mesh, place: impl Fn(DVec3) -> DVec3) -> f64 {
        let at = |end: u32| place(mesh.positions[end as usize]);
        springs.iter().map(|s| s.energy(at(s.ends[1]) - at(s.ends[0]))).sum()
    }

    #[test]
    fn a_grid_has_the_springs_of_the_papers() {
        let model = Model::mass_spring(&sheet(5, 4), &Fabric::default()).unwrap();
        assert_eq!(model.structural().len(), 4 * 4 + 5 * 3);
        assert_eq!(model.shear().len(), 2 * 4 * 3);
        assert_eq!(model.bend().len(), 3 * 4 + 5 * 2);
    }

    #[test]
    fn mass_is_density_times_area_on_quads_and_triangles() {
        for mesh in [sheet(7, 4), triangulated(&sheet(7, 4))] {
            let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
            assert!((model.masses().iter().sum::<f64>() - 0.3).abs() < 1e-15);
        }
    }

    #[test]
    fn stretch_along_the_yarns_stores_half_k_strain_squared_per_area() {
        let fabric = Fabric { stretch: 700.0, ..Fabric::default() };
        for (columns, rows) in [(2, 2), (4, 9), (31, 11)] {
            let mesh = sheet(columns, rows);
            let model = Model::mass_spring(&mesh, &fabric).unwrap();
            let stored =
                energy(model.structural(), &mesh, |p| DVec3::new(1.02 * p.x, p.y, 0.99 * p.z));
            let expected = 0.5 * 700.0 * 1.5 * (0.02f64.powi(2) + 0.01f64.powi(2));
            assert!((stored / expected - 1.0).abs() < 1e-9, "{columns}×{rows}: {stored}");
        }
    }

    #[test]
    fn shear_stores_half_g_angle_squared_per_area() {
        let fabric = Fabric { shear: 60.0, ..Fabric::default() };
        for (columns, rows) in [(2, 2), (4, 9), (31, 11)] {
            let mesh = sheet(columns, rows);
            let model = Model::mass_spring(&mesh, &fabric).unwrap();
            let angle = 1e-4;
            let stored = energy(model.shear(), &mesh, |p| DVec3::new(p.x + angle * p.z, p.y, p.z));
            let expected = 0.5 * 60.0 * 1.5 * angle * angle;
            assert!((stored / expected - 1.0).abs() < 1e-3, "{columns}×{rows}: {stored}");
        }
    }

    #[test]
    fn bend_springs_follow_lines_and_hinges() {
        let flat = sheet(3, 3);
        let ends = |model: &Model| model.bend().iter().map(|s| s.ends).collect::<Vec<_>>();
        let quads = Model::mass_spring(&flat, &Fabric::default()).unwrap();
        assert_eq!(ends(&quads), [[0, 2], [0, 6], [1, 7], [2, 8], [3, 5], [6, 8]]);
        let triangles = Model::mass_spring(&triangulated(&flat), &Fabric::default()).unwrap();
        // Eight triangles, eight inner edges.
        assert_eq!(ends(&triangles).len(), 8);
        assert!(triangles.shear().is_empty());
    }

    #[test]
    fn impossible_fabrics_are_refused_by_name() {
        let mesh = sheet(2, 2);
        for (fabric, field) in [
            (Fabric { density: 0.0, ..Fabric::default() }, "density"),
            (Fabric { thickness: -1.0, ..Fabric::default() }, "thickness"),
            (Fabric { stretch: f64::NAN, ..Fabric::default() }, "stretch"),
            (Fabric { bend: f64::INFINITY, ..Fabric::default() }, "bend"),
        ] {
            let error = Model::mass_spring(&mesh, &fabric).unwrap_err();
            assert!(matches!(error, ModelError::Fabric(e) if e.field == field), "{error}");
        }
    }
}
