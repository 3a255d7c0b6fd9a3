//! What the point cache formats share: points frame by frame, and an OBJ beside them.

use std::path::Path;

use taffeta::Frame;

use super::frames::{self, OneMesh};
use super::output::Output;
use super::{ExportError, Exported, obj};
use crate::FrameSource;

/// Writes a point cache, then the OBJ of its first frame under a name of its own: `cloth.pc2` goes
/// with `cloth-mesh.obj`, so that a `cloth.obj` the cache was made from stays as it is.
pub(super) fn beside_obj(
    source: &mut dyn FrameSource,
    to: &Path,
    write_cache: impl FnOnce(&mut dyn FrameSource, &mut Output) -> Result<(), ExportError>,
) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let mut cache = Output::create(to)?;
    write_cache(source, &mut cache)?;
    let stem = to.file_stem().unwrap_or_default().to_string_lossy();
    let mut mesh = Output::create(&to.with_file_name(format!("{stem}-mesh.obj")))?;
    // Objects would be read one by one, and their vertices renumbered.
    let whole = Frame { cloths: &[], ..frames::first(source)? };
    obj::write_frame(&whole, &mut mesh)?;
    let files = vec![cache.finish()?, mesh.finish()?];
    Ok(Exported { files, frames: count })
}

/// Writes the positions of all frames in single precision; returns the frames' times \[s\].
pub(super) fn write_points(
    source: &mut dyn FrameSource,
    extension: &'static str,
    output: &mut Output,
    to_bytes: fn(f32) -> [u8; 4],
) -> Result<Vec<f64>, ExportError> {
    let mesh = OneMesh::of(&frames::first(source)?, extension);
    let mut times = Vec::with_capacity(frames::count(source)?);
    for number in source.numbers() {
        let frame = frames::read(source, number)?;
        mesh.check(&frame)?;
        times.push(frame.time);
        let values = frame.positions.iter().flat_map(|at| at.as_vec3().to_array());
        output.write(&values.flat_map(to_bytes).collect::<Vec<u8>>())?;
    }
    Ok(times)
}
