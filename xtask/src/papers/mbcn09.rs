//! Metaaphanon, Bando, Chen & Nishita 2009, §6: Table 2, and both plots of fig. 10.

use std::fmt::Write;

use serde::Deserialize;

use super::bench::Bench;
use super::figure::{Account, Figure};

/// The distance between yarns \[m\].
const SPACING: f64 = 1.0 / 1200.0;
/// What holds a corner: so far from it \[m\].
const HELD: f64 = 0.0045;
const BALLS: &str = "tear-two-balls";
const CUBE: &str = "tear-cube";
/// Columns and rows of fig. 10a.
const SIZES: [[u32; 2]; 4] = [[40, 20], [60, 30], [80, 40], [120, 60]];
/// The frame that is shown of cloth that is coarse or fine.
const SHOWN: u32 = 16;
/// Those of fig. 10b.
const LARGE: [u32; 2] = [120, 60];

/// What two levels gain at the start, in fig. 10b.
const GAIN_PRINTED: f64 = 2.5;
/// The power of the crossings that time grows with in fig. 10a, and what we call a line.
const LINE: f64 = 1.0;
const STILL_A_LINE: f64 = 1.25;
/// Frames of fig. 10b, where it has to be quick.
const QUICK_FRAMES: &str = "frames.count=9";

pub fn run(bench: &Bench) -> Result<Vec<Figure>, String> {
    let mut account = Account::default();
    let _ = writeln!(account, "# MBCN09: results\n\n{}", bench.stamp("1 thread"));
    table_2(bench, &mut account)?;
    crossings(bench, &mut account)?;
    levels(bench, &mut account)?;
    if !bench.quick() {
        coarse(bench, &mut account)?;
    }
    bench.write("results.md", &account.text)?;
    Ok(account.figures)
}

/// The overrides that make the scene of two balls this large.
fn sized([columns, rows]: [u32; 2]) -> Vec<String> {
    let [width, height] = [columns, rows].map(|n| f64::from(n - 1) * SPACING);
    let [x, y] = [width / 2.0 - HELD, height / 2.0 - HELD];
    vec![
        format!("cloth.sheet.particles=[{columns}, {rows}]"),
        format!("cloth.sheet.size=[{width:.7}, {height:.7}]"),
        format!("pin.0.box=[[-1.0, {y:.7}, -1.0], [-{x:.7}, 1.0, 1.0]]"),
        format!("pin.1.box=[[{x:.7}, {y:.7}, -1.0], [1.0, 1.0, 1.0]]"),
        format!("tear.cut.0.from=[{:.7}, -0.001]", width / 2.0),
        format!("tear.cut.0.to=[{:.7}, 0.003]", width / 2.0),
    ]
}

/// The same scene with cloth that is fine everywhere.
fn fine(mut sets: Vec<String>) -> Vec<String> {
    sets.push("tear.coarse.size=1".into());
    sets
}

fn table_2(bench: &Bench, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Table 2: seconds a frame\nThe paper: one core of a 2 GHz Core 2 Duo, eight steps a \
         frame. Away from the tear cells of 4 × 4 crossings move with their corners \
         (`[tear.coarse]`); beside it the same with a particle at every crossing. Two threads are \
         timed by the clock.\n\n| figure | yarns | the paper's s/frame | all fine | coarse away \
         from the tear | faster by | steps a frame | on two threads |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let [balls, cube] = [BALLS, CUBE].map(|scene| (scene, Vec::new()));
    let square = (BALLS, sized([64, 64]));
    for (figure, yarns, theirs, (scene, sets)) in [
        ("6", "80 × 40", 10.3, balls),
        ("8", "160 × 80", 67.7, cube),
        ("9", "64 × 64", 13.1, square),
    ] {
        let summary = bench.run(scene, &sets)?;
        let two = [bench.run_once(2, scene, &sets)?, bench.run_once(2, scene, &sets)?];
        let two = two[0].clock().min(two[1].clock());
        let fine = bench.run(scene, &fine(sets))?.per_frame();
        let what = format!("Table 2, fig. {figure}: {yarns} yarns");
        text.figures.push(Figure::time(format!("{what}, all fine"), theirs, fine));
        text.figures.push(Figure::time(
            format!("{what}, coarse away from the tear"),
            theirs,
            summary.per_frame(),
        ));
        let (time, frames) = (summary.per_frame(), f64::from(summary.frames.max(2) - 1));
        let (steps, faster) = (summary.steps as f64 / frames, theirs / time);
        let two = two / frames;
        let _ = writeln!(
            text,
            "| {figure} | {yarns} | {theirs} | {fine:.3} | {time:.3} | {faster:.0} | {steps:.1} \
             | {two:.3} |"
        );
    }
    Ok(())
}

