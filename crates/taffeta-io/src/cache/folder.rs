//! Where things are in a cache folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::CacheError;

/// The file that says that a folder is ours.
pub(super) const MARKER: &str = ".taffeta";

pub(super) fn marker(folder: &Path) -> PathBuf {
    folder.join(MARKER)
}

pub(super) fn manifest(folder: &Path) -> PathBuf {
    folder.join("run.json")
}

pub(super) fn scene(folder: &Path) -> PathBuf {
    folder.join("scene.toml")
}

pub(super) fn report(folder: &Path) -> PathBuf {
    folder.join("report.jsonl")
}

pub(super) fn frames(folder: &Path) -> PathBuf {
    folder.join("frames")
}

pub(super) fn frame(folder: &Path, number: u32) -> PathBuf {
    numbered(&frames(folder), number.into(), "tff")
}

pub(super) fn topologies(folder: &Path) -> PathBuf {
    folder.join("topology")
}

pub(super) fn topology(folder: &Path, revision: u64) -> PathBuf {
    numbered(&topologies(folder), revision, "tft")
}

pub(super) fn solids(folder: &Path) -> PathBuf {
    folder.join("solids.tfs")
}

pub(super) fn dressed(folder: &Path) -> PathBuf {
    folder.join("dressed.tfd")
}

/// A file that is named by its number.
pub(super) fn numbered(folder: &Path, number: u64, extension: &str) -> PathBuf {
    folder.join(format!("{number:06}.{extension}"))
}

/// The numbers of the files in a folder that are named by their number, in order; none if there
/// is no such folder.
pub(super) fn numbers(folder: &Path, extension: &str) -> Result<Vec<u32>, CacheError> {
    let refuse = |error| CacheError::io("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(refuse)?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let path = entry.map_err(refuse)?.path();
        let number = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.parse().ok());
        if let Some(number) = number.filter(|n| numbered(folder, u64::from(*n), extension) == path)
        {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}
