//! Pins that are farther apart than strain limits let cloth reach.
//!
//! Cloth between two particles is at most as long as the shortest way along its edges, each as long
//! as its limit allows: where pins carry two particles farther apart, no solver can keep the limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use taffeta::{Hold, Mesh, Pin, Setup};

use super::{Beginning, Warning, place};
use crate::format::ClothModel;

/// Moments looked at between two keys of a motion.
const BETWEEN: u32 = 8;
/// Particles visited on all ways together, at most: more pins than that allows are looked at in
/// part, evenly.
const WORK: usize = 4_000_000;
/// What rounding, and the ease of limits, may add.
const EASE: f64 = 1e-6;

/// Two particles that are carried too far apart.
struct Apart {
    particles: [u32; 2],
    time: f64,
    distance: f64,
    /// How long the cloth between them may be [m].
    most: f64,
    /// How long it is at rest [m].
    rest: f64,
}

pub fn warning(beginning: &Beginning) -> Option<Warning> {
    let setup = beginning.setup;
    setup.limits?;
    let pins: Vec<&Pin> = setup.pins.iter().filter(known).collect();
    if pins.len() < 2 {
        return None;
    }
    let ways = Ways::new(beginning);
    let budget = (WORK / setup.positions.len().max(1)).max(2);
    let mut worst: Option<Apart> = None;
    let mut count = 0;
    for (number, pin) in pins.iter().enumerate() {
        let share = (budget / pins.len()).max(1);
        let skip = pin.particles.len().div_ceil(share).max(1);
        for &from in pin.particles.iter().step_by(skip) {
            let lengths = ways.from(from);
            let extension = setup.limits_of(from).map_or(f64::INFINITY, |of| of.extension);
            for other in &pins[number + 1..] {
                let found = farthest(beginning, [pin, other], from, (&lengths, extension));
                for apart in found {
                    count += 1;
                    let excess = |a: &Apart| a.distance / a.most;
                    if worst.as_ref().is_none_or(|worst| excess(&apart) > excess(worst)) {
                        worst = Some(apart);
                    }
                }
            }
        }
    }
    worst.map(|worst| tell(beginning, &worst, count))
}

/// Whether it is known where a pin has its particles: one that takes hold later has them where they
/// are by then.
fn known(pin: &&Pin) -> bool {
    pin.hold == Hold::Point && pin.from <= 0.0
}

/// For each particle of another pin, when a particle is farthest from it, where that is too far.
fn farthest(
    beginning: &Beginning,
    [pin, other]: [&Pin; 2],
    from: u32,
    (lengths, extension): (&[f64], f64),
) -> Vec<Apart> {
    let frames = beginning.file.frames;
    let end = pin.until.min(other.until).min(frames.time(frames.last));
    let times = moments([pin, other], end);
    let too_far = |&to: &u32| {
        let rest = lengths[to as usize];
        let most = rest * (1.0 + extension);
        let at = |time: f64| {
            let apart = carried(beginning.setup, pin, from, time).distance(carried(
                beginning.setup,
                other,
                to,
                time,
            ));
            (apart, time)
        };
        let far = times.iter().map(|&time| at(time)).max_by(|a, b| a.0.total_cmp(&b.0));
        let (distance, time) = far.filter(|far| far.0 > most * (1.0 + EASE))?;
        Some(Apart { particles: [from, to], time, distance, most, rest })
    };
    other.particles.iter().filter_map(too_far).collect()
}

/// Where a pin has a particle that it holds from the start.
fn carried(setup: &Setup, pin: &Pin, particle: u32, time: f64) -> DVec3 {
    let point = pin.motion.body_point(setup.positions[particle as usize], 0.0);
    pin.motion.place(point, time)
}

