//! The frame cache: a folder that holds a run, written so that a crash at any moment leaves only
//! whole frames.
//!
//! ```text
//! run.json              what the folder is: versions, scene, frame rate and range
//! scene.toml            the scene as it was run, overrides included
//! report.jsonl          a line per frame
//! topology/000000.tft   faces, masses and structural springs, one file per revision
//! frames/000000.tff     the whole state at a frame; also what a run resumes from
//! ```
//!
//! Every binary file carries a magic number, a version and a checksum, and appears under its name
//! only when it is complete and on disk.

mod codec;
mod error;
mod folder;
mod frame_file;
mod manifest;
mod reader;
mod seal;
mod topology_file;
mod writer;

pub use error::CacheError;
pub use folder::{Occupancy, occupancy};
pub use frame_file::{CachedFrame, state_hash};
pub use manifest::Manifest;
pub use reader::CacheReader;
pub use topology_file::Topology;
pub use writer::CacheWriter;
