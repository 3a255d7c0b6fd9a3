//! Animated WebP: still pictures, strung together as the container specification says.

use std::path::{Path, PathBuf};

use super::{Created, Output, Plan, Ticks, Writer};
use crate::error::RenderError;
use crate::picture::Picture;

struct WebP {
    output: Output,
    size: [u32; 2],
    ticks: Ticks,
}

/// Quality of the lossy pictures, 0 to 100: folds without visible blocks.
const QUALITY: f32 = 88.0;
/// The longest side the format has room for.
const LONGEST: u32 = 16383;
/// Marks a file as an animation.
const ANIMATION: u8 = 0b10;
/// A picture replaces what was there instead of being blended with it.
const REPLACE: u8 = 0b10;

pub(super) fn create(path: &Path, plan: &Plan) -> Created {
    let mut output = Output::create(path)?;
    if let Some(side) = plan.size.iter().find(|side| **side > LONGEST) {
        let why = format!("a WebP has at most {LONGEST} pixels a side, not {side}");
        return Err(output.refuse(why));
    }
    output.append(b"RIFF\0\0\0\0WEBP")?;
    let mut canvas = vec![ANIMATION, 0, 0, 0];
    plan.size.iter().for_each(|side| canvas.extend(three_bytes(side - 1)));
    append_chunk(&mut output, *b"VP8X", &canvas)?;
    // Background colour, then the number of repeats: for ever.
    append_chunk(&mut output, *b"ANIM", &[255, 255, 255, 255, 0, 0])?;
    Ok(Box::new(WebP { output, size: plan.size, ticks: Ticks::new(plan.rate, 1000.0) }))
}

impl Writer for WebP {
    fn add(&mut self, _number: u32, picture: &Picture) -> Result<(), RenderError> {
        let encoder = webp::Encoder::from_rgb(&picture.bytes, picture.width, picture.height);
        let still = encoder
            .encode_simple(false, QUALITY)
            .map_err(|error| self.output.refuse(format!("the encoder failed: {error:?}")))?;
        // A simple WebP file is a header of twelve bytes and one chunk with the picture.
        let chunk = still.get(12..).unwrap_or_default();
        let mut frame = vec![0; 6];
        self.size.iter().for_each(|side| frame.extend(three_bytes(side - 1)));
        frame.extend(three_bytes(u32::try_from(self.ticks.next()).unwrap_or(u32::MAX)));
        frame.push(REPLACE);
        frame.extend_from_slice(chunk);
        append_chunk(&mut self.output, *b"ANMF", &frame)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, RenderError> {
        let size = u32::try_from(self.output.written() - 8)
            .map_err(|_| self.output.refuse("a WebP holds at most 4 GiB; write fewer frames"))?;
        self.output.patch(4, &size.to_le_bytes())?;
        Ok(vec![self.output.finish()?])
    }
}

fn three_bytes(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

fn append_chunk(output: &mut Output, name: [u8; 4], content: &[u8]) -> Result<(), RenderError> {
    output.append(&name)?;
    output.append(&(content.len() as u32).to_le_bytes())?;
    output.append(content)?;
    if content.len() % 2 == 1 { output.append(&[0]) } else { Ok(()) }
}
