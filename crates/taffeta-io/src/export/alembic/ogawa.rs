//! The Ogawa container: a tree of groups and data in one file, children before parents.
//!
//! A group is a count and that many references; data is a length and that many bytes. A reference
//! is an offset in the file, with the top bit set if data lies there.

use std::path::{Path, PathBuf};

use super::super::ExportError;
use super::super::output::Output;

const DATA: u64 = 1 << 63;
const COMPLETE_FLAG_AT: u64 = 5;
const ROOT_AT: u64 = 8;

/// A reference to a group or to data that has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk(u64);

impl Chunk {
    /// Data of no bytes, which takes no room in the file.
    pub const NO_DATA: Self = Self(DATA);
    /// A group of no children, which takes no room in the file.
    pub const NO_GROUP: Self = Self(0);
}

/// An Ogawa file being written.
pub(super) struct Ogawa {
    output: Output,
    end: u64,
}

impl Ogawa {
    /// Starts the file with a header that calls it incomplete.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        let mut ogawa = Self { output: Output::create(path)?, end: 0 };
        ogawa.append(b"Ogawa\x00\x00\x01")?;
        ogawa.append(&[0; 8])?;
        Ok(ogawa)
    }

    /// Appends data, given in parts.
    pub fn data(&mut self, parts: &[&[u8]]) -> Result<Chunk, ExportError> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length == 0 {
            return Ok(Chunk::NO_DATA);
        }
        let chunk = Chunk(self.end | DATA);
        self.append(&(length as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.append(part))?;
        Ok(chunk)
    }

    /// Appends a group over chunks that are written already.
    pub fn group(&mut self, children: &[Chunk]) -> Result<Chunk, ExportError> {
        if children.is_empty() {
            return Ok(Chunk::NO_GROUP);
        }
        let chunk = Chunk(self.end);
        self.append(&(children.len() as u64).to_le_bytes())?;
        children.iter().try_for_each(|child| self.append(&child.0.to_le_bytes()))?;
        Ok(chunk)
    }

    /// Names the root group and calls the file complete.
    pub fn finish(mut self, root: Chunk) -> Result<PathBuf, ExportError> {
        self.output.patch(ROOT_AT, &root.0.to_le_bytes())?;
        self.output.patch(COMPLETE_FLAG_AT, &[0xff])?;
        self.output.finish()
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.end += bytes.len() as u64;
        self.output.write(bytes)
    }
}
