//! Frames as another program wants them: with another axis up, or timed by its own clock.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use glam::DVec3;
use taffeta::{Frame, Solid};

use crate::{FrameSource, SourceError};

/// Which axis points up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As everywhere in Taffeta.
    #[default]
    Y,
    /// As in Blender and in CAD programs.
    Z,
}

impl UpAxis {
    /// Its name, as USD has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Y => "Y",
            Self::Z => "Z",
        }
    }

    pub(crate) fn turn(self, vector: DVec3) -> DVec3 {
        match self {
            Self::Y => vector,
            // A quarter turn about x; adding zero turns −0 into 0.
            Self::Z => DVec3::new(vector.x, -vector.z, vector.y) + DVec3::ZERO,
        }
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "y" | "Y" => Ok(Self::Y),
            "z" | "Z" => Ok(Self::Z),
            _ => Err("y or z points up".into()),
        }
    }
}

/// What another program wants of the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wishes {
    /// The axis that points up.
    pub up: UpAxis,
    /// Frames per second of the program that reads the file; without it, those of the run.
    pub fps: Option<f64>,
    /// Whether the solids are left out.
    pub cloth_only: bool,
}

/// Another source's frames, as somebody wants them.
pub struct Adapted<'a> {
    source: &'a mut dyn FrameSource,
    wishes: Wishes,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl<'a> Adapted<'a> {
    /// The frames of `source`, as wished for.
    pub fn new(source: &'a mut dyn FrameSource, wishes: Wishes) -> Self {
        Self { source, wishes, positions: Vec::new(), velocities: Vec::new() }
    }
}

impl FrameSource for Adapted<'_> {
    fn numbers(&self) -> RangeInclusive<u32> {
        self.source.numbers()
    }

    fn rate(&self) -> f64 {
        self.source.rate()
    }

    fn up(&self) -> UpAxis {
        self.wishes.up
    }

    fn codes_per_second(&self) -> f64 {
        self.wishes.fps.unwrap_or(self.source.rate())
    }

    fn bodies(&mut self) -> Result<Arc<Vec<Solid>>, SourceError> {
        if self.wishes.cloth_only { Ok(Arc::default()) } else { self.source.bodies() }
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        let frame = self.source.read(number)?;
        let turn = |&vector: &DVec3| self.wishes.up.turn(vector);
        self.positions.clear();
        self.positions.extend(frame.positions.iter().map(turn));
        self.velocities.clear();
        self.velocities.extend(frame.velocities.iter().map(turn));
        Ok(Frame { positions: &self.positions, velocities: &self.velocities, ..frame })
    }
}
