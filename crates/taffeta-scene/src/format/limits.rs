//! `[limits]` and `[limiter]`.

use taffeta::{Limiter, StrainLimits, Tension};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;

pub const LIMITS: Section = Section {
    heading: "[limits]",
    doc: "How far the cloth may stretch. Springs are limited along every edge of the mesh, a \
          continuum along the warp and the weft of every triangle; shear is not limited, for \
          woven cloth shears freely. Steps that end over the limits are tried again with half the \
          length; those that still do are taken, counted and reported.",
    keys: &[
        Key::new(
            "extension",
            Kind::Number("", Bounds::Above(0.0)),
            "Most extension, as a fraction of the rest length: 0.05 is 5 %.",
        )
        .required(),
        Key::new(
            "compression",
            Kind::Number("", Bounds::AboveUpTo(0.0, 0.99)),
            "Most compression; without it, cloth gives way as it likes.",
        ),
    ],
};

pub const LIMITER: Section = Section {
    heading: "[limiter]",
    doc: "How the limits are kept, named by its table; without it, by tensions.",
    keys: &[Key::new("tension", Kind::Table, "")],
};

pub const TENSION: Section = Section {
    heading: "[limiter.tension]",
    doc: "Tensions along the yarns are unknowns of the implicit step: tight limits at long steps.",
    keys: &[Key::new(
        "max_solves",
        Kind::Count(1, 1000),
        "Most linear solves of a step before it is tried again with half the length.",
    )
    .or("8")],
};

/// The limits, if there are any, and what keeps them.
pub fn read(top: &Reader) -> (Option<StrainLimits>, Limiter) {
    let limiter = top.table("limiter", &LIMITER);
    let max_solves = limiter.table("tension", &TENSION).count("max_solves");
    let limiter = Limiter::Tension(Tension { max_solves });
    if !top.has("limits") {
        return (None, limiter);
    }
    let limits = top.table("limits", &LIMITS);
    let (extension, compression) =
        (limits.number("extension"), limits.optional_number("compression"));
    (Some(StrainLimits { extension, compression }), limiter)
}
