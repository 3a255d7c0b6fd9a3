//! Maps: numbers over a rectangle, painted as a grey picture.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use glam::DVec2;
use png::{BitDepth, ColorType, Decoder, Transformations};
use thiserror::Error;

/// The most pixels of a map.
const MOST_PIXELS: u64 = 1 << 24;

/// Why a map could not be read.
#[derive(Debug, Error)]
#[error("cannot read the map {path}: {why}")]
pub struct MapError {
    path: String,
    why: String,
}

/// Numbers from 0, black, to 1, white, over a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct GreyMap {
    width: usize,
    height: usize,
    /// From left to right, from top to bottom.
    values: Vec<f64>,
}

impl GreyMap {
    /// Reads a PNG file, of 8 or 16 bits. Grey is taken as it is stored, not as light; of colours
    /// the mean counts, and what is transparent is white.
    pub fn read(path: &Path) -> Result<Self, MapError> {
        let refuse = |why: String| MapError { path: path.display().to_string(), why };
        let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
        let mut decoder = Decoder::new(BufReader::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let not_png = |error| refuse(format!("it is no sound PNG, which it has to be: {error}"));
        let mut reader = decoder.read_info().map_err(not_png)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(refuse(format!("{width} × {height} pixels are more than a map may have")));
        }
        let size = reader.output_buffer_size().ok_or_else(|| refuse("it is too large".into()))?;
        let mut bytes = vec![0; size];
        reader.next_frame(&mut bytes).map_err(|error| refuse(error.to_string()))?;
        let (colour, depth) = reader.output_color_type();
        let samples: Vec<f64> = match depth {
            BitDepth::Sixteen => bytes
                .as_chunks::<2>()
                .0
                .iter()
                .map(|sample| f64::from(u16::from_be_bytes(*sample)) / 65535.0)
                .collect(),
            _ => bytes.iter().map(|sample| f64::from(*sample) / 255.0).collect(),
        };
        let values = match colour {
            ColorType::Grayscale => samples,
            ColorType::GrayscaleAlpha => each(&samples, |&[grey, alpha]| on_white(grey, alpha)),
            ColorType::Rgb => each(&samples, |&[r, g, b]| (r + g + b) / 3.0),
            ColorType::Rgba => {
                each(&samples, |&[r, g, b, alpha]| on_white((r + g + b) / 3.0, alpha))
            }
            ColorType::Indexed => return Err(refuse("its palette is missing".into())),
        };
        Ok(Self { width: width as usize, height: height as usize, values })
    }

    /// The value at a place from 0, 0, the upper left corner, to 1, 1, between the middles of
    /// pixels as a straight line; outside as at the border.
    pub fn at(&self, place: DVec2) -> f64 {
        let size = DVec2::new(self.width as f64, self.height as f64);
        let at = (place * size - 0.5).clamp(DVec2::ZERO, size - 1.0);
        let (low, share) = (at.floor(), at.fract());
        let [x, y] = [low.x as usize, low.y as usize];
        let value = |x: usize, y: usize| {
            self.values[y.min(self.height - 1) * self.width + x.min(self.width - 1)]
        };
        let row = |y: usize| value(x, y) + (value(x + 1, y) - value(x, y)) * share.x;
        row(y) + (row(y + 1) - row(y)) * share.y
    }
}

fn each<const N: usize>(samples: &[f64], value: impl Fn(&[f64; N]) -> f64) -> Vec<f64> {
    samples.as_chunks().0.iter().map(value).collect()
}

fn on_white(grey: f64, alpha: f64) -> f64 {
    grey * alpha + 1.0 - alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(colour: ColorType, depth: BitDepth, size: [u32; 2], bytes: &[u8]) -> GreyMap {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), size[0], size[1]);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        GreyMap::read(&path).unwrap()
    }

    #[test]
    fn pixels_are_themselves_in_their_middles_and_lines_between() {
        let map = written(ColorType::Grayscale, BitDepth::Eight, [2, 2], &[0, 255, 51, 102]);
        let at = |x: f64, y: f64| map.at(DVec2::new(x, y));
        for ((x, y), value) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
            .into_iter()
            .zip([0.0, 1.0, 0.2, 0.4])
        {
            assert!((at(x, y) - value).abs() < 1e-12);
        }
        assert!((at(0.5, 0.25) - 0.5).abs() < 1e-12 && (at(0.5, 0.5) - 0.4).abs() < 1e-12);
        assert_eq!((at(-3.0, 0.0), at(9.0, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn every_kind_of_png_is_read() {
        let deep = written(ColorType::Grayscale, BitDepth::Sixteen, [1, 1], &[0x80, 0x00]);
        assert!((deep.at(DVec2::ZERO) - 32768.0 / 65535.0).abs() < 1e-12);
        let colour = written(ColorType::Rgb, BitDepth::Eight, [1, 1], &[255, 0, 0]);
        assert!((colour.at(DVec2::ZERO) - 1.0 / 3.0).abs() < 1e-12);
        let clear = written(ColorType::Rgba, BitDepth::Eight, [1, 1], &[0, 0, 0, 0]);
        assert_eq!(clear.at(DVec2::ZERO), 1.0);
    }
}
