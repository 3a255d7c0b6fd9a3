//! Fixed sample patterns: where in a pixel, where on the sun, where in the sky.

use glam::{Vec2, Vec3};

/// Sample points for every sample of a block of 4 × 4 pixels, spread evenly over the block
/// together, so that averages over neighbours have no noise of their own.
pub struct Pattern {
    samples: u32,
    inside: u32,
    pixel: Vec<Vec2>,
    disc: Vec<Vec2>,
    dome: Vec<Vec3>,
}

/// The random choices of one sample.
#[derive(Clone, Copy)]
pub struct Choice {
    /// In the pixel, −½..½.
    pub pixel: Vec2,
    /// In the unit disc, evenly.
    pub disc: Vec2,
    /// On the unit hemisphere around z, more often near the pole: by the cosine.
    pub dome: Vec3,
    /// In 0..1, evenly.
    pub dice: f32,
}

/// Pixels in a block.
pub const BLOCK: u32 = 16;
/// The order in which the pixels of a block are visited: next in order are far apart.
const ORDER: [u32; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

impl Pattern {
    pub fn new(samples: u32) -> Self {
        let inside = samples.div_ceil(8);
        let pixel = (0..samples).map(|i| place_in_pixel(i, inside)).collect();
        let count = samples * BLOCK;
        let disc = (0..count).map(|i| on_disc(even_point(i))).collect();
        let dome = (0..count)
            .map(|i| {
                let flat = on_disc(even_point(i + 7));
                flat.extend((1.0 - flat.length_squared()).max(0.0).sqrt())
            })
            .collect();
        Self { samples, inside, pixel, disc, dome }
    }

    /// Samples in a pixel on an edge.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Samples in every pixel.
    pub fn inside(&self) -> u32 {
        self.inside
    }

    /// The choices of a pixel's sample.
    pub fn choice(&self, [x, y]: [usize; 2], sample: u32) -> Choice {
        let slot = ORDER[(y % 4) * 4 + x % 4];
        let index = (sample * BLOCK + slot) as usize;
        Choice {
            pixel: self.pixel[sample as usize],
            disc: self.disc[index],
            dome: self.dome[index],
            dice: (fraction(sample + slot * self.samples, STEPS[1]) + 0.5 / 65536.0).min(1.0),
        }
    }
}

/// A lone sample sits in the middle of its pixel.
fn place_in_pixel(sample: u32, inside: u32) -> Vec2 {
    if inside == 1 && sample == 0 { Vec2::ZERO } else { even_point(sample) - 0.5 }
}

/// 2³² over the plastic number and its square: the steps whose multiples fill a square most
/// evenly (M. Roberts 2018, the R₂ sequence).
const STEPS: [u32; 2] = [3_242_174_889, 2_447_445_414];

fn even_point(index: u32) -> Vec2 {
    Vec2::new(fraction(index, STEPS[0]), fraction(index, STEPS[1]))
}

/// The fractional part of (index + ½) steps, from integers alone.
fn fraction(index: u32, step: u32) -> f32 {
    let turns = index.wrapping_mul(step).wrapping_add(step / 2);
    (turns >> 8) as f32 / 16_777_216.0
}

fn on_disc(point: Vec2) -> Vec2 {
    let (sin, cos) = libm::sincos(f64::from(point.y) * std::f64::consts::TAU);
    Vec2::new(cos as f32, sin as f32) * point.x.sqrt()
}

/// Two directions at right angles to a unit vector and to each other (T. Duff et al. 2017).
pub fn frame_of(normal: Vec3) -> [Vec3; 2] {
    let sign = 1f32.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    [
        Vec3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x),
        Vec3::new(b, sign + normal.y * normal.y * a, -normal.y),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_visits_every_pixel_of_a_block_once() {
        let mut order = ORDER;
        order.sort_unstable();
        assert!(order.into_iter().eq(0..BLOCK));
    }

    #[test]
    fn a_block_of_points_has_the_means_of_the_disc_and_the_dome() {
        for samples in [1, 4, 32] {
            let pattern = Pattern::new(samples);
            let (mut disc, mut rise, mut dice, mut count) = (Vec2::ZERO, 0.0, 0.0, 0.0);
            for i in 0..16 {
                for sample in 0..samples {
                    let choice = pattern.choice([i % 4 + 8, i / 4 + 4], sample);
                    assert!(choice.disc.length() <= 1.0 && choice.dome.z >= 0.0);
                    assert!((choice.dome.length() - 1.0).abs() < 1e-6);
                    disc += choice.disc;
                    rise += choice.dome.z;
                    dice += choice.dice;
                    count += 1.0;
                }
            }
            // The mean cosine of a cosine-weighted direction is 2/3.
            assert!((disc / count).length() < 0.1, "{samples}: {disc}");
            assert!((rise / count - 2.0f32 / 3.0).abs() < 0.08, "{samples}: {rise}");
            assert!((dice / count - 0.5f32).abs() < 0.06, "{samples}: {}", dice / count);
        }
    }

    #[test]
    fn frames_are_right_handed_and_of_length_one() {
        for normal in [Vec3::Z, Vec3::NEG_Z, Vec3::X, Vec3::new(0.6, -0.48, 0.64)] {
            let [s, t] = frame_of(normal);
            assert!((s.cross(t) - normal).length() < 1e-6, "{normal}");
            assert!((s.length() - 1.0).abs() < 1e-6 && s.dot(t).abs() < 1e-6);
        }
    }
}
