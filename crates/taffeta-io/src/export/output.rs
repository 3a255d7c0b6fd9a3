//! One file being written: whole or not there, and errors that name it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::ExportError;

/// A file that appears under its name only once it is complete.
///
/// It is written beside its target and renamed by [`Output::finish`], so an export that fails
/// half-way (a full disk, a bad frame) leaves an earlier file of that name as it was.
pub(super) struct Output {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    finished: bool,
}

impl Output {
    /// Starts the file, making its folder if need be.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let partial = path.with_file_name(name);
        let open = || {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)?;
            }
            if path.is_dir() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            File::create(&partial)
        };
        let file = open().map_err(|source| ExportError::Write { path: path.into(), source })?;
        Ok(Self { path: path.into(), partial, file: BufWriter::new(file), finished: false })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file.write_all(bytes).map_err(|source| self.error(source))
    }

    /// Overwrites bytes at an offset, and goes on at the end.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ExportError> {
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.seek(SeekFrom::End(0)).map(|_| ()))
            .map_err(|source| self.error(source))
    }

    /// Completes the file under its name.
    pub fn finish(mut self) -> Result<PathBuf, ExportError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|source| self.error(source))?;
        self.finished = true;
        Ok(self.path.clone())
    }

    /// An error of the system, with this file's name.
    pub fn error(&self, source: io::Error) -> ExportError {
        ExportError::Write { path: self.path.clone(), source }
    }

    /// A limit of the format, with this file's name.
    pub fn too_large(&self, why: String) -> ExportError {
        ExportError::TooLarge { path: self.path.clone(), why }
    }

    /// A count for a format that stores it as a signed 32-bit number.
    pub fn count(&self, count: usize, what: &str) -> Result<i32, ExportError> {
        i32::try_from(count)
            .map_err(|_| self.too_large(format!("{count} {what}, it holds {}", i32::MAX)))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.finished {
            // Best effort: the error that brought us here is the one worth telling.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
