//! What the experiments of every paper need: the program, a place to run it, and a place for what
//! came out.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::metadata::Metadata;
use crate::process;

/// Runs of which the fastest counts: others use the machine too.
const REPEATS: u32 = 2;

/// What takes no longer than this is done in one turn at the processor \[s\].
const UNINTERRUPTED: f64 = 2e-3;

/// Runs scenes with the release build and keeps results.
pub struct Bench {
    program: PathBuf,
    runs: PathBuf,
    results: PathBuf,
    scene: Option<String>,
}

/// What a run says at its end, as far as experiments need it.
#[derive(Clone, Deserialize)]
pub struct Summary {
    pub frames: u32,
    pub steps: u64,
    pub rejected: u64,
    pub iterations: u64,
    pub over_limit: u64,
    pub h_min: Option<f64>,
    pub h_max: Option<f64>,
    pub extension: f64,
    pub seconds: BTreeMap<String, f64>,
    /// Solves of the limiter, and seconds in each of their stages: the least of all runs, by the
    /// clock, times [`Summary::attention`] where it is long enough to be interrupted.
    pub limit_iterations: u64,
    pub limit_seconds: BTreeMap<String, f64>,
    /// Seconds of processor time the whole run took, where the system tells.
    #[serde(skip)]
    pub processor: Option<f64>,
}

#[derive(Deserialize)]
struct Ending {
    summary: Summary,
}

impl Summary {
    /// Seconds for each frame after the first: of processor time, as in the papers, or of computing
    /// by the clock where that is not known.
    pub fn per_frame(&self) -> f64 {
        self.processor.unwrap_or(self.clock()) / f64::from(self.frames.max(2) - 1)
    }

    /// Seconds of computing by the clock.
    pub fn clock(&self) -> f64 {
        self.seconds.values().sum()
    }

    /// How much of the time by the clock the processor was ours, at most all of it: what a stage
    /// takes by the clock, times this, is what it takes where nobody else is about.
    pub fn attention(&self) -> f64 {
        self.processor.map_or(1.0, |processor| (processor / self.clock()).min(1.0))
    }

    /// The share of some phases in all of the time \[%\].
    pub fn share(&self, phases: &[&str]) -> f64 {
        let of = |phase: &&str| self.seconds.get(*phase).copied().unwrap_or(0.0);
        100.0 * phases.iter().map(of).sum::<f64>() / self.seconds.values().sum::<f64>()
    }
}

impl Bench {
    /// Builds the program; results go to the folder of the paper.
    pub fn new(key: &str, scene: Option<&str>) -> Result<Self, String> {
        let workspace = Metadata::of_workspace()?;
        let root = workspace.workspace_root;
        let mut build = Command::new("cargo");
        process::show(build.current_dir(&root).args(["build", "--release", "-p", "taffeta-cli"]))?;
        let results = root.join("papers").join(key);
        fs::create_dir_all(&results).map_err(|error| error.to_string())?;
        let target = workspace.target_directory;
        let program = target.join("release").join("taffeta");
        let runs = target.join("papers").join(key);
        Ok(Self { program, runs, results, scene: scene.map(String::from) })
    }

    /// The scene the user asked for, or the paper's own.
    pub fn scene<'a>(&'a self, own: &'a str) -> &'a str {
        self.scene.as_deref().unwrap_or(own)
    }

    /// Runs a scene on one thread with some keys set; the fastest of a few times.
    pub fn run(&self, scene: &str, sets: &[String]) -> Result<Summary, String> {
        let mut best: Option<Summary> = None;
        let mut stages = BTreeMap::new();
        for _ in 0..REPEATS {
            let summary = self.run_once(1, scene, sets)?;
            for (stage, seconds) in &summary.limit_seconds {
                let shared = if *seconds > UNINTERRUPTED { summary.attention() } else { 1.0 };
                let seconds = seconds * shared;
                let least: &mut f64 = stages.entry(stage.clone()).or_insert(seconds);
                *least = least.min(seconds);
            }
            if best.as_ref().is_none_or(|best| summary.per_frame() < best.per_frame()) {
                best = Some(summary);
            }
        }
        let best = best.ok_or("nothing was run")?;
        Ok(Summary { limit_seconds: stages, ..best })
    }

