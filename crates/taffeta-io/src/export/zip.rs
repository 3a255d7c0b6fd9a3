//! A zip archive of entries that are stored as they are, written as they come.

use crc32fast::Hasher;

use super::ExportError;
use super::output::Output;

/// Stands in 32-bit fields whose value is in the 64-bit extra field instead.
const SEE_EXTRA: u32 = u32::MAX;
/// Zip 4.5, the first with 64-bit sizes.
const VERSION: u16 = 45;
/// Where an entry's checksum stands in its header.
const CHECKSUM_AT: u64 = 14;
/// 1 January 1980, the earliest date a zip can hold: equal frames give equal files.
const DATE: u16 = 0x21;

/// An archive being written. All sizes are 64-bit, as an animation may exceed 4 GiB.
pub(super) struct Zip {
    output: Output,
    length: u64,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    start: u64,
    size: u64,
    checksum: u32,
}

/// One entry being written; the archive goes on with [`EntryWriter::finish`].
pub(super) struct EntryWriter<'a> {
    zip: &'a mut Zip,
    entry: Entry,
    hasher: Hasher,
}

impl Zip {
    /// An empty archive.
    pub fn new(output: Output) -> Self {
        Self { output, length: 0, entries: Vec::new() }
    }

    /// Starts an entry of a known size.
    pub fn entry(&mut self, name: &str, size: u64) -> Result<EntryWriter<'_>, ExportError> {
        let entry = Entry { name: name.to_owned(), start: self.length, size, checksum: 0 };
        self.append(&entry.local_header())?;
        Ok(EntryWriter { zip: self, entry, hasher: Hasher::new() })
    }

    /// Writes the table of contents and returns the file.
    pub fn finish(mut self) -> Result<Output, ExportError> {
        let start = self.length;
        let table: Vec<u8> = self.entries.iter().flat_map(Entry::directory_header).collect();
        self.append(&table)?;
        self.append(&end(self.entries.len() as u64, start, table.len() as u64))?;
        Ok(self.output)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.length += bytes.len() as u64;
        self.output.write(bytes)
    }
}

impl EntryWriter<'_> {
    /// Appends bytes to the entry.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.hasher.update(bytes);
        self.zip.append(bytes)
    }

    /// Completes the entry.
    pub fn finish(mut self) -> Result<(), ExportError> {
        self.entry.checksum = self.hasher.finalize();
        let checksum_at = self.entry.start + CHECKSUM_AT;
        self.zip.output.patch(checksum_at, &self.entry.checksum.to_le_bytes())?;
        self.zip.entries.push(self.entry);
        Ok(())
    }
}

impl Entry {
    /// The header before the entry's bytes; its checksum is filled in afterwards.
    fn local_header(&self) -> Vec<u8> {
        let extra = extra(&[self.size, self.size]);
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(self.common(extra.len()));
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// The entry in the table of contents.
    fn directory_header(&self) -> Vec<u8> {
        let extra = extra(&[self.size, self.size, self.start]);
        let mut header = b"PK\x01\x02".to_vec();
        header.extend([VERSION.to_le_bytes(), VERSION.to_le_bytes()].concat());
        header.extend(self.common(extra.len()));
        // No comment, first disk, no attributes.
        header.extend([0; 10]);
        header.extend(SEE_EXTRA.to_le_bytes());
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// What both headers have: flags, method and time (none), date, checksum, sizes, lengths.
    fn common(&self, extra: usize) -> Vec<u8> {
        let mut common = vec![0; 6];
        common.extend(DATE.to_le_bytes());
        common.extend(self.checksum.to_le_bytes());
        common.extend([SEE_EXTRA.to_le_bytes(), SEE_EXTRA.to_le_bytes()].concat());
        common.extend((self.name.len() as u16).to_le_bytes());
        common.extend((extra as u16).to_le_bytes());
        common
    }
}

/// The extra field with an entry's 64-bit values.
fn extra(values: &[u64]) -> Vec<u8> {
    let mut extra = 1_u16.to_le_bytes().to_vec();
    extra.extend((8 * values.len() as u16).to_le_bytes());
    extra.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    extra
}

/// The end of the archive: where the table of contents is, in 64 bits, and the classic record
/// that readers look for first.
fn end(entries: u64, start: u64, size: u64) -> Vec<u8> {
    let mut end = b"PK\x06\x06".to_vec();
    end.extend(44_u64.to_le_bytes());
    end.extend([VERSION.to_le_bytes(), VERSION.to_le_bytes()].concat());
    end.extend([0; 8]);
    end.extend([entries, entries, size, start].iter().flat_map(|value| value.to_le_bytes()));
    end.extend(b"PK\x06\x07\0\0\0\0");
    end.extend((start + size).to_le_bytes());
    end.extend(1_u32.to_le_bytes());
    end.extend(b"PK\x05\x06\0\0\0\0");
    end.extend([0xff; 12]);
    end.extend([0; 2]);
    end
}
