//! The properties of Alembic's polygon mesh.

use glam::DVec3;
use taffeta::Frame;
use taffeta::mesh::Faces;
use xxhash_rust::xxh3::xxh3_128;

use super::super::ExportError;
use super::super::seams::SeamPoints;
use super::super::singles::{bounds, bytes, singles};
use super::ogawa::{Chunk, Ogawa};
use super::property::{Kind, Pod, Property, Shape, push_compound_header};

const UV_METADATA: &str = "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;\
                           podExtent=2;podName=float32_t";

/// The mesh over time.
pub(super) struct MeshProperties {
    self_bounds: Property,
    positions: Property,
    velocities: Property,
    face_counts: Property,
    face_indices: Property,
    uv_values: Property,
    uv_indices: Property,
    topology: Option<(u64, Topology)>,
}

/// The samples that stay the same while the revision does.
struct Topology {
    counts: Vec<u8>,
    indices: Vec<u8>,
    uv_values: Vec<u8>,
    uv_indices: Vec<u8>,
}

impl MeshProperties {
    /// A mesh without samples.
    pub fn new() -> Self {
        let array = |name, pod, extent, metadata| {
            Property::new(Kind { name, shape: Shape::Array, pod, extent, metadata })
        };
        Self {
            self_bounds: Property::new(Kind {
                name: ".selfBnds",
                shape: Shape::Scalar,
                pod: Pod::F64,
                extent: 6,
                metadata: "interpretation=box",
            }),
            positions: array("P", Pod::F32, 3, "geoScope=vtx;interpretation=point"),
            velocities: array(".velocities", Pod::F32, 3, "geoScope=vtx;interpretation=vector"),
            face_counts: array(".faceCounts", Pod::I32, 1, ""),
            face_indices: array(".faceIndices", Pod::I32, 1, ""),
            uv_values: array(".vals", Pod::F32, 2, UV_METADATA),
            uv_indices: array(".indices", Pod::U32, 1, ""),
            topology: None,
        }
    }

    /// Writes the samples of one frame.
    pub fn push(&mut self, ogawa: &mut Ogawa, frame: &Frame<'_>) -> Result<(), ExportError> {
        self.self_bounds.push(ogawa, &box_of(frame.positions))?;
        self.positions.push(ogawa, &bytes(singles(frame.positions)))?;
        self.velocities.push(ogawa, &bytes(singles(frame.velocities)))?;

        let particles = frame.positions.len();
        let topology = match self.topology.take() {
            Some((revision, topology)) if revision == frame.revision => topology,
            _ => Topology::new(frame.faces, particles),
        };
        self.face_counts.push(ogawa, &topology.counts)?;
        self.face_indices.push(ogawa, &topology.indices)?;
        self.uv_values.push(ogawa, &topology.uv_values)?;
        self.uv_indices.push(ogawa, &topology.uv_indices)?;
        self.topology = Some((frame.revision, topology));
        Ok(())
    }

    /// A number for everything pushed so far: equal numbers, equal meshes.
    pub fn digest(&self) -> u128 {
        let properties = [
            &self.self_bounds,
            &self.positions,
            &self.velocities,
            &self.face_counts,
            &self.face_indices,
            &self.uv_values,
            &self.uv_indices,
        ];
        xxh3_128(properties.map(|property| property.digest().to_le_bytes()).as_flattened())
    }

    /// Writes the compound over all samples; texture coordinates only if there were any.
    pub fn finish(&self, ogawa: &mut Ogawa) -> Result<Chunk, ExportError> {
        let always = [
            &self.self_bounds,
            &self.positions,
            &self.velocities,
            &self.face_indices,
            &self.face_counts,
        ];
        let mut headers = Vec::new();
        let mut children = Vec::new();
        for property in always {
            children.push(property.finish(ogawa, &mut headers)?);
        }
        if self.uv_values.is_used() {
            push_compound_header(&mut headers, "uv", UV_METADATA);
            children.push(self.finish_uv(ogawa)?);
        }
        children.push(ogawa.data(&[&headers])?);
        ogawa.group(&children)
    }

    fn finish_uv(&self, ogawa: &mut Ogawa) -> Result<Chunk, ExportError> {
        let mut headers = Vec::new();
        let values = self.uv_values.finish(ogawa, &mut headers)?;
        let indices = self.uv_indices.finish(ogawa, &mut headers)?;
        let headers = ogawa.data(&[&headers])?;
        ogawa.group(&[values, indices, headers])
    }
}

impl Topology {
    /// The samples of these faces; Alembic's run clockwise seen from the front.
    fn new(faces: &Faces, particles: usize) -> Self {
        let seams = SeamPoints::new(faces, particles);
        let uv_indices = if seams.uvs.is_empty() { Vec::new() } else { clockwise(&seams.faces) };
        Self {
            counts: faces.iter().flat_map(|face| (face.len() as u32).to_le_bytes()).collect(),
            indices: clockwise(faces),
            uv_values: seams
                .uvs
                .iter()
                .flat_map(|uv| uv.to_array().map(f32::to_le_bytes))
                .flatten()
                .collect(),
            uv_indices,
        }
    }
}

fn clockwise(faces: &Faces) -> Vec<u8> {
    faces
        .iter()
        .flat_map(|face| face.iter().rev())
        .flat_map(|corner| corner.to_le_bytes())
        .collect()
}

/// The box around the positions as they are written, in single precision.
pub(super) fn box_of(positions: &[DVec3]) -> Vec<u8> {
    let corners = bounds(singles(positions)).map(|corner| corner.as_dvec3().to_array());
    corners.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect()
}
