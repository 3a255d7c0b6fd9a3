//! A flag for ten thousand frames: whether memory and time stay flat.

use std::fmt::Write;

use super::bench::Bench;

const FRAMES: u32 = 10_000;
const QUICK_FRAMES: u32 = 600;
/// Memory that is still flat, as a share of what it was, and time \[s\].
const FLAT: f64 = 0.02;

pub fn run(bench: &Bench) -> Result<String, String> {
    let frames = if bench.quick() { QUICK_FRAMES } else { FRAMES };
    let stamp = bench.stamp("1 thread");
    let summary = bench.run_once(1, "flag", &[format!("frames.count={frames}")])?;
    let tenth = (summary.resident.len() / 10).max(1);
    let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let tenths: Vec<f64> = summary.resident.chunks(tenth).take(10).map(most).collect();
    let (Some(second), Some(last)) = (tenths.get(1), tenths.last()) else {
        return Err("the run was too short to be looked at".into());
    };
    let grown = last / second - 1.0;
    let flat = if grown <= FLAT { "flat" } else { "**it grows**" };
    let times = bench.frame_seconds()?;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let part = (times.len() / 10).max(1);
    let (early, late) = (mean(&times[1..=part]), mean(&times[times.len() - part..]));
    let mut text = stamp;
    let _ = writeln!(
        text,
        "\n{frames} frames of `flag`, {:.4} s each. The most memory in each tenth of the run, in MB: {}. \
         From the second tenth to the last it changes by {:+.1} %: {flat}. A frame of computing takes {:.2} ms \
         in the first tenth of the frames and {:.2} ms in the last, by the clock.",
        summary.per_frame(),
        tenths.iter().map(|most| format!("{most:.1}")).collect::<Vec<_>>().join(", "),
        100.0 * grown,
        early * 1e3,
        late * 1e3,
    );
    Ok(text)
}
