//! `[limits]` and `[limiter]`.

use taffeta::{
    Constraints, ImpulseSolver, ImpulseVariant, Impulses, Limiter, StrainLimits, Strips, Sweeps,
};

use super::cloth;
use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const LIMITS: Section = Section {
    heading: "[limits]",
    doc: "How far the cloth may stretch. Springs are limited along every edge of the mesh, a \
          continuum along the warp and the weft of every triangle; shear is not limited, for \
          woven cloth shears freely. Steps that end over the limits are counted and reported; where \
          the limiter works to a tolerance they are first tried again with half the length.",
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
    doc: "How the limits are kept, named by its table. Without it, and without `[integrator]` and \
          `[solver]`, cloth of quads that does not tear is moved by strips; all other cloth by implicit \
          steps with constraints.",
    keys: &[
        Key::new("constraints", Kind::Table, ""),
        Key::new("impulses", Kind::Table, ""),
        Key::new("sweeps", Kind::Table, ""),
        Key::new("strips", Kind::Table, ""),
    ],
};

pub const CONSTRAINTS: Section = Section {
    heading: "[limiter.constraints]",
    doc: "Limits, solids, layers of cloth, friction and pins are constraints of one implicit step, on \
          any mesh, springs or a continuum: all promises hold at once. Steps are at most 1/240 s, and \
          shorter in fast motion. Contacts are stiff springs: in a hard impact they give way by up \
          to three quarters of a thickness. `[solver.pcg]` is in single precision.",
    keys: &[Key::new(
        "max_solves",
        Kind::Count(1, 1000),
        "Most linear solves of a step; what is left over the limits after them is projected onto \
         them. A step for which that is not enough is tried again with half the length.",
    )
    .or("8")],
};

pub const IMPULSES: Section = Section {
    heading: "[limiter.impulses]",
    doc: "Impulses along all gauges at once, from linear systems of their own (Ye 2008). After any \
          integrator, and without a change of momentum.",
    keys: &[
        Key::new(
            "variant",
            Kind::Choice(&["refined", "paper"]),
            "`paper` solves once a step, with directions and lengths of its start: for steps of 2 ms \
             and less. `refined` solves again at the predicted places until all is within limits.",
        )
        .or("\"refined\""),
        Key::new("max_solves", Kind::Count(1, 1000), "Most solves of a step, if refined.").or("12"),
        Key::new(
            "solver",
            Kind::Choice(&["direct", "cg"]),
            "A sparse factorisation, or conjugate gradients.",
        )
        .or("\"direct\""),
        Key::new(
            "tolerance",
            Kind::Number("", Bounds::AboveUpTo(0.0, 0.5)),
            "Residual that `cg` is to reach, relative to the right-hand side.",
        )
        .or("1e-8"),
        Key::new("max_iterations", Kind::Count(1, 1_000_000), "Most iterations of a solve by `cg`.")
            .or("10000"),
    ],
};

pub const SWEEPS: Section = Section {
    heading: "[limiter.sweeps]",
    doc: "Gauge after gauge is moved to its limit, nearest to the pins first: position-based \
          dynamics, the baseline. After any integrator.",
    keys: &[Key::new(
        "sweeps",
        Kind::Count(1, 1_000_000),
        "Most sweeps of a step; fewer where all gauges are within the limits before.",
    )
    .or("20")],
};

pub const STRIPS: Section = Section {
    heading: "[limiter.strips]",
    doc: "Strips of edges (the rows and columns of a grid, the trees of any other mesh) are brought \
          to their rest length at once: inextensible cloth, fast. The limits say how near is near \
          enough. Strips move the cloth by themselves, without `[integrator.implicit]` and `[tear]`: \
          springs or, on quads along warp and weft, a continuum. Shear and bending along lines, \
          solids, layers of cloth and friction are solved in the same loop, and `stretch` and \
          `shear` bound no step. Their steps are at most 1/480 s on edges of 20 mm, and grow with \
          the root of the length of edges; fast motion makes them shorter.",
    keys: &[Key::new(
        "max_iterations",
        Kind::Count(1, 1_000_000),
        "Most sweeps over all strips in a step; fewer where all edges are well within the \
             limits before. A step that is not within them after so many is tried again with half \
             the length, and taken in the end, and counted.",
    )
    .or("20")],
};

/// The limits, if there are any, and what keeps them.
pub fn read(top: &Reader) -> (Option<StrainLimits>, Limiter) {
    let limiter = read_limiter(&top.table("limiter", &LIMITER));
    if !top.has("limits") {
        if top.has("limiter") && !cloth::any_limits(top) {
            let problem =
                Problem::at(top.key_span("limiter"), "a limiter without [limits] does nothing");
            top.add(problem.help("write how far the cloth may stretch: [limits] extension = 0.01"));
        }
        return (None, limiter);
    }
    (Some(read_limits(&top.table("limits", &LIMITS))), limiter)
}

/// How far cloth may stretch.
pub fn read_limits(limits: &Reader) -> StrainLimits {
    let (extension, compression) =
        (limits.number("extension"), limits.optional_number("compression"));
    StrainLimits { extension, compression }
}

/// The limiter that is named, or the default; every table is read, so that every mistake is found.
fn read_limiter(limiter: &Reader) -> Limiter {
    let known = [
        read_constraints(limiter),
        read_impulses(limiter),
        read_sweeps(limiter),
        read_strips(limiter),
    ];
    let mut named = LIMITER.keys.iter().zip(known).filter(|(key, _)| limiter.has(key.name));
    let chosen = named.next();
    for (key, _) in named {
        let problem = Problem::at(limiter.key_span(key.name), "limits are kept in one way only");
        limiter.add(problem.help("leave all but one of the tables of [limiter] out"));
    }
    chosen.map_or(known[0], |(_, limiter)| limiter)
}

fn read_constraints(limiter: &Reader) -> Limiter {
    let max_solves = limiter.table("constraints", &CONSTRAINTS).count("max_solves");
    Limiter::Constraints(Constraints { max_solves })
}

fn read_impulses(limiter: &Reader) -> Limiter {
    let impulses = limiter.table("impulses", &IMPULSES);
    let max_solves = impulses.count("max_solves");
    let (tolerance, max_iterations) =
        (impulses.number("tolerance"), impulses.count("max_iterations"));
    Limiter::Impulses(Impulses {
        variant: match impulses.choice("variant") {
            "paper" => ImpulseVariant::Paper,
            _ => ImpulseVariant::Refined { max_solves },
        },
        solver: match impulses.choice("solver") {
            "cg" => ImpulseSolver::Cg { tolerance, max_iterations },
            _ => ImpulseSolver::Direct,
        },
    })
}

fn read_sweeps(limiter: &Reader) -> Limiter {
    Limiter::Sweeps(Sweeps { sweeps: limiter.table("sweeps", &SWEEPS).count("sweeps") })
}

fn read_strips(limiter: &Reader) -> Limiter {
    let max_iterations = limiter.table("strips", &STRIPS).count("max_iterations");
    Limiter::Strips(Strips { max_iterations })
}
