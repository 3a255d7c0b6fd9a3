//! The properties of Alembic's curves.

use taffeta::Frame;
use xxhash_rust::xxh3::xxh3_128;

use super::super::ExportError;
use super::super::singles::{bytes, singles};
use super::super::yarns::Curves;
use super::mesh::box_of;
use super::ogawa::{Chunk, Ogawa};
use super::property::{Kind, Pod, Property, Shape};

const WIDTH_METADATA: &str = "arrayExtent=1;geoScope=con;isGeomParam=true;podExtent=1;\
                              podName=float32_t";

/// Straight lines, open, without a basis: the one kind that every program draws through all points.
/// Type, periodicity, basis twice.
const LINEAR: [u8; 4] = [1, 0, 0, 0];

/// The yarns over time.
pub(super) struct CurveProperties {
    self_bounds: Property,
    positions: Property,
    velocities: Property,
    counts: Property,
    kind: Property,
    widths: Property,
}

impl CurveProperties {
    /// Curves without samples.
    pub fn new() -> Self {
        let kind = |name, shape, (pod, extent), metadata| {
            Property::new(Kind { name, shape, pod, extent, metadata })
        };
        let (array, scalar) = (Shape::Array, Shape::Scalar);
        let (point, vector) =
            ("geoScope=vtx;interpretation=point", "geoScope=vtx;interpretation=vector");
        Self {
            self_bounds: kind(".selfBnds", scalar, (Pod::F64, 6), "interpretation=box"),
            positions: kind("P", array, (Pod::F32, 3), point),
            velocities: kind(".velocities", array, (Pod::F32, 3), vector),
            counts: kind("nVertices", array, (Pod::I32, 1), ""),
            kind: kind("curveBasisAndType", scalar, (Pod::U8, 4), ""),
            widths: kind("width", array, (Pod::F32, 1), WIDTH_METADATA),
        }
    }

    /// Writes the samples of one frame, if it has yarns.
    pub fn push(&mut self, ogawa: &mut Ogawa, frame: &Frame<'_>) -> Result<(), ExportError> {
        let Some(curves) = Curves::of(frame) else { return Ok(()) };
        let counts: Vec<u8> = curves.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        self.self_bounds.push(ogawa, &box_of(&curves.points))?;
        self.positions.push(ogawa, &bytes(singles(&curves.points)))?;
        self.velocities.push(ogawa, &bytes(singles(&curves.velocities)))?;
        self.counts.push(ogawa, &counts)?;
        self.kind.push(ogawa, &LINEAR)?;
        self.widths.push(ogawa, &(curves.width as f32).to_le_bytes())
    }

    /// Whether there were any yarns.
    pub fn is_used(&self) -> bool {
        self.kind.is_used()
    }

    /// A number for everything pushed so far: equal numbers, equal curves.
    pub fn digest(&self) -> u128 {
        let digests = self.all().map(|property| property.digest().to_le_bytes());
        xxh3_128(digests.as_flattened())
    }

    /// Writes the compound over all samples.
    pub fn finish(&self, ogawa: &mut Ogawa) -> Result<Chunk, ExportError> {
        let mut headers = Vec::new();
        let mut children = Vec::new();
        for property in self.all() {
            children.push(property.finish(ogawa, &mut headers)?);
        }
        children.push(ogawa.data(&[&headers])?);
        ogawa.group(&children)
    }

    fn all(&self) -> [&Property; 6] {
        let Self { self_bounds, positions, velocities, counts, kind, widths } = self;
        [self_bounds, positions, velocities, counts, kind, widths]
    }
}
