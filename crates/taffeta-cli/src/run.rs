//! `taffeta run`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::json;
use taffeta_io::Wishes;
use taffeta_io::cache::{CacheReader, Survive};
use taffeta_scene::run::{Ending, FrameSink, Mode, RunOptions, Slow, Summary, run as run_scene};
use taffeta_scene::{Progress, Scene};

use crate::args::RunArgs;
use crate::command_line::{self, program, quoted_path};
use crate::console::{say, warn};
use crate::dressing::Told;
use crate::export::tell_files;
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::progress::{Bar, JsonLines};
use crate::render::{Made, Order, left_behind};
use crate::wanted::Wanted;
use crate::{dressing, export, resources, scenes};

pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let file = scenes::read(&args.scene, &args.overrides)?;
    let memory = resources::memory(args.memory)?;
    let scene = Scene::resolve(&file, memory)?;
    let default = || Path::new("out").join(&scene.name);
    let folder = args.out.clone().or(scene.output.folder.clone()).unwrap_or_else(default);
    scene.warnings.iter().for_each(|warning| warn(format_args!("warning: {warning}")));
    let kept = format!(
        "every frame that was made is kept; go on with:\n    {}",
        command_line::resume(args)
    );
    let stop = interrupt::listen(kept)?;
    let last = args.last_frame.unwrap_or(scene.frames.last).max(scene.frames.first);
    let wanted = args.render.as_ref().map(|_| Wanted::by_scene(&file, memory)).transpose()?;
    let order = args.render.as_ref().zip(wanted.as_ref()).map(|(out, wanted)| {
        let frames = scene.frames.first..=last;
        Order { out, wanted, frames, memory, stop: &stop, bar: !args.json }
    });
    // What pictures cannot be made is told before the first step.
    order.as_ref().map_or(Ok(()), |order| order.check(scene.frames.rate))?;
    let begun = Instant::now();
    let ending = simulate(args, &scene, &folder, &stop)?;
    let exported = if ending.complete { export_all(&scene, &folder)? } else { Vec::new() };
    let seconds = begun.elapsed().as_secs_f64();
    let made = match order.filter(|_| ending.reached >= last) {
        Some(order) => Some(show(args, &order, &folder)?),
        None => None,
    };
    let shown = Shown { args, scene: &scene, folder: &folder, ending: &ending, exported, made };
    if args.json {
        say(shown.as_json(begun.elapsed().as_secs_f64()));
    } else {
        shown.tell(seconds);
    }
    let unfinished =
        !ending.complete || shown.made.as_ref().is_some_and(|m| m.stopped_at.is_some());
    let stopped = stop.load(Ordering::Relaxed) && unfinished;
    Ok(if stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Makes the pictures of a run that is made.
fn show(args: &RunArgs, order: &Order, folder: &Path) -> Result<Made, Failure> {
    let mut reader = CacheReader::open(folder).map_err(Failure::new)?;
    resources::threads(args.threads)?
        .install(|| order.make(&mut reader))
        .map_err(|failure| failure.after(format!("the frames are in {}", folder.display())))
}

fn simulate(
    args: &RunArgs,
    scene: &Scene,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<Ending, Failure> {
    let mode = match (args.resume, args.overwrite) {
        (true, _) => Mode::Resume,
        (_, true) => Mode::Overwrite,
        _ => Mode::New,
    };
    let tell = |slow: &Slow| warn(slow);
    let told = Told::default();
    let tell_dressing = |progress: &Progress| told.tell(progress);
    let options = RunOptions {
        folder,
        mode,
        last: args.last_frame,
        stop,
        survive: Survive::default(),
        slow: Some(&tell),
        dressing: Some(&tell_dressing),
    };
    let pool = resources::threads(args.threads)?;
    let last = args.last_frame.unwrap_or(scene.frames.last).max(scene.frames.first);
    let mut progress = Bar::new(scene.frames.first, last);
    let sink: &mut (dyn FrameSink + Send) = if args.json { &mut JsonLines } else { &mut progress };
    // The whole run inside the pool: loops entered from outside pay for it each time.
    let result = pool.install(|| run_scene(scene, &options, &mut [sink]));
    progress.finish();
    let memory = resources::memory(args.memory)?;
    result.map_err(|error| dressing::failure(error, (scene, folder), memory))
}

fn export_all(scene: &Scene, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    // The folder may hold more frames, of a longer run of the same scene.
    let frames = scene.frames.first..=scene.frames.last;
    for target in &scene.output.export {
        let mut reader = CacheReader::open(folder).map_err(Failure::new)?;
        files.extend(
            export::write(
                &mut reader,
                &folder.join(target),
                Some(frames.clone().into()),
                Wishes::default(),
            )?
            .files,
        );
    }
    Ok(files)
}

/// What is said at the end of a run.
struct Shown<'a> {
    args: &'a RunArgs,
    scene: &'a Scene,
    folder: &'a Path,
    ending: &'a Ending,
    exported: Vec<PathBuf>,
    made: Option<Made>,
}

impl Shown<'_> {
    fn as_json(&self, seconds: f64) -> serde_json::Value {
        json!({
            "summary": self.ending.summary,
            "folder": self.folder,
            "resumed_from": self.ending.resumed_from,
            "reached": self.ending.reached,
            "complete": self.ending.complete,
            "exported": self.exported,
            "rendered": self.made.as_ref().map_or(&[][..], |made| &made.files),
            "warnings": self.scene.warnings,
            "notes": self.notes(),
            "wall_seconds": seconds,
        })
    }

    fn tell(&self, seconds: f64) {
        let (ending, summary) = (self.ending, &self.ending.summary);
        let (name, folder, last) =
            (&self.scene.name, self.folder.display(), self.scene.frames.last);
        self.notes().iter().for_each(|note| say(format_args!("note: {note}")));
        if summary.frames == 0 {
            say(format_args!(
                "{name}: frames up to {} are already in {folder}; --overwrite makes them again",
                ending.reached
            ));
        } else {
            if let Some(from) = ending.resumed_from {
                say(format_args!("{name}: went on after frame {from}"));
            }
            let pace = f64::from(summary.frames) / seconds.max(1e-9);
            say(format_args!(
                "{name}: {} frames in {seconds:.1} s ({pace:.1} a second), in {folder}",
                summary.frames
            ));
            say(format_args!(
                "  {} steps, {} discarded and tried again shorter",
                summary.steps, summary.rejected
            ));
            tell_times(summary);
            if summary.iterations > 0 {
                let mean = summary.iterations as f64 / summary.steps.max(1) as f64;
                say(format_args!(
                    "  {mean:.1} iterations a step, {} solves did not converge",
                    summary.unconverged
                ));
            }
            if summary.newton > 0 {
                let mean = summary.newton as f64 / summary.steps.max(1) as f64;
                say(format_args!(
                    "  {mean:.1} Newton iterations a step, {} steps did not converge",
                    summary.newton_unconverged
                ));
            }
            if summary.limit_iterations > 0 {
                let mean = summary.limit_iterations as f64 / summary.steps.max(1) as f64;
                say(format_args!("  {mean:.1} iterations of the limiter a step"));
            }
            if summary.over_limit > 0 {
                let apart = self.scene.warnings.iter().any(|warning| warning.kind == "apart");
                let advice = match apart {
                    true => "as the pins ask, which are farther apart than that",
                    false => "a shorter [step] max keeps them better",
                };
                say(format_args!(
                    "  {} steps ended over the strain limits, by {:.3} % more than asked at most; {advice}",
                    summary.over_limit,
                    summary.worst_excess * 100.0
                ));
            }
            if let Some(particle) = summary.pinched_at {
                say(format_args!(
                    "  up to {} particles had no room between solids, or solids and pins (frame {}, particle {particle})",
                    summary.pinched, summary.pinched_frame
                ));
            }
            if summary.pierced > 0 {
                say(format_args!(
                    "  up to {} edges or corners of solids cut the cloth between its particles (frame {}); finer \
                     cloth or a [[solid]] of triangles keeps them out",
                    summary.pierced, summary.pierced_frame
                ));
            }
            if let Some(frays) = summary.frays.filter(|frays| frays.torn > 0) {
                say(format_args!(
                    "  {} spans of yarn are torn: {} ends, {:.2} mm out of the weave on average, \
                     {} pieces",
                    frays.torn,
                    frays.ends,
                    frays.mean_length * 1e3,
                    frays.pieces
                ));
            }
            say(format_args!(
                "  worst strain of these frames {:.3} % (frame {}, {})",
                summary.extension * 100.0,
                summary.extension_frame,
                summary.extension_at
            ));
        }
        self.exported.iter().for_each(|file| say(format_args!("  exported {}", file.display())));
        if let Some(made) = &self.made {
            self.tell_pictures(made);
        }
        if ending.complete {
            self.tell_how_to_look();
        } else {
            say(format_args!("  stopped after frame {} of {last}; go on with:", ending.reached));
            say(format_args!("    {}", command_line::resume(self.args)));
        }
    }

    fn tell_pictures(&self, made: &Made) {
        let (command, folder) = (program(), quoted_path(self.folder));
        let out = self.args.render.as_deref().map_or(String::new(), quoted_path);
        match made.stopped_at {
            Some(frame) => {
                let left = left_behind(made);
                say(format_args!(
                    "  stopped at the picture of frame {frame}; {left}; make it with:"
                ));
                say(format_args!("    {command} render {folder} --out {out}"));
            }
            None => {
                say(format_args!("  {} pictures:", made.pictures));
                tell_files(&made.files);
            }
        }
    }

    fn tell_how_to_look(&self) {
        let (command, folder) = (program(), quoted_path(self.folder));
        let named =
            |extension: &str| quoted_path(Path::new(&format!("{}.{extension}", self.scene.name)));
        say(format_args!("Prove it:   {command} check {folder}"));
        if self.made.is_none() {
            say(format_args!("Look at it: {command} render {folder} --out {}", named("mp4")));
        }
        say(format_args!("Export it:  {command} export {folder} --to {}", named("abc")));
        say(format_args!(
            "            then in Blender: File > Import > Alembic (.abc), and press play"
        ));
    }

    fn notes(&self) -> Vec<&String> {
        let pictures = self.made.iter().flat_map(|made| &made.notes);
        self.scene.notes.iter().chain(&self.ending.notes).chain(pictures).collect()
    }
}

/// Where the time went: the columns of BW98 Table 1 and the shares of other phases.
fn tell_times(summary: &Summary) {
    let (Some(shortest), Some(longest)) = (summary.h_min, summary.h_max) else { return };
    let total: f64 = summary.seconds.values().sum();
    let mut shares: Vec<(&String, f64)> =
        summary.seconds.iter().map(|(phase, time)| (phase, 100.0 * time / total)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = shares.iter().filter(|(_, share)| *share >= 0.5);
    let list: Vec<String> = shown.map(|(phase, share)| format!("{phase} {share:.0} %")).collect();
    say(format_args!(
        "  steps of {:.2} to {:.2} ms; {:.4} s of computing a frame: {}",
        shortest * 1e3,
        longest * 1e3,
        total / f64::from(summary.frames.max(2) - 1),
        list.join(", ")
    ));
}
