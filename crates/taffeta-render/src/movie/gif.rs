//! Animated GIF: a palette for each picture.

use std::path::{Path, PathBuf};

use gif::{Encoder, Frame, Repeat};

use super::{Created, Output, Plan, Ticks, Writer};
use crate::error::RenderError;
use crate::picture::Picture;

struct Gif {
    encoder: Encoder<Output>,
    size: [u16; 2],
    ticks: Ticks,
}

/// How coarsely colours are sampled for the palette, 1 to 30.
const SPEED: i32 = 10;

pub(super) fn create(path: &Path, plan: &Plan) -> Created {
    let output = Output::create(path)?;
    let side = |side: u32| {
        u16::try_from(side).map_err(|_| {
            output.refuse(format!("a GIF has at most 65535 pixels a side, not {side}"))
        })
    };
    let size = [side(plan.size[0])?, side(plan.size[1])?];
    let fail = |error: gif::EncodingError| RenderError::Encode {
        path: path.into(),
        why: error.to_string(),
    };
    let mut encoder = Encoder::new(output, size[0], size[1], &[]).map_err(fail)?;
    encoder.set_repeat(Repeat::Infinite).map_err(fail)?;
    Ok(Box::new(Gif { encoder, size, ticks: Ticks::new(plan.rate, 100.0) }))
}

impl Writer for Gif {
    fn add(&mut self, _number: u32, picture: &Picture) -> Result<(), RenderError> {
        let mut frame = Frame::from_rgb_speed(self.size[0], self.size[1], &picture.bytes, SPEED);
        frame.delay = u16::try_from(self.ticks.next()).unwrap_or(u16::MAX);
        let written = self.encoder.write_frame(&frame);
        written.map_err(|error| self.encoder.get_ref().refuse(error.to_string()))
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, RenderError> {
        let path = PathBuf::new();
        let output = self
            .encoder
            .into_inner()
            .map_err(|error| RenderError::Encode { path, why: error.to_string() })?;
        Ok(vec![output.finish()?])
    }
}
