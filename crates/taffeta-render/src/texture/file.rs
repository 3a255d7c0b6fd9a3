//! Pictures from files: PNG and JPEG.

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

use png::{ColorType, Decoder, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Image;
use crate::error::RenderError;

/// Bytes a pixel takes while a picture is read: as it comes, as it stays, and its halves.
const BYTES_A_PIXEL: u64 = 4 + 3 + 1;

impl Image {
    /// Reads a PNG or JPEG file, told by its extension, unless it would take more than so many
    /// bytes of memory. What is transparent is white.
    pub fn read(path: &Path, memory: u64) -> Result<Self, RenderError> {
        let file = Reading { path, memory };
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let (width, bytes) = match extension.as_str() {
            "png" => file.png()?,
            "jpg" | "jpeg" => file.jpeg()?,
            _ => return Err(file.refuse("its extension is none of png, jpg and jpeg")),
        };
        Self::new(width, bytes).ok_or_else(|| file.refuse("it has no whole row of pixels"))
    }
}

/// A picture's width and pixels.
type Pixels = (usize, Vec<[u8; 3]>);

struct Reading<'a> {
    path: &'a Path,
    memory: u64,
}

impl Reading<'_> {
    fn png(&self) -> Result<Pixels, RenderError> {
        let file = File::open(self.path).map_err(|error| self.refuse(error.to_string()))?;
        let mut decoder = Decoder::new(BufReader::new(file));
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info().map_err(|error| self.refuse(error.to_string()))?;
        let (width, height) = (reader.info().width, reader.info().height);
        self.check(width.into(), height.into())?;
        let size = reader.output_buffer_size().ok_or_else(|| self.refuse("it is too large"))?;
        let mut bytes = vec![0; size];
        reader.next_frame(&mut bytes).map_err(|error| self.refuse(error.to_string()))?;
        let pixels = match reader.output_color_type().0 {
            ColorType::Grayscale => bytes.iter().map(|grey| [*grey; 3]).collect(),
            ColorType::GrayscaleAlpha => each(&bytes, |&[grey, alpha]| on_white([grey; 3], alpha)),
            ColorType::Rgb => each(&bytes, |pixel: &[u8; 3]| *pixel),
            ColorType::Rgba => each(&bytes, |&[r, g, b, alpha]| on_white([r, g, b], alpha)),
            ColorType::Indexed => return Err(self.refuse("its palette is missing")),
        };
        Ok((width as usize, pixels))
    }

    fn jpeg(&self) -> Result<Pixels, RenderError> {
        let bytes = fs::read(self.path).map_err(|error| self.refuse(error.to_string()))?;
        let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
        decoder.decode_headers().map_err(|error| self.refuse(error.to_string()))?;
        let (width, height) = decoder.dimensions().unwrap_or_default();
        self.check(width as u64, height as u64)?;
        let bytes = decoder.decode().map_err(|error| self.refuse(error.to_string()))?;
        Ok((width, each(&bytes, |pixel: &[u8; 3]| *pixel)))
    }

    fn check(&self, width: u64, height: u64) -> Result<(), RenderError> {
        let needed = width.saturating_mul(height).saturating_mul(BYTES_A_PIXEL);
        if needed <= self.memory {
            return Ok(());
        }
        let gib = |bytes: u64| bytes as f64 / f64::from(1u32 << 30);
        let (needed, memory) = (gib(needed), gib(self.memory));
        Err(self.refuse(format!(
            "its {width} × {height} pixels would take {needed:.1} GiB of memory, of {memory:.1} \
             GiB allowed"
        )))
    }

    fn refuse(&self, why: impl Into<String>) -> RenderError {
        RenderError::Texture { path: PathBuf::from(self.path), why: why.into() }
    }
}

fn each<const N: usize>(bytes: &[u8], pixel: impl Fn(&[u8; N]) -> [u8; 3]) -> Vec<[u8; 3]> {
    bytes.as_chunks().0.iter().map(pixel).collect()
}

fn on_white(colour: [u8; 3], alpha: u8) -> [u8; 3] {
    let alpha = f32::from(alpha) / 255.0;
    colour.map(|byte| (f32::from(byte) * alpha + 255.0 * (1.0 - alpha)).round() as u8)
}
