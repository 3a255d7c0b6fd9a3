//! `taffeta dress`, and what is shown while a garment is put on.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};

use taffeta_scene::{Progress, Stage};

use crate::args::{DressArgs, RunArgs};
use crate::console::warn;
use crate::failure::Failure;
use crate::{run, scenes};

/// Runs a scene up to its first frame.
pub fn dress(args: &DressArgs) -> Result<ExitCode, Failure> {
    let file = scenes::read(&args.scene, &args.overrides)?;
    if !file.is_garment() {
        return Err(Failure::new(format!("{} has no [cloth.garment] to put on", args.scene)));
    }
    run::run(&RunArgs {
        scene: args.scene.clone(),
        overrides: args.overrides.clone(),
        out: args.out.clone(),
        resume: false,
        overwrite: args.overwrite,
        render: args.render.clone(),
        from: None,
        last_frame: Some(file.frames.first),
        threads: args.threads,
        memory: args.memory,
        json: false,
    })
}

/// Lines told of each stage, at most.
const LINES: f64 = 8.0;

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
        let line = 1 + stage + (LINES * time / all) as u32;
        if self.0.fetch_max(line, Ordering::Relaxed) >= line {
            return;
        }
        match progress.stage {
            Stage::Sewing => warn(format_args!(
                "dressing: seams are drawn together, the widest gap is {:.1} mm after {time:.2} s",
                progress.gap * 1e3
            )),
            Stage::Settling => {
                warn(format_args!("dressing: the garment settles, {time:.2} s of {all:.2} s"));
            }
        }
    }
}
