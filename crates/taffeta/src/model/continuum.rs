//! Cloth as a continuum on triangles (BW98 §4): membranes and hinges.

use glam::{DVec2, DVec3};

use super::bare::face_areas;
use super::{Model, ModelError};
use crate::elements::{Hinge, Membrane};
use crate::fabric::Fabric;
use crate::gauge::{Along, Gauge};
use crate::mesh::{Faces, Mesh};

impl Model {
    /// Cloth of triangles, at rest in the shape of `mesh`; quads are cut in two.
    ///
    /// Lengths come from the mesh's shape. The warp runs along the u of its texture coordinates,
    /// whose scale does not matter; without any, along the x axis as seen in each triangle.
    pub fn continuum(mesh: &Mesh, fabric: &Fabric) -> Result<Self, ModelError> {
        let mut model = Self::without_elements(mesh, fabric, &face_areas(mesh))?;
        model.membranes = membranes(mesh, fabric);
        model.gauges = model.membranes.iter().flat_map(gauges).collect();
        model.gauge_areas = model.membranes.iter().flat_map(|m| [m.area; 2]).collect();
        model.hinges = hinges(mesh, fabric);
        Ok(model)
    }
}

fn membranes(mesh: &Mesh, fabric: &Fabric) -> Vec<Membrane> {
    let mut membranes = Vec::new();
    for face in 0..mesh.faces.len() {
        let (corners, uvs) = (mesh.faces.corners(face), mesh.faces.corner_uvs(face));
        for i in 2..corners.len() {
            let pick = [0, i - 1, i];
            let vertices = pick.map(|k| corners[k]);
            let places = vertices.map(|vertex| mesh.positions[vertex as usize]);
            let flat = flattened(places, uvs.map(|uvs| pick.map(|k| uvs[k])));
            let (area, weights) = Membrane::rest_shape(flat);
            membranes.push(Membrane {
                corners: vertices,
                area,
                weights,
                rest: [1.0, 1.0],
                stretch: [fabric.stretch, fabric.stretch],
                shear: fabric.shear,
                damping: [fabric.stretch_damping, fabric.shear_damping],
            });
        }
    }
    membranes
}

/// A triangle laid flat without distortion, counter-clockwise, its warp along u.
fn flattened(places: [DVec3; 3], uvs: Option<[DVec2; 3]>) -> [DVec2; 3] {
    let (d1, d2) = (places[1] - places[0], places[2] - places[0]);
    let normal = d1.cross(d2).normalize();
    let warp = uvs.and_then(|uvs| warp_direction([d1, d2], uvs));
    let along = warp.unwrap_or(DVec3::X);
    // Where x is seen end on, y will do.
    let in_plane = |axis: DVec3| (axis - normal * axis.dot(normal)).try_normalize();
    let far_from_normal = along.dot(normal).abs() < 0.999 * along.length();
    let u = if far_from_normal { in_plane(along) } else { in_plane(DVec3::Y) };
    let u = u.unwrap_or(d1.normalize());
    let v = normal.cross(u);
    [DVec2::ZERO, DVec2::new(d1.dot(u), d1.dot(v)), DVec2::new(d2.dot(u), d2.dot(v))]
}

/// The direction in space along which u grows and v does not.
fn warp_direction([d1, d2]: [DVec3; 2], uvs: [DVec2; 3]) -> Option<DVec3> {
    let (e1, e2) = (uvs[1] - uvs[0], uvs[2] - uvs[0]);
    let double = e1.perp_dot(e2);
    ((d1 * e2.y - d2 * e1.y) / double).try_normalize()
}

/// The warp and the weft of a triangle.
fn gauges(membrane: &Membrane) -> [Gauge; 2] {
    let [a, b, c] = membrane.corners;
    [(Along::Warp, 0), (Along::Weft, 1)].map(|(along, axis)| {
        let [_, wb, wc] = membrane.weights[axis];
        Gauge { particles: [a, b, c], weights: [wb, wc], along }
    })
}

