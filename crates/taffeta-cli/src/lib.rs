//! The `taffeta` command, for the program of that name and for others that have it on board.

// All output goes through `console`, which survives a closed pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
pub mod called;
mod check;
mod command_line;
mod console;
mod dress;
mod dressing;
mod export;
mod fabrics;
mod failure;
mod host;
mod interrupt;
mod near;
mod plot;
mod progress;
mod render;
mod replay;
mod resources;
mod run;
mod scenes;
mod sweep;
mod values;
mod view;
mod wanted;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

pub use failure::Failure;
pub use host::{Errand, Host, Python};

/// Does what the words of a command line say, the program's name first; prints what there is to
/// say and tells the exit code.
pub fn command<W>(words: impl IntoIterator<Item = W>, host: &Host) -> ExitCode
where
    W: Into<OsString> + Clone,
{
    let args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let result = match &args.command {
        Command::Run(options) if replay::is_meant(options) => replay::replay(options),
        Command::Run(options) => run::run(options),
        Command::Dress(options) => dress::dress(options),
        Command::View(options) => view::view(options),
        Command::Check(options) => check::check(options),
        Command::Export(options) => export::export(options),
        Command::Render(options) => render::render(options),
        Command::Plot(options) => plot::plot(options),
        Command::Fabrics(options) => fabrics::fabrics(options),
        Command::Scenes(options) => scenes::scenes(options),
        Command::Sweep(options) => sweep::sweep(options, host),
    };
    let code = result.unwrap_or_else(|failure| failure.show(args.command.json()));
    if console::complete() {
        return code;
    }
    Failure::new("some of the output could not be written").show(args.command.json())
}

/// Tells what can be typed, because somebody asked or typed something else.
fn usage(error: &clap::Error) -> ExitCode {
    // Where that fails there is nobody to tell.
    let _ = error.print();
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}
