//! A run whose simulation somebody else steps: frames are put on disk as they are handed over.

use std::path::Path;

use taffeta::{Simulation, Tally};
use taffeta_io::cache::{CacheReader, CacheWriter, Claim};

use super::recorder::{Made, Recorder};
use super::start::manifest;
use super::{Ending, FrameReport, RunError, RunOptions, run};
use crate::resolve::Scene;

/// A run's folder that takes frame after frame.
pub struct Recording {
    recorder: Recorder,
    revision: Option<u64>,
    /// The last frame that is there.
    last: u32,
}

impl Recording {
    /// Makes the frames of a scene up to `options.last` as [`run`] does, and takes those that
    /// follow.
    pub fn begin(scene: &Scene, options: &RunOptions) -> Result<(Self, Ending), RunError> {
        let ending = run(scene, options, &mut [])?;
        let recorder = Recorder::new(CacheWriter::reopen(Claim::take(options.folder)?)?);
        let last = Self::last_in(options.folder)?.unwrap_or(scene.frames.first);
        Ok((Self { recorder, revision: None, last }, ending))
    }

    fn last_in(folder: &Path) -> Result<Option<u32>, RunError> {
        Ok(CacheReader::open(folder)?.frames().last().copied())
    }

    /// Puts a frame on disk and tells its report. One that is there already has the same bits, and
    /// stays.
    pub fn add(
        &mut self,
        simulation: &Simulation,
        number: u32,
        tally: &Tally,
    ) -> Result<Option<FrameReport>, RunError> {
        if number <= self.last {
            return Ok(None);
        }
        let made = Made::of(simulation, number, tally, &mut self.revision);
        let report = self.recorder.put(made, &mut [])?;
        self.last = number;
        Ok(Some(report))
    }

    /// Says what the run is to become: more or fewer frames, say.
    pub fn describe(&mut self, scene: &Scene) -> Result<(), RunError> {
        self.recorder.writer.describe(&manifest(scene), &scene.effective)?;
        Ok(())
    }
}
