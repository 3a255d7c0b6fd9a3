//! The certificate: everything a run promises, recomputed from its cache alone.

use std::ops::RangeInclusive;

use serde::Serialize;
use taffeta::collision::{Surface, intersections};
use taffeta::{Cloth, Snapshot, Solid, State};
use taffeta_io::cache::{CacheError, CacheReader, Topology, state_hash};

use crate::format::{Checks, HeightCheck};
use crate::inside::particles_inside;
use crate::run::{FrameReport, Place, hash_text};
pub use crate::torn::Torn;

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Certificate {
    /// Frames looked at.
    pub frames: u32,
    /// Whether only some of the run's frames were asked for.
    pub partial: bool,
    /// Strains measured, over all frames.
    pub gauges: u64,
    /// The largest extension, with its frame and place.
    pub extension: Option<Worst>,
    /// The largest compression, with its frame and place.
    pub compression: Option<Worst>,
    /// The most particles that are inside solids in a frame; none if the solids are not known.
    pub inside: Option<u64>,
    /// The most edges through triangles in a frame, where that is promised.
    pub intersections: Option<MostIntersections>,
    /// How far the cloth has torn in the last frame looked at, if it can.
    pub torn: Option<Torn>,
    /// What is promised but lies outside the frames looked at.
    pub unchecked: Vec<String>,
    /// What could not be looked at, because files are missing, damaged or another run's.
    pub unread: Vec<String>,
    /// What does not hold, in the order of the frames.
    pub violations: Vec<Violation>,
}

/// The worst of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The strain, as a fraction of the rest length.
    pub value: f64,
    /// The frame.
    pub frame: u32,
    /// Where.
    pub at: Place,
}

/// The most intersections of the cloth with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MostIntersections {
    /// Edges through triangles.
    pub count: usize,
    /// The frame.
    pub frame: u32,
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
    /// Whether everything holds that was asked for: of a whole run, all that it promises.
    pub fn holds(&self) -> bool {
        let all = self.partial || self.unchecked.is_empty();
        all && self.unread.is_empty() && self.violations.is_empty()
    }

    fn violate(&mut self, frame: u32, what: String) {
        self.violations.push(Violation { frame, what });
    }

    /// Frames of which nothing could be checked.
    fn leave(&mut self, frames: &[u32]) {
        let Some(first) = frames.first() else { return };
        let which = match frames.len() {
            1 => format!("all of frame {first}"),
            count => format!("all of {count} frames, of which {first} is the first"),
        };
        self.unread.push(format!("{which}: missing, damaged or another run's"));
    }

    /// Frames in a row that are not there: one violation, however many they are.
    fn miss(&mut self, frames: &[u32]) {
        let [first, .., last] = frames else {
            return frames.iter().for_each(|frame| self.violate(*frame, "it is not there".into()));
        };
        self.violate(*first, format!("it is not there, nor is any up to frame {last}"));
    }
}

/// Checks the frames of a run, all of them unless some are asked for: that they are there and
/// undamaged, that every number is finite, that times and fingerprints are what the report says,
/// and whatever `checks` ask for.
pub fn check(
    reader: &mut CacheReader,
    checks: &Checks,
    asked: Option<RangeInclusive<u32>>,
) -> Result<Certificate, CacheError> {
    let mut certificate = Certificate { partial: asked.is_some(), ..Certificate::default() };
    let report: Vec<FrameReport> =
        reader.report()?.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let times = Times { first: reader.manifest().first, rate: reader.manifest().rate };
    let last = reader.manifest().last;
    let range = asked.unwrap_or(times.first..=last);
    certificate.unchecked = unchecked(checks, &range, times);
    if (checks.torn.is_some() || checks.pieces.is_some()) && !range.contains(&last) {
        certificate.unchecked.push(format!("how far the cloth has torn in frame {last}"));
    }
    let solids = known_solids(reader, &mut certificate);
    let (mut missing, mut unread) = (Vec::new(), Vec::new());
    for number in range {
        let (frame, topology) = match reader.frame(number) {
            Ok(found) => found,
            Err(CacheError::NoFrame { .. }) => {
                missing.push(number);
                unread.push(number);
                continue;
            }
            Err(error) => {
                certificate.violate(number, error.to_string());
                unread.push(number);
                continue;
            }
        };
        certificate.frames += 1;
        let state = &frame.snapshot.state;
        let time = times.of(number);
        if state.time != time {
            certificate.violate(number, format!("it is at {} s instead of {time} s", state.time));
        }
        check_report(&mut certificate, number, &frame.snapshot, &report);
        certificate.torn = check_torn(&mut certificate, number, &frame.snapshot, topology);
        if number == last {
            check_how_far_torn(&mut certificate, number, checks);
        }
        if check_finite(&mut certificate, number, state) {
            check_strain(&mut certificate, number, state, topology, checks);
            if let Some(solids) = &solids {
                check_inside(&mut certificate, number, state, solids, checks.inside);
            }
            if let Some(most) = checks.intersections {
                check_intersections(&mut certificate, number, state, (topology, most));
            }
            for height in checks.heights.iter().filter(|h| times.frame_at(h.time) == Some(number)) {
                check_height(&mut certificate, number, state, topology, height);
            }
        }
    }
    missing.chunk_by(|a, b| a + 1 == *b).for_each(|run| certificate.miss(run));
    certificate.leave(&unread);
    Ok(certificate)
}

