//! Ye 2008, §7: Table 1, the direct solver against conjugate gradients, and what is saved by
//! planning once.

use std::fmt::Write;

use super::bench::{Bench, Summary};
use super::figure::{Account, Figure};

/// The scene of fig. 4, as the paper ran it: backward Euler, 1,681 particles, steps of 1/450 s.
const SCENE: &str = "swing";
const AS_PRINTED: [&str; 2] = ["step.max=0.0022222223", "limiter.impulses.variant=\"paper\""];
/// Half a second on two corners, and most of one on one.
const FRAMES: &str = "frames.count=40";
/// The corner has just been let go, where it has to be quick.
const QUICK_FRAMES: &str = "frames.count=22";
/// Planning happens once in a run, so it is looked at in a few short ones.
const SHORT: &str = "frames.count=2";
const PLANNINGS: u32 = 3;

/// The stages of Table 1 with the paper's seconds for 1,000 steps.
const STAGES: [(&str, &str, f64); 5] = [
    ("ordering", "AMD to find P", 2.40),
    ("assembly", "permutation PAPᵀ", 1.86),
    ("symbolic", "symbolic factorisation", 0.39),
    ("numeric", "numeric factorisation", 6.37),
    ("solve", "Ly = b, Dz = y, Lᵀs = z", 1.87),
];
/// Those the paper does once while the pattern stays.
const ONCE: [&str; 2] = ["ordering", "symbolic"];
/// What it saves by that, and by how much the direct method is faster at least [%].
const SAVED_PRINTED: f64 = 36.0;
const FASTER_PRINTED: f64 = 30.0;

/// Residuals that conjugate gradients are asked for.
const TOLERANCES: [&str; 2] = ["1e-3", "1e-6"];

pub fn run(bench: &Bench) -> Result<Vec<Figure>, String> {
    let scene = bench.scene(SCENE);
    let mut direct = bench.run(scene, &sets(bench, &[]))?;
    if STAGES.iter().all(|(stage, ..)| of(&direct, stage) == 0.0) {
        return Err(format!("`{scene}` tells nothing of the stages of its impulses"));
    }
    for _ in 0..PLANNINGS {
        let short = AS_PRINTED.iter().chain([&SHORT]).map(|set| (*set).to_string());
        let again = bench.run(scene, &short.collect::<Vec<_>>())?;
        for stage in ONCE {
            let least = of(&direct, stage).min(of(&again, stage));
            direct.limit_seconds.insert(stage.into(), least);
        }
    }
    let mut account = Account::default();
    let _ = writeln!(
        account,
        "# Ye08: results\n\nThe scene is `{scene}`, {} solves in {} steps; times by the clock, less what \
         others had of the processor. {}",
        direct.limit_iterations,
        direct.steps,
        bench.stamp("1 thread")
    );
    table_1(&direct, &mut account);
    reuse(&direct, &mut account);
    solvers(bench, scene, &direct, &mut account)?;
    if !bench.quick() {
        variants(bench, scene, &direct, &mut account)?;
    }
    bench.write("results.md", &account.text)?;
    Ok(account.figures)
}

/// The paper's settings, and some more.
fn sets(bench: &Bench, more: &[String]) -> Vec<String> {
    let own = AS_PRINTED.into_iter().chain([frames(bench)]).map(String::from);
    own.chain(more.iter().cloned()).collect()
}

fn frames(bench: &Bench) -> &'static str {
    if bench.quick() { QUICK_FRAMES } else { FRAMES }
}

fn of(summary: &Summary, stage: &str) -> f64 {
    summary.limit_seconds.get(stage).copied().unwrap_or(0.0)
}

/// Milliseconds of a stage in one solve; of planning, in the one there is.
fn per_solve(summary: &Summary, stage: &str) -> f64 {
    let times = if ONCE.contains(&stage) { 1.0 } else { summary.limit_iterations.max(1) as f64 };
    1e3 * of(summary, stage) / times
}

