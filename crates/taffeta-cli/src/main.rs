//! The `taffeta` command.

// All output goes through `console`, which survives a closed pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod check;
mod command_line;
mod console;
mod export;
mod fabrics;
mod failure;
mod interrupt;
mod near;
mod plot;
mod progress;
mod render;
mod run;
mod scenes;
mod values;
mod wanted;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match &args.command {
        Command::Run(options) => run::run(options),
        Command::Check(options) => check::check(options),
        Command::Export(options) => export::export(options),
        Command::Render(options) => render::render(options),
        Command::Plot(options) => plot::plot(options),
        Command::Fabrics(options) => fabrics::fabrics(options),
        Command::Scenes(options) => scenes::scenes(options),
    };
    let code = result.unwrap_or_else(|failure| failure.show(args.command.json()));
    if console::complete() {
        return code;
    }
    Failure::new("some of the output could not be written").show(args.command.json())
}
