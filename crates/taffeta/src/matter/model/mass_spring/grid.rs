//! Makes the elements that grid cloth may have instead of linear shear and bend springs.

use std::collections::BTreeMap;

use glam::DVec3;

use super::spans::Span;
use crate::geometry::mesh::{Edge, Faces, Mesh};
use crate::matter::elements::{Buckle, Corner, Fold, Hinge, Strut};
use crate::matter::fabric::Fabric;

/// Both diagonals of each quad, active in compression. Sheared, one of them is compressed, so each
/// is as stiff as both linear springs together.
pub(super) fn struts(mesh: &Mesh, fabric: &Fabric, areas: &[f64]) -> Vec<Strut> {
    let mut struts = Vec::new();
    for (corners, area) in quads(mesh, areas) {
        let [a, b, c, d] = corners;
        for ends in [[a, c], [b, d]] {
            let rest_length =
                mesh.positions[ends[0] as usize].distance(mesh.positions[ends[1] as usize]);
            let stiffness = fabric.shear * rest_length * rest_length / area;
            struts.push(Strut { ends, rest_length, stiffness, damping: fabric.shear_damping });
        }
    }
    struts
}

/// The four corners of each quad: sheared by γ each changes by γ, so k = G·a/4 each gives the
/// energy ½·G·γ²·a.
pub(super) fn corners(mesh: &Mesh, fabric: &Fabric, areas: &[f64]) -> Vec<Corner> {
    let mut found = Vec::new();
    for (corners, area) in quads(mesh, areas) {
        for k in 0..4 {
            let corners = [corners[(k + 3) % 4], corners[(k + 1) % 4], corners[k]];
            let at = corners.map(|corner| mesh.positions[corner as usize]);
            found.push(Corner {
                corners,
                sides: [at[0].distance(at[2]), at[1].distance(at[2])],
                rest_angle: Corner::angle(&at),
                stiffness: 0.25 * fabric.shear * area,
                damping: fabric.shear_damping,
            });
        }
    }
    found
}

/// The quads of a mesh with their areas; triangles need nothing against shear.
fn quads(mesh: &Mesh, areas: &[f64]) -> impl Iterator<Item = ([u32; 4], f64)> {
    let faces = mesh.faces.iter().zip(areas);
    faces.filter_map(|(corners, area)| Some((corners.try_into().ok()?, *area)))
}

/// Spans that buckle. Every cell of a line is in two spans, so each has half of the rigidity of
/// the cloth it stands for.
pub(super) fn buckles(mesh: &Mesh, fabric: &Fabric, spans: &[Span]) -> Vec<Buckle> {
    let mut areas: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for span in spans {
        *areas.entry(span.ends).or_default() += span.area;
    }
    let buckle = |(ends, area): ([u32; 2], f64)| {
        let length = mesh.positions[ends[0] as usize].distance(mesh.positions[ends[1] as usize]);
        Buckle::new(ends, length, 0.5 * fabric.bending * area / length, fabric.bend_damping)
    };
    areas.into_iter().map(buckle).collect()
}

/// The edges between two triangles, quads cut in two, with the stiffness B·|e|²/(A₁ + A₂).
pub(super) fn folds(mesh: &Mesh, fabric: &Fabric) -> Vec<Fold> {
    let mut triangles = Faces::new();
    mesh.faces.triangles().for_each(|triangle| triangles.push(&triangle));
    triangles.edges().iter().filter_map(|edge| fold(mesh, fabric, &triangles, edge)).collect()
}