/// The times at which two pins are looked at, up to an end.
fn moments(pins: [&Pin; 2], end: f64) -> Vec<f64> {
    let keys = pins.iter().flat_map(|pin| &pin.motion.keys).map(|key| key.time);
    let mut times: Vec<f64> = keys.filter(|time| (0.0..=end).contains(time)).collect();
    times.extend([0.0, end]);
    times.sort_by(f64::total_cmp);
    let part = |k: u32| f64::from(k) / f64::from(BETWEEN);
    let between = |pair: &[f64]| {
        let [from, to] = [pair[0], pair[1]];
        (1..BETWEEN).map(move |k| from + (to - from) * part(k)).collect::<Vec<_>>()
    };
    let more: Vec<f64> = times.windows(2).flat_map(between).collect();
    times.extend(more);
    times
}

fn tell(beginning: &Beginning, worst: &Apart, count: usize) -> Warning {
    let Apart { particles, time, distance, most, rest } = *worst;
    let [a, b] = particles;
    let at = |particle: u32| place(beginning.setup.positions[particle as usize]);
    let needed = 100.0 * (distance / rest - 1.0);
    let what = format!(
        "pins carry {count} pairs of particles farther apart than the strain limits let the cloth \
         reach: particles {a} and {b}, which start at {} and {}, are {distance:.4} m apart at \
         {time:.3} s, {:.4} m more than the {most:.4} m that the cloth between them can be",
        at(a),
        at(b),
        distance - most
    );
    let advice = format!(
        "the limit cannot be kept there, and the run is slow where it tries: move the pins nearer, or \
         make [limits] extension more than {needed:.2} %"
    );
    beginning.warn("apart", count, &particles, [what, advice])
}

/// The edges of the cloth that limits keep, by particle.
struct Ways {
    first: Vec<u32>,
    next: Vec<(u32, f64)>,
}

impl Ways {
    fn new(beginning: &Beginning) -> Self {
        let edges = lengths(beginning);
        let particles = beginning.setup.positions.len();
        let mut first = vec![0u32; particles + 1];
        edges.iter().flat_map(|(ends, _)| ends).for_each(|&end| first[end as usize + 1] += 1);
        for i in 0..particles {
            first[i + 1] += first[i];
        }
        let (mut next, mut place) = (vec![(0, 0.0); 2 * edges.len()], first.clone());
        for ([a, b], length) in edges {
            for (from, to) in [(a, b), (b, a)] {
                next[place[from as usize] as usize] = (to, length);
                place[from as usize] += 1;
            }
        }
        Self { first, next }
    }

    /// The length of the shortest way to every particle (Dijkstra 1959).
    fn from(&self, start: u32) -> Vec<f64> {
        let mut best = vec![f64::INFINITY; self.first.len() - 1];
        best[start as usize] = 0.0;
        // Positive numbers are in the order of their bits.
        let mut open = BinaryHeap::from([Reverse((0u64, start))]);
        while let Some(Reverse((bits, at))) = open.pop() {
            let way = f64::from_bits(bits);
            if way > best[at as usize] {
                continue;
            }
            let range = self.first[at as usize] as usize..self.first[at as usize + 1] as usize;
            for &(to, length) in &self.next[range] {
                if way + length < best[to as usize] {
                    best[to as usize] = way + length;
                    open.push(Reverse(((way + length).to_bits(), to)));
                }
            }
        }
        best
    }
}

/// The edges along which limits bound the cloth, and how long each is at rest.
fn lengths(beginning: &Beginning) -> Vec<([u32; 2], f64)> {
    let model = &beginning.setup.model;
    if beginning.file.model == ClothModel::Springs {
        return model.structural().iter().map(|edge| (edge.ends, edge.rest_length)).collect();
    }
    // Warp and weft of triangles are kept, and shear is free: an edge across them may become as
    // long as both its parts together.
    let Mesh { positions, faces } = beginning.rest;
    let quads = faces.iter().all(|corners| corners.len() == 4);
    let [warp, weft] = beginning.file.rest_stretch;
    let factor = warp.max(weft) * if quads { 1.0 } else { std::f64::consts::SQRT_2 };
    let length = |[a, b]: [u32; 2]| positions[a as usize].distance(positions[b as usize]) * factor;
    let edges = faces.edges();
    edges.iter().map(|edge| (edge.ends, length(edge.ends))).collect()
}
