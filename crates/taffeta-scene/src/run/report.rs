//! The report: a line of JSON for each frame.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use taffeta::collision::Intersection;
use taffeta::{Along, Cloth, ContactTally, Gauge, Phase, Simulation, Stage, Tally};

use super::frays::FrayReport;
use crate::inside::held_inside;
use crate::starts::Warning;

/// Where strain was measured.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Place {
    /// `edge`, `warp` or `weft`.
    pub along: String,
    /// The particles: two of an edge, three of a triangle.
    pub particles: Vec<u32>,
}

impl From<Gauge> for Place {
    fn from(gauge: Gauge) -> Self {
        let (along, count) = match gauge.along {
            Along::Edge => ("edge", 2),
            Along::Warp => ("warp", 3),
            Along::Weft => ("weft", 3),
        };
        Self { along: along.into(), particles: gauge.particles[..count].to_vec() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let numbers: Vec<String> = self.particles.iter().map(ToString::to_string).collect();
        write!(f, "{} {}", self.along, numbers.join("–"))
    }
}

/// What is reported of a frame. Where the line of a frame was lost it is measured again; what was
/// done on the way there is not known then, and none.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FrameReport {
    /// The frame's number.
    pub frame: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// What begins badly; only in the first frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Steps taken since the frame before.
    pub steps: Option<u32>,
    /// Steps tried and discarded.
    pub rejected: Option<u32>,
    /// Iterations of linear solves; none in explicit steps.
    pub iterations: Option<u32>,
    /// Linear solves that did not reach their tolerance.
    pub unconverged: Option<u32>,
    /// Iterations of the limiter: sweeps, or solves of its own.
    pub limit_iterations: Option<u32>,
    /// Steps in which the limiter did not bring every gauge within its limits.
    pub limit_unconverged: Option<u32>,
    /// Steps that were taken although they are over the strain limits.
    pub over_limit: Option<u32>,
    /// The most that a gauge was over its limit in those, as a fraction of its rest length.
    pub worst_excess: Option<f64>,
    /// Iterations of Newton's method.
    pub newton: Option<u32>,
    /// Steps in which Newton's method did not reach its tolerance.
    pub newton_unconverged: Option<u32>,
    /// Particles that touch solids.
    pub contacts: u32,
    /// The most edges and corners of solids that cut the cloth between its particles in one step.
    pub pierced: Option<u32>,
    /// The most particles that had no room between solids in one step, or that pins hold inside
    /// solids in this frame.
    pub pinched: Option<u32>,
    /// One of those particles.
    pub pinched_at: Option<u32>,
    /// Shortest step \[s\]; none in the first frame.
    pub h_min: Option<f64>,
    /// Longest step \[s\]; none in the first frame.
    pub h_max: Option<f64>,
    /// Largest extension of a gauge, as a fraction of its rest length.
    pub extension: f64,
    /// Where that is.
    pub extension_at: Place,
    /// The extension that 99.9 % of the gauges do not exceed.
    pub extension_p999: f64,
    /// Largest compression of a gauge, as a fraction of its rest length.
    pub compression: f64,
    /// Where that is.
    pub compression_at: Place,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Potential energy \[J\]: of height and of the springs.
    pub potential: f64,
    /// The part of the potential energy in the springs \[J\].
    pub elastic: f64,
    /// Mean height: y of the centre of mass \[m\].
    pub height: f64,
    /// Each of several cloths by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<ClothReport>,
    /// What self-contact did; none where it is off.
    #[serde(default)]
    pub contact: Option<ContactReport>,
    /// How far the cloth has torn; none where it cannot.
    #[serde(default)]
    pub frays: Option<FrayReport>,
    /// Seconds of computing in each phase.
    pub seconds: Option<BTreeMap<String, f64>>,
    /// Seconds of computing in each stage of the limiter's own linear solves; a part of `limit`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limit_seconds: BTreeMap<String, f64>,
    /// Fingerprint of every bit that a run goes on from, anchors and step control included, in
    /// hexadecimal.
    pub hash: String,
}

/// One of several cloths.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ClothReport {
    /// Its name.
    pub name: String,
    /// Largest extension of a gauge, as a fraction of its rest length.
    pub extension: f64,
    /// Where that is.
    pub extension_at: Place,
    /// Largest compression of a gauge, as a fraction of its rest length.
    pub compression: f64,
    /// Where that is.
    pub compression_at: Place,
    /// Mean height: y of the centre of mass \[m\].
    pub height: f64,
}

