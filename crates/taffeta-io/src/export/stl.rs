//! STL, one binary file a frame.
//!
//! STL knows nothing but triangles, each with its own copy of its corners in single precision:
//! which corners are the same particle, quads, texture coordinates and units are not in the file.

use std::path::Path;

use taffeta::Frame;

use super::output::Output;
use super::sequence::write_sequence;
use super::{ExportError, Exported};
use crate::FrameSource;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    write_sequence(source, to, |frame, output| {
        let triangles = frame.faces.triangles().count();
        let Ok(count) = u32::try_from(triangles) else {
            return Err(output.too_large(format!("{triangles} triangles, it holds {}", u32::MAX)));
        };
        // A file that begins with "solid" would be taken for a text STL.
        output
            .write(format!("{:<80.80}", format!("Taffeta, frame {}", frame.number)).as_bytes())?;
        output.write(&count.to_le_bytes())?;
        for triangle in frame.faces.triangles() {
            write_triangle(frame, triangle, output)?;
        }
        Ok(())
    })
}

fn write_triangle(
    frame: &Frame,
    triangle: [u32; 3],
    output: &mut Output,
) -> Result<(), ExportError> {
    let [a, b, c] = triangle.map(|vertex| frame.positions[vertex as usize]);
    // A triangle without area gets the normal 0, which readers replace by their own.
    let normal = (b - a).cross(c - a).normalize_or_zero();
    for at in [normal, a, b, c] {
        for value in at.as_vec3().to_array() {
            output.write(&value.to_le_bytes())?;
        }
    }
    output.write(&[0; 2])
}
