//! Where exporters get their frames from.

use std::ops::RangeInclusive;

use taffeta::Frame;

/// A run of frames that can be read one by one, in any order.
pub trait FrameSource {
    /// The numbers of the frames, without gaps.
    fn numbers(&self) -> RangeInclusive<u32>;

    /// Frames per second.
    fn rate(&self) -> f64;

    /// Reads one frame; it lives until the next is read.
    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError>;
}

/// A frame could not be read.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;
