//! Little-endian bytes, written and read with every length checked before anything is allocated.

use glam::DVec3;

/// Bytes being put together.
#[derive(Default)]
pub(super) struct Encoder(pub Vec<u8>);

impl Encoder {
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn f64(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// At once: a frame is little else than vectors.
    pub fn vector(&mut self, value: DVec3) {
        let mut bytes = [0; 24];
        for (to, component) in bytes.chunks_exact_mut(8).zip(value.to_array()) {
            to.copy_from_slice(&component.to_le_bytes());
        }
        self.0.extend_from_slice(&bytes);
    }

    /// A list: its length, then its items.
    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.0.reserve(8 + size_of_val(items));
        self.u64(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Bytes being taken apart; an error says what was missing.
pub(super) struct Decoder<'a>(pub &'a [u8]);

impl Decoder<'_> {
    pub fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    pub fn vector(&mut self) -> Result<DVec3, String> {
        Ok(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }

    /// A list whose items take at least `size` bytes each.
    pub fn list<T>(
        &mut self,
        size: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let len = self.u64()?;
        if len > (self.0.len() / size) as u64 {
            return Err(format!("a list of {len} items does not fit into {} bytes", self.0.len()));
        }
        (0..len).map(|_| read(self)).collect()
    }

    /// Nothing may be left over.
    pub fn finish(self) -> Result<(), String> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(format!("{left} bytes are left over at its end")),
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or("it ends too early")?;
        self.0 = rest;
        Ok(*bytes)
    }
}
