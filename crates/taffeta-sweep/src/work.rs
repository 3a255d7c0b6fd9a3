//! The work of one task: its run, made or gone on with, and measured.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taffeta_io::cache::{CacheError, CacheReader, Holder, Survive, holder};
use taffeta_scene::Scene;
use taffeta_scene::run::{Ending, FrameReport, Mode, RunError, RunOptions, run};
use xxhash_rust::xxh3::xxh3_128;

use crate::measure::{Functions, Measured};
use crate::plan::Plan;
use crate::record::{Outcome, Record};
use crate::task::Task;

/// How long to wait for a worker that was told to stop and still has the folder.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// What is around a task.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The folder of the task's run.
    pub run: &'a Path,
    /// The most memory it may take \[bytes\].
    pub memory: u64,
    /// What this machine is called.
    pub machine: &'a str,
    /// Set from outside to stop at once.
    pub stop: &'a AtomicBool,
    /// Who calls functions of Python, if anybody can.
    pub functions: Option<&'a dyn Functions>,
}

/// Does a task, from where an earlier attempt left it; whatever goes wrong is in its record.
pub fn work(plan: &Plan, task: &Task, around: &Surroundings) -> Record {
    let begun = Instant::now();
    let done = attempt(plan, task, around);
    let seconds = begun.elapsed().as_secs_f64();
    let mut record = Record {
        task: task.clone(),
        state: Outcome::Failed,
        fingerprint: None,
        measures: Measured::new(),
        message: None,
        seconds,
        overhead: seconds,
        machine: around.machine.into(),
        again: None,
    };
    match done {
        Ok(Some(done)) => {
            record.state = Outcome::Done;
            record.fingerprint = Some(done.fingerprint);
            record.measures = done.measures;
            record.overhead = seconds - done.computing;
        }
        Ok(None) => record.state = Outcome::Stopped,
        Err(message) => record.message = Some(message),
    }
    record
}

struct Done {
    fingerprint: String,
    measures: Measured,
    /// Seconds in the phases of steps.
    computing: f64,
}

/// None if somebody asked to stop.
fn attempt(plan: &Plan, task: &Task, around: &Surroundings) -> Result<Option<Done>, String> {
    let words = |error: taffeta_scene::SceneError| {
        let told: Vec<&str> = error.problems().map(|problem| problem.message.as_str()).collect();
        told.join("; ")
    };
    let scene =
        Scene::resolve(&plan.scene_of(task).map_err(words)?, around.memory).map_err(words)?;
    let ending = make(&scene, around)?;
    if !ending.complete {
        return Ok(None);
    }
    let mut reader = CacheReader::open(around.run).map_err(|error| error.to_string())?;
    Ok(Some(Done {
        fingerprint: fingerprint(&reader)?,
        measures: plan.measures.take(&mut reader, (around.functions, &plan.base))?,
        computing: ending.summary.seconds.values().sum(),
    }))
}

fn make(scene: &Scene, around: &Surroundings) -> Result<Ending, String> {
    let folder = around.run;
    let begun = Instant::now();
    loop {
        let held = holder(folder).map_err(|error| error.to_string())? == Holder::Taffeta;
        let filled = held && CacheReader::open(folder).is_ok_and(|r| !r.frames().is_empty());
        // What cannot be gone on with, after a power failure say, is begun again.
        let mode = if filled { Mode::Resume } else { Mode::Overwrite };
        let options = RunOptions {
            folder,
            mode,
            last: None,
            stop: around.stop,
            survive: Survive::Crash,
            slow: None,
            dressing: None,
        };
        match run(scene, &options, &mut []) {
            Err(RunError::Cache(CacheError::Busy { .. }))
                if begun.elapsed() < PATIENCE && !around.stop.load(Ordering::Relaxed) =>
            {
                thread::sleep(PAUSE);
            }
            ending => return ending.map_err(|error| error.to_string()),
        }
    }
}

/// A fingerprint of the fingerprints of all frames.
fn fingerprint(reader: &CacheReader) -> Result<String, String> {
    let text = reader.report().map_err(|error| error.to_string())?;
    let hash = |line: &str| serde_json::from_str(line).map(|report: FrameReport| report.hash);
    let hashes: Result<Vec<String>, _> = text.lines().map(hash).collect();
    let hashes = hashes.map_err(|error| format!("the report cannot be read: {error}"))?;
    Ok(format!("{:032x}", xxh3_128(hashes.join("\n").as_bytes())))
}
