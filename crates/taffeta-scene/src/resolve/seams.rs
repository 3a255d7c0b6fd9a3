//! Seams, from what the scene says of them.

use taffeta::{Limiter, Model, Seam, Setup};

use super::cloths::{named_particles, refuse_unnamed};
use crate::format::{SceneFile, SeamFile};
use crate::text::{Problem, Problems};

/// The seams between particles; problems are noted.
pub fn bonds(file: &SceneFile, model: &Model, problems: &Problems) -> Vec<Seam> {
    let seam = |written: &SeamFile| {
        let sides = [0, 1].map(|side| {
            let name = written.cloths.get(side);
            if name.is_none() && refuse_unnamed(model, &written.span, problems) {
                return 0..0;
            }
            named_particles(model, name, problems).unwrap_or(0..0)
        });
        let mut pairs = Vec::new();
        for ([a, b], span) in &written.pairs {
            let [left, right] = [&sides[0], &sides[1]];
            let ends = [left.start.saturating_add(*a), right.start.saturating_add(*b)];
            if ends[0] == ends[1] || !left.contains(&ends[0]) || !right.contains(&ends[1]) {
                let message = format!("particles {a} and {b} cannot be sewn together");
                let last = left.len().min(right.len()).saturating_sub(1);
                let help = format!("two different ones from 0 to {last} can");
                problems.add(Problem::at(span.clone(), message).help(help));
            }
            pairs.push(ends);
        }
        Seam { pairs, stiffness: written.stiffness, time: written.time }
    };
    file.seams.iter().map(seam).collect()
}

/// The cloth with these seams.
pub fn sewn(model: Model, bonds: &[Seam], problems: &Problems) -> Model {
    if bonds.is_empty() || !problems.is_empty() {
        return model;
    }
    // What could go wrong was looked at when they were read.
    model.clone().with_seams(bonds).unwrap_or(model)
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
