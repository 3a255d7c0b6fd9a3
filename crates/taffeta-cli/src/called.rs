//! The work of commands for other programs: the same words, options and errors, and nothing printed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use taffeta_scene::SceneFile;
use taffeta_scene::check::Certificate;
use taffeta_sweep::Made;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::host::Host;
use crate::{resources, scenes};

/// What `taffeta check` finds.
pub fn check(options: &[OsString]) -> Result<Certificate, Failure> {
    match parse("check", options)? {
        Command::Check(args) => crate::check::certify(&args).map(|(certificate, _)| certificate),
        _ => Err(other_command()),
    }
}

/// The files that `taffeta export` writes.
pub fn export(options: &[OsString]) -> Result<Vec<PathBuf>, Failure> {
    match parse("export", options)? {
        Command::Export(args) => crate::export::make(&args).map(|exported| exported.files),
        _ => Err(other_command()),
    }
}

/// The files that `taffeta render` writes, until `stop` is set.
pub fn render(options: &[OsString], stop: &AtomicBool) -> Result<Vec<PathBuf>, Failure> {
    match parse("render", options)? {
        Command::Render(args) => crate::render::make(&args, stop, false).map(|made| made.files),
        _ => Err(other_command()),
    }
}

/// Does what `taffeta sweep` does, until `stop` is set: the folder, and what is in it.
pub fn sweep(
    options: &[OsString],
    host: &Host,
    stop: &AtomicBool,
) -> Result<(PathBuf, Made), Failure> {
    match parse("sweep", options)? {
        Command::Sweep(args) => crate::sweep::call(&args, host, stop),
        _ => Err(other_command()),
    }
}

/// What this machine is called.
pub fn machine() -> String {
    crate::sweep::machine()
}

/// A scene by the name of a built-in one or the path of a file.
pub fn read_scene(scene: &str, overrides: &[String]) -> Result<SceneFile, Failure> {
    scenes::read(scene, overrides)
}

/// So many threads, or one for each core.
pub fn threads(count: Option<u32>) -> Result<rayon::ThreadPool, Failure> {
    resources::threads(count)
}

/// The memory that may be taken, in bytes, from what the user allows in GiB, or what is usual.
pub fn memory(allowed: Option<f64>) -> Result<u64, Failure> {
    resources::memory(allowed)
}

fn parse(command: &str, options: &[OsString]) -> Result<Command, Failure> {
    let words = ["taffeta", command].map(OsString::from).into_iter().chain(options.iter().cloned());
    let args = Args::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        Failure::new(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
    })?;
    Ok(args.command)
}

fn other_command() -> Failure {
    Failure::new("the options name another command")
}
