//! Alembic: one polygon mesh over time in an Ogawa file, quads kept, topology free to change.
//!
//! Samples go to disk as frames are read; a value that does not change is written once. Frame `n`
//! is at time `n / rate` seconds. Metres, y up, velocities in metres per second.

mod mesh;
mod ogawa;
mod property;

use std::path::Path;

use self::mesh::MeshProperties;
use self::ogawa::{Chunk, Ogawa};
use self::property::push_compound_header;
use super::{ExportError, Exported, frames};
use crate::FrameSource;

const OBJECT_NAME: &str = "cloth";
const OBJECT_METADATA: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;\
                               schemaObjTitle=AbcGeom_PolyMesh_v1:.geom";
const SCHEMA_METADATA: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";

/// How Ogawa holds Alembic; there has been one way.
const LAYOUT_VERSION: i32 = 0;
/// The release of Alembic whose layout this is: 1.8.3.
const LIBRARY_VERSION: i32 = 10803;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let mut ogawa = Ogawa::create(to)?;
    let mut mesh = MeshProperties::new();
    for number in source.numbers() {
        mesh.push(&mut ogawa, &frames::read(source, number)?)?;
    }
    let root = write_archive(&mut ogawa, &mesh, source)?;
    Ok(Exported { files: vec![ogawa.finish(root)?], frames: count })
}

/// Everything around the samples, which are written already.
fn write_archive(
    ogawa: &mut Ogawa,
    mesh: &MeshProperties,
    source: &dyn FrameSource,
) -> Result<Chunk, ExportError> {
    let contents = mesh.digest().to_le_bytes();
    let no_contents = [0; 16];
    let object = {
        let schema = mesh.finish(ogawa)?;
        let mut headers = Vec::new();
        push_compound_header(&mut headers, ".geom", SCHEMA_METADATA);
        let headers = ogawa.data(&[&headers])?;
        let properties = ogawa.group(&[schema, headers])?;
        let hashes = ogawa.data(&[&contents, &no_contents])?;
        ogawa.group(&[properties, hashes])?
    };
    let top = {
        let headers = ogawa.data(&[&object_header(), &no_contents, &contents])?;
        ogawa.group(&[Chunk::NO_GROUP, object, headers])?
    };
    let children = [
        ogawa.data(&[&LAYOUT_VERSION.to_le_bytes()])?,
        ogawa.data(&[&LIBRARY_VERSION.to_le_bytes()])?,
        top,
        ogawa.data(&[archive_metadata(source.rate()).as_bytes()])?,
        ogawa.data(&[&time_samplings(source)])?,
        // The table of shared metadata: one empty entry, as some readers refuse an empty table.
        ogawa.data(&[&[0]])?,
    ];
    ogawa.group(&children)
}

fn object_header() -> Vec<u8> {
    let mut header = Vec::new();
    header.extend_from_slice(&(OBJECT_NAME.len() as u32).to_le_bytes());
    header.extend_from_slice(OBJECT_NAME.as_bytes());
    header.push(0xff);
    header.extend_from_slice(&(OBJECT_METADATA.len() as u32).to_le_bytes());
    header.extend_from_slice(OBJECT_METADATA.as_bytes());
    header
}

fn archive_metadata(rate: f64) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "_ai_Application=Taffeta {version};_ai_DCC_FPS={rate};\
         _ai_Description=cloth in metres with y up"
    )
}

/// The two time samplings: the one every archive starts with, and the frames.
fn time_samplings(source: &dyn FrameSource) -> Vec<u8> {
    let (numbers, rate) = (source.numbers(), source.rate());
    let samples = numbers.end() - numbers.start() + 1;
    let start = f64::from(*numbers.start()) / rate;
    let mut bytes = Vec::new();
    for (samples, period, start) in [(0, 1.0, 0.0), (samples, 1.0 / rate, start)] {
        bytes.extend_from_slice(&samples.to_le_bytes());
        bytes.extend_from_slice(&f64::to_le_bytes(period));
        bytes.extend_from_slice(&1_u32.to_le_bytes());
        bytes.extend_from_slice(&f64::to_le_bytes(start));
    }
    bytes
}
