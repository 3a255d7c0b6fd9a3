//! A scene being simulated from a program: frames, steps, states and the run it is saved to. What
//! Python sees of it is `simulation.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use taffeta::{Signal, Simulation, StepError, Tally};
use taffeta_io::cache::{CacheReader, CachedFrame, Holder, Survive, holder, state_hash};
use taffeta_scene::run::{FrameReport, Mode, Recording, RunOptions, Written, hash_text};
use taffeta_scene::{Scene, SceneError};

use crate::source::Source;
use crate::views::Looked;

/// Times closer together than this are the same frame's [s].
const MOMENT: f64 = 1e-9;

/// What can go wrong, by the exception it becomes.
pub enum Problem {
    Scene(SceneError),
    Input(String),
    Simulation(String),
    Run(String),
}

/// What is being simulated.
pub struct Driver {
    source: Source,
    /// The most that the simulation may take [bytes].
    memory: u64,
    pub scene: Scene,
    pub looked: Looked,
    /// The last frame that was reached.
    pub frame: u32,
    /// Whether it came here by more than its scene: by forces, leads, single steps, or from a state.
    driven: bool,
    /// The fingerprint of the state it started from.
    start: u64,
    recording: Option<(PathBuf, Recording)>,
}

impl Driver {
    pub fn new(source: Source, memory: u64) -> Result<Self, Problem> {
        let mut scene = resolve(&source, memory)?;
        scene
            .dress(&AtomicBool::new(false), &mut |_| {})
            .map_err(|error| Problem::Simulation(error.to_string()))?;
        let simulation =
            Simulation::new(scene.setup.clone()).map_err(|e| Problem::Simulation(e.to_string()))?;
        let (frame, start) = (scene.frames.first, state_hash(&simulation.snapshot()));
        let looked = Looked::new(simulation);
        Ok(Self { source, memory, scene, looked, frame, driven: false, start, recording: None })
    }

    pub fn signal(&self) -> Arc<Signal> {
        self.looked.still().signal()
    }

    pub fn time(&self) -> f64 {
        self.looked.still().state().time
    }

    pub fn fingerprint(&self) -> String {
        hash_text(state_hash(&self.looked.still().snapshot()))
    }

    /// Plans so many more frames at a rate, as if the scene said so; tells how many. Without a
    /// number, those that the scene has left.
    pub fn plan(&mut self, rate: Option<f64>, count: Option<u32>) -> Result<u32, Problem> {
        let (frames, begun) = (self.scene.frames, self.frame > self.scene.frames.first);
        let mut source = self.source.clone();
        let other_rate = rate.is_some_and(|rate| rate != frames.rate);
        if let (Some(rate), true) = (rate, other_rate) {
            if begun || self.driven || self.recording.is_some() {
                let known = frames.rate;
                return Err(Problem::Input(format!(
                    "this simulation has begun with {known} frames a second and cannot go on with \
                     {rate}; say rate before the first frame"
                )));
            }
            source.set("frames.rate", format!("{rate:?}"));
        }
        if let Some(count) = count {
            let all = (self.frame - frames.first).checked_add(count);
            let all = all.ok_or_else(|| Problem::Input(format!("{count} frames are too many")))?;
            source.set("frames.count", all.to_string());
        }
        if other_rate {
            // Steps may depend on it, so all is built again.
            *self = Self::new(source, self.memory)?;
        } else if count.is_some() {
            let file = source.read().map_err(Problem::Scene)?;
            (self.scene.frames, self.scene.effective) = (file.frames, file.effective);
            self.source = source;
            let identity = self.identity();
            if let Some((folder, recording)) = &mut self.recording {
                let mut scene = kept_at(&self.scene, &self.source, folder);
                scene.identity = identity;
                recording.describe(&scene).map_err(|e| Problem::Run(e.to_string()))?;
            }
        }
        Ok(self.scene.frames.last.saturating_sub(self.frame))
    }

