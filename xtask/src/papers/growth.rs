//! How time and memory of each method grow from 1,000 particles to 100,000.

use std::fmt::Write;

use super::bench::{Bench, Summary};

/// A way to move cloth: its name, and what it sets in the scene `hang`.
const METHODS: [(&str, &[&str]); 4] = [
    ("strips", &["limits.extension=0.01", "limiter.strips={}"]),
    ("constraints", &["limits.extension=0.01", "limiter.constraints={}", "step.max=0.0041667"]),
    (
        "implicit, no limits",
        &[
            "limits.extension=1000.0",
            "limiter.sweeps={}",
            "integrator.implicit={}",
            "step.max=0.016667",
        ],
    ),
    (
        "explicit, no limits",
        &["limits.extension=1000.0", "limiter.sweeps={}", "integrator.explicit={}"],
    ),
];
/// Particles along a side.
const SIDES: [u32; 5] = [32, 56, 100, 178, 317];
/// Frames of each, in which the square falls and its corners begin to pull.
const FRAMES: u32 = 9;
const QUICK_FRAMES: u32 = 4;

/// What one size took.
struct Point {
    particles: f64,
    summary: Summary,
}

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = bench.stamp("1 thread");
    let frames = if bench.quick() { QUICK_FRAMES } else { FRAMES };
    let _ = write!(
        text,
        "\nThe first {frames} frames of `hang`, refined: the same cloth at every size. A method without \
         limits lets cloth stretch as its fabric does. The exponent is between the first size and the \
         last that was run; finer cloth is also given shorter steps, so steps have one of their own.\n\n\
         | method | particles | s/frame | steps a frame | ms a step and 1,000 particles | worst strain % | memory MB |\n\
         |---|---|---|---|---|---|---|\n"
    );
    let mut table = String::from("method,particles,seconds_per_frame,steps,memory_mb\n");
    let mut powers = String::new();
    for (name, sets) in METHODS {
        let mut points = Vec::new();
        for &side in bench.some(&SIDES, 4) {
            let point = measure(bench, side, frames, sets);
            let _ = writeln!(text, "{}", row(name, side, frames, &point));
            let Ok(point) = point else { break };
            let (time, steps) = (point.summary.per_frame(), point.summary.steps);
            let peak = point.summary.peak.unwrap_or(f64::NAN);
            let _ = writeln!(table, "\"{name}\",{},{time},{steps},{peak}", point.particles);
            points.push(point);
        }
        let _ = writeln!(powers, "{}", exponents(name, &points));
    }
    bench.write("growth.csv", &table)?;
    let _ = write!(
        text,
        "\n| method | up to | time grows with | a step with | memory with |\n|---|---|---|---|---|\n{powers}"
    );
    Ok(text)
}

fn measure(bench: &Bench, side: u32, frames: u32, sets: &[&str]) -> Result<Point, String> {
    let size = [
        format!("cloth.sheet.particles=[{side}, {side}]"),
        format!("pin.0.particles=[0, {}]", side - 1),
        format!("frames.count={frames}"),
    ];
    let sets = size.into_iter().chain(sets.iter().map(|set| (*set).to_string()));
    let summary = bench.run_once(1, "hang", &sets.collect::<Vec<_>>())?;
    Ok(Point { particles: f64::from(side * side), summary })
}

/// A line of the table; what is refused or takes too long says so, and larger ones are not tried.
fn row(name: &str, side: u32, frames: u32, point: &Result<Point, String>) -> String {
    match point {
        Ok(Point { particles, summary }) => {
            let steps = (summary.steps + summary.rejected) as f64;
            let each = 1e6 * summary.per_frame() * f64::from(frames) / steps / particles;
            format!(
                "| {name} | {particles} | {:.4} | {:.1} | {each:.2} | {:.2} | {:.0} |",
                summary.per_frame(),
                steps / f64::from(frames),
                summary.extension * 100.0,
                summary.peak.unwrap_or(f64::NAN),
            )
        }
        Err(problem) => format!("| {name} | {} | **{problem}** | – | – | – | – |", side * side),
    }
}

/// The powers of the particles between the first size and the last.
fn exponents(name: &str, points: &[Point]) -> String {
    let [first, .., last] = points else {
        return format!("| {name} | – | – | – | – |");
    };
    let power = |of: &dyn Fn(&Point) -> f64| {
        (of(last) / of(first)).log2() / (last.particles / first.particles).log2()
    };
    let steps = |point: &Point| (point.summary.steps + point.summary.rejected) as f64;
    format!(
        "| {name} | {} | {:.2} | {:.2} | {:.2} |",
        last.particles,
        power(&|point| point.summary.per_frame()),
        power(&|point| point.summary.per_frame() / steps(point)),
        power(&|point| point.summary.peak.unwrap_or(f64::NAN)),
    )
}
