//! The recorder: a thread that puts frames on disk while the next one is computed.
//!
//! Frames go to it one at a time, in their order, and it takes one only when it is done with the one
//! before; so no more than two are ever on their way, and those on disk have no gap.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{panic, thread};

use taffeta::{Frame, Model, Simulation, Snapshot, Tally};
use taffeta_io::cache::{CacheWriter, CachedFrame, Topology};

use super::report::{FrameReport, hash_text};
use super::summary::Summary;
use super::tangles::Tangles;
use super::{FrameSink, RunError};
use crate::starts::Warning;

/// What is to be recorded of a frame.
pub struct Made {
    pub report: FrameReport,
    snapshot: Snapshot,
    /// The cloth, if it is another than that of the frame before.
    model: Option<Box<Model>>,
}

impl Made {
    /// What a simulation has come to; `revision` is that of the cloth in the frame before.
    pub fn of(
        simulation: &Simulation,
        number: u32,
        tally: &Tally,
        revision: &mut Option<u64>,
    ) -> Self {
        let model = simulation.model();
        let changed = revision.replace(model.revision()) != Some(model.revision());
        Self {
            report: FrameReport::measure(simulation, number, Some(tally)),
            snapshot: simulation.snapshot(),
            model: changed.then(|| Box::new(model.clone())),
        }
    }
}

/// What was recorded.
#[derive(Default)]
pub struct Recorded {
    /// All frames together.
    pub summary: Summary,
    /// What the user should know.
    pub notes: Vec<String>,
    /// The last of them.
    pub reached: Option<u32>,
}

/// Takes frames from the simulation to the recorder.
pub struct Desk {
    recorder: SyncSender<Made>,
    revision: Option<u64>,
    /// What the report of the next frame says of how the run begins.
    pub warnings: Vec<Warning>,
}

impl Desk {
    /// Hands a frame over, as soon as the one before it is on disk. Tells whether there is any use
    /// in more: a recorder that failed takes none.
    pub fn hand_over(&mut self, simulation: &Simulation, number: u32, tally: &Tally) -> bool {
        let mut made = Made::of(simulation, number, tally, &mut self.revision);
        made.report.warnings = std::mem::take(&mut self.warnings);
        self.recorder.send(made).is_ok()
    }
}

/// Records the frames that `make` hands over, beside it. When this returns, all of them are on disk,
/// whether or not `make` came to a good end.
pub fn record(
    writer: CacheWriter,
    sinks: &mut [&mut (dyn FrameSink + Send)],
    make: impl FnOnce(&mut Desk) -> Result<(), RunError>,
) -> Result<Recorded, RunError> {
    // Nothing waits in the channel: a frame is handed from one to the other.
    let (sender, receiver) = sync_channel(0);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("recorder".into());
        let recording = thread.spawn_scoped(scope, move || record_all(receiver, writer, sinks));
        let recording = recording.map_err(RunError::Thread)?;
        let mut desk = Desk { recorder: sender, revision: None, warnings: Vec::new() };
        let made = make(&mut desk);
        drop(desk);
        let recorded = recording.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        made.map(|()| recorded)
    })
}

fn record_all(
    frames: Receiver<Made>,
    writer: CacheWriter,
    sinks: &mut [&mut (dyn FrameSink + Send)],
) -> Result<Recorded, RunError> {
    let (mut recorder, mut recorded) = (Recorder::new(writer), Recorded::default());
    let mut tangles = Tangles::default();
    for made in frames {
        let report = recorder.put(made, sinks)?;
        recorded.notes.extend(tangles.look(&report));
        recorded.summary.add(&report);
        recorded.reached = Some(report.frame);
    }
    recorded.notes.extend(tangles.end());
    Ok(recorded)
}

/// Puts frames on disk, one after the other.
pub struct Recorder {
    pub writer: CacheWriter,
    /// The cloth of the frame before.
    cloth: Option<Box<Model>>,
}

impl Recorder {
    pub fn new(writer: CacheWriter) -> Self {
        Self { writer, cloth: None }
    }

    /// Puts a frame on disk and shows it; tells its report, with its fingerprint.
    pub fn put(
        &mut self,
        Made { mut report, snapshot, model }: Made,
        sinks: &mut [&mut (dyn FrameSink + Send)],
    ) -> Result<FrameReport, RunError> {
        if let Some(model) = model {
            if !self.writer.has_topology(model.revision()) {
                self.writer.write_topology(&Topology::from(&*model))?;
            }
            self.cloth = Some(model);
        }
        let revision = self.cloth.as_ref().map_or(0, |model| model.revision());
        let frame = CachedFrame { number: report.frame, revision, snapshot };
        report.hash = hash_text(self.writer.write_frame(&frame)?);
        self.writer.write_report(&super::line(&report)?)?;
        if let Some(model) = &self.cloth {
            show(model, &frame, &report, sinks)?;
        }
        Ok(report)
    }
}

/// Shows a frame that is on disk.
fn show(
    model: &Model,
    CachedFrame { number, revision, snapshot }: &CachedFrame,
    report: &FrameReport,
    sinks: &mut [&mut (dyn FrameSink + Send)],
) -> Result<(), RunError> {
    let frame = Frame {
        number: *number,
        time: snapshot.state.time,
        revision: *revision,
        faces: model.faces(),
        positions: &snapshot.state.positions,
        velocities: &snapshot.state.velocities,
        yarns: model.yarns(),
        cloths: model.cloths(),
    };
    for sink in sinks {
        let shown = sink.frame(&frame, report);
        shown.map_err(|source| RunError::Sink { frame: *number, source })?;
    }
    Ok(())
}