    /// Goes on to the next frame and tells what is reported of it. If that fails or is stopped, all
    /// is as it was at the frame before.
    pub fn next_frame(&mut self) -> Result<FrameReport, Problem> {
        let (frames, now) = (self.scene.frames, self.time());
        let on_frame = now == frames.time(self.frame);
        let number = match on_frame {
            true => self.frame.checked_add(1),
            false => Some(frames.first + ((now + MOMENT) * frames.rate).floor() as u32 + 1),
        };
        let Some(number) = number else {
            return Err(Problem::Input("there are no more numbers for frames".into()));
        };
        let before = self.looked.still().snapshot();
        let simulation = self.looked.moving();
        let tally = match simulation.advance_to(frames.time(number)) {
            Ok(tally) => tally,
            Err(error) => {
                let back = simulation.restore(&before);
                let lost = back.err().map_or(String::new(), |e| format!("; and then {e}"));
                let words = match error {
                    StepError::Stopped { .. } => error.to_string(),
                    _ => format!("frame {number} could not be made: {error}"),
                };
                return Err(Problem::Simulation(words + &lost));
            }
        };
        self.frame = number;
        self.record(number, &tally)
    }

    fn record(&mut self, number: u32, tally: &Tally) -> Result<FrameReport, Problem> {
        let simulation = self.looked.still();
        if let Some((_, recording)) = &mut self.recording {
            let made = recording.add(simulation, number, tally);
            if let Some(report) = made.map_err(|e| Problem::Run(e.to_string()))? {
                return Ok(report);
            }
        }
        Ok(FrameReport::measure(simulation, number, Some(tally)))
    }

    /// Waits until the frames so far are saved, if they are to be.
    pub fn settle(&mut self) -> Result<(), Problem> {
        let settled = self.recording.as_ref().map_or(Ok(()), |(_, recording)| recording.settle());
        settled.map_err(|error| Problem::Run(error.to_string()))
    }

