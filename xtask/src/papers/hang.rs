//! The hanging square that cloth simulators are compared on: what others need of the processor, and we.

use std::fmt::Write;

use serde::Deserialize;

use super::bench::Bench;

/// Strain is measured from this frame on.
const FROM: u32 = 30;
/// The frame of half a second, the mean height there, and how far off a motion is still right \[m\].
const HALF: (u32, f64, f64) = (15, -0.49, 0.01);
const SIDE: u32 = 41;
const LARGE: u32 = 161;
/// Frames of the large square, and of all where it has to be quick.
const LARGE_FRAMES: u32 = 60;
const QUICK_FRAMES: u32 = 45;
/// Limits of ours: 10 %, 1 % and 0.1 %.
const LIMITS: [f64; 3] = [0.1, 0.01, 0.001];

/// What others need below 10, 1 and 0.1 %, and say at 161 × 161: processor seconds a frame.
const OTHERS: [(&str, [&str; 3], &str); 6] = [
    (
        "Blender 5.0 cloth",
        ["0.064", "0.147", "1.10"],
        "1.24 at 12 % strain, and the motion is wrong",
    ),
    (
        "PositionBasedDynamics 2.2 (XPBD)",
        ["0.015", "0.138", "not reached (0.30 %)"],
        "1.15 at 28 %",
    ),
    ("Newton 1.7 XPBD", ["0.090", "0.287", "not reached"], "–"),
    ("Newton 1.7 VBD", ["0.40", "not reached", "not reached"], "–"),
    ("Rapier 0.36 soft body", ["0.048", "0.60", "not reached (0.28 %)"], "–"),
    ("MuJoCo 4.0 flex", ["not reached", "–", "–"], "–"),
];

/// The part of a report's line that is needed here.
#[derive(Deserialize)]
struct Line {
    frame: u32,
    extension: f64,
    height: f64,
}

/// A run of ours.
struct Ours {
    seconds: f64,
    strain: f64,
    height: f64,
}

impl Ours {
    /// Low strain and little time mean nothing where the motion is wrong.
    fn in_words(&self) -> String {
        let right = (self.height - HALF.1).abs() <= HALF.2;
        let wrong = if right { "" } else { ", **and the motion is wrong**" };
        format!("{:.4} at {:.3} %{wrong}", self.seconds, self.strain * 100.0)
    }
}

pub fn run(bench: &Bench) -> Result<String, String> {
    let mut text = bench.stamp("1 thread");
    let frames = if bench.quick() { QUICK_FRAMES } else { 150 };
    let _ = write!(
        text,
        "\n{SIDE} × {SIDE} particles, 1 m², 0.2 kg/m², held by two corners, starts level. Seconds a frame of \
         1/30 s on one core with worst strain below 10, 1 and 0.1 % from frame {FROM} on; a motion is right \
         where the mean height at 0.5 s is within {:.0} mm of {} m. Others were measured on a core of a \
         2-core server processor; ours are the first {frames} frames of `hang` with its strips, the \
         limit set to each of these, nothing else changed.\n\n\
         | simulator | < 10 % | < 1 % | < 0.1 % | at {LARGE} × {LARGE} |\n|---|---|---|---|---|\n",
        HALF.2 * 1e3,
        HALF.1,
    );
    for (name, [ten, one, tenth], large) in OTHERS {
        let _ = writeln!(text, "| {name} | {ten} | {one} | {tenth} | {large} |");
    }
    let mut found = Vec::new();
    for limit in LIMITS {
        found.push(ours(bench, SIDE, limit, frames)?);
    }
    let large = ours(bench, LARGE, LIMITS[1], frames.min(LARGE_FRAMES))?;
    let [ten, one, tenth] = [0, 1, 2].map(|n: usize| found[n].in_words());
    let _ = writeln!(text, "| Taffeta | {ten} | {one} | {tenth} | {} |", large.in_words());
    let _ = writeln!(text, "\n{}", against(&found));
    Ok(text)
}

fn ours(bench: &Bench, side: u32, limit: f64, frames: u32) -> Result<Ours, String> {
    let sets = [
        format!("cloth.sheet.particles=[{side}, {side}]"),
        format!("pin.0.particles=[0, {}]", side - 1),
        format!("limits.extension={limit}"),
        format!("frames.count={frames}"),
    ];
    let seconds = bench.run("hang", &sets)?.per_frame();
    let lines: Vec<Line> = bench.report()?;
    let late = lines.iter().filter(|line| line.frame >= FROM);
    let at_half = lines.iter().find(|line| line.frame == HALF.0);
    Ok(Ours {
        seconds,
        strain: late.map(|line| line.extension).fold(f64::NEG_INFINITY, f64::max),
        height: at_half.map_or(f64::NAN, |line| line.height),
    })
}

/// By how much the quickest of the others takes longer, for each limit.
fn against(found: &[Ours]) -> String {
    let mut words = Vec::new();
    for (n, ours) in found.iter().enumerate() {
        let times =
            OTHERS.iter().filter_map(|other| Some((other.1[n].parse::<f64>().ok()?, other.0)));
        if let Some((seconds, name)) = times.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let ratio = seconds / ours.seconds;
            words.push(format!(
                "below {} % {name} takes {ratio:.1} times as long",
                LIMITS[n] * 100.0
            ));
        }
    }
    format!("Of the others, the quickest: {}.", words.join("; "))
}
