//! A run whose simulation somebody else steps: frames are put on disk as they are handed over, by a
//! thread of its own, each while the next is computed.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use taffeta::{Simulation, Tally};
use taffeta_io::cache::{CacheReader, CacheWriter, Claim, Manifest};

use super::recorder::{Made, Recorder};
use super::start::manifest;
use super::{Ending, FrameReport, RunError, RunOptions, run};
use crate::resolve::Scene;

/// A run's folder that takes frame after frame.
pub struct Recording {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
    written: Written,
    revision: Option<u64>,
    /// The last frame that was handed over.
    last: u32,
}

/// What the thread is to write.
enum Order {
    Frame(Box<Made>),
    Description(Box<(Manifest, String)>),
}

/// Tells when all that was handed over is on disk.
#[derive(Clone, Default)]
pub struct Written(Arc<(Mutex<Progress>, Condvar)>);

#[derive(Default)]
struct Progress {
    pending: u32,
    failure: Option<RunError>,
}

impl Recording {
    /// Makes the frames of a scene up to `options.last` as [`run`] does, and takes those that
    /// follow.
    pub fn begin(scene: &Scene, options: &RunOptions) -> Result<(Self, Ending), RunError> {
        let ending = run(scene, options, &mut [])?;
        let claim = Claim::take_to(options.folder, options.survive)?;
        let recorder = Recorder::new(CacheWriter::reopen(claim)?);
        let frames = CacheReader::open(options.folder)?.frames().last().copied();
        let last = frames.unwrap_or(scene.frames.first);
        // Nothing waits in the channel: a frame is handed from one to the other.
        let (orders, receiver) = sync_channel(0);
        let written = Written::default();
        let own = written.clone();
        let thread = thread::Builder::new().name("recorder".into());
        let thread = thread.spawn(move || write_all(recorder, &receiver, &own));
        let thread = Some(thread.map_err(RunError::Thread)?);
        Ok((Self { orders: Some(orders), thread, written, revision: None, last }, ending))
    }

    /// Hands a frame over, as soon as the one before it is on disk, and tells its report, all but its
    /// fingerprint. One that is there already has the same bits, and stays.
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
        let report = made.report.clone();
        self.order(Order::Frame(Box::new(made)))?;
        self.last = number;
        Ok(Some(report))
    }

    /// Says what the run is to become: more or fewer frames, say.
    pub fn describe(&mut self, scene: &Scene) -> Result<(), RunError> {
        let description = (manifest(scene), scene.effective.clone());
        self.order(Order::Description(Box::new(description)))
    }

    /// Waits until all that was handed over is on disk; an error if some of it cannot be.
    pub fn settle(&self) -> Result<(), RunError> {
        self.written.wait();
        self.written.progress().failure.take().map_or(Ok(()), Err)
    }

    /// Tells when all that was handed over is on disk.
    pub fn written(&self) -> Written {
        self.written.clone()
    }

    fn order(&self, order: Order) -> Result<(), RunError> {
        let mut progress = self.written.progress();
        if let Some(failure) = progress.failure.take() {
            return Err(failure);
        }
        progress.pending += 1;
        drop(progress);
        // The thread takes orders, in vain once it has failed, until this goes away.
        let _ = self.orders.as_ref().map(|orders| orders.send(order));
        Ok(())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.orders = None;
        // Whoever waits is told what failed; a panic was told on its way.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Written {
    /// Waits until all that was handed over is on disk, or has failed.
    pub fn wait(&self) {
        let mut progress = self.progress();
        while progress.pending > 0 {
            progress = self.0.1.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_all(mut recorder: Recorder, orders: &Receiver<Order>, written: &Written) {
    let mut failed = false;
    for order in orders {
        let done = match order {
            // Frames after one that is lost would leave a gap.
            _ if failed => Ok(()),
            Order::Frame(made) => recorder.put(*made, &mut []).map(drop),
            Order::Description(described) => {
                let (manifest, text) = *described;
                recorder.writer.describe(&manifest, &text).map(drop).map_err(RunError::from)
            }
        };
        let mut progress = written.progress();
        progress.pending -= 1;
        if let Err(failure) = done {
            failed = true;
            progress.failure = Some(failure);
        }
        written.0.1.notify_all();
    }
}
