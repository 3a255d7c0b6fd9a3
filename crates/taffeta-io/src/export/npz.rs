//! NPZ: the whole run as NumPy arrays, in double precision, read by `numpy.load`.
//!
//! | array | shape | what |
//! |---|---|---|
//! | `positions` | frames × vertices × 3 | \[m\] |
//! | `velocities` | frames × vertices × 3 | \[m/s\] |
//! | `times` | frames | \[s\] |
//! | `frames` | frames | frame numbers |
//! | `rate` | – | frames per second |
//! | `face_counts` | faces | corners of each face |
//! | `face_corners` | corners | vertices of all faces, one face after the other |
//! | `triangles` | triangles × 3 | the faces cut into triangles |
//! | `uvs` | corners × 2 | texture coordinates of `face_corners`; only if there are any |
//!
//! Frames are streamed: the run is read once for the positions and once for the velocities, and
//! one frame at a time is in memory.

use std::path::Path;

use glam::DVec3;
use taffeta::Frame;
use taffeta::mesh::Faces;

use super::frames::{self, OneMesh};
use super::output::Output;
use super::zip::Zip;
use super::{ExportError, Exported, npy};
use crate::FrameSource;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let mut zip = Zip::new(Output::create(to)?);
    let times = write_vectors(source, &mut zip, "positions", |frame| frame.positions)?;
    write_vectors(source, &mut zip, "velocities", |frame| frame.velocities)?;
    let each = [count as u64];
    write_array(&mut zip, "times", ("<f8", &each), times.iter().map(|t| t.to_le_bytes()))?;
    let numbers = source.numbers().map(u32::to_le_bytes);
    write_array(&mut zip, "frames", ("<u4", &each), numbers)?;
    write_array(&mut zip, "rate", ("<f8", &[]), [source.rate().to_le_bytes()].into_iter())?;
    write_faces(frames::first(source)?.faces, &mut zip)?;
    Ok(Exported { files: vec![zip.finish()?.finish()?], frames: count })
}

/// Writes one vector per vertex and frame; returns the frames' times.
fn write_vectors(
    source: &mut dyn FrameSource,
    zip: &mut Zip,
    name: &str,
    vectors: for<'a> fn(&Frame<'a>) -> &'a [DVec3],
) -> Result<Vec<f64>, ExportError> {
    let first = frames::first(source)?;
    let (mesh, vertices) = (OneMesh::of(&first, "npz"), first.positions.len());
    let shape = [frames::count(source)? as u64, vertices as u64, 3];
    let header = npy::header("<f8", &shape);
    let size = header.len() as u64 + 8 * shape.iter().product::<u64>();
    let mut entry = zip.entry(&format!("{name}.npy"), size)?;
    entry.write(&header)?;
    let mut times = Vec::new();
    for number in source.numbers() {
        let frame = frames::read(source, number)?;
        mesh.check(&frame)?;
        times.push(frame.time);
        let bytes: Vec<u8> =
            vectors(&frame).iter().flat_map(DVec3::to_array).flat_map(f64::to_le_bytes).collect();
        entry.write(&bytes)?;
    }
    entry.finish()?;
    Ok(times)
}

fn write_faces(faces: &Faces, zip: &mut Zip) -> Result<(), ExportError> {
    let counts = faces.iter().map(|face| (face.len() as u32).to_le_bytes());
    write_array(zip, "face_counts", ("<u4", &[faces.len() as u64]), counts)?;
    let corners = faces.all_corners();
    let shape = [corners.len() as u64];
    let values = corners.iter().map(|corner| corner.to_le_bytes());
    write_array(zip, "face_corners", ("<u4", &shape), values)?;
    let shape = [faces.triangles().count() as u64, 3];
    write_array(
        zip,
        "triangles",
        ("<u4", &shape),
        faces.triangles().flatten().map(u32::to_le_bytes),
    )?;
    if faces.all_uvs().is_empty() {
        return Ok(());
    }
    let shape = [faces.all_uvs().len() as u64, 2];
    let values = faces.all_uvs().iter().flat_map(|uv| uv.to_array()).map(f64::to_le_bytes);
    write_array(zip, "uvs", ("<f8", &shape), values)
}

/// Writes one small array: its type and shape, and its values as bytes.
fn write_array<const N: usize>(
    zip: &mut Zip,
    name: &str,
    (kind, shape): (&str, &[u64]),
    values: impl Iterator<Item = [u8; N]>,
) -> Result<(), ExportError> {
    let mut bytes = npy::header(kind, shape);
    bytes.extend(values.flatten());
    let mut entry = zip.entry(&format!("{name}.npy"), bytes.len() as u64)?;
    entry.write(&bytes)?;
    entry.finish()
}
