//! The `taffeta` command as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    taffeta_cli::command(std::env::args_os(), &taffeta_cli::Host::alone())
}
