//! Baraff & Witkin 1998, §8: Table 1, the growth of time with particles, and bend stiffness.

use std::fmt::Write;

use super::bench::{Bench, Summary, machine_and_day};

/// Columns and rows of particles, and the paper's particles and seconds a frame.
const SIZES: [([u32; 2], u32, f64); 4] =
    [([20, 25], 500, 0.23), ([29, 31], 899, 0.46), ([51, 51], 2602, 2.23), ([86, 86], 7359, 10.3)];
/// Particles along a side for the growth of time up to 100,000 particles, and the frames of each.
const SIDES: [u32; 5] = [32, 56, 100, 178, 317];
const GROWTH_FRAMES: u32 = 9;
/// What time may grow with, as a power of the particles.
const GROWTH_ASKED: f64 = 1.3;
/// Runs at each bending rigidity, in turns, of which the fastest counts.
const TURNS: u32 = 4;
/// What the scene's bending rigidity is multiplied by, and that rigidity \[N·m\].
const FACTORS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
const BENDING: f64 = 1e-5;
/// The scene of fig. 2, which is cloth alone; `cargo xtask papers BW98 drape-cylinder` runs fig. 1's.
const SCENE: &str = "sheet-two-particles";

/// The scene of fig. 1, and its row of Table 1.
const DRAPE: &str = "drape-cylinder";
const DRAPE_PRINTED: &str =
    "2.23 | 16.5–33 | 75/80 | EVAL 25.7, CG 50.4, C/C 18.3, C/S 1.4 | – | –";

pub fn run(bench: &Bench) -> Result<(), String> {
    let scene = bench.scene(SCENE);
    draping(bench)?;
    if scene == DRAPE {
        return Ok(());
    }
    let mut text = format!(
        "# BW98: results\n\nMade by `cargo xtask papers BW98{}`; the scene is `{scene}`, times are of \
         the processor, files included, the least of two runs. {}.\n",
        if scene == SCENE { String::new() } else { format!(" {scene}") },
        machine_and_day()
    );
    scaling(bench, scene, &mut text)?;
    bending(bench, scene, &mut text)?;
    growth(bench, scene, &mut text)?;
    bench.write("results.md", &text)
}

/// The overrides for a resolution.
fn sized(scene: &str, [columns, rows]: [u32; 2]) -> Vec<String> {
    let mut sets = vec![format!("cloth.sheet.particles=[{columns}, {rows}]")];
    if scene == SCENE {
        sets.push(format!("pin.0.particles=[0, {}]", columns - 1));
    }
    sets
}

/// Fig. 1's row of Table 1, with contact of the cloth with itself and without.
fn draping(bench: &Bench) -> Result<(), String> {
    let mut text = format!(
        "# BW98 fig. 1\n\nMade by `cargo xtask papers BW98 {DRAPE}`; times are of the processor, \
         files included, the least of two runs. {}.\n\n\
         | run | s/frame | step min–max ms | frames/steps | share of the phases % | iterations a step | worst strain % |\n\
         |---|---|---|---|---|---|---|\n| the paper | {DRAPE_PRINTED} |\n",
        machine_and_day()
    );
    let mut times = Vec::new();
    for (name, own) in [("with self-contact", true), ("without", false)] {
        let summary = bench.run(DRAPE, &[format!("contact.self={own}")])?;
        times.push(summary.per_frame());
        let _ = writeln!(
            text,
            "| {name} | {:.4} | {} | {}/{} | EVAL {:.1}, CG {:.1}, contact {:.1} | {:.1} | {:.2} |",
            summary.per_frame(),
            steps(&summary),
            summary.frames - 1,
            summary.steps + summary.rejected,
            summary.share(&["forces", "integrate"]),
            summary.share(&["solve"]),
            summary.share(&["constrain", "detect", "respond"]),
            summary.iterations as f64 / summary.steps.max(1) as f64,
            summary.extension * 100.0,
        );
    }
    let more = (times[0] / times[1] - 1.0) * 100.0;
    let _ = writeln!(text, "\nContact of the cloth with itself takes {more:.0} % more time.");
    bench.write("drape-cylinder.md", &text)
}

