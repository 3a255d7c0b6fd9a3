//! `[integrator]` and `[step]`.

use taffeta::{ExplicitEuler, ImplicitEuler, Integrator, Limiter, Newton, Solver, StepLimits};

use super::key::{Bounds, Key, Kind, Section};
use super::model::ClothModel;
use super::reader::Reader;
use crate::text::Problem;

pub const INTEGRATOR: Section = Section {
    heading: "[integrator]",
    doc: "How steps are integrated, named by its table; without it, explicit where springs are soft \
          enough for steps of 0.4 ms or longer, or strips stand in for them, and implicit otherwise: the \
          run says which, and why.",
    keys: &[Key::new("explicit", Kind::Table, ""), Key::new("implicit", Kind::Table, "")],
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

pub const IMPLICIT: Section = Section {
    heading: "[integrator.implicit]",
    doc: "Backward Euler, with one linear solve a step unless `newton_tolerance` is given. \
          Stiffness does not bound its steps, but long ones damp the motion; where there is \
          something to touch, and the cloth does not tear, steps are at most 1/240 s.",
    keys: &[
        Key::new(
            "newton_tolerance",
            Kind::Number("", Bounds::AboveUpTo(0.0, 1.0)),
            "Solves each step by Newton's method until an iteration strains \
             or turns no part of the cloth by more than this: stiff cloth keeps its length in \
             long steps. Steps that do not get there are counted in the report.",
        ),
        Key::new(
            "newton_iterations",
            Kind::Count(1, 100_000),
            "Most iterations of Newton's method in a step.",
        )
        .or("100"),
    ],
};

pub const SOLVER: Section = Section {
    heading: "[solver]",
    doc: "How the implicit integrator's linear systems are solved, named by its table; without it, \
          by conjugate gradients, but directly for cloth that tears, where that fits into memory.",
    keys: &[Key::new("pcg", Kind::Table, ""), Key::new("direct", Kind::Table, "")],
};

pub const PCG: Section = Section {
    heading: "[solver.pcg]",
    doc: "Preconditioned conjugate gradients. Pins hold exactly whatever these say; solves that did \
          not converge are counted in the report.",
    keys: &[
        Key::new(
            "tolerance",
            Kind::Number("", Bounds::AboveUpTo(0.0, 0.5)),
            "Residual to reach, relative to that of no motion.",
        )
        .or("1e-4"),
        Key::new("max_iterations", Kind::Count(1, 1_000_000), "Most iterations of a solve.")
            .or("1000"),
    ],
};

pub const DIRECT: Section = Section {
    heading: "[solver.direct]",
    doc: "A sparse factorisation: exact, and slower than conjugate gradients but for small cloth.",
    keys: &[],
};

pub const STEP: Section = Section {
    heading: "[step]",
    doc: "How long steps may be. A step that changes the length of an edge drastically is \
          discarded and tried again with half the length; longer steps are tried again later.",
    keys: &[
        Key::new(
            "max",
            Kind::Number("s", Bounds::Above(0.0)),
            "Longest step; without it, the time between frames, and no more than 1/120 s for implicit \
             steps, 1/240 s where a limiter corrects what they did, and the `averaging` of cloth that \
             tears. The integrator may need shorter ones.",
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

pub fn read_integrator(
    top: &Reader,
    solver: Solver,
    model: ClothModel,
    limiter: Option<&Limiter>,
) -> Integrator {
    let constraints = matches!(limiter, Some(Limiter::Constraints(_)));
    let strips = matches!(limiter, Some(Limiter::Strips(_)));
    let integrator = top.table("integrator", &INTEGRATOR);
    let safety = integrator.table("explicit", &EXPLICIT).number("safety");
    let implicit = integrator.table("implicit", &IMPLICIT);
    let max_iterations = implicit.count("newton_iterations");
    let newton = |tolerance: f64| Newton { tolerance, max_iterations };
    let newton = implicit.optional_number("newton_tolerance").map(newton);
    let implicit = ImplicitEuler { solver, newton };
    // Explicit steps on stiff yarns are thousands a frame, and friction is found by iteration.
    let tears = top.has("tear") && !top.has("limiter");
    match (integrator.has("explicit"), integrator.has("implicit")) {
        (true, true) => {
            let message = "steps are explicit or implicit, not both";
            top.add(Problem::at(integrator.key_span("implicit"), message));
        }
        (true, false) if constraints => {
            let message = "constraints are a part of the implicit step";
            let problem = Problem::at(integrator.key_span("explicit"), message);
            top.add(problem.help("leave [integrator.explicit] out, or choose another [limiter]"));
        }
        (true, false) if model == ClothModel::Continuum && !strips => {
            let message = "a continuum needs the implicit integrator";
            let problem = Problem::at(integrator.key_span("explicit"), message);
            top.add(problem.help("leave [integrator.explicit] out, or use [model.springs]"));
        }
        (true, false) if top.has("solver") => {
            let message = "explicit steps have no linear systems to solve";
            let problem = Problem::at(top.key_span("solver"), message);
            top.add(problem.help("leave [solver] out, or use [integrator.implicit]"));
        }
        (false, true) => return Integrator::Implicit(implicit),
        (false, false) if constraints || tears || model == ClothModel::Continuum && !strips => {
            return Integrator::Implicit(implicit);
        }
        _ => {}
    }
    Integrator::Explicit(ExplicitEuler { safety })
}

/// How linear systems are solved.
pub fn read_solver(top: &Reader) -> Solver {
    let solver = top.table("solver", &SOLVER);
    let pcg = solver.table("pcg", &PCG);
    solver.table("direct", &DIRECT);
    if solver.has("pcg") && solver.has("direct") {
        let message = "systems are solved by pcg or direct, not both";
        top.add(Problem::at(solver.key_span("direct"), message));
    }
    let (tolerance, max_iterations) = (pcg.number("tolerance"), pcg.count("max_iterations"));
    if solver.has("direct") || (top.has("tear") && !solver.has("pcg")) {
        return Solver::Direct;
    }
    Solver::Pcg { tolerance, max_iterations }
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
