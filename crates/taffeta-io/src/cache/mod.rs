//! The frame cache: a folder that holds a run, written so that a crash at any moment, or a power
//! failure, leaves only whole frames.
//!
//! ```text
//! .taffeta              says that the folder is ours; locked while a run writes there
//! run.json              what the folder is: versions, scene, frame rate and range
//! scene.toml            the scene as it was run, overrides included
//! report.jsonl          a line per frame
//! topology/000000.tft   faces, masses and strain gauges, one file per revision
//! solids.tfs            the solids, also if there are none
//! dressed.tfd           where a garment was put on; only of garments
//! frames/000000.tff     the whole state at a frame; also what a run resumes from
//! ```
//!
//! Every binary file carries a magic number, a version, the fingerprint of its run and a checksum,
//! and appears under its name only when it is complete and on disk; the folders above it are on disk
//! before. `run.json` has a
//! checksum of its own content and of the scene's. The frames are the truth: lines of the report
//! that are lost can be measured again from them.

mod claim;
mod codec;
mod dressed_file;
mod error;
mod folder;
mod frame_file;
mod manifest;
mod reader;
mod seal;
mod solids_file;
mod topology_file;
mod writer;

pub use claim::{Claim, Holder, Survive, holder};
pub use dressed_file::Dressed;
pub use error::CacheError;
pub use frame_file::{CachedFrame, state_hash};
pub use manifest::Manifest;
pub use reader::CacheReader;
pub use solids_file::Solids;
pub use topology_file::Topology;
pub use writer::CacheWriter;
