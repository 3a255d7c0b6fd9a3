//! What the experiments of every paper need: the program, a place to run it, and a place for what
//! came out.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Wishes;
use super::places::{point_cache, vertices};
use super::stamp::{commit_of, day_of_today, machine};
use super::watch::watch;
use crate::metadata::Metadata;
use crate::process;

/// Runs of which the fastest counts: others use the machine too.
const REPEATS: u32 = 2;

/// The most processor time that a run may take, and one of the quick experiments \[s\].
const PATIENCE: f64 = 400.0;
const QUICK_PATIENCE: f64 = 20.0;

/// What takes no longer than this is done in one turn at the processor \[s\].
const UNINTERRUPTED: f64 = 2e-3;

/// Runs scenes with the release build and keeps results.
pub struct Bench {
    root: PathBuf,
    program: PathBuf,
    runs: PathBuf,
    results: PathBuf,
    key: String,
    scene: Option<String>,
    quick: bool,
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
    /// The most memory the run had at a time \[MB\], where the system tells.
    #[serde(skip)]
    pub peak: Option<f64>,
    /// The memory it had at each glance \[MB\].
    #[serde(skip)]
    pub resident: Vec<f64>,
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
    /// Builds the program, unless one is named; results go to the folder of the paper, those of quick
    /// experiments to the build folder.
    pub fn new(key: &str, wishes: &Wishes) -> Result<Self, String> {
        let workspace = Metadata::of_workspace()?;
        let (root, target) = (workspace.workspace_root, workspace.target_directory);
        let program = match &wishes.program {
            Some(program) => program.clone(),
            None => {
                let mut build = Command::new("cargo");
                build.current_dir(&root).args(["build", "--release", "-p", "taffeta-cli"]);
                process::show(&mut build)?;
                target.join("release").join("taffeta")
            }
        };
        let runs = target.join("papers").join(key);
        let results =
            if wishes.quick { runs.join("results") } else { root.join("papers").join(key) };
        let (key, scene, quick) = (key.to_owned(), wishes.scene.clone(), wishes.quick);
        Ok(Self { root, program, runs, results, key, scene, quick })
    }

    /// Whether smaller experiments are enough.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// All of these, or where it has to be quick the first so many.
    pub fn some<'a, T>(&self, all: &'a [T], quick: usize) -> &'a [T] {
        if self.quick { &all[..quick.min(all.len())] } else { all }
    }

    /// The fabrics that scenes can name; of a quick run, so many.
    pub fn fabrics<F: DeserializeOwned>(&self, quick: usize) -> Result<Vec<F>, String> {
        let json = process::capture(Command::new(&self.program).args(["fabrics", "--json"]))?;
        let mut all: Vec<F> = serde_json::from_str(&json).map_err(|error| error.to_string())?;
        all.truncate(if self.quick { quick } else { all.len() });
        Ok(all)
    }

    /// What was measured, on what, how busy that was, and when.
    pub fn stamp(&self, threads: &str) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let commit = commit_of(&self.root);
        let (machine, load) = machine();
        format!(
            "`cargo xtask papers {}{quick}`, {}: {machine}, {threads}, load {load} before; commit {commit}.\n",
            self.key,
            day_of_today()
        )
    }

    /// The scene the user asked for, or the paper's own.
    pub fn scene<'a>(&'a self, own: &'a str) -> &'a str {
        self.scene.as_deref().unwrap_or(own)
    }

    /// Runs a scene on one thread with some keys set; the fastest of a few times.
    pub fn run(&self, scene: &str, sets: &[String]) -> Result<Summary, String> {
        let mut best: Option<Summary> = None;
        let mut stages = BTreeMap::new();
        for _ in 0..if self.quick { 1 } else { REPEATS } {
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
        let patience = if self.quick { QUICK_PATIENCE } else { PATIENCE };
        let seen = watch(&mut run, &self.runs, patience)?;
        let last = seen.printed.lines().last().unwrap_or_default();
        let Ending { mut summary } =
            serde_json::from_str(last).map_err(|error| error.to_string())?;
        (summary.processor, summary.peak) = (seen.processor, seen.peak);
        summary.resident = seen.resident;
        Ok(summary)
    }

    /// Runs a scene, if there is one of that name, as it is: none if there is not.
    pub fn has(&self, scene: &str) -> bool {
        process::capture(Command::new(&self.program).args(["scenes", scene])).is_ok()
    }

    /// The promises of the last run's scene that do not hold; none if all do.
    pub fn broken(&self) -> Option<String> {
        let mut check = Command::new(&self.program);
        let said = check.arg("check").arg(self.runs.join("run")).output();
        let said = said.map_err(|error| error.to_string());
        match said {
            Ok(said) if said.status.success() => None,
            Ok(said) => Some(String::from_utf8_lossy(&said.stdout).trim().replace('\n', "; ")),
            Err(problem) => Some(problem),
        }
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

    /// Where the particles of the last run are, frame by frame \[m\].
    pub fn frames(&self) -> Result<Vec<Vec<[f64; 3]>>, String> {
        let path = self.runs.join("frames.pc2");
        let mut export = Command::new(&self.program);
        export.arg("export").arg(self.runs.join("run")).arg("--to").arg(&path);
        process::capture(&mut export)?;
        let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        point_cache(&bytes).ok_or_else(|| format!("{} is cut short", path.display()))
    }

    /// The same of cloth that tears, whose mesh changes: places keep their numbers, new ones follow.
    pub fn frames_of_torn(&self) -> Result<Vec<Vec<[f64; 3]>>, String> {
        let folder = self.runs.join("obj");
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(told)?;
        }
        fs::create_dir_all(&folder).map_err(told)?;
        let mut export = Command::new(&self.program);
        export.arg("export").arg(self.runs.join("run")).arg("--to").arg(folder.join("frame.obj"));
        process::capture(&mut export)?;
        let entries = fs::read_dir(&folder).map_err(told)?;
        let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
        let mut paths = paths.map_err(told)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "obj"));
        paths.sort();
        paths
            .iter()
            .map(|path| fs::read_to_string(path).map(|text| vertices(&text)).map_err(told))
            .collect()
    }

    /// Writes a file into the folder of the paper.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.results.join(name);
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(&self.results).map_err(told)?;
        fs::write(&path, text).map_err(told)
    }

    /// Where a picture of the page of results goes, and what the page calls it.
    pub fn beside_page(&self, name: &str) -> Result<(PathBuf, String), String> {
        let folder = self.root.join("docs/results");
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok((folder.join(name), format!("results/{name}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            peak: None,
            resident: Vec::new(),
        };
        assert_eq!(summary.share(&["solve"]), 60.0);
        assert_eq!(summary.share(&["forces", "integrate", "absent"]), 40.0);
        assert_eq!(summary.per_frame(), 0.5);
        assert_eq!(summary.attention(), 1.0);
        assert_eq!(Summary { processor: Some(2.0), ..summary.clone() }.attention(), 0.4);
        assert_eq!(Summary { processor: Some(7.0), ..summary }.per_frame(), 0.7);
    }
}
