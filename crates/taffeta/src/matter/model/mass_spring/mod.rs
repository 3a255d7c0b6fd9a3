//! Mass-spring cloth from a mesh (Ye08 §3, MBCN09 §3.2), with stiffnesses that do not depend on
//! the resolution.
//!
//! A spring of length l that stands for the area a of cloth has the stiffness k·a/l² for a cloth
//! of stiffness k \[N/m\]: on a grid that is k·width/l, on equilateral triangles it is exact
//! (Van Gelder 1998, Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes).
//! The papers give every spring the same stiffness instead.

mod grid;
mod spans;

use std::collections::BTreeMap;

use self::spans::{Span, edge_area};
use super::bare::face_areas;
use super::{Bend, ElementList, Incidence, Model, ModelError, Shear, SpringKinds};
use crate::geometry::mesh::{Edge, Mesh};
use crate::matter::elements::{Panel, Spring};
use crate::matter::fabric::Fabric;
use crate::matter::gauge::Gauge;

impl Model {
    /// Cloth of springs, at rest in the shape of `mesh`.
    ///
    /// - Structural springs along the mesh's edges.
    /// - Shear springs across both diagonals of each quad. Triangles need none: their third edge
    ///   resists shear.
    /// - Bend springs over every other particle along the lines of a quad mesh, and between the
    ///   far corners of two neighbouring triangles. At an irregular vertex (five or more quads, or
    ///   quads and triangles mixed) and at a corner lines end. A linear spring resists a small
    ///   curvature κ only in proportion to κ³, so `fabric.bend` is a numerical stiffness and not a flexural rigidity.
    ///
    /// Springs do not keep to their own: on cells of Δu × Δv the diagonals add shear·(Δu/Δv)² to
    /// the stiffness along u and couple the two directions, and bend springs add twice `bend`.
    /// With shear and bend far below stretch, and cells that are not too long, this is little.
    pub fn mass_spring(mesh: &Mesh, fabric: &Fabric) -> Result<Self, ModelError> {
        Self::mass_spring_of(mesh, fabric, SpringKinds::default())
    }

    /// Cloth of springs as [`Model::mass_spring`], with other kinds of them against shear and
    /// bending. Those against bending take `fabric.bending`, a flexural rigidity, and store
    /// ½·B·κ² per area.
    pub fn mass_spring_of(
        mesh: &Mesh,
        fabric: &Fabric,
        kinds: SpringKinds,
    ) -> Result<Self, ModelError> {
        let areas = face_areas(mesh);
        let mut model = Self::without_elements(mesh, fabric, &areas)?;
        let edges = mesh.faces.edges();
        let mut springs = structural_springs(mesh, fabric, &edges, &areas);
        model.structural = springs.len();
        if kinds.shear == Shear::Linear {
            springs.extend(shear_springs(mesh, fabric, &areas));
        }
        model.shear = springs.len() - model.structural;
        let spans = spans::spans(mesh, &edges, &areas);
        if kinds.bend == Bend::Linear {
            springs.extend(bend_springs(mesh, fabric, &spans));
        }
        model.add_grid_elements(mesh, fabric, (kinds, &areas, &spans));
        let gauge = |spring: &Spring| Gauge::edge(spring.ends, spring.rest_length);
        model.gauges = springs[..model.structural].iter().map(gauge).collect();
        model.gauge_areas = edges.iter().map(|edge| edge_area(mesh, edge, &areas)).collect();
        let ends = springs.iter().map(|spring| spring.ends);
        model.spring_incidence = Incidence::new(model.particles(), ends);
        model.springs = springs;
        Ok(model)
    }

    fn add_grid_elements(
        &mut self,
        mesh: &Mesh,
        fabric: &Fabric,
        (kinds, areas, spans): (SpringKinds, &[f64], &[Span]),
    ) {
        let particles = self.particles();
        match kinds.shear {
            _ if fabric.shear == 0.0 => {}
            Shear::Linear => {}
            Shear::Angular => {
                self.grid.corners = ElementList::new(particles, grid::corners(mesh, fabric, areas));
            }
            Shear::Compression => {
                self.grid.struts = ElementList::new(particles, grid::struts(mesh, fabric, areas));
            }
        }
        match kinds.bend {
            _ if fabric.bending == 0.0 => {}
            Bend::Linear => {}
            Bend::ChoiKo => {
                self.grid.buckles = ElementList::new(particles, grid::buckles(mesh, fabric, spans));
            }
            Bend::Bridson => {
                self.grid.folds = ElementList::new(particles, grid::folds(mesh, fabric));
            }
        }
    }
}

/// A spring along `ends` that stands for `area` of a cloth of the given stiffness and damping.
fn spring(mesh: &Mesh, ends: [u32; 2], area: f64, cloth: SpringLaw) -> Spring {
    let [a, b] = ends.map(|end| mesh.positions[end as usize]);
    let rest_length = a.distance(b);
    let stiffness = cloth.stiffness * area / (rest_length * rest_length);
    Spring { ends, rest_length, stiffness, damping: cloth.damping * stiffness }
}

