//! The report: a line of JSON for each frame.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taffeta::{Phase, Simulation, Tally};
use taffeta_io::cache::state_hash;

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
    /// Shortest step \[s\]; none in the first frame.
    pub h_min: Option<f64>,
    /// Longest step \[s\]; none in the first frame.
    pub h_max: Option<f64>,
    /// Largest extension of a structural edge, as a fraction of its rest length.
    pub extension: f64,
    /// The particles of that edge.
    pub extension_edge: [u32; 2],
    /// The extension that 99.9 % of the edges do not exceed.
    pub extension_p999: f64,
    /// Largest compression of a structural edge, as a fraction of its rest length.
    pub compression: f64,
    /// The particles of that edge.
    pub compression_edge: [u32; 2],
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
    /// Fingerprint of every bit of the state, in hexadecimal.
    pub hash: String,
}

impl FrameReport {
    /// Measures a simulation that has just reached a frame.
    pub fn measure(simulation: &Simulation, frame: u32, tally: &Tally) -> Self {
        let (strain, energy) = (simulation.strain(), simulation.energy());
        let state = simulation.state();
        let centre = taffeta::measure::centre_of_mass(simulation.model(), &state.positions);
        let second = |phase: Phase| (phase.name().into(), tally.times.of(phase).as_secs_f64());
        Self {
            frame,
            time: state.time,
            steps: tally.steps,
            rejected: tally.rejected,
            h_min: (tally.steps > 0).then_some(tally.h_min),
            h_max: (tally.steps > 0).then_some(tally.h_max),
            extension: strain.extension,
            extension_edge: strain.extended,
            extension_p999: strain.extension_p999,
            compression: strain.compression,
            compression_edge: strain.compressed,
            kinetic: energy.kinetic,
            potential: energy.gravitational + energy.elastic,
            elastic: energy.elastic,
            height: centre.y,
            seconds: Phase::ALL.into_iter().map(second).collect(),
            hash: format!("{:016x}", state_hash(state)),
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
    /// The largest extension, and the frame and edge it is at.
    pub extension: f64,
    /// The frame of the largest extension.
    pub extension_frame: u32,
    /// The edge of the largest extension.
    pub extension_edge: [u32; 2],
    /// Seconds of computing in each phase.
    pub seconds: BTreeMap<String, f64>,
}

impl Summary {
    /// Takes a frame in.
    pub fn add(&mut self, frame: &FrameReport) {
        if self.frames == 0 || frame.extension > self.extension {
            self.extension = frame.extension;
            self.extension_frame = frame.frame;
            self.extension_edge = frame.extension_edge;
        }
        self.frames += 1;
        self.steps += u64::from(frame.steps);
        self.rejected += u64::from(frame.rejected);
        for (phase, seconds) in &frame.seconds {
            *self.seconds.entry(phase.clone()).or_default() += seconds;
        }
    }
}

/// The lines of a report up to and including a frame, and the last frame without a gap.
///
/// A crash may leave the last line half written; it is left out.
pub fn whole_lines(report: &str, first: u32, last: u32) -> (String, Option<u32>) {
    let mut kept = String::new();
    let mut reached = None;
    for (line, wanted) in report.lines().zip(first..=last) {
        match serde_json::from_str::<FrameReport>(line) {
            Ok(frame) if frame.frame == wanted => {
                kept.push_str(line);
                kept.push('\n');
                reached = Some(wanted);
            }
            _ => break,
        }
    }
    (kept, reached)
}
