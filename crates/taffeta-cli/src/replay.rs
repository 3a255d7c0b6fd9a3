//! `taffeta run` of a recording of hands, or from a saved state.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use serde_json::json;
use taffeta_live::{Recording, Session, replay as do_again};
use taffeta_scene::run::FrameReport;

use crate::args::RunArgs;
use crate::console::{say, warn};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::resources::{memory, threads};
use crate::{scenes, view};

/// Whether a run is of a recording, or from a saved state.
pub fn is_meant(args: &RunArgs) -> bool {
    args.from.is_some() || args.scene.ends_with(Recording::ENDING)
}

pub fn replay(args: &RunArgs) -> Result<ExitCode, Failure> {
    refuse_others(args)?;
    let memory = memory(args.memory)?;
    let recorded = args.from.is_none();
    let recording = match &args.from {
        None => recording(args)?,
        Some(state) => going_on(args, state, memory)?,
    };
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(&recording.name));
    if args.overwrite {
        clear(&folder)?;
    }
    let stop = interrupt::listen("the frames that were made are kept".into())?;
    let tell = |report: &FrameReport| {
        if args.json {
            say(json!(report));
        }
    };
    let pool = threads(args.threads)?;
    let done = pool.install(|| do_again(&recording, &folder, memory, &stop, tell));
    let done = done.map_err(Failure::new)?;
    let ([first, last], at) = (done.frames, folder.display());
    if !done.complete {
        warn(format_args!("stopped after frame {last} of {}", recording.last));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if recorded && !done.same {
        return Err(Failure::new(format!(
            "the last frame of {at} has other bits than were recorded: the recording was made by \
             another version of Taffeta, or on another kind of processor"
        )));
    }
    if !args.json {
        say(format_args!("{}: frames {first} to {last} in {at}", recording.name));
        if recorded {
            say("  the last has the bits that were recorded");
        }
    }
    let stopped = stop.load(Ordering::Relaxed);
    Ok(if stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn recording(args: &RunArgs) -> Result<Recording, Failure> {
    let text = fs::read_to_string(&args.scene)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", args.scene)))?;
    let mut recording = Recording::read(&text).map_err(Failure::new)?;
    if let Some(last) = args.last_frame {
        return Err(Failure::new(format!(
            "--last-frame {last}: a recording is done again as a whole, up to frame {}",
            recording.last
        )));
    }
    recording.name += "-hands";
    Ok(recording)
}

/// A scene that goes on from a state for as many frames as it has, untouched.
fn going_on(args: &RunArgs, state: &Path, memory: u64) -> Result<Recording, Failure> {
    let file = scenes::read(&args.scene, &args.overrides)?;
    let from = view::checkpoint(&file, state, memory)?;
    let count = file.frames.last - file.frames.first;
    let last = args.last_frame.unwrap_or_else(|| from.frame.saturating_add(count));
    if last <= from.frame {
        return Err(Failure::new(format!(
            "the state is of frame {}, which is not before {last}",
            from.frame
        )));
    }
    let mut session = Session::new(&file, Some(from), memory).map_err(Failure::new)?;
    Ok(Recording { last, ..session.recording().map_err(Failure::new)? })
}

fn refuse_others(args: &RunArgs) -> Result<(), Failure> {
    let refused = [
        ("--resume", args.resume, "it is done again as a whole: say --overwrite"),
        ("--render", args.render.is_some(), "render the folder it makes"),
        (
            "--set",
            args.from.is_none() && !args.overrides.is_empty(),
            "its scene is recorded with it",
        ),
    ];
    match refused.iter().find(|(_, given, _)| *given) {
        Some((name, _, why)) => {
            Err(Failure::new(format!("{name} does not go with a recording or a state: {why}")))
        }
        None => Ok(()),
    }
}

/// Removes the frames of a run that is to be made again; what is not a run's is left alone.
fn clear(folder: &Path) -> Result<(), Failure> {
    use taffeta_io::cache::{Holder, holder};
    match holder(folder).map_err(Failure::new)? {
        Holder::Taffeta => fs::remove_dir_all(folder)
            .map_err(|error| Failure::new(format!("{}: {error}", folder.display()))),
        _ => Ok(()),
    }
}
