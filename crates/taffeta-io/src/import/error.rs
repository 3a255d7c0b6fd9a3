//! Why a mesh could not be read, and where in its file.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::EXTENSIONS;

/// Why a mesh could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The extension names no format.
    #[error("{} names no mesh format; these extensions work: {}", path.display(), EXTENSIONS.join(", "))]
    UnknownExtension {
        /// The path asked for.
        path: PathBuf,
    },
    /// The format holds no motion.
    #[error("{} names no format that moves; gltf, glb and npz do", path.display())]
    NoMotion {
        /// The path asked for.
        path: PathBuf,
    },
    /// The format holds no skeleton that moves.
    #[error("{} names no format of a skeleton's motion; bvh does", path.display())]
    NoSkeletonMotion {
        /// The path asked for.
        path: PathBuf,
    },
    /// The format holds no bones.
    #[error(
        "a motion moves the bones of a body, and {} names no format with bones; gltf and glb do", path.display()
    )]
    NoBones {
        /// The path asked for.
        path: PathBuf,
    },
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what its extension says, or holds what cannot be read.
    #[error("{}, {source}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: FormatError,
    },
}

/// What is wrong in a file, and where.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{place}: {fault}")]
pub struct FormatError {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file; the first is 1.
    Line(usize),
    /// A named part of a binary or structured file.
    Part(String),
}

/// What is wrong.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// Text where a number belongs.
    #[error("`{text}` is not a number")]
    NotANumber {
        /// The text, shortened.
        text: String,
    },
    /// Text where a whole number belongs.
    #[error("`{text}` is not a whole number")]
    NotAnInteger {
        /// The text, shortened.
        text: String,
    },
    /// Something that must be there is not.
    #[error("{what} is missing")]
    Missing {
        /// What.
        what: String,
    },
    /// A number refers to something that is not there.
    #[error("refers to {what} {number}, but there are {count}")]
    OutOfRange {
        /// What it refers to.
        what: &'static str,
        /// The number, as the file has it.
        number: i64,
        /// How many there are.
        count: usize,
    },
    /// The file is shorter than it says.
    #[error("the data ends too early: {needed} bytes are needed here, {there} are there")]
    Truncated {
        /// How many bytes belong here.
        needed: u64,
        /// How many there are.
        there: u64,
    },
    /// The file is well-formed but holds what cannot be read.
    #[error("{what} cannot be read; {instead}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do about it.
        instead: &'static str,
    },
    /// The file breaks the rules of its format.
    #[error("{what}")]
    Malformed {
        /// Which rule, and how.
        what: String,
    },
}

impl Fault {
    /// This fault at a line.
    pub(super) fn at_line(self, line: usize) -> FormatError {
        FormatError { place: Place::Line(line), fault: self }
    }

    /// This fault in a part of the file.
    pub(super) fn in_part(self, part: impl Into<String>) -> FormatError {
        FormatError { place: Place::Part(part.into()), fault: self }
    }

    /// Something is missing.
    pub(super) fn missing(what: impl Into<String>) -> Self {
        Self::Missing { what: what.into() }
    }

    /// A rule is broken.
    pub(super) fn malformed(what: impl Into<String>) -> Self {
        Self::Malformed { what: what.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(formatter, "line {line}"),
            Self::Part(part) => formatter.write_str(part),
        }
    }
}

/// Reads a number.
pub(super) fn number(text: &str) -> Result<f64, Fault> {
    text.parse().map_err(|_| Fault::NotANumber { text: shortened(text) })
}

/// Reads a whole number.
pub(super) fn integer(text: &str) -> Result<i64, Fault> {
    text.parse().map_err(|_| Fault::NotAnInteger { text: shortened(text) })
}

/// Text from a file, fit for a message.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
