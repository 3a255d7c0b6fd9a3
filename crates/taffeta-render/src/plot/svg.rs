//! A sheet as SVG.

use std::fmt::Write;

use super::layout::{Anchor, LETTER, Mark, Sheet};

/// The sheet as the text of an SVG file.
pub fn text(sheet: &Sheet) -> String {
    let [width, height] = sheet.size;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Noto Sans Mono, monospace\" \
         font-size=\"{}\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        LETTER * 0.8
    );
    for mark in &sheet.marks {
        // Writing to a String cannot fail.
        let _ = match mark {
            Mark::Line { points, width, colour } => {
                let path: Vec<String> =
                    points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
                writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"#{colour:06x}\" \
                     stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
                    path.join(" ")
                )
            }
            Mark::Text { at: [x, y], words, anchor, bold } => {
                let weight = if *bold { " font-weight=\"bold\"" } else { "" };
                writeln!(
                    svg,
                    "<text x=\"{x:.2}\" y=\"{:.2}\" text-anchor=\"{}\"{weight}>{}</text>",
                    y + LETTER * 0.28,
                    anchor.name(),
                    escape(words)
                )
            }
        };
    }
    svg + "</svg>\n"
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
