//! Writing a cache folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::seal::{Kind, seal, write_whole};
use super::{CacheError, CacheReader, CachedFrame, Manifest, Topology, folder};

/// A cache folder being written. No other run can write there as long as this lives.
#[derive(Debug)]
pub struct CacheWriter {
    folder: PathBuf,
    report: File,
    _lock: File,
}

impl CacheWriter {
    /// Starts a run in a folder, which is made if need be; what an earlier run left there goes.
    pub fn create(path: &Path, manifest: &Manifest, scene: &str) -> Result<Self, CacheError> {
        for folder in [path.to_path_buf(), folder::frames(path), folder::topologies(path)] {
            fs::create_dir_all(&folder).map_err(|e| CacheError::io("make", &folder, e))?;
        }
        let lock = lock(path)?;
        // The manifest goes first and comes last: a folder without one holds no run.
        remove(&folder::manifest(path))?;
        remove(&folder::report(path))?;
        remove_from(&folder::frames(path), &["tff", "part"], 0)?;
        remove_from(&folder::topologies(path), &["tft", "part"], 0)?;
        write_whole(&folder::scene(path), scene.as_bytes())?;
        let report = open_report(path)?;
        manifest.write(&folder::manifest(path))?;
        Ok(Self { folder: path.into(), report, _lock: lock })
    }

    /// Goes on with a run after one of its frames; what came after that frame goes, and the
    /// report keeps the lines given.
    pub fn resume(
        path: &Path,
        manifest: &Manifest,
        scene: &str,
        after: u32,
        report: &str,
    ) -> Result<Self, CacheError> {
        let lock = lock(path)?;
        remove_from(&folder::frames(path), &["tff"], after + 1)?;
        remove_from(&folder::frames(path), &["part"], 0)?;
        write_whole(&folder::report(path), report.as_bytes())?;
        write_whole(&folder::scene(path), scene.as_bytes())?;
        manifest.write(&folder::manifest(path))?;
        Ok(Self { folder: path.into(), report: open_report(path)?, _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a topology; frames of its revision may follow.
    pub fn write_topology(&mut self, topology: &Topology) -> Result<(), CacheError> {
        let path = folder::topology(&self.folder, topology.revision);
        write_whole(&path, &seal(Kind::Topology, &topology.encode()))
    }

    /// Writes a frame; when this returns, no crash can lose it.
    pub fn write_frame(&mut self, frame: &CachedFrame) -> Result<(), CacheError> {
        let path = folder::frame(&self.folder, frame.number);
        write_whole(&path, &seal(Kind::Frame, &frame.encode()))
    }

    /// Appends a line to the report.
    pub fn write_report(&mut self, line: &str) -> Result<(), CacheError> {
        let text = format!("{line}\n");
        self.report
            .write_all(text.as_bytes())
            .map_err(|error| CacheError::io("write", &folder::report(&self.folder), error))
    }

    /// Opens the folder for reading.
    pub fn reader(&self) -> Result<CacheReader, CacheError> {
        CacheReader::open(&self.folder)
    }
}

fn lock(path: &Path) -> Result<File, CacheError> {
    let file = folder::lock(path);
    let lock = File::create(&file).map_err(|error| CacheError::io("write", &file, error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(CacheError::Busy { path: path.into() }),
        Err(TryLockError::Error(error)) => Err(CacheError::io("lock", &file, error)),
    }
}

fn open_report(path: &Path) -> Result<File, CacheError> {
    let file = folder::report(path);
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .map_err(|error| CacheError::io("write", &file, error))
}

fn remove(path: &Path) -> Result<(), CacheError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CacheError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Removes the numbered files with these extensions, from a number on.
fn remove_from(path: &Path, extensions: &[&str], first: u32) -> Result<(), CacheError> {
    let entries = fs::read_dir(path).map_err(|error| CacheError::io("list", path, error))?;
    for entry in entries {
        let file = entry.map_err(|error| CacheError::io("list", path, error))?.path();
        let text = |part: Option<&std::ffi::OsStr>| part.and_then(|p| p.to_str()).map(String::from);
        let number = text(file.file_stem()).and_then(|stem| stem.parse::<u32>().ok());
        let ours = text(file.extension()).is_some_and(|e| extensions.contains(&e.as_str()));
        if ours && number.is_some_and(|number| number >= first) {
            remove(&file)?;
        }
    }
    Ok(())
}