impl ClothReport {
    /// Each of the cloths that a model was put together from.
    fn measure(simulation: &Simulation) -> Vec<Self> {
        let (model, positions) = (simulation.model(), &simulation.state().positions);
        let of_cloth = |cloth: &Cloth| {
            let gauges = cloth.gauges.start as usize..cloth.gauges.end as usize;
            let strain = taffeta::measure::strain(&model.gauges()[gauges], positions);
            let particles = cloth.particles.start as usize..cloth.particles.end as usize;
            let masses = &model.masses()[particles.clone()];
            let moment: f64 = masses.iter().zip(&positions[particles]).map(|(m, x)| m * x.y).sum();
            Self {
                name: cloth.name.clone(),
                extension: strain.extension,
                extension_at: Place::from(strain.extended),
                compression: strain.compression,
                compression_at: Place::from(strain.compressed),
                height: moment / masses.iter().sum::<f64>(),
            }
        };
        model.cloths().iter().map(of_cloth).collect()
    }
}

/// What self-contact did on the way to a frame, and what it has left.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ContactReport {
    /// Pairs near enough to each other to be followed, over all steps.
    pub pairs: Option<u64>,
    /// Contacts that impulses were solved for, over all steps.
    pub contacts: Option<u64>,
    /// Steps discarded because pairs could not be kept apart.
    pub retries: Option<u32>,
    /// Edges that pass through triangles in this frame: those that did so from the start.
    pub tangled: Vec<Crossing>,
}

/// An edge through a triangle.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Crossing {
    /// The particles at its ends.
    pub edge: [u32; 2],
    /// The particles at its corners.
    pub triangle: [u32; 3],
}

impl ContactReport {
    fn measure(simulation: &Simulation, tally: Option<&Tally>) -> Option<Self> {
        simulation.setup().self_contact?;
        let did = tally.map(|tally| &tally.contact);
        let count = |of: fn(&ContactTally) -> u64| did.map(of);
        let found = simulation.intersections();
        let crossing = |i: &Intersection| Crossing { edge: i.edge, triangle: i.triangle };
        let tangled = found.iter().map(crossing).collect();
        Some(Self {
            pairs: count(|did| did.pairs),
            contacts: count(|did| did.contacts),
            retries: did.map(|did| did.retries),
            tangled,
        })
    }
}

impl FrameReport {
    /// Measures a simulation that has just reached a frame; all but the hash, which is known once
    /// the frame is put into bytes, and what it took to come there, if that is not known any more.
    pub fn measure(simulation: &Simulation, frame: u32, tally: Option<&Tally>) -> Self {
        let (strain, energy) = (simulation.strain(), simulation.energy());
        let state = simulation.state();
        let centre = taffeta::measure::centre_of_mass(simulation.model(), &state.positions);
        let held = held_inside(simulation.setup(), state);
        let count = |of: fn(&Tally) -> u32| tally.map(of);
        let most = |of: fn(&Tally) -> f64| tally.map(of);
        let moved = tally.filter(|tally| tally.steps > 0);
        Self {
            frame,
            time: state.time,
            warnings: Vec::new(),
            steps: count(|tally| tally.steps),
            rejected: count(|tally| tally.rejected),
            iterations: count(|tally| tally.iterations),
            unconverged: count(|tally| tally.unconverged),
            limit_iterations: count(|tally| tally.limit_iterations),
            limit_unconverged: count(|tally| tally.limit_unconverged),
            over_limit: count(|tally| tally.over_limit),
            worst_excess: most(|tally| tally.worst_excess),
            newton: count(|tally| tally.newton),
            newton_unconverged: count(|tally| tally.newton_unconverged),
            contacts: simulation.touching(),
            pierced: count(|tally| tally.pierced),
            pinched: tally.map(|tally| tally.pinched.max(held.len() as u32)),
            pinched_at: tally
                .and_then(|tally| tally.pinch)
                .or(held.first().copied())
                .map(|p| p.particle),
            h_min: moved.map(|tally| tally.h_min),
            h_max: moved.map(|tally| tally.h_max),
            extension: strain.extension,
            extension_at: Place::from(strain.extended),
            extension_p999: strain.extension_p999,
            compression: strain.compression,
            compression_at: Place::from(strain.compressed),
            kinetic: energy.kinetic,
            potential: energy.gravitational + energy.elastic,
            elastic: energy.elastic,
            height: centre.y,
            cloths: ClothReport::measure(simulation),
            contact: ContactReport::measure(simulation, tally),
            frays: FrayReport::measure(simulation),
            seconds: tally.map(phase_seconds),
            limit_seconds: tally.map(stage_seconds).unwrap_or_default(),
            hash: String::new(),
        }
    }
}

fn phase_seconds(tally: &Tally) -> BTreeMap<String, f64> {
    let second = |phase: Phase| (phase.name().into(), tally.times.of(phase).as_secs_f64());
    Phase::ALL.into_iter().map(second).collect()
}

fn stage_seconds(tally: &Tally) -> BTreeMap<String, f64> {
    let stage = |stage: Stage| {
        let time = tally.stages.of(stage);
        (!time.is_zero()).then(|| (stage.name().into(), time.as_secs_f64()))
    };
    Stage::ALL.into_iter().filter_map(stage).collect()
}

/// A fingerprint as the report has it.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}
