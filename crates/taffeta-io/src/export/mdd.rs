//! MDD point cache: the positions of all frames in single precision, big-endian, beside an OBJ
//! of the first frame that has the faces. With `cloth.mdd` comes `cloth-mesh.obj`.

use std::path::Path;

use super::frames;
use super::point_cache::{beside_obj, write_points};
use super::{ExportError, Exported};
use crate::FrameSource;

pub(super) fn write(source: &mut dyn FrameSource, to: &Path) -> Result<Exported, ExportError> {
    beside_obj(source, to, |source, output| {
        let points = output.count(frames::first(source)?.positions.len(), "points")?;
        let samples = output.count(frames::count(source)?, "frames")?;
        output.write(&samples.to_be_bytes())?;
        output.write(&points.to_be_bytes())?;
        // The times stand before the points but are known only after: room now, values later.
        for _ in source.numbers() {
            output.write(&[0; 4])?;
        }
        let times = write_points(source, "mdd", output, f32::to_be_bytes)?;
        let times: Vec<u8> = times.iter().flat_map(|time| (*time as f32).to_be_bytes()).collect();
        output.patch(8, &times)
    })
}
