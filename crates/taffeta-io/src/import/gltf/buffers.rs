//! The bytes that a glTF document refers to.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::Document;
use gltf::buffer::{Source, View};

use super::super::error::shortened;
use super::super::{Fault, FormatError};

/// How often, on average, the nodes of a scene may place the bytes of its buffers. A few kilobytes
/// of JSON could otherwise ask for terabytes.
const MOST_REPEATS: u64 = 256;
/// So many values may be read in any case.
const FREE_VALUES: u64 = 1 << 20;

/// The buffers of a document.
pub(super) struct Buffers {
    buffers: Vec<Vec<u8>>,
    values_left: u64,
}

impl Buffers {
    /// Reads all buffers; `open` reads those in other files.
    pub fn open(
        document: &Document,
        mut blob: Option<Vec<u8>>,
        open: &dyn Fn(&str) -> io::Result<Vec<u8>>,
    ) -> Result<Self, FormatError> {
        let mut buffers = Vec::new();
        for buffer in document.buffers() {
            let bytes = match buffer.source() {
                Source::Bin => blob.take().ok_or_else(|| Fault::missing("the binary chunk")),
                Source::Uri(uri) => read_uri(uri, open),
            };
            let bytes = bytes.and_then(|bytes| check_length(bytes, buffer.length()));
            buffers
                .push(bytes.map_err(|fault| fault.in_part(format!("buffer {}", buffer.index())))?);
        }
        let total: u64 = buffers.iter().map(|bytes| bytes.len() as u64).sum();
        Ok(Self { buffers, values_left: FREE_VALUES + MOST_REPEATS * total })
    }

    /// The bytes of a view.
    pub fn view(&self, view: &View) -> Result<&[u8], Fault> {
        let buffer = &self.buffers[view.buffer().index()];
        let end = view.offset().checked_add(view.length());
        end.and_then(|end| buffer.get(view.offset()..end)).ok_or(Fault::Truncated {
            needed: (view.offset() as u64).saturating_add(view.length() as u64),
            there: buffer.len() as u64,
        })
    }

    /// Takes note that so many values are about to be read.
    pub fn spend(&mut self, values: u64) -> Result<(), Fault> {
        match self.values_left.checked_sub(values) {
            Some(left) => self.values_left = left,
            None => {
                let what = format!("a scene that repeats its data over {MOST_REPEATS} times");
                return Err(Fault::Unsupported { what, instead: "export fewer instances" });
            }
        }
        Ok(())
    }
}

/// The names of the files that buffers are in.
pub(super) fn files(document: &Document) -> Vec<String> {
    let uri = |buffer: gltf::Buffer| match buffer.source() {
        Source::Uri(uri) if !uri.starts_with("data:") => Some(percent_decoded(uri)),
        _ => None,
    };
    document.buffers().filter_map(uri).collect()
}

fn check_length(bytes: Vec<u8>, needed: usize) -> Result<Vec<u8>, Fault> {
    if bytes.len() < needed {
        return Err(Fault::Truncated { needed: needed as u64, there: bytes.len() as u64 });
    }
    Ok(bytes)
}

fn read_uri(uri: &str, open: &dyn Fn(&str) -> io::Result<Vec<u8>>) -> Result<Vec<u8>, Fault> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        let encoded = encoded.ok_or_else(|| Fault::malformed("a data URI without base64"))?;
        return STANDARD
            .decode(encoded)
            .map_err(|error| Fault::malformed(format!("a data URI with bad base64: {error}")));
    }
    let name = percent_decoded(uri);
    open(&name).map_err(|error| {
        Fault::malformed(format!("the file `{}` cannot be read: {error}", shortened(&name)))
    })
}

/// A file name from a URI, in which `%20` stands for a space and so on.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        let code = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
