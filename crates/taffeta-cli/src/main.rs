//! The `taffeta` command.

mod args;
mod check;
mod export;
mod failure;
mod plot;
mod progress;
mod render;
mod run;
mod scenes;
mod values;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match &args.command {
        Command::Run(options) => run::run(options),
        Command::Check(options) => check::check(options),
        Command::Export(options) => export::export(options),
        Command::Render(options) => render::render(options),
        Command::Plot(options) => plot::plot(options),
        Command::Scenes(options) => scenes::scenes(options),
    };
    result.unwrap_or_else(|failure| failure.show(args.command.json()))
}
