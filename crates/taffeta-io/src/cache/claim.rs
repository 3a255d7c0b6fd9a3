//! Whose a folder is: a marker says that it is ours, and is locked while a run writes there.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::seal::{make_folder, sync_parent};
use super::{CacheError, folder};

/// What the marker says.
const MARK: &[u8] = b"Taffeta keeps a run in this folder.\n";

/// What the files of a run survive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survive {
    /// A power failure: whatever is written is on disk before anything else is done.
    #[default]
    PowerFailure,
    /// A crash of the program alone, which saves waiting for the disk. What a power failure damages
    /// is known by its seal.
    Crash,
}

/// Whose a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nobody's: it is empty or does not exist.
    Nobody,
    /// Ours: it has our marker.
    Taffeta,
    /// Somebody else's: it holds files and no marker of ours, whatever their names.
    Stranger,
}

/// Tells whose a folder is.
pub fn holder(path: &Path) -> Result<Holder, CacheError> {
    let names = names(path)?;
    let marked = names.iter().any(|name| *name == folder::MARKER);
    Ok(match (marked, names.is_empty()) {
        (true, _) => Holder::Taffeta,
        (false, true) => Holder::Nobody,
        (false, false) => Holder::Stranger,
    })
}

/// A folder that is ours, and no other run's as long as this lives.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    survive: Survive,
    _lock: File,
}

impl Claim {
    /// Takes a folder for a run: one of ours, an empty one, or a new one.
    ///
    /// The marker is on disk before anything else is written, so that whatever a crash leaves
    /// behind is known to be ours.
    pub fn take(path: &Path) -> Result<Self, CacheError> {
        Self::take_to(path, Survive::default())
    }

    /// The same for files that survive less, or as much.
    pub fn take_to(path: &Path, survive: Survive) -> Result<Self, CacheError> {
        make_folder(path, survive).map_err(|error| CacheError::io("make", path, error))?;
        let foreign = || CacheError::Foreign { path: path.into() };
        if holder(path)? == Holder::Stranger {
            return Err(foreign());
        }
        let file = folder::marker(path);
        let mut lock = open(&file).map_err(|error| CacheError::io("write", &file, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CacheError::Busy { path: path.into() }),
            Err(TryLockError::Error(error)) => return Err(CacheError::io("lock", &file, error)),
        }
        let alone = names(path)?.len() == 1;
        match mark(&mut lock, &file, alone, survive) {
            Ok(true) => Ok(Self { folder: path.into(), survive, _lock: lock }),
            Ok(false) => Err(foreign()),
            Err(error) => Err(CacheError::io("write", &file, error)),
        }
    }

    /// What its files survive.
    pub(super) fn survive(&self) -> Survive {
        self.survive
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The numbers of the frames that are there, in order, sound or not.
    pub fn frames(&self) -> Result<Vec<u32>, CacheError> {
        folder::numbers(&folder::frames(&self.folder), "tff")
    }
}

fn open(file: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)
}

/// Puts the mark into its file, unless it is there; false if the file says something else.
///
/// A crash may leave a part of the mark, but then there is nothing else in the folder.
fn mark(marker: &mut File, path: &Path, alone: bool, survive: Survive) -> io::Result<bool> {
    let mut found = Vec::new();
    marker.take(MARK.len() as u64 + 1).read_to_end(&mut found)?;
    if found == MARK {
        return Ok(true);
    }
    if !alone || !MARK.starts_with(&found) {
        return Ok(false);
    }
    marker.rewind()?;
    marker.write_all(MARK)?;
    if survive == Survive::PowerFailure {
        marker.sync_all()?;
        sync_parent(path)?;
    }
    Ok(true)
}

fn names(path: &Path) -> Result<Vec<OsString>, CacheError> {
    let list = || -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    };
    match list() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(|error| CacheError::io("look into", path, error)),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    #[test]
    fn new_and_empty_folders_become_ours_and_stay_so() {
        let folder = tempdir().unwrap();
        let (ours, above) = (folder.path().join("a/b"), folder.path().join("a"));
        assert_eq!(holder(&ours).unwrap(), Holder::Nobody);
        drop(Claim::take(&ours).unwrap());
        fs::write(ours.join("scene.toml"), "").unwrap();
        drop(Claim::take(&ours).unwrap());
        assert_eq!(holder(&ours).unwrap(), Holder::Taffeta);
        assert_eq!(holder(&above).unwrap(), Holder::Stranger);
        assert!(matches!(Claim::take(&above), Err(CacheError::Foreign { .. })));
    }

    #[test]
    fn names_alone_do_not_make_a_folder_ours() {
        for name in ["scene.toml", "frames", "run.json", ".lock", "run.part"] {
            let folder = tempdir().unwrap();
            fs::write(folder.path().join(name), "precious").unwrap();
            let error = Claim::take(folder.path()).unwrap_err();
            assert!(matches!(error, CacheError::Foreign { .. }), "{name}: {error}");
            assert_eq!(names(folder.path()).unwrap(), [name]);
            assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "precious");
        }
    }

    #[test]
    fn a_marker_cut_off_by_a_crash_is_completed_only_where_nothing_else_is() {
        for len in 0..MARK.len() {
            let folder = tempdir().unwrap();
            fs::write(folder::marker(folder.path()), &MARK[..len]).unwrap();
            drop(Claim::take(folder.path()).unwrap());
            assert_eq!(fs::read(folder::marker(folder.path())).unwrap(), MARK);

            fs::write(folder::marker(folder.path()), &MARK[..len]).unwrap();
            fs::write(folder.path().join("thesis.tex"), "precious").unwrap();
            assert!(matches!(Claim::take(folder.path()), Err(CacheError::Foreign { .. })));
        }
        let folder = tempdir().unwrap();
        fs::write(folder::marker(folder.path()), "something else").unwrap();
        assert!(matches!(Claim::take(folder.path()), Err(CacheError::Foreign { .. })));
    }

    #[test]
    fn a_folder_has_one_owner_at_a_time() {
        let folder = tempdir().unwrap();
        let first = Claim::take(folder.path()).unwrap();
        assert!(matches!(Claim::take(folder.path()), Err(CacheError::Busy { .. })));
        drop(first);
        assert!(Claim::take(folder.path()).is_ok());
    }
}
