//! Taffeta for Python: the compiled part of the package `taffeta`.
//!
//! Scenes are put together in Python; here they are built, stepped and looked at. Nothing panics
//! on input, the interpreter's lock is never held while cloth is computed, and Ctrl-C stops.

mod arrays;
mod driver;
mod errors;
mod patience;
mod run;
mod simulation;
mod source;
mod sweep;
mod tree;
mod views;

use std::process::ExitCode;

use pyo3::prelude::*;

/// The compiled part of taffeta; see the package itself.
#[pymodule]
mod _taffeta {
    #[pymodule_export]
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::simulation::{Frame, Frames, Simulation};
    #[pymodule_export]
    use super::source::{builtin_scenes, fabrics, find_scene, kept_text};
    #[pymodule_export]
    use super::sweep::{command, sweep, sweep_needs, sweep_task};
    #[pymodule_export]
    use super::tree::{toml_text, toml_value};
    #[pymodule_export]
    use super::views::Keeper;

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use super::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The number of an exit code, which the standard library does not tell.
fn number_of(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(1)
}
