//! `taffeta render`

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Instant;

use glam::DVec3;
use taffeta::{Frame, Mesh, Shape, Solid};
use taffeta_io::FrameSource;
use taffeta_io::cache::{CacheReader, CachedFrame, Topology};
use taffeta_render::{
    Camera, FINAL_SAMPLES, Framing, Look, Movie, Options, PREVIEW_SAMPLES, Stage, Subject, View,
    picture_of,
};

use crate::args::{Quality, RenderArgs};
use crate::console::say;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::{export, run};

pub fn render(args: &RenderArgs) -> Result<ExitCode, Failure> {
    // What cannot work is told before anything is computed.
    Movie::format_of(&args.out).map_err(Failure::new)?;
    let options = options(args)?;
    options.check().map_err(Failure::new)?;
    let mut reader = CacheReader::open(&args.dir).map_err(Failure::new)?;
    let range = range(args, &reader)?;
    let begun = Instant::now();
    let shown: Result<_, Failure> = run::threads(args.threads)?.install(|| {
        let stage = stage(args, &mut reader)?;
        let count = range.clone().count();
        let mut movie =
            Movie::create(&args.out, args.size.0, reader.rate(), count).map_err(Failure::new)?;
        let solids = reader.solids().map_err(Failure::new)?.0;
        let shot = Shot { args, solids, stage, options };
        let skipped = fill(&mut movie, &mut reader, range.clone(), &shot)?;
        let files = movie.finish().map_err(Failure::new)?;
        Ok((files, count - skipped.len(), skipped))
    });
    let (files, pictures, skipped) = shown?;
    skipped.iter().for_each(|why| say(format_args!("note: {why}")));
    let seconds = begun.elapsed().as_secs_f64();
    say(format_args!("{pictures} pictures in {seconds:.1} s"));
    export::tell_files(&files);
    Ok(ExitCode::SUCCESS)
}

fn options(args: &RenderArgs) -> Result<Options, Failure> {
    let samples = args.samples.unwrap_or(match args.quality {
        Quality::Preview => PREVIEW_SAMPLES,
        Quality::Final => FINAL_SAMPLES,
    });
    let [width, height] = args.size.0;
    Ok(Options { width, height, samples, memory: run::memory(args.memory)? })
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
        return Err(Failure::new(format!("{folder} holds frames {first} to {last}")));
    }
    Ok(range)
}

/// Camera, light and scales from every frame of the run, so that a still and a movie agree.
fn stage(args: &RenderArgs, reader: &mut CacheReader) -> Result<Stage, Failure> {
    let [width, height] = args.size.0.map(f64::from);
    let view = View {
        azimuth: args.azimuth.to_radians(),
        elevation: args.elevation.to_radians(),
        field_of_view: args.fov.to_radians(),
    };
    let mut framing = Framing::new(view, width / height);
    let mut extensions = Vec::new();
    let solids = reader.solids().map_err(Failure::new)?.0;
    for number in reader.numbers() {
        let (frame, topology) = reader.frame(number).map_err(Failure::new)?;
        let positions = &frame.snapshot.state.positions;
        framing.add(positions);
        // A plane has no end, and what is drawn of it may reach beyond the picture.
        for solid in solids.iter().filter(|s| !matches!(s.shape, Shape::Plane { .. })) {
            framing.add(&solid.surface_at(frame.snapshot.state.time).positions);
        }
        if args.look == Look::Strain && !topology.gauges.is_empty() {
            let worst = taffeta::measure::strain(&topology.gauges, positions).extension;
            extensions.extend(worst.is_finite().then_some(worst));
        }
    }
    let nowhere = || Failure::new("no frame of the run has a particle at a finite place");
    let mut stage = Stage::around(&framing, None).ok_or_else(nowhere)?;
    if let Some(position) = args.camera {
        let target = args.target.map_or(stage.camera.target, |target| target.0.into());
        let field_of_view = args.fov.to_radians();
        let camera = Camera { position: position.0.into(), target, field_of_view };
        stage = Stage::around(&framing, Some(camera)).ok_or_else(nowhere)?;
    }
    // The worst strain of a usual frame: the worst of all frames would leave the rest pale. What
    // is beyond has the colour of the end, and the legend says so.
    let usual = extensions.iter().sum::<f64>() / extensions.len().max(1) as f64;
    stage.strain_limit = round_up(usual);
    if args.no_ground {
        stage.ground = None;
    }
    if let Some(background) = args.background {
        stage.set_background(background.0);
    }
    Ok(stage)
}

/// The end of a colour scale that holds a strain: 1, 2 or 5 times a power of ten.
fn round_up(strain: f64) -> f64 {
    let steps = (-4..=3).flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(power)));
    steps.into_iter().find(|step| *step >= strain).unwrap_or(strain)
}

/// How frames are shown.
struct Shot<'a> {
    args: &'a RenderArgs,
    solids: Vec<Solid>,
    stage: Stage,
    options: Options,
}

/// Makes every picture; returns why frames were left out.
fn fill(
    movie: &mut Movie,
    reader: &mut CacheReader,
    range: RangeInclusive<u32>,
    shot: &Shot,
) -> Result<Vec<String>, Failure> {
    let (first, last) = (*range.start(), *range.end());
    let mut bar = Bar::new(first, last);
    let mut skipped = Vec::new();
    for number in range {
        let (frame, topology) = reader.frame(number).map_err(Failure::new)?;
        match lost_particle(&frame.snapshot.state.positions) {
            Some(why) => skipped.push(format!("frame {number} is left out: {why}")),
            None => {
                let picture = shot.take(frame, topology)?;
                movie.add(number, &picture).map_err(Failure::new)?;
            }
        }
        bar.show(number, &shot.args.out.display().to_string());
    }
    bar.finish();
    if skipped.len() == (last - first) as usize + 1 {
        return Err(Failure::new(skipped.join("\n")));
    }
    Ok(skipped)
}

fn lost_particle(positions: &[DVec3]) -> Option<String> {
    let lost = positions.iter().position(|position| !position.as_vec3().is_finite())?;
    Some(format!("particle {lost} is at {}, which is no place", positions[lost]))
}

impl Shot<'_> {
    fn take(
        &self,
        cached: &CachedFrame,
        topology: &Topology,
    ) -> Result<taffeta_render::Picture, Failure> {
        let state = &cached.snapshot.state;
        let frame = Frame {
            number: cached.number,
            time: state.time,
            revision: cached.revision,
            faces: &topology.faces,
            positions: &state.positions,
            velocities: &state.velocities,
        };
        let solids: Vec<Mesh> = self.solids.iter().map(|s| s.surface_at(state.time)).collect();
        let subject = Subject { frame: &frame, gauges: &topology.gauges, solids: &solids };
        picture_of(self.args.look, &subject, &self.stage, &self.options)
            .map_err(|error| Failure::new(format!("frame {}: {error}", cached.number)))
    }
}
