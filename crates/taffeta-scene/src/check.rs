//! The certificate: everything a run promises, recomputed from its cache alone.

use std::ops::RangeInclusive;

use serde::Serialize;
use taffeta::State;
use taffeta_io::cache::{CacheError, CacheReader, Topology, state_hash};

use crate::format::{Checks, HeightCheck};
use crate::run::FrameReport;

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Certificate {
    /// Frames looked at.
    pub frames: u32,
    /// Structural edges looked at, over all frames.
    pub edges: u64,
    /// The largest extension, with its frame and edge.
    pub extension: Option<Worst>,
    /// The largest compression, with its frame and edge.
    pub compression: Option<Worst>,
    /// What was asked for but lies outside the frames looked at.
    pub unchecked: Vec<String>,
    /// What does not hold, in the order of the frames.
    pub violations: Vec<Violation>,
}

/// The worst of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The strain, as a fraction of the rest length.
    pub value: f64,
    /// The frame.
    pub frame: u32,
    /// The particles of the edge.
    pub edge: [u32; 2],
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// The frame.
    pub frame: u32,
    /// What, where and by how much.
    pub what: String,
}

impl Certificate {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    fn violate(&mut self, frame: u32, what: String) {
        self.violations.push(Violation { frame, what });
    }
}

/// Checks the frames of a run: that they are all there and undamaged, that every number is
/// finite, that times and fingerprints are what the report says, and whatever `checks` ask for.
pub fn check(
    reader: &mut CacheReader,
    checks: &Checks,
    range: RangeInclusive<u32>,
) -> Result<Certificate, CacheError> {
    let mut certificate = Certificate::default();
    let report: Vec<FrameReport> =
        reader.report()?.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (first, rate) = (reader.manifest().first, reader.manifest().rate);
    let frame_at = |time: f64| first + (time * rate).round() as u32;
    for height in checks.heights.iter().filter(|height| !range.contains(&frame_at(height.time))) {
        let what = format!("the height at {} s: frame {}", height.time, frame_at(height.time));
        certificate.unchecked.push(format!("{what} is not among those looked at"));
    }
    for number in range {
        let (frame, topology) = match reader.frame(number) {
            Ok(found) => found,
            Err(error) => {
                certificate.violate(number, error.to_string());
                continue;
            }
        };
        certificate.frames += 1;
        let state = &frame.snapshot.state;
        let time = f64::from(number - first) / rate;
        if state.time != time {
            certificate.violate(number, format!("it is at {} s instead of {time} s", state.time));
        }
        check_report(&mut certificate, number, state, &report);
        if check_finite(&mut certificate, number, state) {
            check_strain(&mut certificate, number, state, topology, checks);
            for height in checks.heights.iter().filter(|h| frame_at(h.time) == number) {
                check_height(&mut certificate, number, state, topology, height);
            }
        }
    }
    Ok(certificate)
}

fn check_report(to: &mut Certificate, number: u32, state: &State, report: &[FrameReport]) {
    let hash = format!("{:016x}", state_hash(state));
    match report.iter().find(|line| line.frame == number) {
        None => to.violate(number, "the report has no line for it".into()),
        Some(line) if line.hash != hash => {
            to.violate(number, format!("its hash is {hash}, the report says {}", line.hash));
        }
        Some(_) => {}
    }
}

fn check_finite(to: &mut Certificate, number: u32, state: &State) -> bool {
    let mut finite = true;
    for (what, vectors) in [("position", &state.positions), ("velocity", &state.velocities)] {
        for (particle, vector) in vectors.iter().enumerate().filter(|(_, v)| !v.is_finite()) {
            to.violate(number, format!("the {what} of particle {particle} is {vector}"));
            finite = false;
        }
    }
    finite
}

fn check_strain(
    to: &mut Certificate,
    number: u32,
    state: &State,
    topology: &Topology,
    checks: &Checks,
) {
    to.edges += topology.structural.len() as u64;
    let at = |end: u32| state.positions[end as usize];
    for spring in &topology.structural {
        let edge = spring.ends;
        let strain = spring.strain(at(edge[1]) - at(edge[0]));
        for (worst, value) in [(&mut to.extension, strain), (&mut to.compression, -strain)] {
            if worst.is_none_or(|worst| value > worst.value) {
                *worst = Some(Worst { value, frame: number, edge });
            }
        }
        if state.time < checks.from {
            continue;
        }
        let limits =
            [("extended", strain, checks.extension), ("compressed", -strain, checks.compression)];
        for (what, value, limit) in limits {
            if let Some(limit) = limit.filter(|limit| value > *limit) {
                let [a, b] = edge;
                let (value, limit) = (value * 100.0, limit * 100.0);
                to.violate(
                    number,
                    format!("edge {a}–{b} is {what} by {value:.4} %, over {limit} %"),
                );
            }
        }
    }
}

fn check_height(
    to: &mut Certificate,
    number: u32,
    state: &State,
    topology: &Topology,
    wanted: &HeightCheck,
) {
    let mass: f64 = topology.masses.iter().sum();
    let moment: f64 = topology.masses.iter().zip(&state.positions).map(|(m, x)| m * x.y).sum();
    let height = moment / mass;
    if (height - wanted.mean).abs() > wanted.tolerance {
        let HeightCheck { mean, tolerance, .. } = wanted;
        to.violate(
            number,
            format!("the mean height is {height:.4} m instead of {mean} ± {tolerance} m"),
        );
    }
}
