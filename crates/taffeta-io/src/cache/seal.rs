//! The envelope of a binary file: magic number, kind, version, whose it is, payload, checksum.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::{CacheError, Survive};

const MAGIC: &[u8; 8] = b"TAFFETA\n";
const VERSION: u32 = 6;
const HEADER: usize = 40;
const CHECKSUM: usize = 8;

/// What a sealed file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Frame = 1,
    Topology = 2,
    Solids = 3,
    Dressed = 4,
}

/// Wraps a payload of a run.
pub(super) fn seal(kind: Kind, run: u128, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len() + CHECKSUM);
    bytes.extend(MAGIC);
    bytes.extend((kind as u32).to_le_bytes());
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(run.to_le_bytes());
    bytes.extend(payload);
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// Why an envelope does not open.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Damaged(String),
    Version(u32),
    OtherRun,
}

/// Unwraps a payload of a run, if every byte is as it was sealed.
pub(super) fn open(kind: Kind, run: u128, bytes: &[u8]) -> Result<&[u8], Broken> {
    let damaged = |why: &str| Err(Broken::Damaged(why.to_string()));
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
    };
    if bytes.len() < HEADER + CHECKSUM || !bytes.starts_with(MAGIC) {
        return damaged("it is not a Taffeta file or is cut off");
    }
    if word(12) != VERSION {
        return Err(Broken::Version(word(12)));
    }
    if word(8) != kind as u32 {
        return damaged("it holds something else than its name says");
    }
    let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let payload = &content[HEADER..];
    if content[16..24] != (payload.len() as u64).to_le_bytes() {
        return damaged("its length is not what it was when written");
    }
    if checksum != xxh3_64(content).to_le_bytes() {
        return damaged("its checksum does not match its content");
    }
    // Last: only a file that is whole can be said to be somebody else's.
    if content[24..HEADER] != run.to_le_bytes() {
        return Err(Broken::OtherRun);
    }
    Ok(payload)
}

/// Reads and unwraps a file.
pub(super) fn read<T>(
    (kind, run): (Kind, u128),
    path: &Path,
    decode: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Result<T, CacheError> {
    let bytes = fs::read(path).map_err(|source| CacheError::io("read", path, source))?;
    let damaged = |why| CacheError::Damaged { path: path.into(), why };
    match open(kind, run, &bytes) {
        Ok(payload) => decode(payload).map_err(damaged),
        Err(Broken::Damaged(why)) => Err(damaged(why)),
        Err(Broken::OtherRun) => Err(CacheError::OtherRun { path: path.into() }),
        Err(Broken::Version(found)) => {
            Err(CacheError::Version { path: path.into(), found, known: VERSION })
        }
    }
}

/// Writes a file so that it appears under its name whole or not at all, even if the power fails,
/// unless it need not survive that.
pub(super) fn write_whole(path: &Path, bytes: &[u8], survive: Survive) -> Result<(), CacheError> {
    let synced = survive == Survive::PowerFailure;
    let partial = path.with_extension("part");
    let write = || -> io::Result<()> {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        if synced {
            file.sync_all()?;
        }
        fs::rename(&partial, path)?;
        if synced { sync_parent(path) } else { Ok(()) }
    };
    write().map_err(|source| {
        // Best effort: the error being reported is the one worth telling.
        let _ = fs::remove_file(&partial);
        CacheError::io("write", path, source)
    })
}

/// Makes a folder and those above it that are missing, each on disk when this returns if it is to
/// survive a power failure.
pub(super) fn make_folder(path: &Path, survive: Survive) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_folder(parent, survive)?;
    }
    match fs::create_dir(path) {
        // Somebody else may have made it in the meantime.
        Err(error) if !path.is_dir() => Err(error),
        _ if survive == Survive::Crash => Ok(()),
        _ => sync_parent(path),
    }
}

/// A name, new or changed, is on disk once the folder that holds it is. Windows has no such
/// notion.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => {
            let here = folder.as_os_str().is_empty();
            File::open(if here { Path::new(".") } else { folder })?.sync_all()
        }
        _ => Ok(()),
    }
}

impl CacheError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens() {
        let sealed = seal(Kind::Frame, 7, b"cloth");
        assert_eq!(open(Kind::Frame, 7, &sealed), Ok(&b"cloth"[..]));
        assert!(open(Kind::Topology, 7, &sealed).is_err());
    }

    #[test]
    fn a_whole_file_of_another_run_does_not_open() {
        let sealed = seal(Kind::Frame, 8, b"cloth");
        assert_eq!(open(Kind::Frame, 7, &sealed), Err(Broken::OtherRun));
    }

    #[test]
    fn no_flipped_bit_and_no_cut_goes_unseen() {
        let sealed = seal(Kind::Frame, 7, b"some payload of a frame");
        for byte in 0..sealed.len() {
            for bit in 0..8 {
                let mut damaged = sealed.clone();
                damaged[byte] ^= 1 << bit;
                assert!(open(Kind::Frame, 7, &damaged).is_err(), "byte {byte} bit {bit}");
            }
            assert!(open(Kind::Frame, 7, &sealed[..byte]).is_err(), "cut at {byte}");
        }
    }

    #[test]
    fn folders_are_made_with_all_above_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c");
        make_folder(&path, Survive::PowerFailure).unwrap();
        make_folder(&path, Survive::PowerFailure).unwrap();
        assert!(path.is_dir());
        fs::write(path.join("file"), "").unwrap();
        assert!(make_folder(&path.join("file/d"), Survive::Crash).is_err());
    }

    #[test]
    fn a_later_version_is_named() {
        let mut sealed = seal(Kind::Frame, 7, b"");
        sealed[12] = 9;
        assert_eq!(open(Kind::Frame, 7, &sealed), Err(Broken::Version(9)));
    }
}
