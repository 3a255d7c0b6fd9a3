//! `[check]`: what must hold.

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use super::{ClothFile, Frames};
use crate::text::Problem;

pub const CHECK: Section = Section {
    heading: "[check]",
    doc: "What must hold; `taffeta check` proves it from the frames alone.",
    keys: &[
        Key::new(
            "extension",
            Kind::Number("", Bounds::Above(0.0)),
            "No edge is longer than its rest length by more than this fraction.",
        ),
        Key::new(
            "compression",
            Kind::Number("", Bounds::Above(0.0)),
            "No edge is shorter than its rest length by more than this fraction.",
        ),
        Key::new(
            "from",
            Kind::Number("s", Bounds::AtLeast(0.0)),
            "Edges are checked from this time on.",
        )
        .or("0.0"),
        Key::new(
            "inside",
            Kind::Count(0, u32::MAX),
            "In no frame are more particles than this inside solids: 0 is what a run promises \
             whose cloth starts outside. Two-sided solids have no inside.",
        ),
        Key::new(
            "intersections",
            Kind::Count(0, u32::MAX),
            "In no frame do more edges of the cloth pass through its triangles; an edge through \
             two counts twice.",
        ),
        Key::new(
            "torn",
            Kind::CountPair(0, u32::MAX),
            "In the last frame at least and at most so many spans of yarn, from a crossing to the \
             next, are torn.",
        ),
        Key::new(
            "pieces",
            Kind::CountPair(1, u32::MAX),
            "In the last frame the cloth is in at least and at most so many pieces that no yarn and \
             no crossing joins.",
        ),
        Key::new("height", Kind::Table, ""),
    ],
};

pub const HEIGHT: Section = Section {
    heading: "[[check.height]]",
    doc: "The mean height (y) of the cloth at a time: low strain means nothing if the motion is \
          wrong.",
    keys: &[
        Key::new("time", Kind::Number("s", Bounds::AtLeast(0.0)), "When: the time of a frame.")
            .required(),
        Key::new("mean", Kind::Number("m", Bounds::Any), "Height of the centre of mass.")
            .required(),
        Key::new("tolerance", Kind::Number("m", Bounds::Above(0.0)), "How far off it may be.")
            .required(),
    ],
};

/// What must hold in every frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    /// Largest extension of an edge, as a fraction.
    pub extension: Option<f64>,
    /// Largest compression of an edge, as a fraction.
    pub compression: Option<f64>,
    /// From when on edges are checked \[s\].
    pub from: f64,
    /// The most particles that may be inside solids in a frame.
    pub inside: Option<u32>,
    /// Most edges through triangles.
    pub intersections: Option<u32>,
    /// The least and the most spans of yarn that are torn in the last frame.
    pub torn: Option<[u32; 2]>,
    /// The least and the most pieces in the last frame.
    pub pieces: Option<[u32; 2]>,
    /// What holds instead of `extension` and `compression` for cloths that say so, by their names.
    pub of_cloths: Vec<(String, [Option<f64>; 2])>,
    /// Heights at times.
    pub heights: Vec<HeightCheck>,
}

/// The cloth's mean height at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightCheck {
    /// When \[s\].
    pub time: f64,
    /// Height of the centre of mass \[m\].
    pub mean: f64,
    /// How far off it may be \[m\].
    pub tolerance: f64,
}

pub fn read(top: &Reader, cloths: &[ClothFile], frames: Frames) -> Checks {
    let check = top.table("check", &CHECK);
    let heights = check.tables("height", &HEIGHT);
    for key in ["torn", "pieces"] {
        if check.has(key) && !top.has("tear") {
            let message = format!("{key} is promised, but cloth without [tear] does not tear");
            let help = format!("add [tear], or leave {key} out");
            check.add(Problem::at(check.key_span(key), message).help(help));
        }
    }
    let own = cloths.iter().filter(|cloth| cloth.check != [None; 2]);
    let own = own.filter_map(|cloth| Some((cloth.name.clone()?, cloth.check)));
    Checks {
        extension: check.optional_number("extension"),
        compression: check.optional_number("compression"),
        from: check.number("from"),
        inside: check.optional_count("inside"),
        intersections: check.optional_count("intersections"),
        torn: read_range(&check, "torn"),
        pieces: read_range(&check, "pieces"),
        of_cloths: own.collect(),
        heights: heights.iter().map(|height| read_height(height, frames)).collect(),
    }
}

fn read_range(check: &Reader, key: &'static str) -> Option<[u32; 2]> {
    let [least, most] = check.has(key).then(|| check.count_pair(key))?;
    if least > most {
        let message = format!("nothing is both at least {least} and at most {most}");
        check.add(Problem::at(check.span_of(key), message).help("write the smaller one first"));
    }
    Some([least, most])
}

fn read_height(height: &Reader, frames: Frames) -> HeightCheck {
    let time = height.number("time");
    let number = time * frames.rate;
    if (number - number.round()).abs() > 1e-6 {
        let message = format!("no frame is at {time} s: frames are 1/{} s apart", frames.rate);
        let nearest = number.round() / frames.rate;
        let problem = Problem::at(height.span_of("time"), message);
        height.add(problem.help(format!("the nearest frame is at {nearest} s")));
    }
    HeightCheck { time, mean: height.number("mean"), tolerance: height.number("tolerance") }
}
