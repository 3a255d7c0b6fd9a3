//! What a run will take of memory, told before it is taken.
//!
//! Most grows with the particles, by what steps do with them, and is known beforehand. The factor of
//! a direct solve grows faster, and by the shape of the cloth: its plan counts it.

use taffeta::{Integrator, Limiter, Setup, SetupError, Shape, SolidMesh};

use super::key_span;
use crate::format::{ClothModel, SceneFile};
use crate::text::{Problem, Problems};

/// Memory for each particle [bytes], measured on sheets of 300 × 300 particles at its peak, which is
/// while everything is made: the model, its setup, and the explicit step.
const EXPLICIT: u64 = 3_500;
/// The same with implicit steps by conjugate gradients.
const IMPLICIT: u64 = 8_500;
/// The same of a continuum.
const CONTINUUM: u64 = 11_400;
/// On top for self-contact; cloth in many layers takes more.
const CONTACT: u64 = 2_700;
/// On top for strips and impulses.
const LIMITER: u64 = 3_200;
/// On top for cloth that tears.
const TEARING: u64 = 6_000;

/// Memory for each triangle of a solid, and for a solid of a simple shape [bytes].
const TRIANGLE: u64 = 720;
const SIMPLE_SOLID: u64 = 200_000;
/// Memory for a vertex of a solid at one of its keys [bytes].
const VERTEX: u64 = 72;

/// How many times a factor counts where contact plans another one, with more in it.
const COUPLED: [u64; 2] = [5, 2];

/// Particles are numbered by 32 bits, and so are the ends of all their springs.
const MOST_PARTICLES: u64 = 1 << 28;

/// Why so many particles cannot be: told before any of them is made.
pub fn too_many(file: &SceneFile, particles: u64, memory: u64) -> Option<String> {
    let needed = of_particles((file, file.integrator), particles);
    if needed > memory {
        let fit = memory / of_particles((file, file.integrator), 1);
        let (needed, allowed) = (gib(needed), gib(memory));
        return Some(format!(
            "{particles} particles need about {needed} GiB of memory, and {allowed} GiB are \
             allowed; use fewer particles, {fit} say, or raise --memory"
        ));
    }
    (particles > MOST_PARTICLES).then(|| {
        format!("{particles} particles are more than a cloth can have, {MOST_PARTICLES}; use fewer")
    })
}

/// Refuses what would not fit, at the table that would have to change.
pub fn refuse(file: &SceneFile, setup: &Setup, memory: u64, problems: &Problems) {
    let cloth = of_particles((file, setup.integrator), setup.model.particles() as u64);
    let solids = of_solids(setup);
    if cloth + solids > memory {
        let (needed, allowed) = (gib(solids), gib(memory));
        let message = format!(
            "the solids need about {needed} GiB of memory and the cloth {}, and {allowed} GiB are \
             allowed; use coarser or fewer solids, or raise --memory",
            gib(cloth)
        );
        return problems.add(Problem::at(key_span(&file.root, "solid"), message));
    }
    match with_factor(file, setup) {
        Ok(needed) if needed > memory => {
            refuse_factor(file, (cloth + solids, needed, memory), problems);
        }
        Ok(_) => {}
        Err(error) => problems.add(Problem::at(file.first_cloth().span.clone(), error.to_string())),
    }
}

/// What everything needs together with the factor of direct solves, if there are any.
pub fn with_factor(file: &SceneFile, setup: &Setup) -> Result<u64, SetupError> {
    let integrator = setup.integrator;
    let cloth = of_particles((file, integrator), setup.model.particles() as u64);
    let factor = setup.factor_bytes()?.unwrap_or(0);
    let [times, over] = if setup.self_contact.is_some() { COUPLED } else { [1, 1] };
    Ok((cloth + of_solids(setup)).saturating_add(factor.saturating_mul(times) / over))
}

fn refuse_factor(file: &SceneFile, (others, needed, memory): (u64, u64, u64), problems: &Problems) {
    let (needed, allowed, without) = (gib(needed), gib(memory), gib(others));
    let message = format!(
        "the factor of direct solves makes {needed} GiB of memory, and {allowed} GiB are allowed"
    );
    let help = format!(
        "solve by conjugate gradients, [solver.pcg], which needs about {without} GiB; or use fewer particles, or raise --memory"
    );
    problems.add(Problem::at(key_span(&file.root, "solver"), message).help(help));
}

fn of_particles((file, integrator): (&SceneFile, Integrator), particles: u64) -> u64 {
    let steps = match (integrator, file.model) {
        (Integrator::Explicit(_), _) => EXPLICIT,
        (Integrator::Implicit(_), ClothModel::Springs) => IMPLICIT,
        (Integrator::Implicit(_), ClothModel::Continuum) => CONTINUUM,
    };
    let limited = file.is_limited() && !matches!(file.limiter, Limiter::Constraints(_));
    let extras = [
        (file.self_contact.is_some(), CONTACT),
        (limited, LIMITER),
        (file.tear.is_some(), TEARING),
    ];
    let extra: u64 = extras.iter().filter(|(has, _)| *has).map(|(_, bytes)| bytes).sum();
    particles.saturating_mul(steps + extra)
}

fn of_solids(setup: &Setup) -> u64 {
    let mesh = |mesh: &SolidMesh| {
        let triangles = mesh.faces().triangles().count() as u64;
        let vertices: u64 = mesh.keys().iter().map(|key| key.positions.len() as u64).sum();
        triangles * TRIANGLE + vertices * VERTEX
    };
    let solid = |shape: &Shape| match shape {
        Shape::Mesh(found) => mesh(found),
        _ => SIMPLE_SOLID,
    };
    setup.solids.iter().map(|each| solid(&each.shape)).sum()
}

fn gib(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / f64::from(1u32 << 30))
}
