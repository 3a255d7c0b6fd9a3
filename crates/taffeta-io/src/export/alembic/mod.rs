//! Alembic: a polygon mesh over time for each cloth and solid in an Ogawa file, quads kept, topology free to change; beside
//! it the yarns of woven cloth that can tear, as curves.
//!
//! Samples go to disk as frames are read; a value that does not change is written once. Frame `n`
//! is at time `n / rate` seconds. Metres, y up, velocities in metres per second.

mod curves;
mod mesh;
mod ogawa;
mod property;

use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use self::curves::CurveProperties;
use self::mesh::MeshProperties;
use self::ogawa::{Chunk, Ogawa};
use self::property::push_compound_header;
use super::objects::{Single, objects as all};
use super::{ExportError, Exported, frames};
use crate::FrameSource;

/// An object of the archive and what it is, as Alembic calls it.
struct Schema<'a> {
    name: &'a str,
    schema: &'static str,
}

const MESH: &str = "AbcGeom_PolyMesh_v1";
const YARNS: Schema = Schema { name: "yarns", schema: "AbcGeom_Curve_v2" };
const BASE: &str = "schemaBaseType=AbcGeom_GeomBase_v1";

/// How Ogawa holds Alembic; there has been one way.
const LAYOUT_VERSION: i32 = 0;
/// The release of Alembic whose layout this is: 1.8.3.
const LIBRARY_VERSION: i32 = 10803;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let mut ogawa = Ogawa::create(to)?;
    let mut yarns = CurveProperties::new();
    let mut objects = Vec::new();
    for (place, object) in all(source, "cloth")?.iter().enumerate() {
        let mut source = Single::new(source, object);
        let mut mesh = MeshProperties::new();
        for number in source.numbers() {
            let frame = frames::read(&mut source, number)?;
            mesh.push(&mut ogawa, &frame)?;
            if place == 0 {
                yarns.push(&mut ogawa, &frame)?;
            }
        }
        let compound = mesh.finish(&mut ogawa)?;
        let schema = Schema { name: &object.name, schema: MESH };
        objects.push(Object::write(&mut ogawa, &schema, compound, mesh.digest())?);
    }
    if yarns.is_used() {
        let schema = yarns.finish(&mut ogawa)?;
        objects.push(Object::write(&mut ogawa, &YARNS, schema, yarns.digest())?);
    }
    let root = write_archive(&mut ogawa, &objects, source)?;
    Ok(Exported { files: vec![ogawa.finish(root)?], frames: count })
}

/// An object that is written already.
struct Object {
    chunk: Chunk,
    header: Vec<u8>,
    /// A number for all that it holds.
    digest: u128,
}

const NO_CONTENTS: [u8; 16] = [0; 16];

impl Object {
    /// Writes an object around the compound of its properties.
    fn write(
        ogawa: &mut Ogawa,
        Schema { name, schema }: &Schema,
        compound: Chunk,
        digest: u128,
    ) -> Result<Self, ExportError> {
        let mut headers = Vec::new();
        push_compound_header(&mut headers, ".geom", &format!("schema={schema};{BASE}"));
        let headers = ogawa.data(&[&headers])?;
        let properties = ogawa.group(&[compound, headers])?;
        let hashes = ogawa.data(&[&digest.to_le_bytes(), &NO_CONTENTS])?;
        let metadata = format!("schema={schema};{BASE};schemaObjTitle={schema}:.geom");
        let mut header = Vec::new();
        header.extend_from_slice(&(name.len() as u32).to_le_bytes());
        header.extend_from_slice(name.as_bytes());
        header.push(0xff);
        header.extend_from_slice(&(metadata.len() as u32).to_le_bytes());
        header.extend_from_slice(metadata.as_bytes());
        Ok(Self { chunk: ogawa.group(&[properties, hashes])?, header, digest })
    }
}

/// Everything around the objects, which are written already.
fn write_archive(
    ogawa: &mut Ogawa,
    objects: &[Object],
    source: &dyn FrameSource,
) -> Result<Chunk, ExportError> {
    let top = {
        let mut headers: Vec<u8> =
            objects.iter().flat_map(|object| &object.header).copied().collect();
        let digests: Vec<u8> = objects.iter().flat_map(|o| o.digest.to_le_bytes()).collect();
        headers.extend(NO_CONTENTS);
        headers.extend(match objects {
            [only] => only.digest.to_le_bytes(),
            _ => xxh3_128(&digests).to_le_bytes(),
        });
        let mut children = vec![Chunk::NO_GROUP];
        children.extend(objects.iter().map(|object| object.chunk));
        children.push(ogawa.data(&[&headers])?);
        ogawa.group(&children)?
    };
    let children = [
        ogawa.data(&[&LAYOUT_VERSION.to_le_bytes()])?,
        ogawa.data(&[&LIBRARY_VERSION.to_le_bytes()])?,
        top,
        ogawa.data(&[archive_metadata(source).as_bytes()])?,
        ogawa.data(&[&time_samplings(source)])?,
        // The table of shared metadata: one empty entry, as some readers refuse an empty table.
        ogawa.data(&[&[0]])?,
    ];
    ogawa.group(&children)
}

fn archive_metadata(source: &dyn FrameSource) -> String {
    let (rate, up) = (source.rate(), source.up().name().to_lowercase());
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "_ai_Application=Taffeta {version};_ai_DCC_FPS={rate};\
         _ai_Description=cloth in metres with {up} up"
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
