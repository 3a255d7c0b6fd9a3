//! `[weave]` and `[tear]`: what cloth is woven of, and how it tears.

use std::path::PathBuf;

use taffeta::woven::{CoarseCells, Strength, Weave, WeaveError};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const WEAVE: Section = Section {
    heading: "[weave]",
    doc: "How the yarns of a sheet go over and under each other. Every row of particles is a warp \
          yarn, every column a weft yarn. Without it, plain weave.",
    keys: &[
        Key::new(
            "kind",
            Kind::Choice(&["plain", "twill-2-2", "twill-3-1", "satin-5"]),
            "Over one and under one; twill over two and under two, or over three and under one; \
             satin over four and under one.",
        )
        .or("\"plain\""),
        Key::new(
            "pattern",
            Kind::Texts,
            "Any other weave, instead of a kind: a text for each warp yarn of the repeat, with a \
             `#` for each weft yarn it goes over and a `.` for each it goes under.",
        ),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::Above(0.0)),
            "How far the middles of warp and weft are apart where they cross.",
        )
        .or("1e-4"),
    ],
};

pub const TEAR: Section = Section {
    heading: "[tear]",
    doc: "Cloth that tears, yarn by yarn. It is a sheet of springs with a particle at every \
          crossing; where yarns bear nearly what they can, the weave loosens and a crossing \
          becomes two particles that slide over each other. Without it, cloth does not tear.",
    keys: &[
        Key::new(
            "strength",
            Kind::Pair("N", Bounds::Above(0.0)),
            "The tension that tears a yarn; each place draws its own between the two.",
        )
        .or("[1.0, 2.0]"),
        Key::new(
            "strain",
            Kind::Pair("", Bounds::Above(0.0)),
            "The strain that tears a yarn, instead of a tension (Metaaphanon et al. 2009: 0.05 to \
             0.1). What tears then depends on steps and on how hard the limiter tries.",
        ),
        Key::new(
            "loosens_at",
            Kind::Number("", Bounds::Within(0.01, 0.999)),
            "The share of a yarn's strength at which the weave around it loosens.",
        )
        .or("0.9"),
        Key::new(
            "slip",
            Kind::Number("m", Bounds::Above(0.0)),
            "The distance between the middles of warp and weft, more than the thickness of the weave, \
             at which a loose crossing comes apart.",
        )
        .or("2e-4"),
        Key::new(
            "grip",
            Kind::Number("N", Bounds::AtLeast(0.0)),
            "The force with which warp and weft of a loose crossing hold each other by friction: \
             what it takes to pull a yarn over one other.",
        )
        .or("0.05"),
        Key::new(
            "averaging",
            Kind::Number("s", Bounds::Above(0.0)),
            "The time over which a yarn's tension is averaged.",
        )
        .or("0.005"),
        Key::new(
            "all_yarn",
            Kind::Flag,
            "Whether every crossing has two particles from the start: slower, to compare.",
        )
        .or("false"),
        Key::new("coarse", Kind::Table, ""),
        Key::new("map", Kind::Table, ""),
        Key::new("region", Kind::Table, ""),
        Key::new("cut", Kind::Table, ""),
    ],
};

pub const COARSE: Section = Section {
    heading: "[tear.coarse]",
    doc: "Coarse cloth away from tears: where no yarn bears much, the crossings of a cell move with \
          its four corners, at a fraction of the cost. Cells become fine, for good, before anything \
          can tear there, and where cloth is held or touches something. It takes implicit steps.",
    keys: &[
        Key::new("size", Kind::Count(1, 64), "Crossings along a side of a cell; 1 for cloth that is fine everywhere.").or("4"),
        Key::new(
            "until",
            Kind::Number("", Bounds::Within(0.01, 0.999)),
            "The share of a yarn's strength from which on the cells around it are fine; no more than \
             `loosens_at`.",
        )
        .or("0.6"),
    ],
};

pub const MAP: Section = Section {
    heading: "[tear.map]",
    doc: "How strong the yarns are in each place of the cloth, painted: a picture laid over the \
          flat cloth, its upper left corner at [0, 0], which is least in x and z before the cloth \
          is turned. What is transparent is white.",
    keys: &[
        Key::new("file", Kind::Text, "The picture: a PNG, best in grey. Beside the scene.")
            .required(),
        Key::new("black", Kind::Number("", Bounds::Above(0.0)), "Factor of the strength in black.")
            .or("0.1"),
        Key::new("white", Kind::Number("", Bounds::Above(0.0)), "Factor of the strength in white.")
            .or("1.0"),
    ],
};

pub const REGION: Section = Section {
    heading: "[[tear.region]]",
    doc: "A part of the cloth with yarns of another strength: a seam, a worn place. Where regions \
          overlap their factors multiply.",
    keys: &[
        Key::new(
            "from",
            Kind::Pair("m", Bounds::Any),
            "A corner of it on the flat cloth, which begins at [0, 0].",
        )
        .required(),
        Key::new("to", Kind::Pair("m", Bounds::Any), "The opposite corner.").required(),
        Key::new("factor", Kind::Number("", Bounds::Above(0.0)), "Of the strength.").required(),
    ],
};

