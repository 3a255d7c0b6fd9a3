//! `[integrator]` and `[step]`.

use taffeta::{ExplicitEuler, Integrator, StepLimits};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const INTEGRATOR: Section = Section {
    heading: "[integrator]",
    doc: "How steps are integrated, named by its table. There is one so far.",
    keys: &[Key::new("explicit", Kind::Table, "")],
};

pub const EXPLICIT: Section = Section {
    heading: "[integrator.explicit]",
    doc: "Symplectic Euler. Its steps are bounded by the stiffest springs: halving the spacing of \
          the particles halves the step.",
    keys: &[Key::new(
        "safety",
        Kind::Number("", Bounds::AboveUpTo(0.0, 1.0)),
        "The step as a fraction of the longest that is stable.",
    )
    .or("0.9")],
};

pub const STEP: Section = Section {
    heading: "[step]",
    doc: "How long steps may be. A step that changes the length of an edge drastically is \
          discarded and tried again with half the length; longer steps are tried again later.",
    keys: &[
        Key::new(
            "max",
            Kind::Number("s", Bounds::Above(0.0)),
            "Longest step; without it, the time between frames. The integrator may need shorter \
             ones.",
        ),
        Key::new(
            "min",
            Kind::Number("s", Bounds::Above(0.0)),
            "Shortest step before the run gives up.",
        )
        .or("1e-8"),
        Key::new(
            "max_stretch_change",
            Kind::Number("", Bounds::Above(0.0)),
            "Largest change of an edge's length in a step, over its rest length.",
        )
        .or("0.05"),
        Key::new(
            "max_per_frame",
            Kind::Count(1, u32::MAX),
            "Most steps for a frame before the run gives up.",
        )
        .or("100000"),
    ],
};

pub fn read_integrator(top: &Reader) -> Integrator {
    let explicit = top.table("integrator", &INTEGRATOR).table("explicit", &EXPLICIT);
    Integrator::Explicit(ExplicitEuler { safety: explicit.number("safety") })
}

pub fn read_limits(step: &Reader, rate: f64) -> StepLimits {
    let limits = StepLimits {
        max: step.optional_number("max").unwrap_or(1.0 / rate),
        min: step.number("min"),
        max_stretch_change: step.number("max_stretch_change"),
        max_per_frame: step.count("max_per_frame"),
    };
    if limits.min > limits.max && rate > 0.0 {
        let message =
            format!("the shortest step, {} s, is above the longest, {} s", limits.min, limits.max);
        let written = if step.has("max") { "max" } else { "min" };
        step.add(Problem::at(step.span_of(written), message));
    }
    limits
}
