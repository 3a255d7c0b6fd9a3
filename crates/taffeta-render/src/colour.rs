//! Colour: linear light inside, sRGB outside.

use glam::Vec3;

/// Red, green and blue as linear light, with the primaries of sRGB; 1 is the white of a sheet of
/// paper in full light.
pub type Colour = Vec3;

/// The linear colour of an sRGB code such as `0xd0_40_30`.
pub fn from_code(code: u32) -> Colour {
    let channel = |shift: u32| from_srgb(f64::from((code >> shift) & 0xff) / 255.0) as f32;
    Vec3::new(channel(16), channel(8), channel(0))
}

/// The linear light of an sRGB value in 0..1 (IEC 61966-2-1).
pub fn from_srgb(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

/// The sRGB value of linear light in 0..1 (IEC 61966-2-1).
pub fn to_srgb(light: f64) -> f64 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055 }
}

/// A film's answer to light: dark tones keep their contrast, bright ones roll off towards white.
///
/// The rational fit of K. Narkowicz (2015) to the ACES curve, scaled so that a light of 1 stays
/// below white.
pub fn film(light: Colour) -> Colour {
    let x = light.max(Vec3::ZERO) * 0.8;
    let curve = (x * (x * 2.51 + 0.03)) / (x * (x * 2.43 + 0.59) + 0.14);
    curve.clamp(Vec3::ZERO, Vec3::ONE)
}

/// Rounds display light to 8-bit sRGB exactly, without a power function for each pixel.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// `thresholds[i]` is the least light whose code is above i.
    thresholds: Vec<f32>,
}

impl Default for Encoder {
    fn default() -> Self {
        let threshold = |code: u32| from_srgb((f64::from(code) + 0.5) / 255.0) as f32;
        Self { thresholds: (0..255).map(threshold).collect() }
    }
}

impl Encoder {
    /// The sRGB bytes of display light; below 0 is black and above 1 white.
    pub fn bytes(&self, light: Colour) -> [u8; 3] {
        light.to_array().map(|value| self.thresholds.partition_point(|t| *t <= value) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transfer_is_that_of_the_standard() {
        // Pairs of IEC 61966-2-1: the ends, the join of the two pieces, and mid grey.
        for (code, light) in [(0.0, 0.0), (1.0, 1.0), (0.04045, 0.003_130_8), (0.5, 0.214_041_14)] {
            assert!((from_srgb(code) - light).abs() < 1e-7, "{code}");
            assert!((to_srgb(light) - code).abs() < 1e-6, "{light}");
        }
    }

    #[test]
    fn every_code_survives_the_way_there_and_back() {
        let encoder = Encoder::default();
        for code in 0..=255u32 {
            let light = from_code(code << 16 | code << 8 | code);
            assert_eq!(encoder.bytes(light), [code as u8; 3]);
        }
    }

    #[test]
    fn bytes_are_rounded_as_the_formula_says() {
        let encoder = Encoder::default();
        for i in 0..=10_000 {
            let light = i as f32 / 10_000.0;
            let exact = to_srgb(f64::from(light)) * 255.0;
            let byte = f64::from(encoder.bytes(Vec3::splat(light))[0]);
            assert!((byte - exact).abs() <= 0.5 + 1e-4, "{light}: {byte} for {exact}");
        }
        assert_eq!(encoder.bytes(Vec3::new(-1.0, 2.0, f32::NAN))[..2], [0, 255]);
    }

    #[test]
    fn more_light_is_never_darker() {
        let tones: Vec<f32> = (0..2000).map(|i| film(Vec3::splat(i as f32 * 0.01)).x).collect();
        assert!(tones.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((tones[0], tones[1999]), (0.0, 1.0));
    }
}
