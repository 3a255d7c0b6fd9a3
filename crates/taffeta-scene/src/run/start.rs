//! How a run begins: in a new folder, over an old run, or where an earlier run stopped.

use taffeta::Simulation;
use taffeta_io::cache::{CacheError, CacheReader, CacheWriter, Manifest, Occupancy, occupancy};

use super::report::whole_lines;
use super::{RunError, RunOptions};
use crate::resolve::Scene;

/// What to do with frames that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Refuse, unless they are all there.
    New,
    /// Go on after the last.
    Resume,
    /// Start again.
    Overwrite,
}

/// Where a run begins.
pub struct Start {
    /// What to write to; none if there is nothing left to do.
    pub writer: Option<CacheWriter>,
    /// The frame it goes on from.
    pub resumed_from: Option<u32>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Looks at the folder, decides, and puts the simulation where the run begins.
pub fn start(
    scene: &Scene,
    options: &RunOptions,
    simulation: &mut Simulation,
) -> Result<Start, RunError> {
    let folder = options.folder;
    let fresh = || -> Result<Start, RunError> {
        let writer = CacheWriter::create(folder, &manifest(scene), &scene.effective)?;
        Ok(Start { writer: Some(writer), resumed_from: None, notes: Vec::new() })
    };
    if options.mode == Mode::Overwrite {
        return match occupancy(folder) {
            Ok(Occupancy::Foreign) => Err(RunError::Foreign { folder: folder.into() }),
            // A damaged or outdated manifest is no reason to keep what is to be overwritten.
            Ok(_) | Err(CacheError::Damaged { .. } | CacheError::Version { .. }) => fresh(),
            Err(error) => Err(error.into()),
        };
    }
    let reader = match occupancy(folder)? {
        Occupancy::Free if options.mode == Mode::Resume => {
            return Err(RunError::NothingToResume { folder: folder.into() });
        }
        Occupancy::Free => return fresh(),
        Occupancy::Foreign => return Err(RunError::Foreign { folder: folder.into() }),
        Occupancy::Run(reader) => reader,
    };
    refuse_other_runs(scene, &reader)?;
    let goal = options.last.unwrap_or(scene.frames.last);
    match (options.mode, reader.last_whole()) {
        (_, Some(last)) if last >= goal && report_reaches(&reader, goal)? => {
            Ok(Start { writer: None, resumed_from: Some(last), notes: Vec::new() })
        }
        (Mode::New, Some(last)) => Err(RunError::Unfinished { folder: folder.into(), last }),
        (_, None) => fresh(),
        (_, Some(last)) => resume(scene, &reader, last, simulation),
    }
}

fn refuse_other_runs(scene: &Scene, reader: &CacheReader) -> Result<(), RunError> {
    let (found, folder) = (reader.manifest(), reader.folder().to_path_buf());
    if found.identity != scene.identity {
        return Err(RunError::OtherScene { folder, scene: found.scene.clone() });
    }
    let found = found.taffeta.clone();
    match found == env!("CARGO_PKG_VERSION") {
        true => Ok(()),
        false => Err(RunError::OtherVersion { folder, found }),
    }
}

fn report_reaches(reader: &CacheReader, goal: u32) -> Result<bool, RunError> {
    let (_, reached) = whole_lines(&reader.report()?, reader.manifest().first, goal);
    Ok(reached == Some(goal))
}

/// Goes on after the last frame that is whole and reported; damaged ones are made again.
fn resume(
    scene: &Scene,
    reader: &CacheReader,
    last: u32,
    simulation: &mut Simulation,
) -> Result<Start, RunError> {
    let first = scene.frames.first;
    let mut notes = Vec::new();
    let (_, reported) = whole_lines(&reader.report()?, first, last);
    let mut candidates = (first..=reported.unwrap_or(first).min(last)).rev();
    let found = candidates.find_map(|number| match reader.load(number) {
        Ok(frame) => Some(frame),
        Err(error) => {
            notes.push(format!("frame {number} is made again: {error}"));
            None
        }
    });
    let (Some(frame), true) = (found, reported.is_some()) else {
        let writer = CacheWriter::create(reader.folder(), &manifest(scene), &scene.effective)?;
        return Ok(Start { writer: Some(writer), resumed_from: None, notes });
    };
    simulation.restore(&frame.snapshot)?;
    let (report, _) = whole_lines(&reader.report()?, first, frame.number);
    let writer = CacheWriter::resume(
        reader.folder(),
        &manifest(scene),
        &scene.effective,
        frame.number,
        &report,
    )?;
    Ok(Start { writer: Some(writer), resumed_from: Some(frame.number), notes })
}

fn manifest(scene: &Scene) -> Manifest {
    Manifest {
        first: scene.frames.first,
        last: scene.frames.last,
        particles: scene.setup.model.particles(),
        ..Manifest::new(&scene.name, &scene.identity, scene.frames.rate)
    }
}
