//! What is shown while a garment is put on, and of one that cannot be.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;
use taffeta::{Frame, Mesh, Shape, Solid};
use taffeta_render::{
    Framing, Look, Movie, Options, PREVIEW_SAMPLES, RenderError, Stage as Room, Subject, View,
    picture_of,
};
use taffeta_scene::run::RunError;
use taffeta_scene::{Progress, Scene, Stage};

use crate::console::warn;
use crate::failure::Failure;

/// Lines told of each stage, at most.
const LINES: f64 = 8.0;

/// Pixels of the picture of what could not be put on.
const SIZE: [u32; 2] = [1280, 960];

/// What was told last.
#[derive(Default)]
pub struct Told(AtomicU32);

impl Told {
    /// Tells how far dressing is, now and then.
    pub fn tell(&self, progress: &Progress) {
        let [time, all] = progress.time;
        let stage = match progress.stage {
            Stage::Sewing => 0,
            Stage::Settling => 100,
        };
        let line = 1 + 200 * progress.piece as u32 + stage + (LINES * time / all) as u32;
        if self.0.fetch_max(line, Ordering::Relaxed) >= line {
            return;
        }
        let cloth = progress.piece + 1;
        match progress.stage {
            Stage::Sewing => warn(format_args!(
                "dressing: seams of cloth {cloth} are drawn together, the widest gap is {:.1} mm after \
                 {time:.2} s",
                progress.gap * 1e3
            )),
            Stage::Settling => {
                warn(format_args!("dressing: cloth {cloth} settles, {time:.2} s of {all:.2} s"));
            }
        }
    }
}

/// Why a run could not begin or go on; where a garment could not be put on, with a picture of it, which
/// goes beside the folder of the run.
pub fn failure(error: RunError, (scene, folder): (&Scene, &Path), memory: u64) -> Failure {
    let RunError::Dress(why) = &error else { return Failure::new(error) };
    let Some(cloth) = why.cloth() else { return Failure::new(error) };
    let path = beside(folder);
    match picture(cloth, &scene.setup.solids, scene.frames.time(scene.frames.first), memory, &path)
    {
        Ok(()) => Failure::new(format!("{error}; {} shows it", path.display())),
        Err(other) => Failure::new(format!("{error}; no picture of it could be made: {other}")),
    }
}

fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push("-dressing.png");
    folder.with_file_name(name)
}

fn picture(
    cloth: &Mesh,
    solids: &[Solid],
    time: f64,
    memory: u64,
    path: &Path,
) -> Result<(), RenderError> {
    let bodies = solids.iter().filter(|solid| !matches!(solid.shape, Shape::Plane { .. }));
    let bodies: Vec<Mesh> = bodies.map(|solid| solid.surface_at(time)).collect();
    let mut framing = Framing::new(View::default(), f64::from(SIZE[0]) / f64::from(SIZE[1]));
    framing.add(&cloth.positions);
    bodies.iter().for_each(|body| framing.add(&body.positions));
    let nothing = RenderError::Camera { why: "has nothing to look at" };
    let stage = Room::around(&framing, None).ok_or(nothing)?;
    let still = vec![DVec3::ZERO; cloth.positions.len()];
    let frame = Frame {
        number: 0,
        time,
        revision: 0,
        faces: &cloth.faces,
        positions: &cloth.positions,
        velocities: &still,
        yarns: None,
        cloths: &[],
    };
    let subject = Subject { frame: &frame, gauges: &[], solids: &bodies };
    let [width, height] = SIZE;
    let options = Options { width, height, samples: PREVIEW_SAMPLES, memory, stop: None };
    let picture = picture_of(Look::Wire, &subject, &stage, &options)?;
    let mut movie = Movie::create(path, SIZE, 30.0, 1)?;
    movie.add(0, &picture)?;
    movie.finish().map(|_| ())
}
