//! `taffeta render`

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use glam::DVec3;
use taffeta::{Frame, Mesh, Shape, Solid};
use taffeta_io::FrameSource;
use taffeta_io::cache::{CacheReader, CachedFrame, Topology};
use taffeta_render::{
    Framing, Look, Movie, Options, Picture, RenderError, Stage, Subject, Track, picture_of,
};
use taffeta_scene::{Override, SceneFile, SceneText};

use crate::args::RenderArgs;
use crate::console::say;
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::near::Near;
use crate::progress::Bar;
use crate::wanted::Wanted;
use crate::{export, resources};

pub fn render(args: &RenderArgs) -> Result<ExitCode, Failure> {
    let stop = interrupt::listen("the unfinished file is not there".into())?;
    let begun = Instant::now();
    let made = make(args, &stop, true)?;
    let reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    let all = args.frame.is_none() && args.frames.is_none();
    let unfinished = export::unfinished(&reader).filter(|_| all);
    made.notes.iter().chain(&unfinished).for_each(|note| say(format_args!("note: {note}")));
    if let Some(frame) = made.stopped_at {
        say(format_args!("stopped at frame {frame}; {}", left_behind(&made)));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let seconds = begun.elapsed().as_secs_f64();
    let plural = if made.pictures == 1 { "" } else { "s" };
    say(format_args!("{} picture{plural} in {seconds:.1} s", made.pictures));
    export::tell_files(&made.files);
    Ok(ExitCode::SUCCESS)
}

/// Makes the pictures that are asked for.
pub fn make(args: &RenderArgs, stop: &AtomicBool, bar: bool) -> Result<Made, Failure> {
    // What cannot work is told before anything is computed.
    Movie::format_of(&args.out).map_err(Failure::new)?;
    let memory = resources::memory(args.memory)?;
    let mut reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    let frames = range(args, &reader)?;
    let wanted = Wanted::by_scene(&kept_scene(args, &reader)?, memory)?.but(args)?;
    let order = Order { out: &args.out, wanted: &wanted, frames, memory, stop, bar };
    resources::threads(args.threads)?.install(|| order.make(&mut reader))
}

/// The scene as it was run, for its camera and its pictures, with what was typed in their place.
fn kept_scene(args: &RenderArgs, reader: &CacheReader) -> Result<SceneFile, Failure> {
    if let Some(other) = args.overrides.iter().find(|o| !about_pictures(o)) {
        return Err(Failure::new(format!(
            "--set {other} would change frames that are made: here it takes keys of camera and \
             render"
        )));
    }
    let overrides: Vec<Override> = args.overrides.iter().cloned().map(Override).collect();
    let text = reader.scene().map_err(Failure::new)?;
    let origin = args.dir.join("scene.toml").display().to_string();
    let text = SceneText { origin: &origin, name: "", base: Path::new("."), text: &text };
    Ok(SceneFile::read(text, &overrides)?)
}

fn about_pictures(assignment: &str) -> bool {
    let table = assignment.split(['.', '=']).next().unwrap_or_default().trim();
    ["camera", "render"].contains(&table)
}

fn range(args: &RenderArgs, reader: &CacheReader) -> Result<RangeInclusive<u32>, Failure> {
    let all = reader.numbers();
    let folder = reader.folder().display();
    if all.is_empty() {
        return Err(Failure::new(format!("{folder} holds no whole frame to show")));
    }
    let range = match (args.frame, args.frames) {
        (Some(frame), _) => frame..=frame,
        (None, Some(frames)) => frames.within(&all),
        (None, None) => all.clone(),
    };
    let (first, last) = (*all.start(), *all.end());
    if range.is_empty() || *range.start() < first || *range.end() > last {
        return Err(Failure::new(format!(
            "{folder} holds frames {first} to {last}, not all of those asked for"
        )));
    }
    Ok(range)
}

/// Pictures to be made of a run.
pub struct Order<'a> {
    pub out: &'a Path,
    pub wanted: &'a Wanted,
    pub frames: RangeInclusive<u32>,
    /// Bytes a picture may take.
    pub memory: u64,
    /// Set to give up at once.
    pub stop: &'a AtomicBool,
    /// Whether to show how far it is.
    pub bar: bool,
}

/// What came of an order.
#[derive(Default)]
pub struct Made {
    pub files: Vec<PathBuf>,
    pub pictures: usize,
    /// What the user should know: frames that were left out, say.
    pub notes: Vec<String>,
    /// The frame at which somebody asked to stop.
    pub stopped_at: Option<u32>,
}

/// What there is of an order that was stopped.
pub fn left_behind(made: &Made) -> String {
    match made.files.last() {
        None => "nothing is left of the unfinished file".into(),
        Some(last) => format!("the pictures up to {} are there", last.display()),
    }
}