    /// The same, a single time.
    pub fn run_once(&self, threads: u32, scene: &str, sets: &[String]) -> Result<Summary, String> {
        println!("{scene} {}", sets.join(" "));
        let mut run = Command::new(&self.program);
        run.args(["run", scene, "--json", "--overwrite", "--threads", &threads.to_string()]);
        run.arg("--out");
        run.arg(self.runs.join("run"));
        for set in sets {
            run.args(["--set", set]);
        }
        let before = process::processor_time();
        let said = process::capture(&mut run)?;
        let after = process::processor_time();
        let last = said.lines().last().unwrap_or_default();
        let Ending { mut summary } =
            serde_json::from_str(last).map_err(|error| error.to_string())?;
        summary.processor = after.zip(before).map(|(after, before)| after - before);
        Ok(summary)
    }

    /// Seconds by the clock that each frame of the last run took.
    pub fn frame_seconds(&self) -> Result<Vec<f64>, String> {
        #[derive(Deserialize)]
        struct Line {
            seconds: BTreeMap<String, f64>,
        }
        Ok(self.report()?.iter().map(|line: &Line| line.seconds.values().sum()).collect())
    }

    /// A line for each frame of the last run.
    pub fn report<L: DeserializeOwned>(&self) -> Result<Vec<L>, String> {
        let path = self.runs.join("run").join("report.jsonl");
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let line = |line: &str| serde_json::from_str(line).map_err(|error| error.to_string());
        text.lines().map(line).collect()
    }

    /// Puts a picture of a frame of the last run into the folder of the paper.
    pub fn picture(&self, name: &str, frame: u32) -> Result<(), String> {
        let mut render = Command::new(&self.program);
        render.arg("render").arg(self.runs.join("run")).arg("--out").arg(self.results.join(name));
        render.args(["--frame", &frame.to_string(), "--size", "480x270", "--quality", "final"]);
        process::show(&mut render)
    }

    /// Puts a file beside the runs, to be run or to be read by what is; returns where it is.
    pub fn place(&self, name: &str, text: &str) -> Result<String, String> {
        let path = self.runs.join(name);
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(&self.runs).map_err(told)?;
        fs::write(&path, text).map_err(told)?;
        Ok(path.display().to_string())
    }

    /// Writes a file into the folder of the paper.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.results.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// The processor, how busy it is, and the day, for results to be told apart by.
pub fn machine_and_day() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name"));
    let name = name.map_or("unknown processor", |rest| rest.trim_start_matches(['\t', ' ', ':']));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    format!("{name}, {cores} cores, one used, load {load} before; {}", day(seconds / 86_400))
}

/// A day of the Gregorian calendar, so many days after 1 January 1970.
fn day(since: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut left) = (1970, since);
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for days in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (since, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_722, "2023-12-31"),
            (20_772, "2026-11-15"),
        ] {
            assert_eq!(day(since), expected);
        }
    }

    #[test]
    fn shares_are_of_the_whole() {
        let seconds = [("solve", 3.0), ("forces", 0.5), ("integrate", 1.5)];
        let summary = Summary {
            limit_iterations: 0,
            frames: 11,
            steps: 20,
            rejected: 0,
            iterations: 0,
            over_limit: 0,
            h_min: None,
            h_max: None,
            extension: 0.0,
            seconds: seconds.map(|(phase, time)| (phase.into(), time)).into(),
            limit_seconds: BTreeMap::new(),
            processor: None,
        };
        assert_eq!(summary.share(&["solve"]), 60.0);
        assert_eq!(summary.share(&["forces", "integrate", "absent"]), 40.0);
        assert_eq!(summary.per_frame(), 0.5);
        assert_eq!(summary.attention(), 1.0);
        assert_eq!(Summary { processor: Some(2.0), ..summary.clone() }.attention(), 0.4);
        assert_eq!(Summary { processor: Some(7.0), ..summary }.per_frame(), 0.7);
    }
}
