//! `[[seam]]`: particles that are drawn together, and stay so.

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const SEAM: Section = Section {
    heading: "[[seam]]",
    doc: "Sews particles together, pair by pair: the first of `left` with the first of `right`, and \
          so on. They are drawn together by damped springs, and held so. It takes implicit steps; \
          limits, contact and solids hold all the while. Cloth that tears has no seams.",
    keys: &[
        Key::new(
            "cloths",
            Kind::Texts,
            "The names of the cloths of `left` and of `right`; needed where there are several.",
        ),
        Key::new("left", Kind::Particles, "Particles on one side.").required(),
        Key::new("right", Kind::Particles, "Particles on the other side, as many.").required(),
        Key::new(
            "stiffness",
            Kind::Number("N/m", Bounds::Above(0.0)),
            "Force per distance of a pair: how tightly the seam holds.",
        )
        .or("1000.0"),
        Key::new(
            "time",
            Kind::Number("s", Bounds::Above(0.0)),
            "The time in which the distance of a pair falls to 1/e.",
        )
        .or("0.1"),
    ],
};

/// A seam as written.
#[derive(Clone, Debug)]
pub struct SeamFile {
    /// The names of the cloths of both sides, and where they are written; none or two.
    pub cloths: Vec<(String, Span)>,
    /// The pairs, each with the place of its second particle in the scene.
    pub pairs: Vec<([u32; 2], Span)>,
    /// Force per distance \[N/m\].
    pub stiffness: f64,
    /// In which it closes \[s\].
    pub time: f64,
    /// Where it is written.
    pub span: Span,
}

pub fn read(top: &Reader) -> Vec<SeamFile> {
    top.tables("seam", &SEAM).iter().map(read_seam).collect()
}

fn read_seam(seam: &Reader) -> SeamFile {
    let side = |key| seam.optional_particles(key).unwrap_or_default();
    let (left, right) = (side("left"), side("right"));
    if left.len() != right.len() && seam.has("left") && seam.has("right") {
        let (a, b) = (left.len(), right.len());
        let message = format!("{a} particles on the left cannot be sewn to {b} on the right");
        seam.add(Problem::at(seam.span_of("right"), message));
    }
    let pairs = left.iter().zip(right).map(|((a, _), (b, span))| ([*a, b], span)).collect();
    let cloths: Vec<(String, Span)> = match seam.has("cloths") {
        true => {
            seam.texts("cloths").into_iter().map(|name| (name, seam.span_of("cloths"))).collect()
        }
        false => Vec::new(),
    };
    if seam.has("cloths") && cloths.len() != 2 {
        let message = format!("a seam joins two cloths, not {}", cloths.len());
        let help = "name the cloth of `left` and that of `right`, the same twice if it is one";
        seam.add(Problem::at(seam.span_of("cloths"), message).help(help));
    }
    SeamFile {
        cloths,
        pairs,
        stiffness: seam.number("stiffness"),
        time: seam.number("time"),
        span: seam.span(),
    }
}
