//! What an earlier run left in a folder: which of its frames are sound, and what has to be made
//! good. The sealed frames are the truth; the report and the topologies can be made from them.

use std::collections::BTreeMap;

use taffeta::{Simulation, Tally};
use taffeta_io::cache::{CacheError, CacheReader, CachedFrame, Topology, state_hash};

use super::report::{FrameReport, hash_text};
use super::{RunError, line};
use crate::format::Frames;
use crate::resolve::Scene;

/// What an earlier run left.
#[derive(Debug)]
pub struct Survey {
    /// The last of the sound frames that follow each other from the first on.
    pub sound: Option<u32>,
    /// Why that is not the last frame there is.
    pub flaw: Option<Flaw>,
    /// The topology of the last sound frame.
    pub revision: Option<u64>,
    /// What is wrong with the file of the solids.
    pub solids: Option<String>,
    /// The topologies of sound frames that are not there as they were.
    pub topologies: Vec<LostTopology>,
    /// The report of the sound frames, whole again.
    pub report: String,
    /// The frames whose line in the report was missing or wrong.
    pub measured_again: Vec<u32>,
}

/// A topology that has to be written again.
#[derive(Debug)]
pub struct LostTopology {
    /// The first frame that has it.
    pub frame: u32,
    /// What is wrong with it, naming it.
    pub what: String,
}

/// Where the sound frames end although there are more.
#[derive(Debug)]
pub struct Flaw {
    /// The frame that is not sound.
    pub frame: u32,
    /// The last frame there is.
    pub last: u32,
    /// What is wrong with it, naming it.
    pub what: String,
}

/// Looks at every frame in a folder of this scene; leaves the simulation at the last sound one.
pub fn survey(
    scene: &Scene,
    reader: &CacheReader,
    simulation: &mut Simulation,
) -> Result<Survey, RunError> {
    let frames = scene.frames;
    let fresh = simulation.snapshot();
    let mut survey = Survey {
        sound: None,
        flaw: None,
        revision: None,
        solids: solids_damage(reader, simulation)?,
        topologies: Vec::new(),
        report: String::new(),
        measured_again: Vec::new(),
    };
    let text = reader.report()?;
    let lines = lines_by_frame(&text);
    let last = reader.frames().last().map_or(frames.first, |last| frames.first.max(*last));
    for number in frames.first..=last {
        if let Some(what) = restore(frames, reader, number, simulation)? {
            survey.flaw = Some(Flaw { frame: number, last, what });
            // Whatever was taken over of a frame that is not sound goes.
            match survey.sound {
                Some(sound) => simulation.restore(&reader.load(sound)?.snapshot)?,
                None => simulation.restore(&fresh)?,
            }
            break;
        }
        survey.sound = Some(number);
        if survey.revision.replace(simulation.model().revision())
            != Some(simulation.model().revision())
        {
            survey.topologies.extend(topology_damage(reader, number, simulation)?);
        }
        let hash = hash_text(state_hash(&simulation.snapshot()));
        match lines.get(&number) {
            Some((report, line)) if report.hash == hash => survey.report.push_str(line),
            _ => {
                // To the first frame nothing had to be done.
                let done = (number == frames.first).then(Tally::default);
                let report = FrameReport::measure(simulation, number, done.as_ref());
                let warnings = done.map_or(Vec::new(), |_| scene.warnings.clone());
                let report = FrameReport { hash, warnings, ..report };
                survey.report.push_str(&line(&report)?);
                survey.measured_again.push(number);
            }
        }
        survey.report.push('\n');
    }
    Ok(survey)
}

/// The lines of a report that can be read, by frame; a crash may leave one half written.
fn lines_by_frame(report: &str) -> BTreeMap<u32, (FrameReport, &str)> {
    let read = |line| serde_json::from_str(line).ok().map(|r: FrameReport| (r.frame, (r, line)));
    report.lines().filter_map(read).collect()
}

