//! A finished picture.

/// A picture: rows from top to bottom, three bytes of sRGB a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green, blue, red, …
    pub bytes: Vec<u8>,
}

impl Picture {
    /// A black picture.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, bytes: vec![0; 3 * width as usize * height as usize] }
    }

    /// The size as width and height.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The colour of a pixel inside the picture.
    pub fn at(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let start = 3 * (y as usize * self.width as usize + x as usize);
        let inside = x < self.width && y < self.height;
        let bytes = self.bytes.get(start..start + 3).filter(|_| inside)?;
        Some([bytes[0], bytes[1], bytes[2]])
    }

    /// Mixes a colour into a pixel; outside the picture nothing happens.
    pub(crate) fn mix(&mut self, x: i64, y: i64, colour: [u8; 3], share: f32) {
        let inside =
            (0..i64::from(self.width)).contains(&x) && (0..i64::from(self.height)).contains(&y);
        if !inside {
            return;
        }
        let start = 3 * (y as usize * self.width as usize + x as usize);
        for (byte, wanted) in self.bytes[start..start + 3].iter_mut().zip(colour) {
            let (old, new) = (f32::from(*byte), f32::from(wanted));
            *byte = (old + (new - old) * share.clamp(0.0, 1.0)).round() as u8;
        }
    }
}
