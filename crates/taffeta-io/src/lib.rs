//! Files: meshes in, animations out, and the frame cache between.
//!
//! One file per format. Nothing here knows solvers or scenes.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod adapted;
pub mod cache;
pub mod export;
pub mod import;
mod source;

pub use adapted::{Adapted, UpAxis, Wishes};
pub use source::{Excerpt, FrameSource, SourceError};
