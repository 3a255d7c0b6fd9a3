//! What a scene leaves open, chosen for it: integrator, solver, limiter and the longest step, each with the
//! reason, which the run tells.

use taffeta::{Constraints, ImplicitEuler, Integrator, Limiter, Setup, Solver};

use super::memory;
use crate::format::SceneFile;

/// Explicit steps shorter than this cost more than implicit ones, which are some twenty to thirty times as dear
/// and at most [`LONGEST_IMPLICIT`] long; measured on 41 × 41 particles, with and without contact \[s\].
const SHORTEST_EXPLICIT: f64 = 4e-4;
/// The longest step that is chosen for implicit steps: longer ones damp motion more, and where it is
/// fast are discarded \[s\].
const LONGEST_IMPLICIT: f64 = 1.0 / 120.0;
/// The same where a limiter corrects what steps did: it works on directions that hold for so long \[s\].
const LONGEST_LIMITED: f64 = 1.0 / 240.0;

/// How many times the most steps of a frame explicit ones may come to, and the numbers still be meant.
const ABSURD: f64 = 100.0;

/// Chooses what is not written; returns why.
pub fn choose(file: &SceneFile, setup: &mut Setup, memory: u64) -> Vec<String> {
    let limiter = choose_limiter(file, setup);
    let integrator = choose_integrator(file, setup);
    let solver = choose_solver(file, setup, memory);
    let step = choose_step(file, setup);
    [limiter, integrator, solver, step].into_iter().flatten().collect()
}

fn is_written(file: &SceneFile, table: &str) -> bool {
    file.root.entry(table).is_some()
}

/// How limits are kept: by strips, on cloth that they suit, and by constraints on all other. Cloth that tears
/// has constraints already.
fn choose_limiter(file: &SceneFile, setup: &mut Setup) -> Option<String> {
    let open = ["limiter", "integrator", "solver"].iter().all(|table| !is_written(file, table));
    let limits = setup.limits.filter(|_| open && setup.woven.is_none())?;
    setup.limit(limits);
    if !file.seams.is_empty() {
        setup.limiter = Limiter::Constraints(Constraints::default());
        setup.integrator = ImplicitEuler::default().into();
    }
    let chosen = match setup.limiter {
        Limiter::Strips(_) => "limits on cloth of quads are kept by strips",
        _ => "limits are kept by constraints of implicit steps",
    };
    Some(format!("{chosen}; [limiter] and [integrator] choose others"))
}

/// Implicit steps for springs that would need very short explicit ones, for seams, and where a solver is named;
/// strips, which stand in for springs, stay explicit.
fn choose_integrator(file: &SceneFile, setup: &mut Setup) -> Option<String> {
    let strips = setup.limits.is_some() && matches!(setup.limiter, Limiter::Strips(_));
    if is_written(file, "integrator") || strips || !setup.integrator.is_explicit() {
        return None;
    }
    let implicit = |setup: &mut Setup, why: String| {
        setup.integrator =
            Integrator::Implicit(ImplicitEuler { solver: file.solver, newton: None });
        Some(format!("steps are implicit: {why}; [integrator] chooses others"))
    };
    if is_written(file, "solver") {
        return implicit(setup, "[solver] is for those".into());
    }
    if !file.seams.is_empty() {
        return implicit(setup, "seams need it".into());
    }
    let explicit = setup.integrator.longest_step(&setup.model, &setup.pulls)?.h;
    if explicit >= SHORTEST_EXPLICIT || file.frames.rate <= 0.0 {
        return None;
    }
    let steps = (1.0 / (file.frames.rate * explicit)).ceil();
    // What would take that many has its numbers in other units, and is refused as it is.
    if steps > ABSURD * f64::from(setup.step.max_per_frame) {
        return None;
    }
    let why = format!(
        "explicit ones of cloth so stiff are at most {:.1e} s, {steps} to a frame",
        explicit
    );
    implicit(setup, why)
}

/// Cloth that tears is solved directly, as long as the factor fits.
fn choose_solver(file: &SceneFile, setup: &mut Setup, memory: u64) -> Option<String> {
    let Integrator::Implicit(settings) = setup.integrator else { return None };
    if settings.solver != Solver::Direct || is_written(file, "solver") {
        return None;
    }
    let needed = memory::with_factor(file, setup).ok()?;
    if needed <= memory {
        return None;
    }
    let solver = ImplicitEuler::default().solver;
    setup.integrator = Integrator::Implicit(ImplicitEuler { solver, ..settings });
    Some(
        "systems are solved by conjugate gradients: a direct solve of cloth that large does not fit \
         into memory; [solver] chooses"
            .into(),
    )
}

/// The longest step.
fn choose_step(file: &SceneFile, setup: &mut Setup) -> Option<String> {
    let step = file.root.entry("step");
    if step.is_some_and(|step| step.node.entry("max").is_some()) {
        return None;
    }
    let afterwards = setup.limits.is_some()
        && match setup.limiter {
            Limiter::Constraints(_) | Limiter::Strips(_) => false,
            Limiter::Impulses(_) | Limiter::Sweeps(_) => true,
        };
    let (max, why) = match &file.tear {
        Some(tear) if tear.averaging <= LONGEST_IMPLICIT => {
            (tear.averaging, "over which a yarn's tension is averaged")
        }
        _ if afterwards => (LONGEST_LIMITED, "for which the directions hold that limits correct"),
        _ if !setup.integrator.is_explicit() => {
            (LONGEST_IMPLICIT, "as longer implicit ones damp motion")
        }
        _ => return None,
    };
    let max = max.max(setup.step.min);
    if max >= setup.step.max {
        return None;
    }
    setup.step.max = max;
    Some(format!("steps are at most {:.1} ms, {why}; [step] max chooses others", max * 1e3))
}
