//! A recording of hands, done again into a run's folder: the same frames, to the bit.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use taffeta::Tally;
use taffeta_io::cache::{CacheWriter, CachedFrame, Claim, Manifest, Solids, Survive, Topology};
use taffeta_scene::run::FrameReport;
use taffeta_scene::{SceneFile, SceneText};

use crate::error::LiveError;
use crate::recording::Recording;
use crate::session::Session;

/// What became of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The first and the last frame that were made.
    pub frames: [u32; 2],
    /// Whether all of them were.
    pub complete: bool,
    /// Whether the last state has the bits that were recorded.
    pub same: bool,
}

impl Recording {
    /// A session where this one began.
    pub fn session(&self, memory: u64) -> Result<Session, LiveError> {
        let base = Path::new(".");
        let scene = SceneText {
            origin: "the recording's scene",
            name: &self.name,
            base,
            text: &self.scene,
        };
        Session::new(&SceneFile::read(scene, &[])?, self.from.clone(), memory)
    }
}

/// Does all of a recording again, frame by frame, into an empty folder; `seen` hears of every frame.
pub fn replay(
    recording: &Recording,
    folder: &Path,
    memory: u64,
    stop: &AtomicBool,
    mut seen: impl FnMut(&FrameReport),
) -> Result<Replayed, LiveError> {
    let mut session = recording.session(memory)?;
    let first = session.frame();
    let claim = Claim::take_to(folder, Survive::default())?;
    if !claim.frames()?.is_empty() {
        let folder = folder.display();
        return Err(LiveError::refuse(format!(
            "{folder} has frames already; replays begin in a new folder, since a half of one cannot \
             be gone on with"
        )));
    }
    let mut manifest = Manifest::new(
        &recording.name,
        &format!("{} hands {:016x}", session.scene().identity, recording.fingerprint),
        session.rate(),
    );
    (manifest.first, manifest.last) = (first, recording.last);
    manifest.particles = session.simulation().setup().positions.len();
    let mut writer = CacheWriter::create(claim, &manifest, &session.text())?;
    writer.write_solids(&Solids(session.simulation().setup().solids.clone()))?;
    let mut actions = recording.actions.iter().peekable();
    put(&mut writer, &session, None, &mut seen)?;
    while session.frame() < recording.last && !stop.load(Ordering::Relaxed) {
        let here = (session.frame(), session.steps());
        while let Some(done) = actions.next_if(|done| done.when() <= here) {
            session.act(&done.action)?;
        }
        if let Some(tally) = session.step()? {
            put(&mut writer, &session, Some(&tally), &mut seen)?;
        }
    }
    let complete = session.frame() >= recording.last;
    if complete {
        // What was done after the last frame.
        actions.try_for_each(|done| session.act(&done.action))?;
    }
    // Those at the end, the ball among them, with all the way they went.
    writer.write_solids(&Solids(session.simulation().setup().solids.clone()))?;
    writer.describe(&manifest, &session.text())?;
    let same = session.fingerprint() == recording.fingerprint;
    Ok(Replayed { frames: [first, session.frame()], complete, same })
}

fn put(
    writer: &mut CacheWriter,
    session: &Session,
    tally: Option<&Tally>,
    seen: &mut impl FnMut(&FrameReport),
) -> Result<(), LiveError> {
    let (simulation, number) = (session.simulation(), session.frame());
    let revision = simulation.model().revision();
    if !writer.has_topology(revision) {
        writer.write_topology(&Topology::from(simulation.model()))?;
    }
    let snapshot = simulation.snapshot();
    writer.write_frame(&CachedFrame { number, revision, snapshot })?;
    let report = FrameReport::measure(simulation, number, tally);
    let line = serde_json::to_string(&report)
        .map_err(|error| LiveError::refuse(format!("the report of frame {number}: {error}")))?;
    writer.write_report(&line)?;
    seen(&report);
    Ok(())
}
