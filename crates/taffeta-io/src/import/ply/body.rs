//! The contents of a PLY file, record by record, text or binary alike.

use super::super::error::{integer, number};
use super::super::{Fault, FormatError};
use super::header::{Element, Encoding, Header, Kind, Scalar};

/// The values of one record.
#[derive(Default)]
pub(super) struct Record {
    values: Vec<f64>,
    ends: Vec<usize>,
}

impl Record {
    /// All values of a property, by the property's number.
    pub fn all(&self, property: usize) -> &[f64] {
        let start = if property == 0 { 0 } else { self.ends[property - 1] };
        &self.values[start..self.ends[property]]
    }

    /// The value of a property that is no list.
    pub fn one(&self, property: usize) -> f64 {
        self.all(property)[0]
    }
}

/// What follows the header.
pub(super) enum Body<'a> {
    /// One record a line.
    Text {
        /// The lines not yet read.
        rest: &'a [u8],
        /// The number of the line read last.
        line: usize,
    },
    /// Records without gaps.
    Binary {
        /// The bytes not yet read.
        rest: &'a [u8],
        /// Whether values begin with their highest byte.
        big_endian: bool,
    },
}

impl<'a> Body<'a> {
    /// The contents of a file with this header.
    pub fn new(header: &Header, bytes: &'a [u8]) -> Self {
        let rest = &bytes[header.body..];
        match header.encoding {
            Encoding::Text => Self::Text { rest, line: header.lines },
            binary => Self::Binary { rest, big_endian: binary == Encoding::BigEndian },
        }
    }

    /// Reads the next record.
    pub fn read(&mut self, element: &Element, record: &mut Record) -> Result<(), Fault> {
        record.values.clear();
        record.ends.clear();
        match self {
            Self::Text { rest, line } => {
                let text = next_line(rest, line)?;
                let mut words = text.split_whitespace();
                read_values(element, record, &mut words)?;
                let extra = words.count();
                if extra > 0 {
                    let what = format!("{extra} values too many for element {}", element.name);
                    return Err(Fault::malformed(what));
                }
                Ok(())
            }
            Self::Binary { rest, big_endian } => {
                read_values(element, record, &mut Bytes { rest, big_endian: *big_endian })
            }
        }
    }

    /// A fault with the place where the reader is.
    pub fn place(&self, fault: Fault, element: &Element, number: usize) -> FormatError {
        match self {
            Self::Text { line, .. } => fault.at_line(*line),
            Self::Binary { .. } => fault.in_part(format!("{} {number}", element.name)),
        }
    }

    /// What nobody has read.
    pub fn left_over(&self) -> Option<String> {
        match self {
            Self::Text { rest, .. } => {
                let lines = rest.split(|byte| *byte == b'\n');
                let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
                (lines > 0).then(|| format!("{lines} lines"))
            }
            Self::Binary { rest, .. } => {
                (!rest.is_empty()).then(|| format!("{} bytes", rest.len()))
            }
        }
    }
}

/// The next line that is not blank.
fn next_line(rest: &mut &[u8], number: &mut usize) -> Result<String, Fault> {
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
        *rest = after.get(1..).unwrap_or_default();
        *number += 1;
        if !line.trim_ascii().is_empty() {
            return Ok(String::from_utf8_lossy(line).into_owned());
        }
    }
    Err(Fault::Truncated { needed: 1, there: 0 })
}

/// Where values come from.
trait Values {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault>;

    /// Fails if so many more values cannot be there.
    fn expect(&self, scalar: Scalar, count: u64) -> Result<(), Fault>;
}

impl Values for std::str::SplitWhitespace<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        let word = Iterator::next(self).ok_or_else(|| Fault::missing("a value"))?;
        if scalar.is_integer() { integer(word).map(|value| value as f64) } else { number(word) }
    }

    fn expect(&self, _: Scalar, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

struct Bytes<'a, 'b> {
    rest: &'a mut &'b [u8],
    big_endian: bool,
}

impl Values for Bytes<'_, '_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        self.expect(scalar, 1)?;
        let (value, after) = self.rest.split_at(scalar.size());
        *self.rest = after;
        let mut bytes = [0; 8];
        bytes[..value.len()].copy_from_slice(value);
        if self.big_endian {
            bytes[..value.len()].reverse();
        }
        Ok(scalar.decode(bytes))
    }

    fn expect(&self, scalar: Scalar, count: u64) -> Result<(), Fault> {
        let (needed, there) = (count * scalar.size() as u64, self.rest.len() as u64);
        if needed > there { Err(Fault::Truncated { needed, there }) } else { Ok(()) }
    }
}

fn read_values(
    element: &Element,
    record: &mut Record,
    values: &mut impl Values,
) -> Result<(), Fault> {
    for property in &element.properties {
        match property.kind {
            Kind::Single(scalar) => record.values.push(values.next(scalar)?),
            Kind::List { length, item } => {
                let length = values.next(length)?;
                if length < 0.0 {
                    let what = format!("{length} items in the list {}", property.name);
                    return Err(Fault::malformed(what));
                }
                values.expect(item, length as u64)?;
                for _ in 0..length as u64 {
                    record.values.push(values.next(item)?);
                }
            }
        }
        record.ends.push(record.values.len());
    }
    Ok(())
}
