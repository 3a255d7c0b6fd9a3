//! PC2 point cache: the positions of all frames in single precision, beside an OBJ of the first
//! frame that has the faces. With `cloth.pc2` comes `cloth-mesh.obj`.

use std::path::Path;

use super::frames;
use super::output::Output;
use super::point_cache::{beside_obj, write_points};
use super::{ExportError, Exported};
use crate::FrameSource;

/// Whole numbers beyond this have gaps in single precision, in which the start frame is stored.
const LAST_EXACT_FRAME: u32 = 1 << 24;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    beside_obj(source, to, |source, output| {
        let header = header(source, output)?;
        output.write(&header)?;
        write_points(source, "pc2", output, f32::to_le_bytes).map(|_| ())
    })
}

/// `POINTCACHE2`, version, points, first frame, frames from one sample to the next, samples.
fn header(source: &mut dyn FrameSource, output: &Output) -> Result<Vec<u8>, ExportError> {
    let start = *source.numbers().start();
    if start > LAST_EXACT_FRAME {
        let why = format!("it starts at frame {start}, the last it can is {LAST_EXACT_FRAME}");
        return Err(output.too_large(why));
    }
    let points = output.count(frames::first(source)?.positions.len(), "points")?;
    let samples = output.count(frames::count(source)?, "frames")?;
    let mut header = b"POINTCACHE2\0".to_vec();
    header.extend(1_i32.to_le_bytes());
    header.extend(points.to_le_bytes());
    header.extend((start as f32).to_le_bytes());
    header.extend(1_f32.to_le_bytes());
    header.extend(samples.to_le_bytes());
    Ok(header)
}