    /// Goes on for some time [s], whether or not that ends at a frame.
    pub fn step(&mut self, seconds: f64) -> Result<(), Problem> {
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(Problem::Input(format!("a step of {seconds} s makes no sense")));
        }
        self.drive("step")?;
        let end = self.time() + seconds;
        let made = self.looked.moving().advance_to(end);
        let (frames, now) = (self.scene.frames, self.time());
        self.frame = frames.first + ((now + MOMENT) * frames.rate).floor() as u32;
        made.map(drop).map_err(|error| Problem::Simulation(error.to_string()))
    }

    pub fn set_forces(&mut self, forces: &[DVec3]) -> Result<(), Problem> {
        self.drive("set_forces")?;
        let set = self.looked.moving().set_forces(forces);
        set.map_err(|error| Problem::Input(error.to_string()))
    }

    pub fn set_targets(&mut self, pin: usize, to: &[DVec3], seconds: f64) -> Result<(), Problem> {
        self.drive("set_targets")?;
        let until = self.time() + seconds;
        let led = self.looked.moving().lead_pin(pin, to, until);
        led.map_err(|error| Problem::Input(error.to_string()))
    }

    /// From here on the frames are not those of the scene alone.
    fn drive(&mut self, what: &str) -> Result<(), Problem> {
        if self.recording.is_some() && !self.driven {
            return Err(Problem::Input(format!(
                "the run that is being saved is what its scene alone makes, and {what} would make \
                 another of it; call {what} before save"
            )));
        }
        self.driven = true;
        Ok(())
    }

    /// All that is needed to go on from here, as the bytes of a frame's file.
    pub fn state(&self) -> Vec<u8> {
        let simulation = self.looked.still();
        let (number, revision) = (self.frame, simulation.model().revision());
        let frame = CachedFrame { number, revision, snapshot: simulation.snapshot() };
        frame.sealed(&self.identity())
    }

    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if self.recording.is_some() {
            let why = "a run is being saved, in which frames follow each other; restore states in a \
                       simulation of its own";
            return Err(Problem::Input(why.into()));
        }
        // A state of the driven scene is as good as one of the scene alone.
        let identities = [self.scene.identity.clone(), driven_identity(&self.scene)];
        let read = identities.iter().map(|identity| CachedFrame::unsealed(identity, bytes));
        let frame = read.reduce(|one, other| one.or(other)).unwrap_or_else(|| Err(String::new()));
        let refuse = |why: String| Problem::Input(format!("this state cannot be restored: {why}"));
        let frame = frame.map_err(refuse)?;
        let simulation = self.looked.moving();
        let before = simulation.snapshot();
        if let Err(error) = simulation.restore(&frame.snapshot) {
            // Whatever was taken over of it goes.
            let _ = simulation.restore(&before);
            return Err(refuse(error.to_string()));
        }
        simulation.let_go();
        self.frame = frame.number;
        self.driven = state_hash(&frame.snapshot) != self.start;
        Ok(())
    }

    /// Which scene the frames are of: those that more than the scene made are not the scene's.
    fn identity(&self) -> String {
        if self.driven { driven_identity(&self.scene) } else { self.scene.identity.clone() }
    }

    /// Saves the run to a folder: the frames up to this one, made again to the same bits, and all
    /// that follow.
    pub fn save(&mut self, folder: &Path, over: bool, stop: &AtomicBool) -> Result<(), Problem> {
        if let Some((known, _)) = &self.recording {
            let known = known.display();
            return Err(Problem::Input(format!("this simulation is saved to {known} already")));
        }
        if self.driven && self.frame > self.scene.frames.first {
            let why = "frames made with forces, targets or single steps, or from a state, cannot be \
                       made again to be saved; call save before the first frame";
            return Err(Problem::Input(why.into()));
        }
        let problem = |error: &dyn std::fmt::Display| Problem::Run(error.to_string());
        let mut scene = kept_at(&self.scene, &self.source, folder);
        scene.identity = self.identity();
        let held = holder(folder).map_err(|e| problem(&e))? == Holder::Taffeta;
        let filled = held && CacheReader::open(folder).is_ok_and(|r| !r.frames().is_empty());
        let mode = match (over, filled) {
            (true, _) => Mode::Overwrite,
            (false, true) => Mode::Resume,
            (false, false) => Mode::New,
        };
        let options = RunOptions {
            folder,
            mode,
            last: Some(self.frame),
            stop,
            survive: Survive::default(),
            slow: None,
            dressing: None,
        };
        let (recording, ending) = Recording::begin(&scene, &options).map_err(|e| problem(&e))?;
        if stop.load(Ordering::Relaxed) {
            let reached = ending.reached;
            return Err(Problem::Run(format!("stopped at frame {reached}, which is saved")));
        }
        self.refuse_other_bits(folder)?;
        if let Some(meshes) = &self.source.meshes {
            copy_files(meshes, &folder.join("meshes")).map_err(|e| problem(&e))?;
        }
        self.recording = Some((folder.into(), recording));
        Ok(())
    }

    fn refuse_other_bits(&self, folder: &Path) -> Result<(), Problem> {
        let problem = |error: &dyn std::fmt::Display| Problem::Run(error.to_string());
        let reader = CacheReader::open(folder).map_err(|e| problem(&e))?;
        let made = reader.load(self.frame).map_err(|e| problem(&e))?;
        match state_hash(&made.snapshot) == state_hash(&self.looked.still().snapshot()) {
            true => Ok(()),
            false => Err(Problem::Run(format!(
                "frame {} in {} has other bits than this simulation",
                self.frame,
                folder.display()
            ))),
        }
    }

    /// Where the run is saved to, if it is, and when what was saved is there.
    pub fn saved(&self) -> Option<(PathBuf, Written)> {
        self.recording.as_ref().map(|(folder, recording)| (folder.clone(), recording.written()))
    }
}

fn resolve(source: &Source, memory: u64) -> Result<Scene, Problem> {
    let file = source.read().map_err(Problem::Scene)?;
    Scene::resolve(&file, memory).map_err(Problem::Scene)
}

fn driven_identity(scene: &Scene) -> String {
    format!("{} driven", scene.identity)
}

/// The scene as it is kept in a folder, beside the meshes that were given as arrays.
fn kept_at(scene: &Scene, source: &Source, folder: &Path) -> Scene {
    let mut kept = scene.clone();
    if let Some(meshes) = &source.meshes {
        let place = std::path::absolute(folder.join("meshes")).unwrap_or(folder.join("meshes"));
        let (from, to) = (meshes.to_string_lossy(), place.to_string_lossy());
        kept.effective = kept.effective.replace(&*from, &to);
    }
    kept
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
