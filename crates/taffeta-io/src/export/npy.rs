//! NumPy arrays as bytes.

/// The start of an array file (`.npy`, version 1.0); the values follow in C order.
///
/// `kind` is NumPy's name of the type, such as `<f8`.
pub(super) fn header(kind: &str, shape: &[u64]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let about = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, version and length take 10 bytes; the values are to start at a multiple of 64.
    let length = (10 + about.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{about:<width$}\n", width = length - 1).into_bytes());
    header
}
