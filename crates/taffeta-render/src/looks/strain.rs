//! Cloth coloured by strain, with a legend.

use glam::Vec3;
use taffeta::measure::strain as measure;
use taffeta::{Along, Frame, Gauge};

use super::cloth::PIECES;
use super::stage::Stage;
use crate::colour::{Colour, Encoder, from_code};
use crate::draw::{Letters, circle, polyline, rectangle, text};
use crate::picture::Picture;
use crate::scene::{Finish, Material, Surface};

/// From strong compression through none to strong extension.
const SCALE: [u32; 7] =
    [0x17_3a_7d, 0x3f_7f_c4, 0xa5_cf_e6, 0xef_ee_e8, 0xf6_b8_77, 0xdb_5b_3a, 0x8e_12_2b];
const INK: [u8; 3] = [28, 30, 34];
const PAPER: [u8; 3] = [250, 250, 250];

/// The colour of a share of the limit, −1 to 1; beyond it is as at its end.
fn colour_of(share: f64) -> Colour {
    let last = SCALE.len() - 1;
    let place = (share.clamp(-1.0, 1.0) + 1.0) / 2.0 * last as f64;
    let first = (place as usize).min(last - 1);
    from_code(SCALE[first]).lerp(from_code(SCALE[first + 1]), (place - first as f64) as f32)
}

/// The frame's mesh, each vertex with the colour of the most strained gauge at it.
pub fn surface(frame: &Frame, gauges: &[Gauge], stage: &Stage) -> Surface {
    let mut strains = vec![0f64; frame.positions.len()];
    for gauge in gauges {
        let strain = gauge.strain(frame.positions);
        for particle in gauge.particles.map(|particle| particle as usize) {
            if strain.abs() > strains[particle].abs() {
                strains[particle] = strain;
            }
        }
    }
    let colours: Vec<Vec3> = strains.iter().map(|s| colour_of(s / stage.strain_limit)).collect();
    Surface {
        positions: frame.positions.to_vec(),
        faces: frame.faces.clone(),
        colours,
        material: Material::new(0xff_ff_ff, Finish::Cloth),
        pieces: PIECES,
    }
}

/// Adds the colour scale and marks the most extended gauge.
pub fn annotate(picture: &mut Picture, frame: &Frame, gauges: &[Gauge], stage: &Stage) {
    let letters = Letters::for_height(picture.height);
    legend(picture, letters, stage.strain_limit);
    if gauges.is_empty() {
        return;
    }
    let worst = measure(gauges, frame.positions);
    let particles = worst.extended.particles;
    let ends = [particles[0], particles[2]].map(|end| frame.positions[end as usize]);
    let places = ends.map(|end| stage.camera.project(end, picture.size()));
    let numbers: Vec<String> = match worst.extended.along {
        Along::Edge => particles[..2].iter().map(ToString::to_string).collect(),
        Along::Warp | Along::Weft => particles.iter().map(ToString::to_string).collect(),
    };
    let what = match worst.extended.along {
        Along::Edge => "edge",
        Along::Warp => "warp",
        Along::Weft => "weft",
    };
    let percent = worst.extension * 100.0;
    let words = format!("worst {what} {}: {percent:+.2} %", numbers.join("-"));
    let line = letters.height();
    text(picture, &words, [0.8 * line, 0.6 * line], letters, INK);
    if let [Some(from), Some(to)] = places {
        let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        polyline(picture, &[from, to], 0.16 * line, INK);
        circle(picture, middle, 0.7 * line, 0.22 * line, PAPER);
        circle(picture, middle, 0.7 * line, 0.1 * line, INK);
    }
}

/// A bar of colours at the right border, with its numbers.
fn legend(picture: &mut Picture, letters: Letters, limit: f64) {
    let line = letters.height();
    let [width, height] = picture.size().map(f64::from);
    let (right, low, high) = (width - 0.8 * line, 2.2 * line, height - 1.2 * line);
    let left = right - line;
    let encoder = Encoder::default();
    let rows = (high - low).max(1.0).floor() as u32;
    for row in 0..rows {
        let share = 1.0 - 2.0 * (f64::from(row) + 0.5) / f64::from(rows);
        let y = low + f64::from(row);
        let colour = encoder.bytes(colour_of(share));
        rectangle(picture, [left, y], [right, y + 1.0], colour, 1.0);
    }
    let frame = [[left, low], [right, low], [right, high], [left, high], [left, low]];
    polyline(picture, &frame, 1.0, INK);
    text(picture, "strain", [right - letters.width("strain"), 0.6 * line], letters, INK);
    for (share, sign) in [(1.0, ">= "), (0.5, ""), (0.0, ""), (-0.5, ""), (-1.0, "<= ")] {
        let words = format!("{sign}{} %", percent(share * limit));
        let y = low + (high - low) * (1.0 - share) / 2.0;
        polyline(picture, &[[left - 0.3 * line, y], [left, y]], 1.0, INK);
        let at = [left - 0.5 * line - letters.width(&words), y - line / 2.0];
        text(picture, &words, at, letters, INK);
    }
}

/// A strain in percent with the digits it needs.
fn percent(strain: f64) -> String {
    let text = format!("{:+.3}", strain * 100.0);
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if strain == 0.0 { "0".into() } else { short.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_goes_from_blue_to_red_and_is_pale_between() {
        let (cold, none, hot) = (colour_of(-1.0), colour_of(0.0), colour_of(1.0));
        assert!(cold.z > 2.0 * cold.x && hot.x > 2.0 * hot.z);
        assert!(none.min_element() > 0.7);
        assert_eq!(colour_of(5.0), hot);
    }

    #[test]
    fn percents_have_no_needless_digits() {
        assert_eq!(percent(0.05), "+5");
        assert_eq!(percent(-0.025), "-2.5");
        assert_eq!(percent(0.0), "0");
    }
}
