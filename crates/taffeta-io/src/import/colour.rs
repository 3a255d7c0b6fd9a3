//! Colours of vertices as sRGB codes, from whatever a file writes them as.

/// The code 0xRRGGBB of sRGB values from 0 to 1; none where one is outside.
pub(super) fn of_srgb(values: [f64; 3]) -> Option<u32> {
    let inside = values.iter().all(|value| (0.0..=1.0).contains(value));
    let join = |code: u32, value: &f64| code << 8 | (value * 255.0).round() as u32;
    inside.then(|| values.iter().fold(0, join))
}

/// The code of linear light from 0 to 1 (IEC 61966-2-1), which is what glTF has.
pub(super) fn of_light(light: [f64; 3]) -> Option<u32> {
    of_srgb(light.map(|light| match light {
        ..=0.003_130_8 => light * 12.92,
        _ => 1.055 * libm::pow(light, 1.0 / 2.4) - 0.055,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_rounded_and_values_outside_have_none() {
        assert_eq!(of_srgb([1.0, 0.5, 0.0]), Some(0xff_80_00));
        assert_eq!(of_light([1.0, 0.215_86, 0.0]), Some(0xff_80_00));
        for bad in [[1.1, 0.0, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, f64::NAN]] {
            assert_eq!((of_srgb(bad), of_light(bad)), (None, None));
        }
    }
}
