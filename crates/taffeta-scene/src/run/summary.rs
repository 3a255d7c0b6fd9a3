//! What a run amounts to: the frames that it made, together.

use std::collections::BTreeMap;

use serde::Serialize;

use super::frays::FrayReport;
use super::report::{FrameReport, Place};

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
    /// The most particles that had no room between solids in one step, or that pins hold inside
    /// solids.
    pub pinched: u32,
    /// One of those particles.
    pub pinched_at: Option<u32>,
    /// The frame before which that was.
    pub pinched_frame: u32,
    /// The most edges and corners of solids that cut the cloth between its particles in one step.
    pub pierced: u32,
    /// The frame before which that was.
    pub pierced_frame: u32,
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
        if let Some(pinched) = frame.pinched.filter(|pinched| *pinched > self.pinched) {
            self.pinched = pinched;
            self.pinched_at = frame.pinched_at;
            self.pinched_frame = frame.frame;
        }
        if let Some(pierced) = frame.pierced.filter(|pierced| *pierced > self.pierced) {
            self.pierced = pierced;
            self.pierced_frame = frame.frame;
        }
        self.frames += 1;
        self.frays = frame.frays;
        self.h_min = [self.h_min, frame.h_min].into_iter().flatten().reduce(f64::min);
        self.h_max = [self.h_max, frame.h_max].into_iter().flatten().reduce(f64::max);
        self.steps += known(frame.steps);
        self.rejected += known(frame.rejected);
        self.iterations += known(frame.iterations);
        self.unconverged += known(frame.unconverged);
        self.limit_iterations += known(frame.limit_iterations);
        self.limit_unconverged += known(frame.limit_unconverged);
        self.over_limit += known(frame.over_limit);
        self.worst_excess = self.worst_excess.max(frame.worst_excess.unwrap_or_default());
        self.newton += known(frame.newton);
        self.newton_unconverged += known(frame.newton_unconverged);
        for (phase, seconds) in frame.seconds.iter().flatten() {
            *self.seconds.entry(phase.clone()).or_default() += seconds;
        }
        for (stage, seconds) in &frame.limit_seconds {
            *self.limit_seconds.entry(stage.clone()).or_default() += seconds;
        }
    }
}

/// A count of a frame that was made by this run, of which all is known.
fn known(count: Option<u32>) -> u64 {
    count.unwrap_or_default().into()
}
