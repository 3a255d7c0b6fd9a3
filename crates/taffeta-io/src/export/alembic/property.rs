//! Properties: named values over time, each sample written when it comes and only if it changed.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::super::ExportError;
use super::ogawa::{Chunk, Ogawa};

/// The number of the time sampling that every property of the mesh uses.
pub(super) const FRAMES: u32 = 1;

/// The metadata index that says: the metadata stands in the header itself.
const INLINE_METADATA: u32 = 0xff;

/// The kinds of numbers used here, by Alembic's codes.
#[derive(Clone, Copy)]
pub(super) enum Pod {
    U8 = 1,
    U32 = 5,
    I32 = 6,
    F32 = 10,
    F64 = 11,
}

/// Whether a sample is one element, or a list of any length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar = 1,
    Array = 2,
}

/// What a property is called and made of.
pub(super) struct Kind {
    pub name: &'static str,
    pub shape: Shape,
    pub pod: Pod,
    /// Numbers in one element.
    pub extent: u32,
    pub metadata: &'static str,
}

impl Kind {
    fn element_size(&self) -> usize {
        let number = match self.pod {
            Pod::U8 => 1,
            Pod::U32 | Pod::I32 | Pod::F32 => 4,
            Pod::F64 => 8,
        };
        number * self.extent as usize
    }
}

/// The samples of a property so far.
///
/// Samples before `first_change` equal the first, and those after `last_change` equal the last
/// written: only the range between has a reference a frame.
pub(super) struct Property {
    kind: Kind,
    references: Vec<Chunk>,
    latest: Chunk,
    latest_key: Option<u128>,
    element_counts: [usize; 2],
    samples: u32,
    first_change: u32,
    last_change: u32,
    contents: Xxh3,
}

impl Property {
    /// A property without samples.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            references: Vec::new(),
            latest: Chunk::NO_DATA,
            latest_key: None,
            element_counts: [usize::MAX, 0],
            samples: 0,
            first_change: 0,
            last_change: 0,
            contents: Xxh3::new(),
        }
    }

    /// Adds the sample of the next frame.
    pub fn push(&mut self, ogawa: &mut Ogawa, bytes: &[u8]) -> Result<(), ExportError> {
        let key = xxh3_128(bytes);
        self.contents.update(&key.to_le_bytes());
        if self.latest_key != Some(key) {
            self.repeat_until_now();
            self.latest = match bytes {
                [] => Chunk::NO_DATA,
                _ => ogawa.data(&[&key.to_le_bytes(), bytes])?,
            };
            self.latest_key = Some(key);
            self.refer();
            if self.first_change == 0 {
                self.first_change = self.samples;
            }
            self.last_change = self.samples;
            let elements = bytes.len() / self.kind.element_size();
            let [fewest, most] = self.element_counts;
            self.element_counts = [fewest.min(elements), most.max(elements)];
        }
        self.samples += 1;
        Ok(())
    }

    /// Whether any sample holds anything.
    pub fn is_used(&self) -> bool {
        self.element_counts[1] > 0
    }

    /// A number for all samples so far: equal numbers, equal samples.
    pub fn digest(&self) -> u128 {
        self.contents.digest128()
    }

    fn repeat_until_now(&mut self) {
        if self.first_change > 0 {
            (self.last_change + 1..self.samples).for_each(|_| self.refer());
        }
    }

    /// Refers to the latest data; an array's dimensions follow, empty for a plain list.
    fn refer(&mut self) {
        self.references.push(self.latest);
        if self.kind.shape == Shape::Array {
            self.references.push(Chunk::NO_DATA);
        }
    }

    /// Appends the group of samples, and this property's header to those of its siblings.
    pub fn finish(&self, ogawa: &mut Ogawa, headers: &mut Vec<u8>) -> Result<Chunk, ExportError> {
        let Kind { name, metadata, .. } = self.kind;
        let width = Width::for_all(&[self.samples, name.len() as u32, metadata.len() as u32]);
        headers.extend_from_slice(&(self.flags() | width.flags()).to_le_bytes());
        width.push(headers, self.samples);
        if self.changes_in_a_range() {
            width.push(headers, self.first_change);
            width.push(headers, self.last_change);
        }
        width.push(headers, FRAMES);
        push_name_and_metadata(headers, width, name, metadata);
        ogawa.group(&self.references)
    }

    fn is_constant(&self) -> bool {
        self.last_change == 0
    }

    /// Neither constant nor new with every sample, which are the cases without a written range.
    fn changes_in_a_range(&self) -> bool {
        !self.is_constant() && (self.first_change, self.last_change) != (1, self.samples - 1)
    }

    fn flags(&self) -> u32 {
        let [fewest, most] = self.element_counts;
        let scalar_like = self.kind.shape == Shape::Scalar || (fewest, most) == (1, 1);
        self.kind.shape as u32
            | u32::from(scalar_like)
            | (self.kind.pod as u32) << 4
            | 1 << 8
            | u32::from(self.changes_in_a_range()) << 9
            | u32::from(fewest == most) << 10
            | u32::from(self.is_constant()) << 11
            | self.kind.extent << 12
            | INLINE_METADATA << 20
    }
}

/// Appends the header of a compound, a property that holds properties.
pub(super) fn push_compound_header(headers: &mut Vec<u8>, name: &str, metadata: &str) {
    let width = Width::for_all(&[name.len() as u32, metadata.len() as u32]);
    headers.extend_from_slice(&(width.flags() | INLINE_METADATA << 20).to_le_bytes());
    push_name_and_metadata(headers, width, name, metadata);
}

fn push_name_and_metadata(headers: &mut Vec<u8>, width: Width, name: &str, metadata: &str) {
    for text in [name, metadata] {
        width.push(headers, text.len() as u32);
        headers.extend_from_slice(text.as_bytes());
    }
}

/// How many bytes the numbers of one header take.
#[derive(Clone, Copy)]
enum Width {
    One = 0,
    Two = 1,
    Four = 2,
}

impl Width {
    fn for_all(numbers: &[u32]) -> Self {
        match numbers.iter().max() {
            Some(0x1_0000..) => Self::Four,
            Some(0x100..) => Self::Two,
            _ => Self::One,
        }
    }

    fn flags(self) -> u32 {
        (self as u32) << 2
    }

    fn push(self, headers: &mut Vec<u8>, number: u32) {
        headers.extend_from_slice(&number.to_le_bytes()[..1 << self as usize]);
    }
}
