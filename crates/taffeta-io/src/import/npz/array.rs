//! NumPy's arrays, of the kinds that hold vertices, faces and rates.

use super::super::Fault;

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array: its shape, and its numbers in C's order.
#[derive(Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub numbers: Vec<f64>,
}

impl Array {
    /// Reads an NPY file.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        if !bytes.starts_with(MAGIC) {
            return Err(Fault::malformed("it is no NumPy array"));
        }
        let truncated =
            |needed: usize| Fault::Truncated { needed: needed as u64, there: bytes.len() as u64 };
        let part = |from: usize, to: usize| bytes.get(from..to).ok_or_else(|| truncated(to));
        let length = |digits: &[u8]| {
            digits.iter().rev().fold(0, |sum: usize, digit| sum << 8 | usize::from(*digit))
        };
        // The length of the header has two bytes in the first version, and four in later ones.
        let begin = if part(6, 7)? == [1] { 10 } else { 12 };
        let end = begin + length(part(8, begin)?);
        let header = String::from_utf8_lossy(part(begin, end)?).into_owned();
        let kind = value(&header, "descr")?.trim_matches(['\'', '"']).to_string();
        if value(&header, "fortran_order")? == "True" {
            let what = "an array in Fortran's order".into();
            return Err(Fault::Unsupported { what, instead: "save numpy.ascontiguousarray of it" });
        }
        let shape = shape(&value(&header, "shape")?)?;
        let count = shape.iter().try_fold(1usize, |all, one| all.checked_mul(*one));
        let (width, convert) = kind_of(&kind)?;
        let needed =
            count.and_then(|count| count.checked_mul(width)).and_then(|n| n.checked_add(end));
        let needed =
            needed.ok_or_else(|| Fault::malformed(format!("its shape {shape:?} is too large")))?;
        let numbers = part(end, needed)?.chunks_exact(width).map(convert).collect();
        Ok(Self { shape, numbers })
    }
}

type Convert = fn(&[u8]) -> f64;

/// How wide numbers of a kind are, and how they are read.
fn kind_of(kind: &str) -> Result<(usize, Convert), Fault> {
    fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
        std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
    }
    let known: [(&str, usize, Convert); 9] = [
        ("<f4", 4, |b| f32::from_le_bytes(fixed(b)).into()),
        ("<f8", 8, |b| f64::from_le_bytes(fixed(b))),
        ("<i4", 4, |b| i32::from_le_bytes(fixed(b)).into()),
        ("<u4", 4, |b| u32::from_le_bytes(fixed(b)).into()),
        ("<i8", 8, |b| i64::from_le_bytes(fixed(b)) as f64),
        ("<u8", 8, |b| u64::from_le_bytes(fixed(b)) as f64),
        ("<i2", 2, |b| i16::from_le_bytes(fixed(b)).into()),
        ("<u2", 2, |b| u16::from_le_bytes(fixed(b)).into()),
        ("|u1", 1, |b| u8::from_le_bytes(fixed(b)).into()),
    ];
    let found = known.iter().find(|(name, ..)| *name == kind);
    found.map(|(_, width, convert)| (*width, *convert)).ok_or_else(|| Fault::Unsupported {
        what: format!("an array of `{kind}`"),
        instead: "save float32 or float64 numbers, and faces as int32",
    })
}

/// What stands behind a key of the header, which is a literal of Python's: a word or a tuple.
fn value(header: &str, key: &str) -> Result<String, Fault> {
    let behind = header.split_once(&format!("'{key}'")).and_then(|(_, rest)| rest.split_once(':'));
    let missing = || Fault::missing(format!("`{key}` in the header of an array"));
    let rest = behind.ok_or_else(missing)?.1.trim_start();
    let end = match rest.starts_with('(') {
        true => rest.find(')').map(|at| at + 1),
        false => rest.find([',', '}']),
    };
    Ok(rest[..end.ok_or_else(missing)?].trim().to_string())
}

fn shape(text: &str) -> Result<Vec<usize>, Fault> {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    let numbers = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
    numbers
        .map(|part| part.parse().map_err(|_| Fault::malformed(format!("`{text}` is no shape"))))
        .collect()
}
