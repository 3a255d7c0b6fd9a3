//! glTF in one binary file: the first frame as a mesh, every later frame as a morph target, and an
//! animation that blends from each to the next; the same for each of several cloths and for solids.
//!
//! The document comes before the numbers and must state the bounds of each target, so the frames
//! are read twice; no more than one is held at a time. Time starts at zero. Quads become
//! triangles, and vertices are doubled along texture seams only. Metres, y up, as glTF demands.

mod document;
mod rest;
mod sizes;

use std::path::Path;

use glam::Vec3;

use self::document::{Document, Part};
use self::rest::Rest;
use self::sizes::{Sizes, file_length, padding};
use super::objects::{Single, objects};
use super::output::Output;
use super::{ExportError, Exported, frames, singles};
use crate::FrameSource;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    let count = frames::count(source)?;
    let (first, rate) = (*source.numbers().start(), source.rate());
    let objects = objects(source, "cloth")?;
    let mut parts = Vec::new();
    for object in &objects {
        let mut source = Single::new(source, object);
        let rest = Rest::of(&frames::read(&mut source, first)?);
        let sizes = Sizes::new(&rest.points, frames::count(&source)?);
        if sizes.indices == 0 {
            return Err(ExportError::EmptyMesh { extension: "glb" });
        }
        sizes.file_length(to, 0)?;
        let bounds = bounds(&mut source, &rest)?;
        parts.push((Part { name: &object.name, sizes, bounds }, rest));
    }
    let (parts, rests): (Vec<Part>, Vec<Rest>) = parts.into_iter().unzip();
    let document = Document { parts: &parts, first, rate };
    let mut json = document.into_json().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = file_length(parts.iter().map(|part| &part.sizes), to, json.len())?;
    let binary = parts.iter().map(|part| part.sizes.binary()).sum::<u64>();

    let mut output = Output::create(to)?;
    write_headers(&mut output, length, &json, binary as u32)?;
    for (object, rest) in objects.iter().zip(rests) {
        let mut source = Single::new(source, object);
        rest.write_topology(&mut output)?;
        write_animation(&mut output, frames::count(&source)?, rate)?;
        for number in source.numbers() {
            rest.write_displaced(&mut output, &frames::read(&mut source, number)?)?;
        }
    }
    Ok(Exported { files: vec![output.finish()?], frames: count })
}

/// The bounds of what is written for each frame's positions; this reads and checks every frame.
fn bounds(source: &mut dyn FrameSource, rest: &Rest) -> Result<Vec<[Vec3; 2]>, ExportError> {
    let numbers = source.numbers();
    let bounds_of = |number| {
        let frame = frames::read(source, number)?;
        rest.one_mesh.check(&frame)?;
        Ok(singles::bounds(rest.positions(&frame)))
    };
    numbers.map(bounds_of).collect()
}

/// The file's header, the document, and the header of the binary part.
fn write_headers(
    output: &mut Output,
    file_length: u32,
    json: &[u8],
    binary_length: u32,
) -> Result<(), ExportError> {
    output.write(b"glTF")?;
    output.write(&2_u32.to_le_bytes())?;
    output.write(&file_length.to_le_bytes())?;
    output.write(&(json.len() as u32).to_le_bytes())?;
    output.write(b"JSON")?;
    output.write(json)?;
    output.write(&binary_length.to_le_bytes())?;
    output.write(b"BIN\0")
}

/// Writes the key times, and at each the weights of all targets: one for the target of that frame,
/// zero for the others.
///
/// Weights are normalised bytes. Their number grows with the square of the frames, yet stays below
/// the targets themselves until there are 24 times more frames than vertices.
fn write_animation(output: &mut Output, count: usize, rate: f64) -> Result<(), ExportError> {
    let targets = count - 1;
    if targets == 0 {
        return Ok(());
    }
    for key in 0..count {
        output.write(&((key as f64 / rate) as f32).to_le_bytes())?;
    }
    for key in 0..count {
        let mut weights = vec![0; targets];
        if let Some(target) = key.checked_sub(1) {
            weights[target] = u8::MAX;
        }
        output.write(&weights)?;
    }
    output.write(&[0; 3][..padding(count * targets)])
}
