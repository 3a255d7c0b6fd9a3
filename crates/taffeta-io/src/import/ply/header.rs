//! The header of a PLY file: which elements follow, and how they are written.

use super::super::error::{integer, shortened};
use super::super::{Fault, FormatError};

/// What a PLY file says about its contents.
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Where the contents begin.
    pub body: usize,
    /// How many lines the header has.
    pub lines: usize,
}

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A kind of record and how many there are.
pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
}

/// One field of a record.
pub(super) struct Property {
    pub name: String,
    pub kind: Kind,
}

/// One value, or a list with its length before it.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Single(Scalar),
    List { length: Scalar, item: Scalar },
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Header {
    /// Reads the lines up to `end_header`.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut lines = Lines { bytes, at: 0, number: 0 };
        if lines.next().as_deref() != Some("ply") {
            return Err(Fault::missing("`ply`, with which PLY files begin,").at_line(1));
        }
        let mut encoding = None;
        let mut elements = Vec::new();
        while let Some(line) = lines.next() {
            if line == "end_header" {
                let missing = || Fault::missing("the line `format`").at_line(lines.number);
                let encoding = encoding.ok_or_else(missing)?;
                return Ok(Self { encoding, elements, body: lines.at, lines: lines.number });
            }
            read_line(&line, &mut encoding, &mut elements)
                .map_err(|fault| fault.at_line(lines.number))?;
        }
        Err(Fault::missing("the line `end_header`").at_line(lines.number))
    }
}

/// The lines of a header; what follows it may be binary.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        self.at += end + 1;
        self.number += 1;
        Some(String::from_utf8_lossy(&rest[..end]).trim().to_owned())
    }
}

fn read_line(
    line: &str,
    encoding: &mut Option<Encoding>,
    elements: &mut Vec<Element>,
) -> Result<(), Fault> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [] | ["comment" | "obj_info", ..] => {}
        ["format", name, "1.0"] => *encoding = Some(Encoding::of(name)?),
        ["element", name, count] => {
            let count = integer(count)?;
            let count = usize::try_from(count)
                .map_err(|_| Fault::malformed(format!("{count} elements `{name}`")))?;
            elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
        }
        ["property", ref words @ .., name] => {
            let kind = match *words {
                ["list", length, item] => {
                    Kind::List { length: Scalar::integer(length)?, item: Scalar::of(item)? }
                }
                [scalar] => Kind::Single(Scalar::of(scalar)?),
                _ => return Err(unknown(line)),
            };
            let element = elements.last_mut();
            let element = element.ok_or_else(|| Fault::missing("the element of this property"))?;
            element.properties.push(Property { name: name.to_owned(), kind });
        }
        _ => return Err(unknown(line)),
    }
    Ok(())
}

fn unknown(line: &str) -> Fault {
    Fault::malformed(format!("`{}` is no line of a PLY 1.0 header", shortened(line)))
}

impl Encoding {
    fn of(name: &str) -> Result<Self, Fault> {
        match name {
            "ascii" => Ok(Self::Text),
            "binary_little_endian" => Ok(Self::LittleEndian),
            "binary_big_endian" => Ok(Self::BigEndian),
            _ => Err(Fault::malformed(format!("`{}` is no PLY format", shortened(name)))),
        }
    }
}

impl Element {
    /// The number of the property with this name, if it is of the kind asked for.
    pub fn find(&self, name: &str, fits: fn(&Kind) -> bool) -> Option<usize> {
        self.properties.iter().position(|property| property.name == name && fits(&property.kind))
    }
}

impl Kind {
    pub fn is_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }

    /// The value of full red, green or blue in a property of this type.
    pub fn full_colour(&self) -> Option<f64> {
        match self {
            Self::Single(Scalar::U8) => Some(f64::from(u8::MAX)),
            Self::Single(Scalar::U16) => Some(f64::from(u16::MAX)),
            Self::Single(Scalar::F32 | Scalar::F64) => Some(1.0),
            _ => None,
        }
    }

    pub fn is_list(&self) -> bool {
        matches!(self, Self::List { .. })
    }

    pub fn is_integer_list(&self) -> bool {
        matches!(self, Self::List { item, .. } if item.is_integer())
    }
}

impl Scalar {
    fn of(name: &str) -> Result<Self, Fault> {
        Ok(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return Err(Fault::malformed(format!("`{}` is no type", shortened(name)))),
        })
    }

    /// A type that can count the items of a list.
    fn integer(name: &str) -> Result<Self, Fault> {
        let scalar = Self::of(name)?;
        if scalar.is_integer() {
            return Ok(scalar);
        }
        Err(Fault::malformed(format!("a list cannot be counted in `{name}`")))
    }

    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Bytes of a binary value.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of as many little-endian bytes as the type has. A double holds all types exactly.
    pub fn decode(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Self::I8 => f64::from(i8::from_le_bytes([a])),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(bytes),
        }
    }
}