fn table_1(direct: &Summary, text: &mut Account) {
    text.push_str(
        "\n## Table 1: the direct method, by stages\nThe paper's are seconds for 1,000 steps of one \
         solve each, so milliseconds a solve. Ours finds the order by nested dissection of the mesh \
         instead of AMD, fills in the matrix where the paper permutes it (the permutation is a part \
         of our numeric stage), and plans once in a run.\n\n\
         | stage | the paper's, ms a solve | % | ours, ms | % if done in every solve |\n\
         |---|---|---|---|---|\n",
    );
    let theirs: f64 = STAGES.iter().map(|(.., seconds)| seconds).sum();
    let ours: f64 = STAGES.iter().map(|(stage, ..)| per_solve(direct, stage)).sum();
    for (stage, printed, seconds) in STAGES {
        let time = per_solve(direct, stage);
        let _ = writeln!(
            text,
            "| {stage} ({printed}) | {seconds:.2} | {:.1} | {time:.4} | {:.1} |",
            100.0 * seconds / theirs,
            100.0 * time / ours,
        );
    }
    let _ = writeln!(text, "| total | {theirs:.2} | 100.0 | {ours:.4} | 100.0 |");
    text.figures.push(Figure::told(
        "Table 1: milliseconds of one solve, all stages",
        format!("{theirs:.2} ms"),
        format!("{ours:.2} ms"),
        (ours > theirs).then(|| "slower".into()),
    ));
}

fn reuse(direct: &Summary, text: &mut Account) {
    let every: f64 = STAGES.iter().map(|(stage, ..)| per_solve(direct, stage)).sum();
    let once: f64 = ONCE.iter().map(|stage| per_solve(direct, stage)).sum();
    let saved = 100.0 * once / every;
    let _ = writeln!(
        text,
        "\nReuse of the pattern saves {saved:.0} % of a solve; the paper's {SAVED_PRINTED} % counts the \
         permutation too."
    );
    text.figures.push(Figure::told(
        "§7: reuse of the pattern saves, of a solve",
        format!("{SAVED_PRINTED} %, with the permutation"),
        format!("{saved:.0} %, without"),
        (saved + 10.0 < SAVED_PRINTED).then(|| "more than ten points less".into()),
    ));
}

fn solvers(bench: &Bench, scene: &str, direct: &Summary, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Direct against conjugate gradients\nThe paper: the direct method is at least 30 % \
         faster. Conjugate gradients are preconditioned by the diagonal, as there; how far they have \
         to go depends on the residual asked for, and cloth held worse swings otherwise.\n\n\
         | solver | ms a solve | against direct | solves | worst strain % |\n|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, summary: &Summary| {
        let working = ["assembly", "numeric", "solve"];
        let of_one = |summary: &Summary| -> f64 {
            working.iter().map(|stage| per_solve(summary, stage)).sum()
        };
        let (time, plain) = (of_one(summary), of_one(direct));
        let _ = writeln!(
            text,
            "| {name} | {time:.3} | × {:.2} | {} | {:.2} |",
            time / plain,
            summary.limit_iterations,
            summary.extension * 100.0
        );
        time / plain
    };
    line("direct", direct);
    let mut least = f64::INFINITY;
    for tolerance in bench.some(&TOLERANCES, 1) {
        let more = ["solver=\"cg\"".to_string(), format!("tolerance={tolerance}")];
        let more = more.map(|key| format!("limiter.impulses.{key}"));
        let times = line(&format!("cg to {tolerance}"), &bench.run(scene, &sets(bench, &more))?);
        least = least.min(times);
    }
    let faster = 100.0 * (1.0 - 1.0 / least);
    text.figures.push(Figure::told(
        "§7: the direct method is faster than conjugate gradients by",
        format!("at least {FASTER_PRINTED} %"),
        format!("{faster:.0} %"),
        (faster < FASTER_PRINTED).then(|| "less".into()),
    ));
    Ok(())
}

fn variants(bench: &Bench, scene: &str, paper: &Summary, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Larger steps\nThe paper leaves them to the future; the refined variant takes them.\n\n\
         | variant | longest step | steps, discarded | solves a step | worst strain % (limit 10) | s a frame, all phases |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, step: &str, summary: &Summary| {
        let _ = writeln!(
            text,
            "| {name} | {step} s | {}, {} | {:.2} | {:.3} | {:.4} |",
            summary.steps,
            summary.rejected,
            summary.limit_iterations as f64 / summary.steps.max(1) as f64,
            summary.extension * 100.0,
            summary.per_frame(),
        );
    };
    line("paper", "1/450", paper);
    for (step, seconds) in [
        ("1/450", "0.0022222223"),
        ("1/240", "0.0041666667"),
        ("1/120", "0.0083333334"),
        ("1/60", "0.0166666667"),
    ] {
        let sets = [frames(bench).to_string(), format!("step.max={seconds}")];
        line("refined", step, &bench.run(scene, &sets)?);
    }
    Ok(())
}
