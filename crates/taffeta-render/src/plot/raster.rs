//! A sheet as pixels.

use super::layout::{Anchor, LETTER, Mark, Sheet};
use crate::draw::{Letters, polyline, text};
use crate::picture::Picture;

const INK: [u8; 3] = [34, 34, 34];

/// The sheet as a picture, a pixel a point.
pub fn picture(sheet: &Sheet) -> Picture {
    let [width, height] = sheet.size.map(|side| side.ceil() as u32);
    let mut picture = Picture::new(width, height);
    picture.bytes.fill(255);
    // The size of letters the layout reckons with.
    let letters = Letters::of_height(LETTER);
    for mark in &sheet.marks {
        match mark {
            Mark::Line { points, width, colour } => {
                let [_, red, green, blue] = colour.to_be_bytes();
                polyline(&mut picture, points, *width, [red, green, blue]);
            }
            Mark::Text { at: [x, y], words, anchor, .. } => {
                let width = letters.width(words);
                let left = match anchor {
                    Anchor::Start => *x,
                    Anchor::Middle => x - width / 2.0,
                    Anchor::End => x - width,
                };
                text(&mut picture, words, [left, y - letters.height() / 2.0], letters, INK);
            }
        }
    }
    picture
}
