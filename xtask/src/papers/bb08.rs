//! Bender & Bayer 2008, §4: time against tolerance and grid, iterations cut short, threads.

use std::fmt::Write;
use std::process::Command;

use super::bench::{Bench, Summary};
use super::figure::{Account, Figure};
use crate::process;

/// Particles along each side.
const SIDES: [u32; 5] = [10, 20, 30, 40, 50];
/// Allowed strain.
const TOLERANCES: [f64; 4] = [0.1, 0.01, 0.001, 0.0001];
/// Frames of 1/30 s, each a step in the paper, which takes 500.
const FRAMES: u32 = 150;
/// Steps a frame here: stability asks for more of them the finer the grid is.
const fn steps_a_frame(side: u32) -> u32 {
    if side > 40 { 12 } else { 10 }
}
const SCENE: &str = "strips-hang";

/// What the paper prints: particles along a side, allowed strain, and times real time.
const PRINTED: [(u32, f64, f64, &str); 4] = [
    (30, 0.01, 1.0, "faster than real time"),
    (30, 0.001, 1.0, "faster than real time"),
    (10, 0.0001, 6.0, "6 times real time"),
    (50, 0.0001, 1.0 / 6.0, "a sixth of real time"),
];
/// The same with iterations cut short at five.
const PRINTED_EARLY: [(u32, f64, &str); 2] =
    [(30, 3.7, "3.7 times real time"), (50, 1.0, "real time")];
const MOST_PRINTED: u32 = 5;

pub fn run(bench: &Bench) -> Result<Vec<Figure>, String> {
    let scene = bench.scene(SCENE);
    let mut account = Account::default();
    let _ =
        writeln!(account, "# BB08: results\n\nThe scene is `{scene}`. {}", bench.stamp("1 thread"));
    tolerances(bench, scene, &mut account)?;
    early_out(bench, scene, &mut account)?;
    // It builds the simulator once more, as a benchmark.
    if !bench.quick() {
        threads(&mut account)?;
    }
    bench.write("results.md", &account.text)?;
    Ok(account.figures)
}

/// A frame's time against a printed multiple of real time.
fn figure(what: String, (printed, words): (f64, &str), time: f64) -> Figure {
    let ours = 1.0 / 30.0 / time;
    let missed = (ours < printed).then(|| "slower".into());
    Figure::told(what, words, format!("{ours:.1} times real time"), missed)
}

/// The overrides for a grid with so many steps a frame.
fn sized(side: u32, frames: u32, steps: u32) -> Vec<String> {
    // A little longer, so that round-off does not cut one more.
    let longest = 1.000_01 / 30.0 / f64::from(steps);
    vec![
        format!("cloth.sheet.particles=[{side}, {side}]"),
        format!("pin.0.particles=[0, {}]", side - 1),
        format!("frames.count={frames}"),
        format!("step.max={longest}"),
    ]
}

/// Fig. 5.
fn tolerances(bench: &Bench, scene: &str, text: &mut Account) -> Result<(), String> {
    let _ = write!(
        text,
        "\n## Time against tolerance and grid (fig. 5)\n{FRAMES} frames of 1/30 s. The paper takes \
         one step for each, and iterates; here 10 steps, 12 for 50 × 50, of one or two sweeps. \
         The paper, on four cores of 2.4 GHz: 30 × 30 faster than real time at 1 % and 0.1 %; \
         10 × 10 six times faster, and 50 × 50 six times slower, at 0.01 %.\n\n\
         | grid | allowed strain | ms/frame | times real time | sweeps a step | steps over it | worst strain % |\n\
         |---|---|---|---|---|---|---|\n"
    );
    let mut table = String::from("side,tolerance,seconds_per_frame,sweeps_per_step\n");
    for side in SIDES {
        for tolerance in TOLERANCES {
            let mut sets = sized(side, FRAMES, steps_a_frame(side));
            sets.push(format!("limits.extension={tolerance}"));
            let summary = bench.run(scene, &sets)?;
            let (time, sweeps) = (summary.per_frame(), sweeps(&summary));
            let _ = writeln!(
                text,
                "| {side} × {side} | {} % | {:.2} | {:.1} | {sweeps:.2} | {:.1} % | {:.3} |",
                tolerance * 100.0,
                time * 1e3,
                1.0 / 30.0 / time,
                100.0 * summary.over_limit as f64 / summary.steps as f64,
                summary.extension * 100.0
            );
            let _ = writeln!(table, "{side},{tolerance},{time},{sweeps}");
            let row = PRINTED.iter().find(|row| row.0 == side && row.1 == tolerance);
            text.figures.extend(row.map(|&(.., times, words)| {
                let strain = tolerance * 100.0;
                figure(format!("fig. 5: {side} × {side} at {strain} %"), (times, words), time)
            }));
        }
    }
    bench.write("tolerances.csv", &table)
}

/// §4: at most so many iterations.
fn early_out(bench: &Bench, scene: &str, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Iterations cut short\nAllowed strain 0.1 %. The paper, with at most five: 30 × 30 at \
         3.7 times real time, 50 × 50 in real time.\n\n\
         | grid | most sweeps a step | ms/frame | times real time | worst strain % |\n\
         |---|---|---|---|---|\n",
    );
    for side in [30, 50] {
        for most in [1, MOST_PRINTED] {
            let mut sets = sized(side, FRAMES, steps_a_frame(side));
            sets.push(format!("limiter.strips.max_iterations={most}"));
            let summary = bench.run(scene, &sets)?;
            let time = summary.per_frame();
            let row = PRINTED_EARLY.iter().find(|row| row.0 == side && most == MOST_PRINTED);
            text.figures.extend(row.map(|&(_, times, words)| {
                let what = format!("§4: {side} × {side} at 0.1 %, at most {most} iterations");
                figure(what, (times, words), time)
            }));
            let _ = writeln!(
                text,
                "| {side} × {side} | {most} | {:.2} | {:.1} | {:.3} |",
                time * 1e3,
                1.0 / 30.0 / time,
                summary.extension * 100.0
            );
        }
    }
    Ok(())
}

/// §4: the paper gains a factor of 1.9 from four cores.
fn threads(text: &mut Account) -> Result<(), String> {
    let mut bench = Command::new("cargo");
    let said = process::capture(bench.args(["bench", "-p", "taffeta", "--bench", "strips"]))?;
    text.push_str(
        "\n## Threads\nA frame of computing by the clock, all phases, by \
         `cargo bench -p taffeta --bench strips`: the least times of its steps, added up; the states \
         are the same to the last bit. The paper gains a factor of 1.9 from four cores. By the clock \
         this says nothing where the load, above, is more than one.\n\n\
         | particles | threads | ms/frame | faster by |\n|---|---|---|---|\n",
    );
    for line in said.lines().skip(1) {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    Ok(())
}

fn sweeps(summary: &Summary) -> f64 {
    summary.limit_iterations as f64 / summary.steps.max(1) as f64
}
