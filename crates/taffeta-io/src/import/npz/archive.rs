//! The entries of a zip archive, stored or deflated: as much of the format as NumPy writes.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::super::Fault;

/// The ends of the archive and of its parts: marks, and how long the parts are before names.
const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const END_LENGTH: usize = 22;
const ENTRY_LENGTH: usize = 46;
const LOCAL_LENGTH: usize = 30;

/// Where a size is in an extra field of 64 bits instead.
const SEE_EXTRA: u64 = 0xffff_ffff;
/// The mark of that field.
const ZIP64: u64 = 1;

/// A file in the archive.
#[derive(Debug)]
pub struct Entry<'a> {
    pub name: String,
    deflated: bool,
    packed: &'a [u8],
    size: u64,
    checksum: u64,
}

/// Everything in an archive.
pub fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, Fault> {
    let last = bytes.len().saturating_sub(END_LENGTH);
    let mut places = (0..=last).rev().take(usize::from(u16::MAX) + 1);
    let end = places
        .find(|&at| bytes.get(at..).is_some_and(|rest| rest.starts_with(END)))
        .ok_or_else(|| Fault::malformed("it is no zip archive, which an NPZ file is"))?;
    let count = number(bytes, end + 10, 2)?;
    let mut at = usize_of(number(bytes, end + 16, 4)?)?;
    let mut found = Vec::new();
    for _ in 0..count {
        let (entry, next) = entry(bytes, at)?;
        found.push(entry);
        at = next;
    }
    Ok(found)
}

fn entry(bytes: &[u8], at: usize) -> Result<(Entry<'_>, usize), Fault> {
    expect(bytes, at, ENTRY)?;
    let method = number(bytes, at + 10, 2)?;
    let lengths = [28, 30, 32].map(|field| number(bytes, at + field, 2));
    let [name, extra, comment] = lengths;
    let (name, extra, comment) = (usize_of(name?)?, usize_of(extra?)?, usize_of(comment?)?);
    let name_at = at + ENTRY_LENGTH;
    let text = String::from_utf8_lossy(slice(bytes, name_at, name)?).into_owned();
    let mut sizes = [24, 20, 42].map(|field| number(bytes, at + field, 4).unwrap_or(0));
    long_sizes(slice(bytes, name_at + name, extra)?, &mut sizes)?;
    let checksum = number(bytes, at + 16, 4)?;
    let [size, packed, local] = sizes;
    let local = usize_of(local)?;
    expect(bytes, local, LOCAL)?;
    let skipped = number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
    let begin = local + LOCAL_LENGTH + usize_of(skipped)?;
    let packed = slice(bytes, begin, usize_of(packed)?)?;
    let deflated = match method {
        0 => false,
        8 => true,
        other => {
            let what = format!("`{text}`, which is packed by method {other},");
            return Err(Fault::Unsupported { what, instead: "numpy.savez writes what can" });
        }
    };
    let entry = Entry { name: text, deflated, packed, size, checksum };
    Ok((entry, name_at + name + extra + comment))
}

/// Puts the sizes that are in a field of 64 bits in place: those, in their order, that say so.
fn long_sizes(mut extra: &[u8], sizes: &mut [u64; 3]) -> Result<(), Fault> {
    while extra.len() >= 4 {
        let (mark, length) = (number(extra, 0, 2)?, usize_of(number(extra, 2, 2)?)?);
        let field = slice(extra, 4, length)?;
        if mark == ZIP64 {
            let mut at = 0;
            for size in sizes.iter_mut().filter(|size| **size == SEE_EXTRA) {
                *size = number(field, at, 8)?;
                at += 8;
            }
        }
        extra = &extra[4 + length..];
    }
    Ok(())
}

impl Entry<'_> {
    /// What it holds.
    pub fn content(&self) -> Result<Vec<u8>, Fault> {
        let size = usize_of(self.size)?;
        let content = match self.deflated {
            false => self.packed.to_vec(),
            true => decompress_to_vec_with_limit(self.packed, size)
                .map_err(|error| Fault::malformed(format!("it cannot be unpacked: {error}")))?,
        };
        if content.len() != size {
            return Err(Fault::Truncated { needed: self.size, there: content.len() as u64 });
        }
        match u64::from(crc32fast::hash(&content)) == self.checksum {
            true => Ok(content),
            false => Err(Fault::malformed("it is damaged: its checksum is another")),
        }
    }
}

/// A number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Result<u64, Fault> {
    let digits = slice(bytes, at, length)?;
    Ok(digits.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn slice(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], Fault> {
    let end = at.saturating_add(length);
    let truncated = || Fault::Truncated { needed: end as u64, there: bytes.len() as u64 };
    bytes.get(at..end).ok_or_else(truncated)
}

fn expect(bytes: &[u8], at: usize, mark: &[u8]) -> Result<(), Fault> {
    match slice(bytes, at, mark.len())? == mark {
        true => Ok(()),
        false => Err(Fault::malformed(format!("there is no entry at byte {at}, as its list says"))),
    }
}

fn usize_of(number: u64) -> Result<usize, Fault> {
    usize::try_from(number).map_err(|_| Fault::malformed(format!("{number} bytes are too many")))
}