/// Times against particles, in the columns of Table 1.
fn scaling(bench: &Bench, scene: &str, text: &mut String) -> Result<(), String> {
    text.push_str(
        "\n## Time against particles\nThe paper: fig. 1's sheet on a cylinder, 195 MHz R10000.\n\n\
         | particles | s/frame | the paper's, particles | s/frame | step min–max ms | frames/steps | EVAL % | CG % | C/C % | C/S % | iterations a step | worst strain % |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut table = String::from("particles,seconds_per_frame,eval_percent,cg_percent,steps\n");
    let mut times = Vec::new();
    for (size, theirs, seconds) in SIZES {
        let summary = bench.run(scene, &sized(scene, size))?;
        let (particles, time) = (size[0] * size[1], summary.per_frame());
        let (eval, cg) = (summary.share(&["forces", "integrate"]), summary.share(&["solve"]));
        let _ = writeln!(
            text,
            "| {particles} | {time:.4} | {theirs} | {seconds} | {} | {}/{} | {eval:.1} | {cg:.1} | {} | {} | {:.1} | {:.2} |",
            steps(&summary),
            summary.frames - 1,
            summary.steps + summary.rejected,
            share_or_none(&summary, "cloth"),
            share_or_none(&summary, "solid"),
            summary.iterations as f64 / summary.steps.max(1) as f64,
            summary.extension * 100.0,
        );
        let _ = writeln!(table, "{particles},{time},{eval},{cg},{}", summary.steps);
        times.push((f64::from(particles), time));
    }
    let [first, .., last] = times[..] else { return Err("nothing was measured".into()) };
    let power = (last.1 / first.1).log2() / (last.0 / first.0).log2();
    let theirs = (10.3f64 / 0.23).log2() / (7359.0f64 / 500.0).log2();
    let _ = writeln!(
        text,
        "\nFrom the first to the last, time grows with the power {power:.2} of the particles; the \
         paper's with {theirs:.2}. Table 1 prints, for fig. 2 at 2,602 particles: 3.06 s/frame, \
         EVAL 17.9 %, CG 63.6 %, C/C 15.3 %, C/S 0.2 %."
    );
    bench.write("scaling.csv", &table)
}

/// Shortest and longest step \[ms\].
fn steps(summary: &Summary) -> String {
    let ms = |h: Option<f64>| h.map_or("–".into(), |h| format!("{:.1}", h * 1e3));
    format!("{}–{}", ms(summary.h_min), ms(summary.h_max))
}

/// The share of the phases of contact with something, if there are any.
fn share_or_none(summary: &Summary, with: &str) -> String {
    let phases: Vec<&str> =
        summary.seconds.keys().map(String::as_str).filter(|phase| phase.contains(with)).collect();
    if phases.is_empty() { "–".into() } else { format!("{:.1}", summary.share(&phases)) }
}

/// The paper: under 5 % over the whole range.
fn bending(bench: &Bench, scene: &str, text: &mut String) -> Result<(), String> {
    text.push_str(
        "\n## Bend stiffness\nIn the paper all five times lie within 5 % of each other. Here \
         they are the least of four runs, taken in turns.\n\n\
         | bending × | s/frame | against × 1 | steps | iterations a step | worst strain % |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut table = String::from("factor,seconds_per_frame,steps,iterations\n");
    let mut runs = Vec::<(f64, Summary)>::new();
    for _ in 0..TURNS {
        for (k, factor) in FACTORS.into_iter().enumerate() {
            let set = format!("fabric.bending={:e}", BENDING * factor);
            let summary = bench.run_once(1, scene, &[set])?;
            match runs.get_mut(k) {
                Some((_, best)) if summary.per_frame() < best.per_frame() => *best = summary,
                Some(_) => {}
                None => runs.push((factor, summary)),
            }
        }
    }
    let times: Vec<f64> = runs.iter().map(|(_, summary)| summary.per_frame()).collect();
    let plain = times[1];
    for (factor, summary) in &runs {
        let time = summary.per_frame();
        let _ = writeln!(
            text,
            "| {factor} | {time:.4} | {:+.1} % | {} | {:.1} | {:.2} |",
            (time / plain - 1.0) * 100.0,
            summary.steps + summary.rejected,
            summary.iterations as f64 / summary.steps.max(1) as f64,
            summary.extension * 100.0,
        );
        let _ = writeln!(table, "{factor},{time},{},{}", summary.steps, summary.iterations);
    }
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let _ = writeln!(
        text,
        "\nThe slowest takes {:.1} % longer than the fastest.",
        (slowest / fastest - 1.0) * 100.0
    );
    text.push_str(
        "Incomplete factors that break down are made again with a larger diagonal \
         (`crates/taffeta-linalg/src/single/incomplete.rs`).\n",
    );
    bench.write("bending.csv", &table)
}

/// Times against particles far beyond the paper's, over fewer frames.
fn growth(bench: &Bench, scene: &str, text: &mut String) -> Result<(), String> {
    let _ = writeln!(
        text,
        "\n## Up to 100,000 particles\nThe first {} frames of the same scene, in which the sheet \
         falls and stretches the most; the same tolerances at every size.\n\n\
         | particles | s/frame | steps | iterations a step | ms a step and 1,000 particles | worst strain % |\n\
         |---|---|---|---|---|---|",
        GROWTH_FRAMES
    );
    let mut table = String::from("particles,seconds_per_frame,steps,iterations\n");
    let mut times = Vec::new();
    for side in SIDES {
        let mut sets = sized(scene, [side, side]);
        sets.push(format!("frames.count={GROWTH_FRAMES}"));
        let summary = bench.run(scene, &sets)?;
        let (particles, time) = (f64::from(side * side), summary.per_frame());
        let steps = (summary.steps + summary.rejected) as f64;
        let in_all = time * f64::from(summary.frames - 1);
        let _ = writeln!(
            text,
            "| {particles} | {time:.4} | {steps} | {:.1} | {:.2} | {:.2} |",
            summary.iterations as f64 / summary.steps.max(1) as f64,
            1e6 * in_all / steps / particles,
            summary.extension * 100.0,
        );
        let _ = writeln!(table, "{particles},{time},{steps},{}", summary.iterations);
        times.push((particles, in_all, steps));
    }
    let [first, .., last] = times[..] else { return Err("nothing was measured".into()) };
    let power = |ratio: f64| ratio.log2() / (last.0 / first.0).log2();
    let _ = writeln!(
        text,
        "\nFrom the first to the last, time grows with the power {:.2} of the particles, a step with \
         {:.2}: finer cloth is given shorter steps where it stretches. At most {GROWTH_ASKED} is asked.",
        power(last.1 / first.1),
        power(last.1 / last.2 / (first.1 / first.2)),
    );
    bench.write("growth.csv", &table)
}
