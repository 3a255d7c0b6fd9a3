//! Cloth as a continuum on triangles (BW98 §4): membranes that stretch and shear, and a plate
//! that bends.

use std::sync::Arc;

use glam::DVec2;
use taffeta_linalg::FactorError;

use super::bare::face_areas;
use super::{Model, ModelError};
use crate::geometry::mesh::{Faces, Mesh};
use crate::matter::elements::{Bending, Membrane, Panel, Rigidity};
use crate::matter::fabric::Fabric;
use crate::matter::gauge::{Along, Gauge};

impl Model {
    /// Cloth of triangles, at rest in the shape of `mesh`; quads are cut in two.
    ///
    /// Lengths come from the mesh's shape. The warp runs along the u of its texture coordinates,
    /// whose scale does not matter; without any, along the x axis as seen in each triangle.
    pub fn continuum(mesh: &Mesh, fabric: &Fabric) -> Result<Self, ModelError> {
        let model = Self::without_elements(mesh, fabric, &face_areas(mesh))?;
        model.of_panels(&panels(mesh), fabric, |panels, rigidity| {
            Bending::new(panels, &mesh.positions, rigidity)
        })
    }

    /// Cloth of triangles that was cut flat and then sewn: at rest in the shape of its texture
    /// coordinates, in metres, with the warp along u. The mesh says what hangs together and where it is.
    pub fn tailored(mesh: &Mesh, fabric: &Fabric) -> Result<Self, ModelError> {
        Self::tailored_as(mesh, mesh.faces.all_uvs(), fabric)
    }

    /// The same, cut as `cut` says: where each corner of each face was then, in metres. The mesh keeps the
    /// texture coordinates that it has.
    pub fn tailored_as(mesh: &Mesh, cut: &[DVec2], fabric: &Fabric) -> Result<Self, ModelError> {
        let flat = flat_panels(&mesh.faces, cut)?;
        let areas = flat.iter().map(|panels| panels.iter().map(Panel::area).sum());
        let model = Self::without_elements(mesh, fabric, &areas.collect::<Vec<f64>>())?;
        model.of_panels(&flat.concat(), fabric, |panels, rigidity| {
            Bending::flat(panels, &mesh.positions, rigidity)
        })
    }

    fn of_panels(
        mut self,
        panels: &[Panel],
        fabric: &Fabric,
        bending: impl Fn(&[Panel], &Rigidity) -> Result<Bending, FactorError>,
    ) -> Result<Self, ModelError> {
        self.membranes = panels.iter().map(|panel| membrane(panel, fabric)).collect();
        self.gauges = self.membranes.iter().flat_map(gauges).collect();
        self.gauge_areas = self.membranes.iter().flat_map(|m| [m.area; 2]).collect();
        let along = fabric.bending_along();
        if along != [0.0; 2] {
            let rigidity = Rigidity { along, damping: fabric.bend_damping };
            let bending = bending(panels, &rigidity).map_err(ModelError::Bending)?;
            self.bending = Some(Arc::new(bending));
        }
        Ok(self)
    }

    /// The same cloth with other rest lengths of warp and weft (b_u and b_v of BW98 §4.2), a pair
    /// for each face, as fractions of those it is cut with: below 1 gathers an elastic band, above
    /// 1 is cloth that wrinkles.
    ///
    /// Strain is then measured against these lengths.
    pub fn with_rest_stretch(mut self, of_faces: &[[f64; 2]]) -> Result<Self, ModelError> {
        let (given, faces) = (of_faces.len(), self.faces.len());
        if self.membranes.is_empty() || given != faces {
            return Err(ModelError::RestStretchCount { given, faces });
        }
        let good = |b: &f64| b.is_finite() && *b > 0.0;
        if let Some(face) = of_faces.iter().position(|pair| !pair.iter().all(good)) {
            return Err(ModelError::RestStretch { face, rest: of_faces[face] });
        }
        let triangles = |face: usize| self.faces.corners(face).len() - 2;
        let rests = (0..faces).flat_map(|face| vec![of_faces[face]; triangles(face)]);
        for (membrane, rest) in self.membranes.iter_mut().zip(rests) {
            membrane.rest = rest;
        }
        self.gauges = self.membranes.iter().flat_map(gauges).collect();
        Ok(self)
    }
}

/// The triangles of a mesh, face by face.
fn panels(mesh: &Mesh) -> Vec<Panel> {
    let mut panels = Vec::new();
    for face in 0..mesh.faces.len() {
        let (corners, uvs) = (mesh.faces.corners(face), mesh.faces.corner_uvs(face));
        for i in 2..corners.len() {
            let pick = [0, i - 1, i];
            let vertices = pick.map(|k| corners[k]);
            let places = vertices.map(|vertex| mesh.positions[vertex as usize]);
            panels.push(Panel::new(vertices, places, uvs.map(|uvs| pick.map(|k| uvs[k]))));
        }
    }
    panels
}

/// The triangles of each face as they were cut.
fn flat_panels(faces: &Faces, cut: &[DVec2]) -> Result<Vec<Vec<Panel>>, ModelError> {
    let mut rest = cut;
    let mut of_face = |face: usize| {
        let corners = faces.corners(face);
        let uvs = rest.split_off(..corners.len()).ok_or(ModelError::NotFlat { face })?;
        let panel = |i: usize| {
            let pick = [0, i - 1, i];
            Panel::cut(pick.map(|k| corners[k]), pick.map(|k| uvs[k]))
        };
        let panels: Vec<Panel> = (2..corners.len()).map(panel).collect();
        match panels.iter().all(|panel| panel.area() > 0.0) {
            true => Ok(panels),
            false => Err(ModelError::NotFlat { face }),
        }
    };
    (0..faces.len()).map(&mut of_face).collect()
}

fn membrane(panel: &Panel, fabric: &Fabric) -> Membrane {
    let (area, weights) = Membrane::rest_shape(panel.flat);
    Membrane {
        corners: panel.corners,
        area,
        weights,
        rest: [1.0, 1.0],
        stretch: fabric.stretch_along(),
        shear: fabric.shear,
        damping: [fabric.stretch_damping, fabric.shear_damping],
    }
}

/// The warp and the weft of a triangle.
fn gauges(membrane: &Membrane) -> [Gauge; 2] {
    let [a, b, c] = membrane.corners;
    [(Along::Warp, 0), (Along::Weft, 1)].map(|(along, axis)| {
        let [_, wb, wc] = membrane.weights[axis].map(|weight| weight / membrane.rest[axis]);
        Gauge { particles: [a, b, c], weights: [wb, wc], along }
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::geometry::mesh::Sheet;

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
}