pub const CUT: Section = Section {
    heading: "[[tear.cut]]",
    doc: "A cut with scissors: every yarn that crosses a line is cut. A tear can begin there.",
    keys: &[
        Key::new(
            "from",
            Kind::Pair("m", Bounds::Any),
            "Where it begins on the flat cloth, which begins at [0, 0].",
        )
        .required(),
        Key::new("to", Kind::Pair("m", Bounds::Any), "Where it ends.").required(),
        Key::new("time", Kind::Number("s", Bounds::AtLeast(0.0)), "When.").or("0.0"),
    ],
};

/// How cloth tears, as written.
#[derive(Clone, Debug)]
pub struct TearFile {
    /// How it is woven.
    pub weave: Weave,
    /// How far warp and weft are apart \[m\].
    pub thickness: f64,
    /// What a yarn bears.
    pub strength: Strength,
    /// The share of it at which the weave loosens.
    pub loosens_at: f64,
    /// The distance between warp and weft at which a loose crossing comes apart \[m\].
    pub slip: f64,
    /// The force of friction at a loose crossing \[N\].
    pub grip: f64,
    /// The time over which tension is averaged \[s\].
    pub averaging: f64,
    /// Whether every crossing has two particles from the start.
    pub all_yarn: bool,
    /// Coarse cloth away from tears.
    pub coarse: Option<CoarseCells>,
    /// A map of the strength.
    pub map: Option<StrengthMap>,
    /// Corner, opposite corner, factor.
    pub regions: Vec<([f64; 2], [f64; 2], f64)>,
    /// Begin, end, time.
    pub cuts: Vec<([f64; 2], [f64; 2], f64)>,
    /// Where it is written.
    pub span: Span,
}

/// A map of the strength, as written.
#[derive(Clone, Debug)]
pub struct StrengthMap {
    /// The picture.
    pub file: PathBuf,
    /// Factors of the strength in black and in white.
    pub factors: [f64; 2],
    /// Where its file is written.
    pub span: Span,
}

/// How the cloth is woven, and how it tears if it does.
pub fn read(top: &Reader) -> (Weave, Option<TearFile>) {
    let written = top.table("weave", &WEAVE);
    let thickness = written.number("thickness");
    let weave = read_weave(&written);
    let tear = top.table("tear", &TEAR);
    let line = |r: &Reader, with: &'static str| (r.pair("from"), r.pair("to"), r.number(with));
    let file = TearFile {
        weave: weave.clone(),
        thickness,
        strength: read_strength(&tear),
        loosens_at: tear.number("loosens_at"),
        slip: tear.number("slip"),
        grip: tear.number("grip"),
        averaging: tear.number("averaging"),
        all_yarn: tear.flag("all_yarn"),
        coarse: tear.has("coarse").then(|| read_coarse(&tear)),
        map: tear.has("map").then(|| read_map(&tear)),
        regions: tear.tables("region", &REGION).iter().map(|r| line(r, "factor")).collect(),
        cuts: tear.tables("cut", &CUT).iter().map(|cut| line(cut, "time")).collect(),
        span: top.key_span("tear"),
    };
    (weave, top.has("tear").then_some(file))
}

fn read_coarse(tear: &Reader) -> CoarseCells {
    let coarse = tear.table("coarse", &COARSE);
    CoarseCells { size: coarse.count("size"), until: coarse.number("until") }
}

fn read_map(tear: &Reader) -> StrengthMap {
    let map = tear.table("map", &MAP);
    StrengthMap {
        file: map.text("file").into(),
        factors: [map.number("black"), map.number("white")],
        span: map.span_of("file"),
    }
}

fn read_weave(written: &Reader) -> Weave {
    let named = written.choice("kind");
    let found: Result<Weave, WeaveError> = match written.has("pattern") {
        true => Weave::from_pattern(&written.texts("pattern")),
        false => named.parse(),
    };
    if written.has("pattern") && written.has("kind") {
        let message = "a weave is one of a kind or has a pattern of its own, not both";
        written.add(Problem::at(written.key_span("kind"), message));
    }
    found.unwrap_or_else(|error| {
        written.add(Problem::at(written.span_of("pattern"), error.to_string()));
        Weave::plain()
    })
}

fn read_strength(tear: &Reader) -> Strength {
    let (force, by_strain) = (tear.pair("strength"), tear.has("strain"));
    if by_strain && tear.has("strength") {
        let message = "yarns tear by tension or by strain, not both";
        tear.add(Problem::at(tear.key_span("strain"), message));
    }
    let strength = match by_strain {
        true => Strength::Strain(tear.pair("strain")),
        false => Strength::Force(force),
    };
    let (Strength::Force([least, most]) | Strength::Strain([least, most])) = strength;
    if least > most {
        let key = if by_strain { "strain" } else { "strength" };
        let message = format!("the weakest yarn bears {least}, the strongest {most}");
        let help = "write the smaller one first";
        tear.add(Problem::at(tear.span_of(key), message).help(help));
    }
    strength
}
