//! Strain against time: the hanging square by every integrator and limiter, at several settings.

mod chart;
mod methods;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::process;
use methods::{METHODS, Setting};

/// Strain is measured from this frame on.
const FROM: u32 = 30;
/// The mean height after half a second, and how far from it a motion is still right \[m\].
const HEIGHT: (f64, f64) = (-0.49, 0.01);

/// The part of a report's line that is needed here.
#[derive(Deserialize)]
struct Line {
    frame: u32,
    extension: f64,
    height: f64,
}

/// What a setting costs and gives.
pub struct Measured {
    method: &'static str,
    setting: String,
    frames: u32,
    milliseconds: f64,
    strain: f64,
    height: f64,
}

impl Measured {
    /// Low strain means nothing where the motion is wrong.
    fn motion_is_right(&self) -> bool {
        (self.height - HEIGHT.0).abs() <= HEIGHT.1
    }
}

/// What takes less than this is run a few times, and the least counts: the clock of the processor
/// goes by hundredths of a second, and others use the machine too \[s\].
const SHORT: f64 = 2.0;
const REPEATS: u32 = 8;

/// Runs every setting with a `taffeta` command and writes `docs/strain/`.
///
/// Each runs on one thread, one after another. What counts is processor time, so that others may
/// use the machine meanwhile; files are counted in.
pub fn measure(program: &Path) -> Result<bool, String> {
    let folder = Path::new("docs/strain");
    let said = |error: std::io::Error| error.to_string();
    fs::create_dir_all(folder).map_err(said)?;
    for side in [41, 101] {
        let mut found = Vec::new();
        for (method, settings) in METHODS {
            for setting in settings.iter().filter(|setting| setting.frames(side) > 0) {
                match run(program, method, setting, side) {
                    Ok(measured) => found.push(measured),
                    Err(problem) => println!("{method}: {problem}"),
                }
            }
        }
        fs::write(folder.join(format!("hang-{side}.csv")), csv(&found)).map_err(said)?;
        chart::draw(&folder.join(format!("hang-{side}.svg")), side, &found)?;
    }
    fs::write(folder.join("machine.txt"), machine()).map_err(said)?;
    Ok(true)
}

fn run(
    program: &Path,
    method: &'static str,
    setting: &Setting,
    side: u32,
) -> Result<Measured, String> {
    let folder = std::env::temp_dir().join("taffeta-strain");
    let mut command = Command::new(program);
    command.args(["run", "hang", "--threads", "1", "--out"]).arg(&folder);
    command.args(setting.arguments(side));
    let mut seconds = processor_seconds(&mut command, &folder)?;
    for _ in 1..if seconds < SHORT { REPEATS } else { 1 } {
        seconds = seconds.min(processor_seconds(&mut command, &folder)?);
    }
    let report =
        fs::read_to_string(folder.join("report.jsonl")).map_err(|error| error.to_string())?;
    let lines: Vec<Line> = report
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let late = lines.iter().filter(|line| line.frame >= FROM);
    let measured = Measured {
        method,
        setting: setting.name(),
        frames: setting.frames(side),
        milliseconds: 1e3 * seconds / f64::from(setting.frames(side)),
        strain: late.map(|line| line.extension).fold(f64::NEG_INFINITY, f64::max),
        height: lines.iter().find(|line| line.frame == 15).map_or(f64::NAN, |line| line.height),
    };
    println!(
        "{side}: {method}, {}: {:.4} % in {:.2} ms a frame, {:.4} m",
        measured.setting,
        measured.strain * 100.0,
        measured.milliseconds,
        measured.height
    );
    Ok(measured)
}

/// What a run into a new folder takes of the processor \[s\].
fn processor_seconds(command: &mut Command, folder: &Path) -> Result<f64, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
    }
    let before = process::processor_time();
    process::capture(command)?;
    let after = process::processor_time();
    Ok(after.zip(before).map_or(f64::NAN, |(after, before)| after - before))
}

fn csv(found: &[Measured]) -> String {
    let mut text = String::from(
        "method,setting,frames,processor milliseconds per frame,worst strain from frame 30 on,mean \
         height at 0.5 s [m],motion is right\n",
    );
    for one in found {
        text.push_str(&format!(
            "\"{}\",\"{}\",{},{:.3},{:.6},{:.4},{}\n",
            one.method,
            one.setting,
            one.frames,
            one.milliseconds,
            one.strain,
            one.height,
            one.motion_is_right()
        ));
    }
    text
}

/// The machine and the day, as far as they are known.
fn machine() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown", |name| name.trim_start_matches(['\t', ' ', ':']));
    let day = process::capture(Command::new("date").arg("+%Y-%m-%d")).unwrap_or_default();
    format!("{model}, one thread, {}\n", day.trim())
}
