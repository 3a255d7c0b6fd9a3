//! The legend of strain: a scale of colours, and the most extended gauge in words and as a mark.

use taffeta::measure::strain as measure;
use taffeta::{Along, Frame, Gauge};

use super::stage::Stage;
use super::strain::colour_of;
use crate::colour::Encoder;
use crate::draw::{Letters, circle, polyline, rectangle, text};
use crate::picture::Picture;

/// The least width and height with room for a legend that can be read.
pub const LEAST: [u32; 2] = [320, 180];

const INK: [u8; 3] = [28, 30, 34];
const PAPER: [u8; 3] = [250, 250, 250];
/// How much of what is behind the legend its paper hides.
const HIDDEN: f32 = 0.72;

/// Adds the scale and says in words which gauge is the most extended, where there is room, and
/// marks that gauge.
pub fn annotate(picture: &mut Picture, frame: &Frame, gauges: &[Gauge], stage: &Stage) {
    let letters = Letters::for_size(picture.size());
    let roomy = picture.width >= LEAST[0] && picture.height >= LEAST[1];
    let worst = (!gauges.is_empty()).then(|| measure(gauges, frame.positions));
    let border = roomy.then(|| scale(picture, letters, stage.strain_limit));
    let Some(worst) = worst else { return };
    if let Some(border) = border {
        let words = words(&worst.extended, worst.extension);
        write_lines(picture, letters, &words, border - letters.height());
    }
    mark(picture, &worst.extended, frame, stage);
}

/// A circle around a gauge, and its line.
fn mark(picture: &mut Picture, gauge: &Gauge, frame: &Frame, stage: &Stage) {
    let ends = [gauge.particles[0], gauge.particles[2]].map(|end| frame.positions[end as usize]);
    let [Some(from), Some(to)] = ends.map(|end| stage.camera.project(end, picture.size())) else {
        return;
    };
    let line = Letters::for_size(picture.size()).height().min(f64::from(picture.height) / 10.0);
    let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
    polyline(picture, &[from, to], 0.16 * line, INK);
    circle(picture, middle, 0.7 * line, 0.22 * line, PAPER);
    circle(picture, middle, 0.7 * line, 0.1 * line, INK);
}

/// What the most extended gauge is, word by word.
fn words(gauge: &Gauge, extension: f64) -> [String; 3] {
    let (what, count) = match gauge.along {
        Along::Edge => ("edge", 2),
        Along::Warp => ("warp", 3),
        Along::Weft => ("weft", 3),
    };
    let numbers: Vec<String> = gauge.particles[..count].iter().map(ToString::to_string).collect();
    [
        format!("worst {what}"),
        format!("{}:", numbers.join("-")),
        format!("{:+.2} %", extension * 100.0),
    ]
}

/// Writes words in the lower left corner, in as many lines as they need to end before `limit`.
fn write_lines(picture: &mut Picture, letters: Letters, words: &[String], limit: f64) {
    let height = letters.height();
    let left = 0.8 * height;
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if left + letters.width(&format!("{line} {word}")) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    let width = lines.iter().map(|line| letters.width(line)).fold(0.0, f64::max);
    let bottom = f64::from(picture.height) - 0.6 * height;
    let top = bottom - lines.len() as f64 * height;
    let (low, high) = ([left - 4.0, top - 2.0], [left + width + 4.0, bottom + 2.0]);
    rectangle(picture, low, high, PAPER, HIDDEN);
    for (i, line) in lines.iter().enumerate() {
        text(picture, line, [left, top + i as f64 * height], letters, INK);
    }
}

/// A bar of colours at the right border, with its numbers; returns where it begins.
fn scale(picture: &mut Picture, letters: Letters, limit: f64) -> f64 {
    let line = letters.height();
    let [width, height] = picture.size().map(f64::from);
    let (right, low, high) = (width - 0.8 * line, 2.2 * line, height - 1.2 * line);
    let left = right - line;
    let labels = [(1.0, ">= "), (0.5, ""), (0.0, ""), (-0.5, ""), (-1.0, "<= ")]
        .map(|(share, sign)| (share, format!("{sign}{} %", percent(share * limit))));
    let widest = labels.iter().map(|(_, words)| letters.width(words)).fold(0.0, f64::max);
    let border = left - 0.5 * line - widest - 4.0;
    let paper = [[border, 0.6 * line - 2.0], [width - 0.4 * line, high + 0.6 * line]];
    rectangle(picture, paper[0], paper[1], PAPER, HIDDEN);
    bar(picture, [left, low], [right, high]);
    text(picture, "strain", [right - letters.width("strain"), 0.6 * line], letters, INK);
    for (share, words) in &labels {
        let y = low + (high - low) * (1.0 - share) / 2.0;
        polyline(picture, &[[left - 0.3 * line, y], [left, y]], 1.0, INK);
        let at = [left - 0.5 * line - letters.width(words), y - line / 2.0];
        text(picture, words, at, letters, INK);
    }
    border
}

/// The colours from the largest strain down to the least.
fn bar(picture: &mut Picture, [left, low]: [f64; 2], [right, high]: [f64; 2]) {
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
    fn percents_have_no_needless_digits() {
        assert_eq!(percent(0.05), "+5");
        assert_eq!(percent(-0.025), "-2.5");
        assert_eq!(percent(0.0), "0");
    }

    /// Where each column of a blank picture was drawn on by both parts of the legend.
    fn columns(size: [u32; 2], gauge: &Gauge) -> (u32, f64) {
        let letters = Letters::for_size(size);
        let mut alone = Picture::new(size[0], size[1]);
        let border = scale(&mut alone, letters, 5e-4);
        let mut picture = Picture::new(size[0], size[1]);
        write_lines(&mut picture, letters, &words(gauge, 0.0187), border - letters.height());
        let drawn = |x: &u32| (0..size[1]).any(|y| picture.at(*x, y) != Some([0; 3]));
        ((0..size[0]).rfind(drawn).unwrap(), border)
    }

    #[test]
    fn words_and_scale_do_not_meet_at_any_size() {
        let warp =
            Gauge { particles: [99_997, 99_998, 100_999], weights: [1.0, 0.0], along: Along::Warp };
        for size in [LEAST, [400, 180], [320, 2000], [640, 360], [1280, 720], [3840, 2160]] {
            for gauge in [Gauge::edge([40, 81], 1.0), warp] {
                let (last, border) = columns(size, &gauge);
                assert!(f64::from(last) < border, "{size:?}: {last} {border}");
            }
        }
    }
}