/// The solids of the run; if they cannot be known, it is said what is not checked without them.
fn known_solids(reader: &CacheReader, certificate: &mut Certificate) -> Option<Vec<Solid>> {
    match reader.solids() {
        Ok(solids) => Some(solids.0),
        Err(error) => {
            certificate.unread.push(format!("particles inside solids: {error}"));
            None
        }
    }
}

/// Which frame is when.
#[derive(Clone, Copy)]
struct Times {
    first: u32,
    rate: f64,
}

impl Times {
    fn of(self, number: u32) -> f64 {
        (f64::from(number) - f64::from(self.first)) / self.rate
    }

    /// The frame at a time; none if no frame can have so large a number.
    fn frame_at(self, time: f64) -> Option<u32> {
        let after = (time * self.rate).round();
        let known = (0.0..=f64::from(u32::MAX)).contains(&after);
        known.then(|| self.first.checked_add(after as u32)).flatten()
    }
}

/// What is promised of frames that are not looked at.
fn unchecked(checks: &Checks, range: &RangeInclusive<u32>, times: Times) -> Vec<String> {
    let mut missed = Vec::new();
    let (first, last) = (range.start(), range.end());
    let looked_at = format!("looked at are frames {first} to {last}");
    let own = checks.of_cloths.iter().flat_map(|(_, own)| own);
    let strain = [checks.extension, checks.compression].iter().chain(own).any(Option::is_some);
    if strain && (range.is_empty() || times.of(*last) < checks.from) {
        let from = checks.from;
        missed
            .push(format!("the strain from {from} s on: {looked_at}, up to {} s", times.of(*last)));
    }
    for height in &checks.heights {
        let frame = times.frame_at(height.time);
        if !frame.is_some_and(|frame| range.contains(&frame)) {
            let frame = frame.map_or("beyond all frames".into(), |frame| format!("frame {frame}"));
            missed.push(format!("the height at {} s ({frame}): {looked_at}", height.time));
        }
    }
    missed
}

fn check_report(to: &mut Certificate, number: u32, snapshot: &Snapshot, report: &[FrameReport]) {
    let hash = hash_text(state_hash(snapshot));
    match report.iter().find(|line| line.frame == number) {
        None => to.violate(number, "the report has no line for it".into()),
        Some(line) if line.hash != hash => {
            to.violate(number, format!("its hash is {hash}, the report says {}", line.hash));
        }
        Some(_) => {}
    }
}

/// Counts what has torn; what the frame and its topology say must agree.
fn check_torn(
    to: &mut Certificate,
    number: u32,
    snapshot: &Snapshot,
    topology: &Topology,
) -> Option<Torn> {
    let (tears, yarns) = (snapshot.tears.as_ref()?, topology.yarns.as_ref()?);
    let found = Torn::count(number, tears, yarns, topology.masses.len());
    if found.ends != 2 * found.torn {
        let Torn { torn, ends, .. } = found;
        to.violate(number, format!("{torn} spans of yarn are torn, but there are {ends} ends"));
    }
    Some(found)
}

