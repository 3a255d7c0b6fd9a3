//! Where things are in a cache folder, and what is in a folder before it is one.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CacheError, CacheReader};

pub(super) fn manifest(folder: &Path) -> PathBuf {
    folder.join("run.json")
}

pub(super) fn scene(folder: &Path) -> PathBuf {
    folder.join("scene.toml")
}

pub(super) fn report(folder: &Path) -> PathBuf {
    folder.join("report.jsonl")
}

pub(super) fn lock(folder: &Path) -> PathBuf {
    folder.join(".lock")
}

pub(super) fn frames(folder: &Path) -> PathBuf {
    folder.join("frames")
}

pub(super) fn frame(folder: &Path, number: u32) -> PathBuf {
    frames(folder).join(format!("{number:06}.tff"))
}

pub(super) fn topologies(folder: &Path) -> PathBuf {
    folder.join("topology")
}

pub(super) fn topology(folder: &Path, revision: u64) -> PathBuf {
    topologies(folder).join(format!("{revision:06}.tft"))
}

/// What a folder holds before a run writes there.
#[derive(Debug)]
pub enum Occupancy {
    /// Nothing, or it does not exist yet.
    Free,
    /// A run.
    Run(Box<CacheReader>),
    /// Files that are not ours.
    Foreign,
}

/// Looks into a folder.
pub fn occupancy(folder: &Path) -> Result<Occupancy, CacheError> {
    if manifest(folder).exists() {
        return Ok(Occupancy::Run(Box::new(CacheReader::open(folder)?)));
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Occupancy::Free),
        Err(error) => return Err(CacheError::io("look into", folder, error)),
    };
    // A run that died before its manifest was written leaves nothing but our own empty folders.
    let ours = [".lock", "frames", "topology", "scene.toml", "run.part", "scene.part"];
    for entry in entries {
        let entry = entry.map_err(|error| CacheError::io("look into", folder, error))?;
        if !ours.iter().any(|name| entry.file_name() == *name) {
            return Ok(Occupancy::Foreign);
        }
    }
    Ok(Occupancy::Free)
}