/// Fig. 10a.
fn crossings(bench: &Bench, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Time against crossings (fig. 10a)\nThe scene of fig. 6 at several sizes. The paper \
         finds a line.\n\n| yarns | crossings | s/frame, all fine | µs a crossing | s/frame, coarse \
         away from the tear | µs a crossing |\n|---|---|---|---|---|---|\n",
    );
    let mut table = String::from("crossings,fine_seconds_per_frame,seconds_per_frame\n");
    let mut rows = Vec::new();
    for &size in bench.some(&SIZES, 3) {
        let times = [fine(sized(size)), sized(size)];
        let [fine, time] = times.map(|sets| bench.run(BALLS, &sets).map(|run| run.per_frame()));
        let (fine, time, count) = (fine?, time?, size[0] * size[1]);
        let [each_fine, each] = [fine, time].map(|time| time * 1e6 / f64::from(count));
        let _ = writeln!(
            text,
            "| {} × {} | {count} | {fine:.4} | {each_fine:.1} | {time:.4} | {each:.1} |",
            size[0], size[1]
        );
        let _ = writeln!(table, "{count},{fine},{time}");
        rows.push((f64::from(count), fine));
    }
    let [first, .., last] = rows[..] else { return Err("nothing was measured".into()) };
    let power = (last.1 / first.1).log2() / (last.0 / first.0).log2();
    text.figures.push(Figure::told(
        format!("fig. 10a: power of the crossings that time grows with, up to {}", last.0),
        format!("{LINE}"),
        format!("{power:.2}, all fine"),
        (power > STILL_A_LINE)
            .then(|| "direct solves grow faster than a line; larger cloth also tears more".into()),
    ));
    bench.write("crossings.csv", &table)
}

/// What a line of the report says of tears.
#[derive(Deserialize)]
struct Line {
    frays: Frays,
}

#[derive(Clone, Copy, Deserialize)]
struct Frays {
    torn: u32,
    ends: u32,
    mean_length: f64,
    pieces: u32,
    coarse: u32,
}

/// Beyond the paper: coarse cloth away from the tear, beside cloth that is fine everywhere.
fn coarse(bench: &Bench, text: &mut Account) -> Result<(), String> {
    text.push_str(
        "\n## Coarse away from the tear\nAt the last frame. What tears is chaotic: a jitter of \
         another size shows by how much.\n\n| scene | cloth | torn spans | ends | their mean length \
         \\[mm\\] | pieces | crossings that follow |\n|---|---|---|---|---|---|---|\n",
    );
    for scene in [BALLS, CUBE] {
        let jitter = fine(vec!["cloth.jitter=1.1e-6".into()]);
        for (cloth, picture, sets) in [
            ("all fine", Some("fine"), fine(Vec::new())),
            ("all fine, another jitter", None, jitter),
            ("coarse", Some("coarse"), Vec::new()),
        ] {
            bench.run_once(1, scene, &sets)?;
            let Frays { torn, ends, mean_length, pieces, coarse } = last(bench)?;
            let _ = writeln!(
                text,
                "| `{scene}` | {cloth} | {torn} | {ends} | {:.2} | {pieces} | {coarse} |",
                1e3 * mean_length
            );
            if let Some(name) = picture {
                bench.picture(&format!("{scene}-{name}.png"), SHOWN)?;
            }
        }
    }
    for scene in [BALLS, CUBE] {
        let _ = write!(
            text,
            "\n![{scene}, all fine]({scene}-fine.png) ![{scene}, coarse away from the \
             tear]({scene}-coarse.png)\n"
        );
    }
    Ok(())
}

/// What the last frame of the last run says of tears.
fn last(bench: &Bench) -> Result<Frays, String> {
    let lines: Vec<Line> = bench.report()?;
    lines.last().map(|line| line.frays).ok_or_else(|| "the run has no frames".into())
}

/// Fig. 10b.
fn levels(bench: &Bench, text: &mut Account) -> Result<(), String> {
    let frames = if bench.quick() { vec![QUICK_FRAMES.to_string()] } else { Vec::new() };
    let two_level = [fine(sized(LARGE)), frames].concat();
    let all_yarn = [two_level.clone(), vec!["tear.all_yarn=true".to_string()]].concat();
    bench.run(BALLS, &two_level)?;
    let two_level = bench.frame_seconds()?;
    bench.run(BALLS, &all_yarn)?;
    let all_yarn = bench.frame_seconds()?;
    let mut table = String::from("frame,two_level_seconds,all_yarn_seconds\n");
    for (frame, (two, all)) in two_level.iter().zip(&all_yarn).enumerate() {
        let _ = writeln!(table, "{frame},{two},{all}");
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let third = (two_level.len() / 3).max(1);
    let _ = write!(
        text,
        "\n## Two levels against yarns alone (fig. 10b)\n{} × {} yarns, seconds a frame by the clock \
         (`levels.csv` has every frame). The paper gains a factor of more than 2.5 at the start.\n\n\
         | frames | two levels | all yarn | gain |\n|---|---|---|---|\n",
        LARGE[0], LARGE[1]
    );
    let last = two_level.len().min(all_yarn.len());
    for (from, to) in [(1, third), (third, 2 * third), (2 * third, last)] {
        let (two, all) = (mean(&two_level[from..to]), mean(&all_yarn[from..to]));
        if from == 1 {
            let gain = all / two;
            text.figures.push(Figure::told(
                format!("fig. 10b: two levels against yarns alone, frames {from}–{}", to - 1),
                format!("more than × {GAIN_PRINTED}"),
                format!("× {gain:.2}"),
                (gain < GAIN_PRINTED).then(|| "less".into()),
            ));
        }
        let _ = writeln!(text, "| {from}–{} | {two:.4} | {all:.4} | {:.2} |", to - 1, all / two);
    }
    bench.write("levels.csv", &table)
}
