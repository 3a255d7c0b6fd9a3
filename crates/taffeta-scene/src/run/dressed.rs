//! A garment is put on before its first frame: that is done once, and kept with the frames.

use std::borrow::Cow;

use taffeta_garment::Progress;
use taffeta_io::cache::{CacheError, CacheReader, Dressed};

use super::start::refuse_other_runs;
use super::{Mode, RunError, RunOptions};
use crate::resolve::Scene;

/// A scene whose garment is on, if it has one.
pub struct Ready<'a> {
    pub scene: Cow<'a, Scene>,
    /// Where the garment is, if there is one.
    pub dressed: Option<Dressed>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Puts the garment of a scene on, as it is kept in the folder, or anew.
pub fn ready<'a>(scene: &'a Scene, options: &RunOptions) -> Result<Ready<'a>, RunError> {
    let mut ready = Ready { scene: Cow::Borrowed(scene), dressed: None, notes: Vec::new() };
    if scene.dressing.is_none() {
        return Ok(ready);
    }
    let kept = match options.mode {
        Mode::Overwrite => None,
        Mode::New | Mode::Resume => match kept(scene, options) {
            Ok(kept) => kept,
            Err(error @ (RunError::OtherScene { .. } | RunError::OtherVersion { .. })) => {
                return Err(error);
            }
            Err(error) => {
                ready.notes.push(format!("the garment is put on again: {error}"));
                None
            }
        },
    };
    let scene = ready.scene.to_mut();
    let places = match kept {
        Some(Dressed(places)) => {
            scene.put_on(places.clone()).map_err(RunError::Dress)?;
            Some(places)
        }
        None => {
            let mut tell = |progress: Progress| {
                options.dressing.iter().for_each(|tell| tell(&progress));
            };
            scene.dress(options.stop, &mut tell).map_err(RunError::Dress)?
        }
    };
    ready.dressed = places.map(Dressed);
    Ok(ready)
}

/// How the garment was put on before, if it was.
fn kept(scene: &Scene, options: &RunOptions) -> Result<Option<Dressed>, RunError> {
    let reader = match CacheReader::open(options.folder) {
        Err(CacheError::NotACache { .. }) => return Ok(None),
        opened => opened?,
    };
    if !reader.frames().is_empty() {
        refuse_other_runs(scene, &reader)?;
    }
    if reader.manifest().identity != scene.identity {
        return Ok(None);
    }
    let particles = scene.setup.model.particles();
    Ok(reader.dressed()?.filter(|dressed| dressed.0.len() == particles))
}