/// One of the fabric's stiffnesses [N/m] and its damping [s].
#[derive(Clone, Copy)]
struct SpringLaw {
    stiffness: f64,
    damping: f64,
}

fn structural_springs(mesh: &Mesh, fabric: &Fabric, edges: &[Edge], areas: &[f64]) -> Vec<Spring> {
    let damping = fabric.stretch_damping;
    let law = |edge: &Edge| SpringLaw { stiffness: stretch_along(mesh, fabric, edge), damping };
    let along = |edge: &Edge| spring(mesh, edge.ends, edge_area(mesh, edge, areas), law(edge));
    edges.iter().map(along).collect()
}

/// The cloth's stiffness along an edge: from warp to weft with cos² and sin² of the angle, as BW98
/// §4.4 turns bending.
fn stretch_along(mesh: &Mesh, fabric: &Fabric, edge: &Edge) -> f64 {
    let [warp, weft] = fabric.stretch_along();
    if warp == weft {
        return warp;
    }
    let face = edge.faces[0] as usize;
    let (corners, uvs) = (mesh.faces.corners(face), mesh.faces.corner_uvs(face));
    let end = |end: u32| corners.iter().position(|corner| *corner == end).unwrap_or_default();
    let [i, j] = edge.ends.map(end);
    let pick = [i, j, (0..3).find(|k| ![i, j].contains(k)).unwrap_or_default()];
    let places = pick.map(|k| mesh.positions[corners[k] as usize]);
    let panel = Panel::new(pick.map(|k| corners[k]), places, uvs.map(|uvs| pick.map(|k| uvs[k])));
    let along = panel.flat[1].normalize();
    warp * along.x * along.x + weft * along.y * along.y
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

fn bend_springs(mesh: &Mesh, fabric: &Fabric, spans: &[Span]) -> Vec<Spring> {
    if fabric.bend == 0.0 {
        return Vec::new();
    }
    let law = SpringLaw { stiffness: fabric.bend, damping: fabric.bend_damping };
    // Two hinges can join the same two particles: one spring with both areas.
    let mut areas: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for span in spans {
        *areas.entry(span.ends).or_default() += span.area;
    }
    areas.into_iter().map(|(ends, area)| spring(mesh, ends, area, law)).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::geometry::mesh::{Faces, Sheet};

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
            // Every spring counts: diagonals and bend springs add what the model's text says.
            let cell = [1.5 / f64::from(columns - 1), 1.0 / f64::from(rows - 1)];
            let spans = |n: u32| 2.0 * f64::from(n - 2) / f64::from(n - 1);
            for (strain, ratio, bend) in [
                (DVec3::X, cell[0] / cell[1], spans(columns)),
                (DVec3::Z, cell[1] / cell[0], spans(rows)),
            ] {
                let stored = energy(model.springs(), &mesh, |p| p + p * strain * 1e-5);
                let stiffness = 700.0 + fabric.shear * ratio * ratio + fabric.bend * bend;
                let expected = 0.5 * stiffness * 1.5 * 1e-10;
                assert!((stored / expected - 1.0).abs() < 1e-4, "{columns}×{rows}: {stored}");
            }
        }
    }

    #[test]
    fn springs_along_the_weft_have_its_stiffness() {
        let fabric = Fabric {
            stretch: 700.0,
            stretch_weft: Some(200.0),
            shear: 0.0,
            bend: 0.0,
            ..Fabric::default()
        };
        let mesh = sheet(5, 7);
        let model = Model::mass_spring(&mesh, &fabric).unwrap();
        for (axis, stiffness) in [(DVec3::X, 700.0), (DVec3::Z, 200.0)] {
            let stored = energy(model.springs(), &mesh, |p| p + p * axis * 1e-5);
            let expected = 0.5 * stiffness * 1.5 * 1e-10;
            assert!((stored / expected - 1.0).abs() < 1e-4, "{stored} {expected}");
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
    fn lines_end_at_inner_corners() {
        // Three quads of a square: no spring may bridge the missing fourth.
        let whole = sheet(3, 3);
        let mut faces = Faces::new();
        whole.faces.iter().skip(1).for_each(|corners| faces.push(corners));
        let mut positions = whole.positions;
        positions.remove(0);
        let mut shifted = Faces::new();
        for corners in faces.iter() {
            shifted.push(&corners.iter().map(|corner| corner - 1).collect::<Vec<_>>());
        }
        let mesh = Mesh { positions, faces: shifted };
        assert_eq!(mesh.problems(), []);
        let model = Model::mass_spring(&mesh, &Fabric::default()).unwrap();
        let ends: Vec<_> = model.bend().iter().map(|spring| spring.ends).collect();
        assert_eq!(ends, [[1, 7], [5, 7]]);
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
