//! From the shape at rest to where the cloth starts.

use glam::{DMat3, DVec3};

use crate::format::ClothFile;

/// Turns, moves and jitters a cloth's particles.
pub fn place(rest: &[DVec3], cloth: &ClothFile, seed: u32) -> Vec<DVec3> {
    let turn = rotation(cloth.rotation);
    rest.iter()
        .enumerate()
        .map(|(particle, &position)| {
            turn * position + cloth.position + jitter(seed, particle) * cloth.jitter
        })
        .collect()
}

/// Turns about x, then y, then z, in degrees; libm for the same bits on every platform.
pub(super) fn rotation(degrees: DVec3) -> DMat3 {
    if degrees == DVec3::ZERO {
        return DMat3::IDENTITY;
    }
    let [(sx, cx), (sy, cy), (sz, cz)] =
        degrees.to_array().map(|angle| libm::sincos(angle.to_radians()));
    let x = DMat3::from_cols(DVec3::X, DVec3::new(0.0, cx, sx), DVec3::new(0.0, -sx, cx));
    let y = DMat3::from_cols(DVec3::new(cy, 0.0, -sy), DVec3::Y, DVec3::new(sy, 0.0, cy));
    let z = DMat3::from_cols(DVec3::new(cz, sz, 0.0), DVec3::new(-sz, cz, 0.0), DVec3::Z);
    z * y * x
}

/// A displacement in [-1, 1)³ that depends on the seed and the particle alone.
fn jitter(seed: u32, particle: usize) -> DVec3 {
    let mut state = (u64::from(seed) << 32) ^ (particle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    DVec3::from_array(std::array::from_fn(|_| {
        // The top 53 bits of a splitmix64 output, as a fraction.
        (splitmix64(&mut state) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }))
}

/// Steele, Lea & Flood 2014, Fast Splittable Pseudorandom Number Generators.
fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_about_x_then_y_then_z() {
        let turned = rotation(DVec3::new(90.0, 90.0, 0.0)) * DVec3::Y;
        assert!((turned - DVec3::X).length() < 1e-15, "{turned}");
        let turned = rotation(DVec3::new(0.0, 0.0, 90.0)) * DVec3::X;
        assert!((turned - DVec3::Y).length() < 1e-15, "{turned}");
    }

    #[test]
    fn jitter_fills_its_range_evenly_and_follows_the_seed() {
        let all: Vec<DVec3> = (0..10_000).map(|particle| jitter(7, particle)).collect();
        assert!(all.iter().all(|j| j.abs().max_element() <= 1.0));
        let mean: DVec3 = all.iter().sum::<DVec3>() / 10_000.0;
        let square: DVec3 = all.iter().map(|j| *j * *j).sum::<DVec3>() / 10_000.0;
        assert!(mean.abs().max_element() < 0.03, "{mean}");
        assert!((square - DVec3::splat(1.0 / 3.0)).abs().max_element() < 0.02, "{square}");
        assert_ne!(jitter(7, 3), jitter(8, 3));
        assert_eq!(jitter(7, 3), jitter(7, 3));
    }
}
