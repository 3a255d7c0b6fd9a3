//! PNG.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};

use crate::picture::Picture;

/// A picture as the bytes of a PNG file, marked as sRGB.
pub fn encode(picture: &Picture) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.bytes)?;
    writer.finish()?;
    Ok(bytes)
}
