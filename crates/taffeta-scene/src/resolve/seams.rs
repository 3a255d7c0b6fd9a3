//! Seams, from what the scene says of them.

use taffeta::{Limiter, Model, Seam, Setup};

use crate::format::{SceneFile, SeamFile};
use crate::text::{Problem, Problems};

/// The cloth with its seams; problems are noted.
pub fn sewn(file: &SceneFile, model: Model, problems: &Problems) -> Model {
    let particles = model.particles();
    let seam = |written: &SeamFile| {
        for ([a, b], span) in &written.pairs {
            if a == b || [a, b].into_iter().any(|end| *end as usize >= particles) {
                let message = format!("particles {a} and {b} cannot be sewn together");
                let help = format!("two different ones from 0 to {} can", particles - 1);
                problems.add(Problem::at(span.clone(), message).help(help));
            }
        }
        let pairs = written.pairs.iter().map(|(pair, _)| *pair).collect();
        Seam { pairs, stiffness: written.stiffness, time: written.time }
    };
    let seams: Vec<Seam> = file.seams.iter().map(seam).collect();
    if seams.is_empty() || !problems.is_empty() {
        return model;
    }
    // What could go wrong was looked at above.
    model.clone().with_seams(&seams).unwrap_or(model)
}

/// Refuses what seams do not go with.
pub fn refuse_unfit(file: &SceneFile, setup: &Setup, problems: &Problems) {
    let Some(first) = file.seams.first() else { return };
    let refuse = |message: &str, help: &str| {
        problems.add(Problem::at(first.span.clone(), message).help(help));
    };
    if setup.woven.is_some() {
        refuse("cloth that tears has no seams", "leave out [tear] or [[seam]]");
    } else if setup.integrator.is_explicit() {
        refuse("seams need implicit steps", "add [integrator.implicit]");
    } else if matches!(setup.limiter, Limiter::Strips(_)) && setup.limits.is_some() {
        refuse("strips cannot keep the limits of sewn cloth", "leave out [limiter.strips]");
    }
}
