//! Writing a cache folder.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::frame_file::payload_hash;
use super::seal::{Kind, make_folder, seal, sync_parent, write_whole};
use super::{CacheError, CachedFrame, Claim, Dressed, Manifest, Solids, Survive, Topology, folder};

/// A cache folder being written. No other run can write there as long as this lives.
#[derive(Debug)]
pub struct CacheWriter {
    claim: Claim,
    report: File,
    /// Whose the files are.
    run: u128,
}

impl CacheWriter {
    /// Starts a run; what an earlier run left in the folder goes.
    pub fn create(claim: Claim, manifest: &Manifest, scene: &str) -> Result<Self, CacheError> {
        let path = claim.folder().to_path_buf();
        refuse_links(&path)?;
        // The manifest goes last: a crash here leaves a shorter run, or one without a frame.
        discard(&folder::frames(&path), "tff", 0, claim.survive())?;
        discard(&folder::topologies(&path), "tft", 0, claim.survive())?;
        remove(&folder::solids(&path))?;
        remove(&folder::dressed(&path))?;
        remove(&folder::report(&path))?;
        remove(&folder::manifest(&path))?;
        let mut writer = Self::of_run(claim, manifest.run())?;
        writer.describe(manifest, scene)?;
        Ok(writer)
    }

    /// Goes on with the run that is in a folder. Files left half written go.
    pub fn reopen(claim: Claim) -> Result<Self, CacheError> {
        let run = Manifest::read(&folder::manifest(claim.folder()))?.run();
        Self::of_run(claim, run)
    }

    fn of_run(claim: Claim, run: u128) -> Result<Self, CacheError> {
        let path = claim.folder();
        refuse_links(path)?;
        for folder in [folder::frames(path), folder::topologies(path)] {
            make_folder(&folder, claim.survive())
                .map_err(|error| CacheError::io("make", &folder, error))?;
            discard(&folder, "part", 0, claim.survive())?;
        }
        for file in [
            folder::manifest(path),
            folder::scene(path),
            folder::report(path),
            folder::solids(path),
            folder::dressed(path),
        ] {
            remove(&file.with_extension("part"))?;
        }
        let report = open_report(path)?;
        Ok(Self { claim, report, run })
    }

    /// Says what the folder is: writes the scene and the manifest, unless they say so already.
    /// Returns whether the scene's text was another.
    pub fn describe(&mut self, manifest: &Manifest, scene: &str) -> Result<bool, CacheError> {
        let refuse = |error: serde_json::Error| {
            CacheError::io("write", &folder::manifest(self.claim.folder()), error.into())
        };
        let manifest = manifest.of_scene(scene).text().map_err(refuse)?;
        let changed = self.replace(folder::scene, scene)?;
        self.replace(folder::manifest, &manifest)?;
        Ok(changed)
    }

    /// Removes every frame from this number on.
    pub fn discard_from(&mut self, first: u32) -> Result<(), CacheError> {
        discard(&folder::frames(self.claim.folder()), "tff", first, self.claim.survive())
    }

    /// Removes the topology of every revision from this one on.
    pub fn discard_topologies_from(&mut self, first: u64) -> Result<(), CacheError> {
        // More than fit into the names of files are not there.
        let Ok(first) = u32::try_from(first) else { return Ok(()) };
        discard(&folder::topologies(self.claim.folder()), "tft", first, self.claim.survive())
    }

    /// Replaces all lines of the report.
    pub fn replace_report(&mut self, report: &str) -> Result<(), CacheError> {
        self.replace(folder::report, report)?;
        self.report = open_report(self.claim.folder())?;
        Ok(())
    }

    /// Writes a topology; frames of its revision may follow.
    pub fn write_topology(&mut self, topology: &Topology) -> Result<(), CacheError> {
        let path = folder::topology(self.claim.folder(), topology.revision);
        write_whole(
            &path,
            &seal(Kind::Topology, self.run, &topology.encode()),
            self.claim.survive(),
        )
    }

    /// Whether there is a topology of a revision.
    pub fn has_topology(&self, revision: u64) -> bool {
        folder::topology(self.claim.folder(), revision).exists()
    }

    /// Writes the solids of the run. Without any there is a file that says so: one that is missing
    /// is known to be lost.
    pub fn write_solids(&mut self, solids: &Solids) -> Result<(), CacheError> {
        let path = folder::solids(self.claim.folder());
        write_whole(&path, &seal(Kind::Solids, self.run, &solids.encode()), self.claim.survive())
    }

    /// Whether it is there how a garment was put on.
    pub fn has_dressed(&self) -> bool {
        folder::dressed(self.claim.folder()).exists()
    }

    /// Writes how a garment was put on.
    pub fn write_dressed(&mut self, dressed: &Dressed) -> Result<(), CacheError> {
        let path = folder::dressed(self.claim.folder());
        write_whole(&path, &seal(Kind::Dressed, self.run, &dressed.encode()), self.claim.survive())
    }

    /// Writes a frame and tells its [`state_hash`](super::state_hash); when this returns it is on
    /// disk, and neither a crash nor, unless the folder was taken for less, a power failure loses it.
    pub fn write_frame(&mut self, frame: &CachedFrame) -> Result<u64, CacheError> {
        let path = folder::frame(self.claim.folder(), frame.number);
        let bytes = frame.encode();
        write_whole(&path, &seal(Kind::Frame, self.run, &bytes), self.claim.survive())?;
        Ok(payload_hash(&bytes))
    }

    /// Appends a line to the report. A power failure may lose the last lines: all but what
    /// was done on the way can be measured again from the frames.
    pub fn write_report(&mut self, line: &str) -> Result<(), CacheError> {
        let text = format!("{line}\n");
        self.report
            .write_all(text.as_bytes())
            .map_err(|error| CacheError::io("write", &folder::report(self.claim.folder()), error))
    }

    /// Writes a text file unless that is its content; tells whether it was not.
    fn replace(&self, place: fn(&Path) -> PathBuf, text: &str) -> Result<bool, CacheError> {
        let path = place(self.claim.folder());
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(false);
        }
        write_whole(&path, text.as_bytes(), self.claim.survive())?;
        Ok(true)
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

/// Files are removed and written through links too, in folders that may be somebody else's.
fn refuse_links(path: &Path) -> Result<(), CacheError> {
    let parts = [folder::frames(path), folder::topologies(path), folder::report(path)];
    let linked = |part: &PathBuf| fs::symlink_metadata(part).is_ok_and(|found| found.is_symlink());
    match parts.into_iter().find(linked) {
        Some(path) => Err(CacheError::Linked { path }),
        _ => Ok(()),
    }
}

fn remove(path: &Path) -> Result<(), CacheError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CacheError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Removes the numbered files of a kind, the last first, from a number on. When this returns,
/// they are gone for good: an old frame must not come back after a power failure.
fn discard(path: &Path, extension: &str, first: u32, survive: Survive) -> Result<(), CacheError> {
    let numbers = folder::numbers(path, extension)?;
    let last_first = numbers.iter().rev().take_while(|number| **number >= first);
    for &number in last_first {
        remove(&folder::numbered(path, number.into(), extension))?;
    }
    match numbers.first() {
        Some(&any) if survive == Survive::PowerFailure => {
            sync_parent(&folder::numbered(path, any.into(), extension))
                .map_err(|error| CacheError::io("write", path, error))
        }
        _ => Ok(()),
    }
}
