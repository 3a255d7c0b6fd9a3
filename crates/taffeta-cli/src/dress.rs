//! `taffeta dress`

use std::process::ExitCode;

use crate::args::{DressArgs, RunArgs};
use crate::failure::Failure;
use crate::{run, scenes};

/// Runs a scene up to its first frame.
pub fn dress(args: &DressArgs) -> Result<ExitCode, Failure> {
    let file = scenes::read(&args.scene, &args.overrides)?;
    if !file.has_garment() {
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
