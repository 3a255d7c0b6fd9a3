//! One thread and two: the same bits, by the clock and by the processor.

use std::fmt::Write;

use serde::Deserialize;

use super::bench::{Bench, Summary};

/// What is run: its name, its scene, and what it sets.
const RUNS: [(&str, &str, &[&str]); 4] = [
    (
        "strips, 101 × 101",
        "hang",
        &["cloth.sheet.particles=[101, 101]", "pin.0.particles=[0, 100]", "frames.count=15"],
    ),
    (
        "implicit, 100 × 100",
        "sheet-two-particles",
        &["cloth.sheet.particles=[100, 100]", "pin.0.particles=[0, 99]", "frames.count=9"],
    ),
    ("self-contact on a cylinder", "drape-cylinder", &["frames.count=15"]),
    ("tearing, 160 × 80 yarns", "tear-cube", &["frames.count=18"]),
];
/// Runs of each, in turn, of which the quickest counts.
const REPEATS: u32 = 3;

/// The fingerprint of a frame.
#[derive(Deserialize, PartialEq)]
struct Line {
    hash: String,
}

/// The quickest run on so many threads.
#[derive(Default)]
struct Best {
    summary: Option<Summary>,
    hashes: Vec<Line>,
}

impl Best {
    fn take(&mut self, summary: Summary, hashes: Vec<Line>) {
        self.hashes = hashes;
        if self.summary.as_ref().is_none_or(|best| summary.clock() < best.clock()) {
            self.summary = Some(summary);
        }
    }
}

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = bench.stamp("1 and 2 threads");
    let repeats = if bench.quick() { 1 } else { REPEATS };
    let _ = write!(
        text,
        "\nSeconds a frame of computing by the clock, the least of {repeats}; they say nothing where the \
         load before was more than one. Fingerprints are of everything that a run goes on from, at every \
         frame. BB08 §4 gains × 1.9 on four cores.\n\n\
         | run | 1 thread | 2 threads | faster by | processor time | fingerprints |\n\
         |---|---|---|---|---|---|\n"
    );
    for (name, scene, sets) in RUNS {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
        let mut best = [Best::default(), Best::default()];
        for _ in 0..repeats {
            for (threads, best) in (1..).zip(&mut best) {
                let summary = bench.run_once(threads, scene, &sets)?;
                best.take(summary, bench.report()?);
            }
        }
        let _ = writeln!(text, "{}", row(name, &best)?);
    }
    Ok(text)
}

fn row(name: &str, [one, two]: &[Best; 2]) -> Result<String, String> {
    let [Some(first), Some(second)] = [&one.summary, &two.summary] else {
        return Err("nothing was measured".into());
    };
    let frames = f64::from(first.frames.max(2) - 1);
    let (by_one, by_two) = (first.clock() / frames, second.clock() / frames);
    let same = if one.hashes == two.hashes { "the same" } else { "**differ**" };
    let more = second.per_frame() / first.per_frame();
    Ok(format!(
        "| {name} | {by_one:.4} | {by_two:.4} | × {:.2} | × {more:.2} | {same} |",
        by_one / by_two
    ))
}
