//! Where exporters get their frames from.

use std::ops::RangeInclusive;
use std::sync::Arc;

use taffeta::{Frame, Solid};

use crate::UpAxis;

/// A run of frames that can be read one by one, in any order.
pub trait FrameSource {
    /// The numbers of the frames, without gaps.
    fn numbers(&self) -> RangeInclusive<u32>;

    /// Frames per second.
    fn rate(&self) -> f64;

    /// The axis that points up.
    fn up(&self) -> UpAxis {
        UpAxis::Y
    }

    /// Time codes a second, in formats that count time in frames of the program that reads them.
    fn codes_per_second(&self) -> f64 {
        self.rate()
    }

    /// The solids that the cloth met, from which they are known at any time.
    fn bodies(&mut self) -> Result<Arc<Vec<Solid>>, SourceError> {
        Ok(Arc::default())
    }

    /// Reads one frame; it lives until the next is read.
    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError>;
}

/// A frame could not be read.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// A part of another source's frames.
pub struct Excerpt<'a> {
    source: &'a mut dyn FrameSource,
    numbers: RangeInclusive<u32>,
}

impl<'a> Excerpt<'a> {
    /// The frames of `source` with these numbers; none if the source lacks one of them.
    pub fn new(source: &'a mut dyn FrameSource, numbers: RangeInclusive<u32>) -> Option<Self> {
        let all = source.numbers();
        let inside =
            !numbers.is_empty() && all.start() <= numbers.start() && numbers.end() <= all.end();
        inside.then_some(Self { source, numbers })
    }
}

impl FrameSource for Excerpt<'_> {
    fn numbers(&self) -> RangeInclusive<u32> {
        self.numbers.clone()
    }

    fn rate(&self) -> f64 {
        self.source.rate()
    }

    fn bodies(&mut self) -> Result<Arc<Vec<Solid>>, SourceError> {
        self.source.bodies()
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        self.source.read(number)
    }
}