fn fold(mesh: &Mesh, fabric: &Fabric, triangles: &Faces, edge: &Edge) -> Option<Fold> {
    let [first, second] = edge.faces[..] else { return None };
    let corners_of = |face: u32| triangles.corners(face as usize);
    // The triangle in which the edge runs forward lies to its left.
    let forward = |face: u32| {
        let corners = corners_of(face);
        (0..3).any(|i| [corners[i], corners[(i + 1) % 3]] == edge.ends)
    };
    let (left, right) = if forward(first) { (first, second) } else { (second, first) };
    let far = |face: u32| corners_of(face).iter().copied().find(|c| !edge.ends.contains(c));
    let corners = [edge.ends[0], edge.ends[1], far(left)?, far(right)?];
    let at = corners.map(|corner| mesh.positions[corner as usize]);
    let area = |far: DVec3| 0.5 * (at[1] - at[0]).cross(far - at[0]).length();
    let stiffness = fabric.bending * at[0].distance_squared(at[1]) / (area(at[2]) + area(at[3]));
    Some(Fold {
        corners,
        gradient: Hinge::angle_gradient(&at).map(DVec3::length),
        rest_angle: Hinge::angle(&at),
        stiffness,
        damping: fabric.bend_damping,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::Sheet;
    use crate::matter::elements::Condition;
    use crate::matter::model::{Bend, Model, Shear, SpringKinds};

    fn energy<const N: usize, E: Condition<N>>(
        elements: &[E],
        mesh: &Mesh,
        place: impl Fn(DVec3) -> DVec3,
    ) -> f64 {
        let at = |corner: u32| place(mesh.positions[corner as usize]);
        elements.iter().map(|element| element.energy(&element.corners().map(at))).sum()
    }

    fn model(mesh: &Mesh, shear: Shear, bend: Bend) -> Model {
        let fabric = Fabric { shear: 60.0, bending: 3e-3, ..Fabric::default() };
        Model::mass_spring_of(mesh, &fabric, SpringKinds { shear, bend }).unwrap()
    }

    #[test]
    fn every_kind_of_shear_stores_half_g_angle_squared_per_area() {
        for (columns, rows) in [(2, 2), (4, 9), (31, 11)] {
            let mesh = Sheet { width: 1.5, height: 1.0, columns, rows }.mesh();
            let angle = 1e-4;
            let sheared = |p: DVec3| DVec3::new(p.x + angle * p.z, p.y, p.z);
            let expected = 0.5 * 60.0 * 1.5 * angle * angle;
            let corners = model(&mesh, Shear::Angular, Bend::Linear);
            let struts = model(&mesh, Shear::Compression, Bend::Linear);
            assert!(corners.shear().is_empty() && struts.shear().is_empty());
            for stored in [
                energy(&corners.grid().corners.all, &mesh, sheared),
                energy(&struts.grid().struts.all, &mesh, sheared),
            ] {
                assert!((stored / expected - 1.0).abs() < 2e-3, "{columns}×{rows}: {stored}");
            }
        }
    }

    /// Rolled onto a cylinder, flat cloth stores ½·B·κ² per area, but for its borders.
    #[test]
    fn every_kind_of_bending_stores_half_b_curvature_squared_per_area() {
        let mesh = Sheet { width: 1.0, height: 1.0, columns: 81, rows: 5 }.mesh();
        let curvature = 3.0;
        let rolled = |p: DVec3| {
            let (sin, cos) = libm::sincos(p.x * curvature);
            DVec3::new(sin / curvature, (1.0 - cos) / curvature, p.z)
        };
        let expected = 0.5 * 3e-3 * curvature * curvature;
        let folds = model(&mesh, Shear::Linear, Bend::Bridson);
        assert!(folds.bend().is_empty());
        let stored = energy(&folds.grid().folds.all, &mesh, rolled);
        assert!((stored / expected - 1.0).abs() < 0.03, "folds: {}", stored / expected);

        // Arcs know their curvature from what they are shorter by; the ramp hides small ones.
        let tight = |p: DVec3| {
            let (sin, cos) = libm::sincos(p.x * 25.0);
            DVec3::new(sin / 25.0, (1.0 - cos) / 25.0, p.z)
        };
        let mesh = Sheet { width: 0.4, height: 1.0, columns: 9, rows: 2 }.mesh();
        let buckles = model(&mesh, Shear::Linear, Bend::ChoiKo);
        let stored = energy(&buckles.grid().buckles.all, &mesh, tight);
        let expected = 0.5 * 3e-3 * 25.0 * 25.0 * 0.4 * 7.0 / 8.0;
        // A span of two chords is a little shorter than its arc, and the ramp costs a little.
        assert!((stored / expected - 1.0).abs() < 0.15, "arcs: {}", stored / expected);
    }
}
