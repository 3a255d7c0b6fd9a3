//! The report: a line of JSON for each frame.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use taffeta::collision::Intersection;
use taffeta::{Along, ContactTally, Gauge, Phase, Simulation, Stage, Tally};

use super::frays::FrayReport;

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
    /// Iterations of Newton's method.
    pub newton: u32,
    /// Steps in which Newton's method did not reach its tolerance.
    pub newton_unconverged: u32,
    /// Particles that touch solids.
    pub contacts: u32,
    /// The most contacts of one step that still pulled, or whose friction was not Coulomb's.
    pub unsettled: u32,
    /// The most that those of one step pulled, and their friction differed, together \[N\].
    #[serde(default)]
    pub unsettled_force: f64,
    /// The most edges and corners of solids that cut the cloth between its particles in one step.
    pub pierced: u32,
    /// The most particles that had no room between solids in one step.
    pub pinched: u32,
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
    /// What self-contact did; none where it is off.
    #[serde(default)]
    pub contact: Option<ContactReport>,
    /// How far the cloth has torn; none where it cannot.
    #[serde(default)]
    pub frays: Option<FrayReport>,
    /// Seconds of computing in each phase.
    pub seconds: BTreeMap<String, f64>,
    /// Seconds of computing in each stage of the limiter's own linear solves; a part of `limit`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limit_seconds: BTreeMap<String, f64>,
    /// Fingerprint of every bit that a run goes on from, anchors and step control included, in
    /// hexadecimal.
    pub hash: String,
}

/// What self-contact did on the way to a frame, and what it has left.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ContactReport {
    /// Pairs near enough to each other to be followed, over all steps.
    #[serde(default)]
    pub pairs: u64,
    /// Contacts that impulses were solved for, over all steps.
    pub contacts: u64,
    /// Pairs that would have met, had they gone on.
    pub impacts: u64,
    /// Groups of particles that had to move as one body.
    pub zones: u64,
    /// Cuts of steps, where pairs meet that are far apart when it begins.
    pub cuts: u64,
    /// Steps discarded because pairs could not be kept apart.
    pub retries: u32,
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
    fn measure(simulation: &Simulation, tally: &Tally) -> Option<Self> {
        simulation.setup().self_contact?;
        let ContactTally { pairs, contacts, impacts, zones, cuts, retries, .. } = tally.contact;
        let found = simulation.intersections();
        let crossing = |i: &Intersection| Crossing { edge: i.edge, triangle: i.triangle };
        let tangled = found.iter().map(crossing).collect();
        Some(Self { pairs, contacts, impacts, zones, cuts, retries, tangled })
    }
}

impl FrameReport {
    /// Measures a simulation that has just reached a frame; all but the hash, which is known once
    /// the frame is put into bytes.
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
            newton: tally.newton,
            newton_unconverged: tally.newton_unconverged,
            contacts: simulation.touching(),
            unsettled: tally.unsettled,
            unsettled_force: tally.unsettled_force,
            pierced: tally.pierced,
            pinched: tally.pinched,
            pinched_at: tally.pinch.map(|pinch| pinch.particle),
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
            contact: ContactReport::measure(simulation, tally),
            frays: FrayReport::measure(simulation),
            seconds: Phase::ALL.into_iter().map(second).collect(),
            limit_seconds: Stage::ALL.into_iter().filter_map(stage).collect(),
            hash: String::new(),
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
    /// Iterations of Newton's method.
    pub newton: u64,
    /// Steps in which Newton's method did not reach its tolerance.
    pub newton_unconverged: u64,
    /// The most particles that had no room between solids in one step.
    pub pinched: u32,
    /// One of those particles.
    pub pinched_at: Option<u32>,
    /// The frame before which that was.
    pub pinched_frame: u32,
    /// Pairs that contact kept from meeting.
    pub impacts: u64,
    /// Groups of particles that contact moved as one body.
    pub zones: u64,
    /// Shortest step taken \[s\].
    pub h_min: Option<f64>,
    /// Longest step taken \[s\].
    pub h_max: Option<f64>,
    /// The largest extension.
    pub extension: f64,
    /// The frame of the largest extension.
    pub extension_frame: u32,
    /// Where the largest extension is.
    pub extension_at: Place,
    /// How far the cloth has torn in the last of the frames; none where it cannot.
    pub frays: Option<FrayReport>,
    /// Seconds of computing in each phase.
    pub seconds: BTreeMap<String, f64>,
    /// Seconds of computing in each stage of the limiter's own linear solves.
    pub limit_seconds: BTreeMap<String, f64>,
}

impl Summary {
    /// Takes a frame in.
    pub fn add(&mut self, frame: &FrameReport) {
        if self.frames == 0 || frame.extension > self.extension {
            self.extension = frame.extension;
            self.extension_frame = frame.frame;
            self.extension_at = frame.extension_at.clone();
        }
        if frame.pinched > self.pinched {
            self.pinched = frame.pinched;
            self.pinched_at = frame.pinched_at;
            self.pinched_frame = frame.frame;
        }
        self.frames += 1;
        self.frays = frame.frays;
        self.h_min = [self.h_min, frame.h_min].into_iter().flatten().reduce(f64::min);
        self.h_max = [self.h_max, frame.h_max].into_iter().flatten().reduce(f64::max);
        self.steps += u64::from(frame.steps);
        self.rejected += u64::from(frame.rejected);
        self.iterations += u64::from(frame.iterations);
        self.unconverged += u64::from(frame.unconverged);
        self.limit_iterations += u64::from(frame.limit_iterations);
        self.limit_unconverged += u64::from(frame.limit_unconverged);
        self.over_limit += u64::from(frame.over_limit);
        self.worst_excess = self.worst_excess.max(frame.worst_excess);
        self.newton += u64::from(frame.newton);
        self.newton_unconverged += u64::from(frame.newton_unconverged);
        if let Some(contact) = &frame.contact {
            self.impacts += contact.impacts;
            self.zones += contact.zones;
        }
        for (phase, seconds) in &frame.seconds {
            *self.seconds.entry(phase.clone()).or_default() += seconds;
        }
        for (stage, seconds) in &frame.limit_seconds {
            *self.limit_seconds.entry(stage.clone()).or_default() += seconds;
        }
    }
}

/// A fingerprint as the report has it.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}