fn check_how_far_torn(to: &mut Certificate, number: u32, checks: &Checks) {
    let found = to.torn.map(|found| [found.torn, found.pieces]);
    let wanted = [("torn spans of yarn", checks.torn), ("pieces of cloth", checks.pieces)];
    for (i, (what, wanted)) in wanted.into_iter().enumerate() {
        let Some([least, most]) = wanted else { continue };
        match found.map(|found| found[i]) {
            Some(count) if (least..=most).contains(&count) => {}
            Some(count) => {
                let asked = format!("{least} to {most} are asked for");
                to.violate(number, format!("there are {count} {what}, {asked}"));
            }
            None => to.violate(number, format!("{what} cannot be counted: it cannot tear")),
        }
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

/// The cloths one after the other, as their gauges are.
struct Cloths<'a> {
    cloths: &'a [Cloth],
    checks: &'a Checks,
    /// The words before a gauge of the present cloth, and what holds for it.
    now: (String, [Option<f64>; 2]),
    end: u32,
}

impl<'a> Cloths<'a> {
    fn new(topology: &'a Topology, checks: &'a Checks) -> Self {
        let all = [checks.extension, checks.compression];
        let end = if topology.cloths.is_empty() { u32::MAX } else { 0 };
        Self { cloths: &topology.cloths, checks, now: (String::new(), all), end }
    }

    /// Of the next gauge.
    fn at(&mut self, gauge: u32) -> (&str, [Option<f64>; 2]) {
        while gauge >= self.end {
            let [first, others @ ..] = self.cloths else { break };
            let checks = self.checks;
            let own = checks.of_cloths.iter().find(|(name, _)| *name == first.name);
            let [extension, compression] = own.map_or([None; 2], |(_, own)| *own);
            let checked = [extension.or(checks.extension), compression.or(checks.compression)];
            self.now = (format!("`{}`'s ", first.name), checked);
            (self.end, self.cloths) = (first.gauges.end, others);
        }
        (&self.now.0, self.now.1)
    }
}

fn check_strain(
    to: &mut Certificate,
    number: u32,
    state: &State,
    topology: &Topology,
    checks: &Checks,
) {
    to.gauges += topology.gauges.len() as u64;
    let mut cloths = Cloths::new(topology, checks);
    for (number_of_gauge, gauge) in (0..).zip(&topology.gauges) {
        let (name, checked) = cloths.at(number_of_gauge);
        let strain = gauge.strain(&state.positions);
        if !strain.is_finite() {
            to.violate(number, format!("the strain of {name}{gauge} is {strain}"));
            continue;
        }
        for (worst, value) in [(&mut to.extension, strain), (&mut to.compression, -strain)] {
            if worst.as_ref().is_none_or(|worst| value > worst.value) {
                *worst = Some(Worst { value, frame: number, at: Place::from(*gauge) });
            }
        }
        if state.time < checks.from {
            continue;
        }
        let limits = [("extended", strain, checked[0]), ("compressed", -strain, checked[1])];
        for (what, value, limit) in limits {
            if let Some(limit) = limit.filter(|limit| value > *limit) {
                let (value, limit) = (value * 100.0, limit * 100.0);
                to.violate(
                    number,
                    format!("{name}{gauge} is {what} by {value:.4} %, over {limit} %"),
                );
            }
        }
    }
}

fn check_inside(
    to: &mut Certificate,
    number: u32,
    state: &State,
    solids: &[Solid],
    limit: Option<u32>,
) {
    let inside = |solid: &Solid| particles_inside(solid, state.time, &state.positions);
    let found: Vec<Vec<u32>> = solids.iter().map(inside).collect();
    let count = found.iter().map(Vec::len).sum::<usize>() as u64;
    to.inside = to.inside.max(Some(count));
    let Some(limit) = limit.filter(|limit| count > u64::from(*limit)) else { return };
    for (solid, particles) in found.iter().enumerate() {
        if let Some(first) = particles.first() {
            let many = particles.len();
            let what = format!("{many} particles are inside solid {solid}, {first} is the first");
            to.violate(number, format!("{what}; {limit} are allowed"));
        }
    }
}

fn check_intersections(
    to: &mut Certificate,
    number: u32,
    state: &State,
    (topology, most): (&Topology, u32),
) {
    let mut surface = Surface::new(&topology.faces, topology.masses.len());
    if let Some(yarns) = &topology.yarns {
        surface = surface.with_yarns(yarns, &[]);
    }
    let found = intersections(&surface, &state.positions);
    let count = found.len();
    if to.intersections.is_none_or(|worst| count > worst.count) {
        to.intersections = Some(MostIntersections { count, frame: number });
    }
    if let (Some(first), true) = (found.first(), count > most as usize) {
        let what = format!("{count} edges pass through triangles, over {most}; first the {first}");
        to.violate(number, what);
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
