//! What cloth is dressed in: colours, a picture, a weave.

use taffeta::woven::Weave;

use crate::texture::Texture;

/// What cloth is dressed in.
#[derive(Clone, Debug)]
pub struct Dress {
    /// The sRGB codes of front and back, where there is no picture.
    pub sides: [u32; 2],
    /// The sRGB codes of warp and weft.
    pub yarns: [u32; 2],
    /// A picture on it.
    pub texture: Option<Texture>,
    /// How its yarns cross, if it is not woven of yarns that can tear.
    pub weave: Weave,
}

impl Default for Dress {
    fn default() -> Self {
        Self {
            sides: [0xb4_52_48, 0xd8_ae_78],
            yarns: [0xc9_5a_3c, 0xe2_b4_78],
            texture: None,
            weave: Weave::plain(),
        }
    }
}