impl Order<'_> {
    /// Tells what cannot work before anything is computed.
    pub fn check(&self, rate: f64) -> Result<(), Failure> {
        self.options().check().map_err(Failure::new)?;
        self.movie(rate).map(drop)
    }

    /// Makes the pictures.
    pub fn make(&self, reader: &mut CacheReader) -> Result<Made, Failure> {
        self.check(reader.rate())?;
        let lost = |error| Failure::new(format!("{error}; `run … --resume` writes it again"));
        let solids = reader.solids().map_err(lost)?.0;
        let mut made = Made { notes: self.notes(), ..Made::default() };
        let (track, stage) = self.look_around(reader, &solids, &mut made.notes)?;
        let mut movie = self.movie(reader.rate())?;
        self.fill(&mut movie, reader, &Shot { track, stage, solids }, &mut made)?;
        if made.stopped_at.is_some() {
            made.files = movie.abandon();
        } else {
            made.files = movie.finish().map_err(Failure::new)?;
        }
        Ok(made)
    }

    fn options(&self) -> Options<'_> {
        let [width, height] = self.wanted.size;
        let (samples, stop) = (self.wanted.samples, Some(self.stop));
        Options { width, height, samples, memory: self.memory, stop }
    }

    fn movie(&self, rate: f64) -> Result<Movie, Failure> {
        let count = self.frames.clone().count();
        Movie::create(self.out, self.wanted.size, rate, count).map_err(Failure::new)
    }

    fn notes(&self) -> Vec<String> {
        let ([width, height], least) = (self.wanted.size, self.wanted.look.least_size());
        let small = |[w, h]: &[u32; 2]| width < *w || height < *h;
        let words = |[w, h]: [u32; 2]| {
            format!("{width} × {height} pixels have no room for the legend, which needs {w} × {h}")
        };
        least.filter(small).map(words).into_iter().collect()
    }

    /// Camera, light and scales from every frame of the run, so that a still and a movie agree.
    fn look_around(
        &self,
        reader: &mut CacheReader,
        solids: &[Solid],
        notes: &mut Vec<String>,
    ) -> Result<(Track, Stage), Failure> {
        let [width, height] = self.wanted.size.map(f64::from);
        let mut framing = Framing::new(self.wanted.view(), width / height);
        let (mut times, mut extensions, mut near) = (Vec::new(), Vec::new(), Near::default());
        for number in reader.numbers() {
            let (frame, topology) = reader.frame(number).map_err(Failure::new)?;
            let positions = &frame.snapshot.state.positions;
            framing.add(&near.seen(positions, topology.yarns.as_ref()));
            // A plane has no end, and what is drawn of it may reach beyond the picture.
            for solid in solids.iter().filter(|s| !matches!(s.shape, Shape::Plane { .. })) {
                framing.add(&solid.surface_at(frame.snapshot.state.time).positions);
            }
            times.extend(self.frames.contains(&number).then_some(frame.snapshot.state.time));
            if self.wanted.look == Look::Strain && !topology.gauges.is_empty() {
                let worst = taffeta::measure::strain(&topology.gauges, positions).extension;
                extensions.extend(worst.is_finite().then_some(worst));
            }
        }
        notes.extend(near.note().filter(|_| self.wanted.is_framed()));
        let (track, mut stage) = self.wanted.stage(&framing)?;
        let first = reader.frame(*reader.numbers().start()).map_err(Failure::new)?.1;
        let texture = stage.dress.texture.take();
        stage.dress.texture = texture.map(|texture| texture.placed_on(&first.faces));
        for time in times {
            let unfit = |error| Failure::new(format!("at {time:.3} s {error}"));
            track.at(time).check().map_err(unfit)?;
        }
        // The worst strain of a usual frame: the worst of all frames would leave the rest pale.
        // What is beyond has the colour of the end, and the legend says so.
        let usual = extensions.iter().sum::<f64>() / extensions.len().max(1) as f64;
        stage.strain_limit = round_up(usual);
        Ok((track, stage))
    }

    /// Makes every picture until somebody asks to stop.
    fn fill(
        &self,
        movie: &mut Movie,
        reader: &mut CacheReader,
        shot: &Shot,
        made: &mut Made,
    ) -> Result<(), Failure> {
        let mut bar = Bar::new(*self.frames.start(), *self.frames.end());
        for number in self.frames.clone() {
            let (frame, topology) = reader.frame(number).map_err(Failure::new)?;
            if let Some(why) = lost_particle(&frame.snapshot.state.positions) {
                made.notes.push(format!("frame {number} is left out: {why}"));
                continue;
            }
            match shot.take(self.wanted.look, frame, topology, &self.options()) {
                Ok(picture) => movie.add(number, &picture).map_err(Failure::new)?,
                Err(RenderError::Stopped) => {
                    made.stopped_at = Some(number);
                    break;
                }
                Err(error) => return Err(Failure::new(format!("frame {number}: {error}"))),
            }
            made.pictures += 1;
            if self.bar {
                bar.show(number, &self.out.display().to_string());
            }
        }
        bar.finish();
        if made.pictures == 0 && made.stopped_at.is_none() {
            return Err(Failure::new(made.notes.join("\n")));
        }
        Ok(())
    }
}

/// The end of a colour scale that holds a strain: 1, 2 or 5 times a power of ten.
fn round_up(strain: f64) -> f64 {
    let steps = (-4..=3).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(power)));
    steps.into_iter().find(|step| *step >= strain).unwrap_or(strain)
}

fn lost_particle(positions: &[DVec3]) -> Option<String> {
    let lost = positions.iter().position(|position| !position.as_vec3().is_finite())?;
    Some(format!("particle {lost} is at {}, which is no place", positions[lost]))
}

/// How frames are shown.
struct Shot {
    track: Track,
    stage: Stage,
    solids: Vec<Solid>,
}

impl Shot {
    fn take(
        &self,
        look: Look,
        cached: &CachedFrame,
        topology: &Topology,
        options: &Options,
    ) -> Result<Picture, RenderError> {
        let state = &cached.snapshot.state;
        let frame = Frame {
            number: cached.number,
            time: state.time,
            revision: cached.revision,
            faces: &topology.faces,
            positions: &state.positions,
            velocities: &state.velocities,
            yarns: topology.yarns.as_ref(),
            cloths: &topology.cloths,
        };
        let stage = Stage { camera: self.track.at(state.time), ..self.stage.clone() };
        let solids: Vec<Mesh> = self.solids.iter().map(|s| s.surface_at(state.time)).collect();
        let subject = Subject { frame: &frame, gauges: &topology.gauges, solids: &solids };
        picture_of(look, &subject, &stage, options)
    }
}
