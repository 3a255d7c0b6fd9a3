//! `taffeta export`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use taffeta_io::cache::CacheReader;
use taffeta_io::export::{Exported, Format, export as write_frames};
use taffeta_io::{Adapted, Excerpt, FrameSource, UpAxis, Wishes};

use crate::args::ExportArgs;
use crate::console::{say, warn};
use crate::failure::Failure;
use crate::values::FrameRange;

pub fn export(args: &ExportArgs) -> Result<ExitCode, Failure> {
    // A wrong extension is told before anything else.
    let mut wishes = wishes(args, Format::of(&args.to).map_err(Failure::new)?)?;
    let mut reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    if let Err(error) = reader.solids() {
        // The cloth does not need them, but whoever exports it should know.
        let says = "the cloth is exported alone; `run … --resume` writes the solids again";
        warn(format_args!("note: {error}; {says}"));
        wishes.cloth_only = true;
    }
    let exported = write(&mut reader, &args.to, args.frames, wishes)?;
    if let Some(note) = unfinished(&reader).filter(|_| args.frames.is_none()) {
        warn(format_args!("note: {note}"));
    }
    say(format_args!("{} frames:", exported.frames));
    tell_files(&exported.files);
    Ok(ExitCode::SUCCESS)
}

/// Writes what is asked for, and says nothing.
pub fn make(args: &ExportArgs) -> Result<Exported, Failure> {
    let wishes = wishes(args, Format::of(&args.to).map_err(Failure::new)?)?;
    let mut reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    write(&mut reader, &args.to, args.frames, wishes)
}

/// What to say of a run whose last frames are not there.
pub fn unfinished(reader: &CacheReader) -> Option<String> {
    let planned = reader.manifest().last;
    let last = reader.last_whole().filter(|last| *last < planned)?;
    Some(format!(
        "the run goes up to frame {planned}, and those after {last} are not there; \
         `run … --resume` makes them"
    ))
}

/// How the frames are wanted, if the format can have them so.
fn wishes(args: &ExportArgs, format: Format) -> Result<Wishes, Failure> {
    if let Some(fps) = args.fps {
        if !(fps > 0.0 && fps.is_finite()) {
            return Err(Failure::new(format!("--fps {fps}: a positive number is needed")));
        }
        if format.extension != "usda" {
            return Err(Failure::new(format!(
                "--fps is for usda, which counts time in frames; {} holds seconds or single frames",
                format.extension
            )));
        }
    }
    let up = args.up.unwrap_or_default();
    if up != UpAxis::Y && format.extension == "glb" {
        return Err(Failure::new("--up z: in glTF y is up, and programs turn it by themselves"));
    }
    Ok(Wishes { up, fps: args.fps, cloth_only: args.cloth_only })
}

/// Names the files written, the first and the last of many, and how large they are together.
pub fn tell_files(files: &[PathBuf]) {
    let size: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|m| m.len()).sum();
    let size = format!("{:.1} MB", size as f64 / 1e6);
    match files {
        [first, .., last] if files.len() > 4 => {
            say(format_args!("  {} … {}, {size}", first.display(), last.display()));
        }
        files => {
            files.iter().for_each(|file| say(format_args!("  {}", file.display())));
            say(format_args!("  {size}"));
        }
    }
}

/// Writes frames of a run, all of them or a range, to a file.
pub fn write(
    reader: &mut CacheReader,
    to: &Path,
    frames: Option<FrameRange>,
    wishes: Wishes,
) -> Result<Exported, Failure> {
    let all = reader.numbers();
    let folder = reader.folder().display().to_string();
    if all.is_empty() {
        return Err(Failure::new(format!("{folder} holds no whole frame to export")));
    }
    if let (None, Some(beyond)) = (frames, reader.frames().iter().find(|n| *n > all.end())) {
        let (missing, last) = (all.end() + 1, all.end());
        return Err(Failure::new(format!(
            "{folder} lacks frame {missing}, though it has frame {beyond}; `run … --resume` makes it \
             again, --frames ..{last} exports what comes before"
        )));
    }
    let range = frames.map_or(all.clone(), |frames| frames.within(&all));
    let Some(mut excerpt) = Excerpt::new(reader, range) else {
        let (first, last) = (all.start(), all.end());
        return Err(Failure::new(format!("{folder} holds frames {first} to {last}")));
    };
    write_frames(&mut Adapted::new(&mut excerpt, wishes), to).map_err(Failure::new)
}
