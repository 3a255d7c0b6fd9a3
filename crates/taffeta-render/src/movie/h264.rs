//! H.264 pictures, by Cisco's OpenH264, which is compiled in.

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, VuiConfig,
};
use openh264::formats::YUVSlices;

use crate::picture::Picture;

/// Turns pictures into the units of an H.264 stream.
pub struct H264 {
    encoder: Encoder,
    size: [usize; 2],
    planes: Vec<u8>,
}

/// An encoded picture: its units, without start codes.
pub struct Coded {
    pub units: Vec<Vec<u8>>,
    /// Whether a player can start here.
    pub key: bool,
}

/// The quantisers between which the encoder may choose: fine folds stay, nothing turns to blocks.
const QUANTISERS: QpRange = QpRange::new(14, 26);
/// Bits for a pixel, at most; still backgrounds need far fewer.
const BITS_A_PIXEL: f64 = 0.4;

impl H264 {
    /// An encoder for pictures whose sides are even.
    pub fn new(size: [u32; 2], rate: f64) -> Result<Self, openh264::Error> {
        let bits = f64::from(size[0]) * f64::from(size[1]) * rate * BITS_A_PIXEL;
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(rate as f32))
            .bitrate(BitRate::from_bps(bits.min(2e8) as u32))
            .rate_control_mode(RateControlMode::Bufferbased)
            .complexity(Complexity::High)
            .qp(QUANTISERS)
            .skip_frames(false)
            .scene_change_detect(false)
            .intra_frame_period(IntraFramePeriod::from_num_frames(rate.ceil() as u32 * 2))
            // More threads would cut pictures into slices: other bits on another machine.
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)?;
        let size = size.map(|side| side as usize);
        Ok(Self { encoder, size, planes: vec![0; size[0] * size[1] * 3 / 2] })
    }

    /// Encodes the next picture.
    pub fn encode(&mut self, picture: &Picture) -> Result<Coded, openh264::Error> {
        let [width, height] = self.size;
        to_planes(picture, &mut self.planes);
        let (luma, chroma) = self.planes.split_at(width * height);
        let (blue, red) = chroma.split_at(width * height / 4);
        let source =
            YUVSlices::new((luma, blue, red), (width, height), (width, width / 2, width / 2));
        let stream = self.encoder.encode(&source)?;
        let mut units = Vec::new();
        for layer in (0..stream.num_layers()).filter_map(|layer| stream.layer(layer)) {
            for unit in (0..layer.nal_count()).filter_map(|unit| layer.nal_unit(unit)) {
                units.push(without_start_code(unit).to_vec());
            }
        }
        Ok(Coded { units, key: stream.frame_type() == FrameType::IDR })
    }
}

fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|byte| **byte == 0).count();
    unit.get(zeros + 1..).unwrap_or_default()
}

/// Brightness for every pixel, colour for every four (ITU-R BT.709, limited range).
fn to_planes(picture: &Picture, planes: &mut [u8]) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let (luma, chroma) = planes.split_at_mut(width * height);
    let (blue, red) = chroma.split_at_mut(width * height / 4);
    for (y, pixel) in luma.iter_mut().zip(picture.bytes.chunks_exact(3)) {
        *y = (16.5 + 219.0 / 255.0 * brightness([pixel[0], pixel[1], pixel[2]].map(f32::from)))
            as u8;
    }
    for v in 0..height / 2 {
        for u in 0..width / 2 {
            let mean = mean_of_four(picture, u, v, width);
            let y = brightness(mean);
            let place = v * (width / 2) + u;
            blue[place] = (128.5 + 224.0 / 255.0 * (mean[2] - y) / 1.8556) as u8;
            red[place] = (128.5 + 224.0 / 255.0 * (mean[0] - y) / 1.5748) as u8;
        }
    }
}

fn brightness([red, green, blue]: [f32; 3]) -> f32 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn mean_of_four(picture: &Picture, u: usize, v: usize, width: usize) -> [f32; 3] {
    let mut sum = [0u32; 3];
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let start = 3 * ((2 * v + dy) * width + 2 * u + dx);
        for (total, byte) in sum.iter_mut().zip(&picture.bytes[start..start + 3]) {
            *total += u32::from(*byte);
        }
    }
    sum.map(|total| total as f32 / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes_of(colour: [u8; 3]) -> [u8; 3] {
        let mut picture = Picture::new(2, 2);
        picture.bytes = colour.repeat(4);
        let mut planes = vec![0; 6];
        to_planes(&picture, &mut planes);
        [planes[0], planes[4], planes[5]]
    }

    #[test]
    fn colours_have_the_codes_of_the_standard() {
        // Full-strength bars of BT.709 in eight bits.
        assert_eq!(planes_of([0, 0, 0]), [16, 128, 128]);
        assert_eq!(planes_of([255, 255, 255]), [235, 128, 128]);
        assert_eq!(planes_of([255, 0, 0]), [63, 102, 240]);
        assert_eq!(planes_of([0, 255, 0]), [173, 42, 26]);
        assert_eq!(planes_of([0, 0, 255]), [32, 240, 118]);
    }
}
