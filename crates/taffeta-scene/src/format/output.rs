//! `[frames]` and `[output]`.

use std::path::PathBuf;

use taffeta_io::export::Format;

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const FRAMES: Section = Section {
    heading: "[frames]",
    doc: "Which frames. The first is the start; `count` more follow.",
    keys: &[
        Key::new("rate", Kind::Number("1/s", Bounds::AboveUpTo(0.0, 1e6)), "Frames per second.")
            .or("30.0"),
        Key::new("count", Kind::Count(0, 10_000_000), "Frames to simulate after the first.")
            .or("150"),
        Key::new("start", Kind::Count(0, 1_000_000_000), "Number of the first frame.").or("0"),
    ],
};

pub const OUTPUT: Section = Section {
    heading: "[output]",
    doc: "What a run leaves behind besides its frames.",
    keys: &[
        Key::new(
            "folder",
            Kind::Text,
            "Folder of the frames, relative to where Taffeta is started; without it, `out/` and \
             the scene's name. `--out` overrides it.",
        ),
        Key::new(
            "export",
            Kind::Texts,
            "Files to export when the run is complete, by extension, relative to the folder.",
        )
        .or("[]"),
    ],
};

/// Which frames a scene has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Frames per second.
    pub rate: f64,
    /// Number of the first frame.
    pub first: u32,
    /// Number of the last frame.
    pub last: u32,
}

impl Frames {
    /// The time of a frame \[s\]; the first is at zero.
    pub fn time(&self, number: u32) -> f64 {
        f64::from(number - self.first) / self.rate
    }
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Output {
    /// Folder of the frames.
    pub folder: Option<PathBuf>,
    /// Files to export at the end.
    pub export: Vec<PathBuf>,
}

pub fn read_frames(frames: &Reader) -> Frames {
    let (first, count) = (frames.count("start"), frames.count("count"));
    Frames { rate: frames.number("rate"), first, last: first + count }
}

pub fn read_output(output: &Reader) -> Output {
    let export: Vec<PathBuf> = output.texts("export").into_iter().map(PathBuf::from).collect();
    for path in &export {
        if let Err(error) = Format::of(path) {
            output.add(Problem::at(output.span_of("export"), error.to_string()));
        }
    }
    let folder = output.has("folder").then(|| output.text("folder").into());
    Output { folder, export }
}
