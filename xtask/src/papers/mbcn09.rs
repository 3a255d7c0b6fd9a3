//! Metaaphanon, Bando, Chen & Nishita 2009, §6: Table 2, and both plots of fig. 10.

use std::fmt::Write;

use super::bench::{Bench, Summary, machine_and_day};

/// The distance between yarns \[m\].
const SPACING: f64 = 1.0 / 1200.0;
/// What holds a corner: so far from it \[m\].
const HELD: f64 = 0.0045;
const BALLS: &str = "tear-two-balls";
const CUBE: &str = "tear-cube";
/// Columns and rows of fig. 10a.
const SIZES: [[u32; 2]; 4] = [[40, 20], [60, 30], [80, 40], [120, 60]];
/// Those of fig. 10b.
const LARGE: [u32; 2] = [120, 60];

pub fn run(bench: &Bench) -> Result<(), String> {
    let mut text = format!(
        "# MBCN09: results\n\nMade by `cargo xtask papers MBCN09`; times are of one thread's \
         processor, files included, the least of two runs. {}.\n",
        machine_and_day()
    );
    table_2(bench, &mut text)?;
    crossings(bench, &mut text)?;
    levels(bench, &mut text)?;
    bench.write("results.md", &text)
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

fn table_2(bench: &Bench, text: &mut String) -> Result<(), String> {
    text.push_str(
        "\n## Table 2: seconds a frame\nThe paper: one core of a 2 GHz Core 2 Duo, eight steps a \
         frame.\n\n| figure | yarns | the paper's s/frame | s/frame | faster by | steps a frame |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut line = |figure: &str, yarns: &str, theirs: f64, summary: &Summary| {
        let time = summary.per_frame();
        let steps = summary.steps as f64 / f64::from(summary.frames.max(2) - 1);
        let faster = theirs / time;
        let _ = writeln!(
            text,
            "| {figure} | {yarns} | {theirs} | {time:.3} | {faster:.0} | {steps:.1} |"
        );
    };
    line("6", "80 × 40", 10.3, &bench.run(BALLS, &[])?);
    line("8", "160 × 80", 67.7, &bench.run(CUBE, &[])?);
    line("9", "64 × 64", 13.1, &bench.run(BALLS, &sized([64, 64]))?);
    Ok(())
}

/// Fig. 10a.
fn crossings(bench: &Bench, text: &mut String) -> Result<(), String> {
    text.push_str(
        "\n## Time against crossings (fig. 10a)\nThe scene of fig. 6 at several sizes. The paper \
         finds a line.\n\n| yarns | crossings | s/frame | µs a crossing |\n|---|---|---|---|\n",
    );
    let mut table = String::from("crossings,seconds_per_frame\n");
    for size in SIZES {
        let time = bench.run(BALLS, &sized(size))?.per_frame();
        let count = size[0] * size[1];
        let each = time * 1e6 / f64::from(count);
        let _ = writeln!(text, "| {} × {} | {count} | {time:.4} | {each:.1} |", size[0], size[1]);
        let _ = writeln!(table, "{count},{time}");
    }
    bench.write("crossings.csv", &table)
}

/// Fig. 10b.
fn levels(bench: &Bench, text: &mut String) -> Result<(), String> {
    let all_yarn = [sized(LARGE), vec!["tear.all_yarn=true".to_string()]].concat();
    bench.run(BALLS, &sized(LARGE))?;
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
        let _ = writeln!(text, "| {from}–{} | {two:.4} | {all:.4} | {:.2} |", to - 1, all / two);
    }
    bench.write("levels.csv", &table)
}
