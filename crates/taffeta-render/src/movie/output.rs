//! A file that appears under its name only when it is complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::RenderError;

/// A file being written beside its target; dropped unfinished, it goes.
pub struct Output {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    written: u64,
    finished: bool,
}

impl Output {
    /// Starts a file, and makes its folder if need be.
    pub fn create(path: &Path) -> Result<Self, RenderError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let partial = path.with_file_name(name);
        let file = open(path, &partial)
            .map_err(|source| RenderError::Write { path: path.into(), source })?;
        let file = BufWriter::new(file);
        Ok(Self { path: path.into(), partial, file, written: 0, finished: false })
    }

    /// Bytes written so far.
    #[cfg_attr(not(feature = "movies"), allow(dead_code, reason = "only MP4 and WebP need it"))]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), RenderError> {
        self.write_all(bytes).map_err(|source| self.error(source))
    }

    /// Writes over bytes that are there.
    #[cfg_attr(not(feature = "movies"), allow(dead_code, reason = "only MP4 and WebP need it"))]
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<(), RenderError> {
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.seek(SeekFrom::Start(self.written)))
            .map(|_| ())
            .map_err(|source| self.error(source))
    }

    /// Completes the file under its name.
    pub fn finish(mut self) -> Result<PathBuf, RenderError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(|source| self.error(source))?;
        self.finished = true;
        Ok(self.path.clone())
    }

    /// What an encoder said, with this file's name.
    pub fn refuse(&self, why: impl Into<String>) -> RenderError {
        RenderError::Encode { path: self.path.clone(), why: why.into() }
    }

    fn error(&self, source: io::Error) -> RenderError {
        RenderError::Write { path: self.path.clone(), source }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.finished {
            // The error that brought us here is the one worth telling.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

fn open(path: &Path, partial: &Path) -> io::Result<File> {
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    File::create(partial)
}
