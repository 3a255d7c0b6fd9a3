//! Lines, boxes and words on a finished picture, without any font of the system.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::picture::Picture;

/// Sizes of letters, by their height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letters(RasterHeight);

impl Letters {
    /// Letters that are readable on a picture of this size and leave room on it.
    pub fn for_size([width, height]: [u32; 2]) -> Self {
        Self::of_height((f64::from(height) / 30.0).min(f64::from(width) / 40.0))
    }

    /// Letters of about this height.
    pub fn of_height(height: f64) -> Self {
        Self(match height {
            ..18.0 => RasterHeight::Size16,
            18.0..22.0 => RasterHeight::Size20,
            22.0..28.0 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        })
    }

    /// Height of a line of text in pixels.
    pub fn height(self) -> f64 {
        self.0.val() as f64
    }

    /// Width of a text in pixels.
    pub fn width(self, text: &str) -> f64 {
        (text.chars().count() * get_raster_width(FontWeight::Regular, self.0)) as f64
    }
}

/// Writes a text with its upper left corner at a place; unknown letters become `?`.
pub fn text(picture: &mut Picture, words: &str, at: [f64; 2], letters: Letters, colour: [u8; 3]) {
    let advance = get_raster_width(FontWeight::Regular, letters.0) as i64;
    let (mut x, y) = (at[0].round() as i64, at[1].round() as i64);
    for letter in words.chars() {
        let raster = get_raster(letter, FontWeight::Regular, letters.0)
            .or_else(|| get_raster('?', FontWeight::Regular, letters.0));
        for (row, v) in raster.iter().flat_map(|raster| raster.rows()).zip(0..) {
            for (&strength, u) in row.iter().zip(0..) {
                picture.mix(x + u, y + v, colour, f32::from(strength) / 255.0);
            }
        }
        x += advance;
    }
}

/// Fills a rectangle given by two opposite corners; borders cover their pixels in part.
pub fn rectangle(
    picture: &mut Picture,
    low: [f64; 2],
    high: [f64; 2],
    colour: [u8; 3],
    share: f32,
) {
    let cover = |pixel: i64, low: f64, high: f64| {
        let (start, end) = (pixel as f64, pixel as f64 + 1.0);
        (end.min(high) - start.max(low)).clamp(0.0, 1.0) as f32
    };
    let [x_end, y_end] =
        [high[0].min(f64::from(picture.width)), high[1].min(f64::from(picture.height))];
    for y in low[1].max(0.0).floor() as i64..y_end.ceil() as i64 {
        for x in low[0].max(0.0).floor() as i64..x_end.ceil() as i64 {
            let covered = cover(x, low[0], high[0]) * cover(y, low[1], high[1]);
            picture.mix(x, y, colour, covered * share);
        }
    }
}

/// Draws a line through points; every pixel is covered by its distance from the line.
pub fn polyline(picture: &mut Picture, points: &[[f64; 2]], width: f64, colour: [u8; 3]) {
    // The longest of overlapping pieces counts once: a joint is not darker than the line.
    let mut rows: std::collections::BTreeMap<(i64, i64), f32> = std::collections::BTreeMap::new();
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let reach = width / 2.0 + 1.0;
        let range = |axis: usize, most: u32| {
            let low = (a[axis].min(b[axis]) - reach).floor().max(0.0) as i64;
            let high = (a[axis].max(b[axis]) + reach).ceil().min(f64::from(most)) as i64;
            low..high
        };
        for y in range(1, picture.height) {
            for x in range(0, picture.width) {
                let away = distance([x as f64 + 0.5, y as f64 + 0.5], a, b);
                let covered = (width / 2.0 + 0.5 - away).clamp(0.0, 1.0) as f32;
                if covered > 0.0 {
                    let most = rows.entry((y, x)).or_default();
                    *most = most.max(covered);
                }
            }
        }
    }
    for ((y, x), covered) in rows {
        picture.mix(x, y, colour, covered);
    }
}

/// Draws a circle.
pub fn circle(picture: &mut Picture, centre: [f64; 2], radius: f64, width: f64, colour: [u8; 3]) {
    let points: Vec<[f64; 2]> = (0..=48)
        .map(|i| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / 48.0);
            [centre[0] + radius * cos, centre[1] + radius * sin]
        })
        .collect();
    polyline(picture, &points, width, colour);
}

fn distance(point: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let squared = dx * dx + dy * dy;
    let along = (point[0] - a[0]) * dx + (point[1] - a[1]) * dy;
    let share = if squared > 0.0 { (along / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (point[0] - a[0] - share * dx, point[1] - a[1] - share * dy);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(picture: &Picture) -> f64 {
        picture.bytes.iter().map(|&byte| f64::from(byte) / 255.0).sum::<f64>() / 3.0
    }

    #[test]
    fn lines_and_boxes_cover_their_area() {
        let mut picture = Picture::new(100, 80);
        rectangle(&mut picture, [10.25, 20.5], [30.0, 25.25], [255; 3], 1.0);
        assert!((ink(&picture) - 19.75 * 4.75).abs() < 0.5, "{}", ink(&picture));
        let mut picture = Picture::new(100, 80);
        polyline(&mut picture, &[[10.0, 10.0], [50.0, 40.0], [90.0, 40.0]], 3.0, [255; 3]);
        let area = 90.0 * 3.0 + std::f64::consts::PI * 1.5 * 1.5;
        assert!((ink(&picture) - area).abs() < 0.03 * area, "{} for {area}", ink(&picture));
    }

    #[test]
    fn what_is_outside_is_left_out() {
        let mut picture = Picture::new(20, 20);
        rectangle(&mut picture, [-50.0, -50.0], [1e12, -1.0], [255; 3], 1.0);
        polyline(&mut picture, &[[-9.0, 50.0], [40.0, 60.0]], 2.0, [255; 3]);
        text(&mut picture, "outside", [30.0, 0.0], Letters::for_size([20, 20]), [255; 3]);
        assert_eq!(ink(&picture), 0.0);
    }

    #[test]
    fn every_letter_we_write_is_known() {
        for letter in "0123456789 %·²×µ±–−abcXYZ,.()/".chars() {
            let known = get_raster(letter, FontWeight::Regular, RasterHeight::Size16).is_some();
            assert!(known || "–−".contains(letter), "{letter}");
        }
    }
}
