//! Values of an accessor, with every bound checked before a byte is read.

use gltf::Accessor;
use gltf::accessor::DataType;

use super::super::Fault;
use super::buffers::Buffers;

/// Reads all elements of an accessor, each of `N` numbers.
pub(super) fn read<const N: usize>(
    accessor: &Accessor,
    buffers: &mut Buffers,
) -> Result<Vec<[f64; N]>, Fault> {
    let components = accessor.dimensions().multiplicity();
    if components != N {
        let what = format!("accessor {} has {components} numbers, not {N}", accessor.index());
        return Err(Fault::malformed(what));
    }
    if accessor.count() == 0 {
        return Ok(Vec::new());
    }
    let stride = check(accessor)?;
    buffers.spend((accessor.count() as u64).saturating_mul(N as u64))?;
    let bytes = elements(accessor, buffers, stride)?;
    let size = accessor.data_type().size();
    Ok(bytes
        .chunks(stride)
        .map(|element| std::array::from_fn(|i| value(accessor, &element[i * size..(i + 1) * size])))
        .collect())
}

/// Refuses what cannot be read; returns the bytes from one element to the next.
fn check(accessor: &Accessor) -> Result<usize, Fault> {
    let unsupported = |kind: &str| Fault::Unsupported {
        what: format!("accessor {}, which is {kind},", accessor.index()),
        instead: "export the mesh with plain buffers",
    };
    if accessor.sparse().is_some() {
        return Err(unsupported("sparse"));
    }
    let view = accessor.view().ok_or_else(|| unsupported("without a buffer view"))?;
    let stride = view.stride().unwrap_or(accessor.size());
    if stride < accessor.size() {
        let what = format!("elements of {} bytes stand {stride} bytes apart", accessor.size());
        return Err(Fault::malformed(what));
    }
    Ok(stride)
}

/// The bytes from the first to the last element.
fn elements<'a>(
    accessor: &Accessor,
    buffers: &'a Buffers,
    stride: usize,
) -> Result<&'a [u8], Fault> {
    let bytes = match accessor.view() {
        Some(view) => buffers.view(&view)?,
        None => &[],
    };
    let length = (accessor.count() - 1).checked_mul(stride);
    let length = length.and_then(|length| length.checked_add(accessor.size()));
    let end = length.and_then(|length| length.checked_add(accessor.offset()));
    end.and_then(|end| bytes.get(accessor.offset()..end)).ok_or(Fault::Truncated {
        needed: end.map_or(u64::MAX, |end| end as u64),
        there: bytes.len() as u64,
    })
}

/// One number; normalised integers become fractions of their largest value.
fn value(accessor: &Accessor, bytes: &[u8]) -> f64 {
    let mut four = [0; 4];
    four[..bytes.len()].copy_from_slice(bytes);
    let [a, b, ..] = four;
    let (value, largest) = match accessor.data_type() {
        DataType::I8 => (f64::from(i8::from_le_bytes([a])), f64::from(i8::MAX)),
        DataType::U8 => (f64::from(a), f64::from(u8::MAX)),
        DataType::I16 => (f64::from(i16::from_le_bytes([a, b])), f64::from(i16::MAX)),
        DataType::U16 => (f64::from(u16::from_le_bytes([a, b])), f64::from(u16::MAX)),
        DataType::U32 => (f64::from(u32::from_le_bytes(four)), f64::from(u32::MAX)),
        DataType::F32 => return f64::from(f32::from_le_bytes(four)),
    };
    if accessor.normalized() { (value / largest).max(-1.0) } else { value }
}
