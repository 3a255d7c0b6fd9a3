//! Bad starts, told before anything is computed: where, how many, and what to do.
//!
//! None of them keeps a run from beginning: what is wrong may be meant, and much of it mends itself.

mod crossings;
mod layers;
mod loose;
mod panels;
mod pins;
mod solids;
mod strain;

use std::fmt;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::{Mesh, Setup};

use crate::format::SceneFile;

/// Particles named in one warning at most; the rest are counted.
const NAMED: usize = 8;

/// Something about the start of a scene that will go badly.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Warning {
    /// What kind: `inside`, `through`, `tangled`, `layers`, `thickness`, `strained`, `apart`, `loose`,
    /// `twisted`, `eased` or `far`.
    pub kind: String,
    /// How many particles, edges or pairs.
    pub count: usize,
    /// Some of the particles, the worst or the first of them first.
    pub particles: Vec<u32>,
    /// Where the first of them starts \[m\].
    pub at: [f64; 3],
    /// What is wrong, in words.
    pub what: String,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.advice)
    }
}

/// A scene as it starts.
pub(crate) struct Beginning<'a> {
    pub file: &'a SceneFile,
    pub setup: &'a Setup,
    /// The cloth at rest.
    pub rest: &'a Mesh,
}

/// All that is bad about a start.
pub(crate) fn warnings(beginning: &Beginning) -> Vec<Warning> {
    let mut all = solids::warnings(beginning.setup);
    all.extend(layers::warnings(beginning));
    all.extend(strain::warning(beginning));
    all.extend(pins::warning(beginning));
    all.extend(loose::warning(beginning));
    all
}

pub(crate) use panels::starts_of_panels;

impl Beginning<'_> {
    fn warn(&self, kind: &str, count: usize, particles: &[u32], words: [String; 2]) -> Warning {
        warning(kind, count, (particles, &self.setup.positions), words)
    }
}

fn warning(
    kind: &str,
    count: usize,
    (particles, positions): (&[u32], &[DVec3]),
    [what, advice]: [String; 2],
) -> Warning {
    let particles = particles[..particles.len().min(NAMED)].to_vec();
    let first = particles.first().and_then(|&first| positions.get(first as usize));
    let at = first.copied().unwrap_or_default().to_array();
    Warning { kind: kind.into(), count, particles, at, what, advice }
}

/// A place, for people.
fn place(position: DVec3) -> String {
    format!("({:.4}, {:.4}, {:.4})", position.x, position.y, position.z)
}
