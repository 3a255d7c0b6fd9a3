//! Scenes: from text to a checked scene, and from a scene to frames.
//!
//! `text` parses and points at mistakes, `format` declares the keys, `resolve` loads and checks
//! what they name, `starts` tells what begins badly, `run` makes the frames and `check` proves what
//! they promise.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod builtin;
pub mod check;
pub mod format;
mod garment;
mod inside;
pub mod mannequin;
mod resolve;
pub mod run;
mod starts;
pub mod text;
mod torn;

pub use builtin::Builtin;
pub use format::{SceneFile, SceneText};
pub use resolve::Scene;
pub use starts::Warning;
pub use taffeta_garment::{DressError, Progress, Stage};
pub use text::{Override, SceneError};