/// Puts the simulation where a frame is; if it is not sound, says why instead.
fn restore(
    frames: Frames,
    reader: &CacheReader,
    number: u32,
    simulation: &mut Simulation,
) -> Result<Option<String>, RunError> {
    let damaged = |why: String| Ok(Some(format!("frame {number} is damaged ({why})")));
    let CachedFrame { revision, snapshot, .. } = match reader.load(number) {
        Ok(frame) => frame,
        Err(error) => return Ok(Some(format!("frame {number} is {}", flaw(error)?))),
    };
    let (found, wanted) = (snapshot.state.time, frames.time(number));
    if found != wanted {
        return damaged(format!("it is at {found} s instead of {wanted} s"));
    }
    match simulation.restore(&snapshot) {
        Ok(()) if revision == simulation.model().revision() => Ok(None),
        Ok(()) => damaged(format!("it belongs to topology {revision}, which is not this scene's")),
        Err(error) => damaged(error.to_string()),
    }
}

/// What is wrong with the topology of a frame at which the simulation is.
fn topology_damage(
    reader: &CacheReader,
    frame: u32,
    simulation: &Simulation,
) -> Result<Option<LostTopology>, RunError> {
    let wanted = Topology::from(simulation.model());
    let how = match reader.topology(wanted.revision) {
        Ok(found) if found == wanted => return Ok(None),
        Ok(_) => "damaged (it is not this scene's)".into(),
        Err(error) => flaw(error)?,
    };
    Ok(Some(LostTopology { frame, what: format!("the topology of frame {frame} is {how}") }))
}

fn solids_damage(
    reader: &CacheReader,
    simulation: &Simulation,
) -> Result<Option<String>, RunError> {
    let how = match reader.solids() {
        Ok(found) if found.0 == simulation.setup().solids => return Ok(None),
        Ok(_) => "damaged (it is not this scene's)".into(),
        Err(error) => flaw(error)?,
    };
    Ok(Some(format!("the file of the solids is {how}")))
}

/// What is wrong with a file; an error if the system keeps it from being known.
fn flaw(error: CacheError) -> Result<String, RunError> {
    error.flaw().ok_or_else(|| error.into())
}

impl Survey {
    /// Whether the sound frames go up to this one.
    pub fn reaches(&self, frame: u32) -> bool {
        self.sound.is_some_and(|sound| sound >= frame)
    }

    /// What keeps a run up to this frame from being whole and sound, unless it is only unfinished.
    pub fn damage(&self, goal: u32) -> Option<String> {
        if let (Some(flaw), false) = (&self.flaw, self.reaches(goal)) {
            return Some(flaw.what.clone());
        }
        let report = (!self.measured_again.is_empty()).then(|| self.lost_lines());
        let found = self.solids.clone().or_else(|| self.lost_topologies()).or(report);
        found.filter(|_| self.reaches(goal))
    }

    /// What the user should know when all this is made good in a run up to this frame.
    pub fn notes(&self, goal: u32) -> Vec<String> {
        let flaw = self.flaw.as_ref().map(|Flaw { frame, last, what }| {
            if self.reaches(goal) {
                return format!("{what}; it comes after frame {goal} and is left as it is");
            }
            let again = format!("{what}: frames {frame} to {} are made again", goal.min(*last));
            match *last > goal {
                true => format!("{again}, those up to {last} are gone"),
                false => again,
            }
        });
        let again = |what: String| format!("{what}: it is written again");
        let (solids, topology) =
            (self.solids.clone().map(again), self.lost_topologies().map(again));
        let report = (!self.measured_again.is_empty()).then(|| {
            let lines = self.lost_lines();
            format!("{lines}: it is measured again, but what was done on the way is lost and null")
        });
        [flaw, solids, topology, report].into_iter().flatten().collect()
    }

    fn lost_topologies(&self) -> Option<String> {
        let first = self.topologies.first()?;
        Some(match self.topologies.len() - 1 {
            0 => first.what.clone(),
            more => format!("{}, like {more} more after it", first.what),
        })
    }

    fn lost_lines(&self) -> String {
        match self.measured_again.as_slice() {
            [frame] => format!("the report of frame {frame} is missing or wrong"),
            [first, .., last] => {
                let count = self.measured_again.len();
                format!("the report of {count} frames ({first} to {last}) is missing or wrong")
            }
            [] => String::new(),
        }
    }
}
