//! How a run begins: in a new folder, over an old run, or where an earlier run stopped.

use taffeta::Simulation;
use taffeta_io::cache::{
    CacheError, CacheReader, CacheWriter, Claim, Holder, Manifest, Solids, Topology, holder,
};

use super::survey::{Survey, survey};
use super::{RunError, RunOptions};
use crate::resolve::Scene;

/// What to do with frames that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Refuse, unless they are all there and sound.
    New,
    /// Go on after the last sound one.
    Resume,
    /// Start again.
    Overwrite,
}

/// Where a run begins.
pub struct Start {
    /// What to write to.
    pub writer: CacheWriter,
    /// The last frame that is there and sound.
    pub resumed_from: Option<u32>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Looks at a folder that was taken, decides, and puts the simulation where the run begins.
pub fn start(
    scene: &Scene,
    (claim, options): (Claim, &RunOptions),
    simulation: &mut Simulation,
) -> Result<Start, RunError> {
    if options.mode == Mode::Overwrite || claim.frames()?.is_empty() {
        let writer = CacheWriter::create(claim, &manifest(scene), &scene.effective)?;
        return Ok(Start { writer, resumed_from: None, notes: Vec::new() });
    }
    let folder = || options.folder.to_path_buf();
    let reader = CacheReader::open(options.folder)
        .map_err(|source| RunError::Unreadable { folder: folder(), source })?;
    refuse_other_runs(scene, &reader)?;
    let survey = survey(scene, &reader, simulation)?;
    let goal = options.last.unwrap_or(scene.frames.last);
    if options.mode == Mode::New {
        if let Some(what) = survey.damage(goal) {
            return Err(RunError::Damaged { folder: folder(), what });
        }
        if !survey.reaches(goal) {
            let last = survey.sound.unwrap_or(scene.frames.first);
            return Err(RunError::Unfinished { folder: folder(), last });
        }
    }
    let mut start = make_good(scene, claim, &survey, goal)?;
    write_topologies(&mut start.writer, &survey, &reader, simulation)?;
    Ok(start)
}

/// Makes the folder ours before anything in it is looked at, so that no other run changes it.
pub fn take_folder(options: &RunOptions) -> Result<Claim, RunError> {
    let folder = options.folder;
    // Where there is nothing to resume, nothing shall be made.
    if options.mode == Mode::Resume && holder(folder)? == Holder::Nobody {
        return Err(RunError::NothingToResume { folder: folder.into() });
    }
    Claim::take_to(folder, options.survive).map_err(|error| match error {
        CacheError::Foreign { path } => RunError::Foreign { folder: path },
        other => other.into(),
    })
}

pub fn refuse_other_runs(scene: &Scene, reader: &CacheReader) -> Result<(), RunError> {
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

/// Goes on after the last sound frame; sound frames are not touched.
fn make_good(scene: &Scene, claim: Claim, survey: &Survey, goal: u32) -> Result<Start, RunError> {
    let mut writer = CacheWriter::reopen(claim)?;
    let mut notes = survey.notes(goal);
    if !survey.reaches(goal) {
        writer.discard_from(survey.sound.map_or(0, |sound| sound + 1))?;
        writer.discard_topologies_from(survey.revision.map_or(0, |revision| revision + 1))?;
    }
    if survey.solids.is_some() {
        writer.write_solids(&Solids(scene.setup.solids.clone()))?;
    }
    if !survey.reaches(goal) || !survey.measured_again.is_empty() {
        writer.replace_report(&survey.report)?;
    }
    // What a scene promises and exports may change without its frames.
    if writer.describe(&manifest(scene), &scene.effective)? {
        let why = "the scene's text has changed, in nothing that bears on its frames";
        notes.push(format!("scene.toml is brought up to date: {why}"));
    }
    let last = scene.frames.last;
    if let Some(sound) = survey.sound.filter(|sound| *sound > last) {
        notes.push(format!("there are more frames than the scene's {last}: up to {sound}"));
    }
    Ok(Start { writer, resumed_from: survey.sound, notes })
}

/// Writes the topologies again that are lost; the simulation is where it was when this is done.
fn write_topologies(
    writer: &mut CacheWriter,
    survey: &Survey,
    reader: &CacheReader,
    simulation: &mut Simulation,
) -> Result<(), RunError> {
    for lost in &survey.topologies {
        simulation.restore(&reader.load(lost.frame)?.snapshot)?;
        writer.write_topology(&Topology::from(simulation.model()))?;
    }
    match survey.sound.filter(|_| !survey.topologies.is_empty()) {
        Some(sound) => Ok(simulation.restore(&reader.load(sound)?.snapshot)?),
        None => Ok(()),
    }
}

/// What the folder of a scene's run says of itself.
pub fn manifest(scene: &Scene) -> Manifest {
    Manifest {
        first: scene.frames.first,
        last: scene.frames.last,
        particles: scene.setup.model.particles(),
        ..Manifest::new(&scene.name, &scene.identity, scene.frames.rate)
    }
}
