//! The run: from a scene to frames on disk, losing nothing on the way.

mod dressed;
mod error;
mod frays;
mod recorder;
mod recording;
mod report;
mod start;
mod summary;
mod survey;
mod tangles;
mod watch;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use taffeta::{Frame, Simulation, StepError, Tally};
use taffeta_garment::Progress;
use taffeta_io::cache::{Solids, Survive};

pub use error::RunError;
pub use frays::FrayReport;
pub use recording::{Recording, Written};
pub use report::{ContactReport, Crossing, FrameReport, Place, hash_text};
pub use start::Mode;
pub use summary::Summary;
pub use watch::Slow;

use crate::resolve::Scene;
use dressed::Ready;
use recorder::{Desk, Recorded};
use start::Start;
use watch::Pace;

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
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The folder of the frames.
    pub folder: &'a Path,
    /// What to do with frames that are there already.
    pub mode: Mode,
    /// The last frame to make now; without it, the scene's last.
    pub last: Option<u32>,
    /// Set from outside to stop at once: the frame that is being computed is given up.
    pub stop: &'a AtomicBool,
    /// What the frames survive.
    pub survive: Survive,
    /// Hears of a frame that takes far longer than others, while it does.
    pub slow: Option<&'a (dyn Fn(&Slow) + Sync)>,
    /// Hears how far a garment is put on, before the first frame.
    pub dressing: Option<&'a (dyn Fn(&Progress) + Sync)>,
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

/// Runs a scene into a folder. Frames are put on disk in their order, each while the next is
/// computed.
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
    let claim = start::take_folder(options)?;
    let Ready { scene, dressed, notes: of_dressing } = dressed::ready(scene, options)?;
    let scene = &*scene;
    let mut simulation = Simulation::new(scene.setup.clone())?;
    let Start { mut writer, resumed_from, mut notes } =
        start::start(scene, (claim, options), &mut simulation)?;
    notes.extend(of_dressing);
    if let Some(dressed) = dressed.filter(|_| !writer.has_dressed()) {
        writer.write_dressed(&dressed)?;
    }
    if resumed_from.is_none() {
        writer.write_solids(&Solids(scene.setup.solids.clone()))?;
    }
    let pace = Pace::new(simulation.signal());
    let Recorded { summary, notes: more, reached } = recorder::record(writer, sinks, |desk| {
        watch::beside(&pace, options, || {
            make(scene, options, (&mut simulation, resumed_from), (desk, &pace))
        })
    })?;
    notes.extend(more);
    let reached = reached.or(resumed_from).unwrap_or(frames.first);
    // An earlier run of this scene may have had more frames.
    let complete = reached >= frames.last;
    Ok(Ending { summary, resumed_from, reached, complete, notes })
}

/// Computes frame after frame, from the first or from those that are there.
fn make(
    scene: &Scene,
    options: &RunOptions,
    (simulation, resumed_from): (&mut Simulation, Option<u32>),
    (desk, pace): (&mut Desk, &Pace),
) -> Result<(), RunError> {
    let frames = scene.frames;
    let goal = options.last.unwrap_or(frames.last);
    let mut reached = resumed_from.unwrap_or(frames.first);
    if resumed_from.is_none() {
        desk.warnings.clone_from(&scene.warnings);
    }
    let mut wanted =
        resumed_from.is_some() || desk.hand_over(simulation, reached, &Tally::default());
    while wanted && reached < goal && !options.stop.load(Ordering::Relaxed) {
        reached += 1;
        pace.begin(reached);
        let tally = match simulation.advance_to(frames.time(reached)) {
            Err(StepError::Stopped { .. }) => return Ok(()),
            // What was given up half way may look hopeless.
            Err(_) if options.stop.load(Ordering::Relaxed) => return Ok(()),
            made => made.map_err(|source| RunError::Step { frame: reached, source })?,
        };
        wanted = desk.hand_over(simulation, reached, &tally);
    }
    Ok(())
}

/// A frame's line in the report.
fn line(report: &FrameReport) -> Result<String, RunError> {
    let frame = report.frame;
    serde_json::to_string(report).map_err(|source| RunError::Report { frame, source })
}
