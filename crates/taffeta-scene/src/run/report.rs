//! The report: a line of JSON for each frame.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use taffeta::{Along, Gauge, Phase, Simulation, Stage, Tally};
use taffeta_io::cache::state_hash;

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

/// What is reported of a frame.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FrameReport {
    /// The frame's number.
    pub frame: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// Steps taken since the frame before.
    pub steps: u32,
    /// Steps tried and discarded.
    pub rejected: u32,
    /// Iterations of linear solves; none in explicit steps.
    pub iterations: u32,
    /// Linear solves that did not reach their tolerance.
    pub unconverged: u32,
    /// Iterations of the limiter: sweeps, or solves of its own.
    #[serde(default)]
    pub limit_iterations: u32,
    /// Steps in which the limiter did not bring every gauge within its limits.
    #[serde(default)]
    pub limit_unconverged: u32,
    /// Steps that were taken although they are over the strain limits.
    #[serde(default)]
    pub over_limit: u32,
    /// The most that a gauge was over its limit in those, as a fraction of its rest length.
    #[serde(default)]
    pub worst_excess: f64,
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
    /// Seconds of computing in each phase.
    pub seconds: BTreeMap<String, f64>,
    /// Seconds of computing in each stage of the limiter's own linear solves; a part of `limit`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limit_seconds: BTreeMap<String, f64>,
    /// Fingerprint of every bit that a run goes on from, anchors and step control included, in
    /// hexadecimal.
    pub hash: String,
}

impl FrameReport {
    /// Measures a simulation that has just reached a frame.
    pub fn measure(simulation: &Simulation, frame: u32, tally: &Tally) -> Self {
        let (strain, energy) = (simulation.strain(), simulation.energy());
        let state = simulation.state();
        let centre = taffeta::measure::centre_of_mass(simulation.model(), &state.positions);
        let second = |phase: Phase| (phase.name().into(), tally.times.of(phase).as_secs_f64());
        let stage = |stage: Stage| {
            let time = tally.stages.of(stage);
            (!time.is_zero()).then(|| (stage.name().into(), time.as_secs_f64()))
        };
        Self {
            frame,
            time: state.time,
            steps: tally.steps,
            rejected: tally.rejected,
            iterations: tally.iterations,
            unconverged: tally.unconverged,
            limit_iterations: tally.limit_iterations,
            limit_unconverged: tally.limit_unconverged,
            over_limit: tally.over_limit,
            worst_excess: tally.worst_excess,
            h_min: (tally.steps > 0).then_some(tally.h_min),
            h_max: (tally.steps > 0).then_some(tally.h_max),
            extension: strain.extension,
            extension_at: Place::from(strain.extended),
            extension_p999: strain.extension_p999,
            compression: strain.compression,
            compression_at: Place::from(strain.compressed),
            kinetic: energy.kinetic,
            potential: energy.gravitational + energy.elastic,
            elastic: energy.elastic,
            height: centre.y,
            seconds: Phase::ALL.into_iter().map(second).collect(),
            limit_seconds: Stage::ALL.into_iter().filter_map(stage).collect(),
            hash: hash_text(state_hash(&simulation.snapshot())),
        }
    }
}

/// What a run amounts to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Frames made by this run.
    pub frames: u32,
    /// Steps taken.
    pub steps: u64,
    /// Steps tried and discarded.
    pub rejected: u64,
    /// Iterations of linear solves.
    pub iterations: u64,
    /// Linear solves that did not reach their tolerance.
    pub unconverged: u64,
    /// Iterations of the limiter.
    pub limit_iterations: u64,
    /// Steps in which the limiter did not bring every gauge within its limits.
    pub limit_unconverged: u64,
    /// Steps that were taken although they are over the strain limits.
    pub over_limit: u64,
    /// The most that a gauge was over its limit in those.
    pub worst_excess: f64,
    /// The largest extension.
    pub extension: f64,
    /// The frame of the largest extension.
    pub extension_frame: u32,
    /// Where the largest extension is.
    pub extension_at: Place,
    /// Seconds of computing in each phase.
    pub seconds: BTreeMap<String, f64>,
}

impl Summary {
    /// Takes a frame in.
    pub fn add(&mut self, frame: &FrameReport) {
        if self.frames == 0 || frame.extension > self.extension {
            self.extension = frame.extension;
            self.extension_frame = frame.frame;
            self.extension_at = frame.extension_at.clone();
        }
        self.frames += 1;
        self.steps += u64::from(frame.steps);
        self.rejected += u64::from(frame.rejected);
        self.iterations += u64::from(frame.iterations);
        self.unconverged += u64::from(frame.unconverged);
        self.limit_iterations += u64::from(frame.limit_iterations);
        self.limit_unconverged += u64::from(frame.limit_unconverged);
        self.over_limit += u64::from(frame.over_limit);
        self.worst_excess = self.worst_excess.max(frame.worst_excess);
        for (phase, seconds) in &frame.seconds {
            *self.seconds.entry(phase.clone()).or_default() += seconds;
        }
    }
}

/// A fingerprint as the report has it.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}