fn hinges(mesh: &Mesh, fabric: &Fabric) -> Vec<Hinge> {
    if fabric.bending == 0.0 {
        return Vec::new();
    }
    let mut triangles = Faces::new();
    mesh.faces.triangles().for_each(|triangle| triangles.push(&triangle));
    let cut = Mesh { positions: mesh.positions.clone(), faces: triangles };
    let areas = face_areas(&cut);
    let mut hinges = Vec::new();
    for edge in cut.faces.edges() {
        let [first, second] = edge.faces[..] else { continue };
        // The triangle in which the edge runs forward lies to its left.
        let forward = |face: u32| {
            let corners = cut.faces.corners(face as usize);
            (0..3).any(|i| [corners[i], corners[(i + 1) % 3]] == edge.ends)
        };
        let (left, right) = if forward(first) { (first, second) } else { (second, first) };
        let far = |face: u32| {
            let corners = cut.faces.corners(face as usize);
            corners.iter().copied().find(|corner| !edge.ends.contains(corner))
        };
        let (Some(left_far), Some(right_far)) = (far(left), far(right)) else { continue };
        let corners = [edge.ends[0], edge.ends[1], left_far, right_far];
        let at = corners.map(|corner| mesh.positions[corner as usize]);
        let area = areas[left as usize] + areas[right as usize];
        hinges.push(Hinge {
            corners,
            rest_angle: Hinge::angle(&at),
            stiffness: fabric.bending * at[0].distance_squared(at[1]) / area,
            damping: fabric.bend_damping,
        });
    }
    hinges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Sheet;

    fn at(mesh: &Mesh, corners: [u32; 3], place: impl Fn(DVec3) -> DVec3) -> [DVec3; 3] {
        corners.map(|corner| place(mesh.positions[corner as usize]))
    }

    #[test]
    fn a_sheet_stores_what_its_fabric_says() {
        let mesh = Sheet { width: 1.5, height: 1.0, columns: 7, rows: 4 }.mesh();
        let fabric = Fabric { stretch: 700.0, shear: 60.0, ..Fabric::default() };
        let model = Model::continuum(&mesh, &fabric).unwrap();
        let energy = |place: &dyn Fn(DVec3) -> DVec3| -> f64 {
            let of = |m: &Membrane| m.energy(&at(&mesh, m.corners, place));
            model.membranes().iter().map(of).sum()
        };
        let stretched = energy(&|p| DVec3::new(1.02 * p.x, p.y, p.z));
        assert!((stretched / (0.5 * 700.0 * 1.5 * 0.02f64.powi(2)) - 1.0).abs() < 1e-9);
        let sheared = energy(&|p| DVec3::new(p.x + 1e-4 * p.z, p.y, p.z));
        assert!((sheared / (0.5 * 60.0 * 1.5 * 1e-8) - 1.0).abs() < 1e-3);
        assert_eq!(model.gauges().len(), 2 * 36);
    }

    #[test]
    fn warp_follows_the_texture_wherever_the_cloth_is() {
        let mut mesh = Sheet { width: 1.0, height: 1.0, columns: 3, rows: 3 }.mesh();
        // Texture turned by 90° and scaled: warp runs along z.
        let uvs = mesh.faces.all_uvs().iter().map(|uv| DVec2::new(uv.y, -uv.x) * 7.0).collect();
        assert!(mesh.faces.set_uvs(uvs));
        let model = Model::continuum(&mesh, &Fabric::default()).unwrap();
        for membrane in model.membranes() {
            let [warp, weft] =
                membrane.strain(&at(&mesh, membrane.corners, |p| p * DVec3::new(1.0, 1.0, 1.1)));
            assert!((warp - 0.1).abs() < 1e-12 && weft.abs() < 1e-12, "{warp} {weft}");
        }
    }

    #[test]
    fn a_cylinder_stores_half_b_curvature_squared_per_area() {
        let mesh = Sheet { width: 1.0, height: 0.3, columns: 101, rows: 31 }.mesh();
        let fabric = Fabric { bending: 2e-5, ..Fabric::default() };
        let model = Model::continuum(&mesh, &fabric).unwrap();
        let radius = 0.5;
        let bent = |p: DVec3| {
            let (sin, cos) = libm::sincos(p.x / radius);
            DVec3::new(radius * sin, radius * (1.0 - cos), p.z)
        };
        let stored: f64 = model
            .hinges()
            .iter()
            .map(|hinge| hinge.energy(&hinge.corners.map(|c| bent(mesh.positions[c as usize]))))
            .sum();
        let expected = 0.5 * 2e-5 * 0.3 / (radius * radius);
        assert!((stored / expected - 1.0).abs() < 0.03, "{}", stored / expected);
    }
}
