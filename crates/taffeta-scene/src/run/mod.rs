//! The run: from a scene to frames on disk, losing nothing on the way.

mod error;
mod frays;
mod report;
mod start;
mod survey;
mod tangles;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use taffeta::{Frame, Simulation, Tally};
use taffeta_io::cache::{CacheWriter, CachedFrame, Solids, Topology};

pub use error::RunError;
pub use frays::FrayReport;
pub(crate) use report::hash_text;
pub use report::{ContactReport, Crossing, FrameReport, Place, Summary};
pub use start::Mode;

use crate::resolve::Scene;
use start::Start;
use tangles::Tangles;

/// Somebody who watches the frames of a run: a progress bar, a live page, a renderer.
pub trait FrameSink {
    /// Sees a frame that is safely on disk.
    fn frame(
        &mut self,
        frame: &Frame,
        report: &FrameReport,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// How to run a scene.
#[derive(Debug)]
pub struct RunOptions<'a> {
    /// The folder of the frames.
    pub folder: &'a Path,
    /// What to do with frames that are there already.
    pub mode: Mode,
    /// The last frame to make now; without it, the scene's last.
    pub last: Option<u32>,
    /// Set from outside to stop after the current frame.
    pub stop: &'a AtomicBool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// What was done.
    pub summary: Summary,
    /// The last sound frame that was there before, if any.
    pub resumed_from: Option<u32>,
    /// The last frame on disk now.
    pub reached: u32,
    /// Whether all frames of the scene are there.
    pub complete: bool,
    /// What the user should know: what was damaged and is made good, say.
    pub notes: Vec<String>,
}

/// Runs a scene into a folder. Each frame is on disk before the next is begun.
pub fn run(
    scene: &Scene,
    options: &RunOptions,
    sinks: &mut [&mut (dyn FrameSink + Send)],
) -> Result<Ending, RunError> {
    let frames = scene.frames;
    let goal = options.last.unwrap_or(frames.last);
    if !(frames.first..=frames.last).contains(&goal) {
        let (first, last) = (frames.first, frames.last);
        return Err(RunError::NoSuchFrame { first, last, asked: goal });
    }
    let mut simulation = Simulation::new(scene.setup.clone())?;
    let Start { mut writer, resumed_from, mut notes } =
        start::start(scene, options, &mut simulation)?;
    let mut summary = Summary::default();
    let mut tangles = Tangles::default();
    if resumed_from.is_none() {
        writer.write_topology(&Topology::from(simulation.model()))?;
        writer.write_solids(&Solids(scene.setup.solids.clone()))?;
        let report = FrameReport::measure(&simulation, frames.first, &Tally::default());
        record(&mut writer, &simulation, &report, sinks)?;
        notes.extend(tangles.look(&report));
        summary.add(&report);
    }
    let mut reached = resumed_from.unwrap_or(frames.first);
    while reached < goal && !options.stop.load(Ordering::Relaxed) {
        let number = reached + 1;
        let tally = simulation
            .advance_to(frames.time(number))
            .map_err(|source| RunError::Step { frame: number, source })?;
        let report = FrameReport::measure(&simulation, number, &tally);
        record(&mut writer, &simulation, &report, sinks)?;
        notes.extend(tangles.look(&report));
        summary.add(&report);
        reached = number;
    }
    // An earlier run of this scene may have had more frames.
    let complete = reached >= frames.last;
    Ok(Ending { summary, resumed_from, reached, complete, notes })
}

/// Puts a frame on disk, then its line in the report, then shows it.
fn record(
    writer: &mut CacheWriter,
    simulation: &Simulation,
    report: &FrameReport,
    sinks: &mut [&mut (dyn FrameSink + Send)],
) -> Result<(), RunError> {
    let number = report.frame;
    let frame = simulation.frame(number);
    let revision = frame.revision;
    if !writer.has_topology(revision) {
        writer.write_topology(&Topology::from(simulation.model()))?;
    }
    writer.write_frame(&CachedFrame { number, revision, snapshot: simulation.snapshot() })?;
    writer.write_report(&line(report)?)?;
    for sink in sinks {
        sink.frame(&frame, report).map_err(|source| RunError::Sink { frame: number, source })?;
    }
    Ok(())
}

/// A frame's line in the report.
fn line(report: &FrameReport) -> Result<String, RunError> {
    let frame = report.frame;
    serde_json::to_string(report).map_err(|source| RunError::Report { frame, source })
}
