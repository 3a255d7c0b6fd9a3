//! What is done to a scene, and how that ended.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use super::judge::Judge;
use super::scenes::Known;
use crate::process;

/// Processor time that a run may take \[s\].
const PATIENCE: f64 = 20.0;
/// How far an excess may be beyond what was told, by the rounding of frames.
const TOLD_TO: f64 = 1e-6;
/// How often a run is looked at.
const GLANCE: Duration = Duration::from_millis(20);

pub const BROKEN: &str = "BROKEN";
pub const STOPPED: &str = "stopped";
pub const SLOW: &str = "slow";
pub const EXCEEDED: &str = "exceeded";

/// How a scene ended.
pub enum End {
    /// All promises hold, by everybody's measure.
    Held,
    /// They hold but for what was said before the first step, or what solids left no room for.
    Told(String),
    /// Limits were exceeded, which the run counted, but nobody was told beforehand.
    Exceeded(String),
    /// It was refused beforehand, with a reason.
    Refused(String),
    /// It took more than its time.
    Slow(String),
    /// It ended with an error.
    Stopped(String),
    /// Something that was promised does not hold.
    Broken(String),
}

impl End {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Told(_) => "told",
            Self::Exceeded(_) => EXCEEDED,
            Self::Refused(_) => "refused",
            Self::Slow(_) => SLOW,
            Self::Stopped(_) => STOPPED,
            Self::Broken(_) => BROKEN,
        }
    }

    pub fn why(&self) -> &str {
        match self {
            Self::Held => "",
            Self::Told(why)
            | Self::Exceeded(why)
            | Self::Refused(why)
            | Self::Slow(why)
            | Self::Stopped(why)
            | Self::Broken(why) => why,
        }
    }
}

/// The part of what a run says at its end that is needed here.
#[derive(Deserialize)]
struct Said {
    summary: Summary,
    warnings: Vec<Warning>,
}

/// What was said before the first step.
#[derive(Deserialize)]
struct Warning {
    kind: String,
}

/// What `taffeta check` found.
#[derive(Deserialize)]
struct Checked {
    certificate: Certificate,
    holds: bool,
}

#[derive(Deserialize)]
struct Certificate {
    extension: Option<Worst>,
    inside: Option<u64>,
    intersections: Option<Count>,
    unchecked: Vec<String>,
    unread: Vec<String>,
    violations: Vec<Value>,
}

#[derive(Deserialize)]
struct Worst {
    value: f64,
}

#[derive(Deserialize)]
struct Count {
    count: u64,
}

#[derive(Deserialize)]
struct Summary {
    over_limit: u64,
    worst_excess: f64,
    pinched: u32,
    pierced: u32,
}

/// A scene in its folder.
pub struct Trial<'a> {
    pub program: &'a Path,
    pub folder: &'a Path,
    pub judge: &'a Judge,
}

/// How a process ended, what it printed, and how long it took.
struct Done {
    status: Option<ExitStatus>,
    printed: String,
    complained: String,
    took: Duration,
}

impl Trial<'_> {
    /// Runs, checks, kills, resumes and compares.
    pub fn through_all(&self, known: &Known, number: u64) -> Result<End, String> {
        let first = self.run("a", 1, &["--json"])?;
        let Some(status) = first.status else {
            let frames = self.frames("a")?.len();
            return Ok(End::Slow(format!("{frames} files of frames in {PATIENCE} s")));
        };
        if !status.success() {
            let why = first_words(&first.complained);
            return Ok(match (status.code(), self.folder.join("a").exists()) {
                (Some(101 | 134) | None, _) => End::Broken(format!("{status}: {why}")),
                (_, true) => End::Stopped(why),
                (_, false) => End::Refused(why),
            });
        }
        let line = first.printed.lines().last().unwrap_or_default();
        let said: Said = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let mut broken = self.compared(first.took, number)?;
        let (looked, over) = self.looked_at(known)?;
        broken.extend(looked);
        broken.extend(self.checked(&said, known, over)?);
        let (told, exceeded) = (said.told(), said.exceeded());
        Ok(match (broken.is_empty(), exceeded, told) {
            (false, exceeded, told) => {
                let said: Vec<String> = exceeded.into_iter().chain(told).collect();
                End::Broken(format!("{}; {}", broken.join("; "), said.join(", ")))
            }
            (true, Some(exceeded), _) => End::Exceeded(exceeded),
            (true, None, Some(told)) => End::Told(told),
            (true, None, None) => End::Held,
        })
    }

    /// Other numbers of threads, and a run that was killed on its way, must give the same bytes.
    fn compared(&self, took: Duration, number: u64) -> Result<Vec<String>, String> {
        let truth = self.frames("a")?;
        let mut broken = Vec::new();
        let quarter = f64::from((number % 4) as u32 + 1) / 5.0;
        self.kill_after("b", took.mul_f64(quarter))?;
        // Where it was killed before it had a frame there is nothing to resume.
        let resume: &[&str] = if self.frames("b")?.is_empty() { &[] } else { &["--resume"] };
        for (name, threads, options) in [("b", 2, resume), ("c", 4, &[])] {
            let done = self.run(name, threads, options)?;
            if !done.status.is_some_and(|status| status.success()) {
                broken.push(format!("{name}: {}", first_words(&done.complained)));
            } else if self.frames(name)? != truth {
                let why = if name == "b" { "killed and resumed on 2 threads" } else { "4 threads" };
                broken.push(format!("{why}: other bytes"));
            }
        }
        Ok(broken)
    }

    /// What the independent checker finds.
    fn looked_at(&self, known: &Known) -> Result<(Vec<String>, Option<f64>), String> {
        let shown = self.folder.join("obj");
        fs::create_dir_all(&shown).map_err(|error| error.to_string())?;
        let mut export = Command::new(self.program);
        export.arg("export").arg(self.folder.join("a")).arg("--to").arg(shown.join("frame.obj"));
        process::capture(&mut export)?;
        self.judge.look(&shown, known)
    }

    /// What `taffeta check` finds that the run did not tell of just that, and where it differs from the
    /// other checker.
    fn checked(
        &self,
        said: &Said,
        known: &Known,
        over: Option<f64>,
    ) -> Result<Vec<String>, String> {
        let mut check = Command::new(self.program);
        let done = self.go(check.arg("check").arg(self.folder.join("a")).arg("--json"))?;
        let Checked { certificate, holds } = serde_json::from_str(&done.printed)
            .map_err(|error| format!("check: {error}: {}", done.printed))?;
        let mut broken = said.untold(&certificate, known);
        if holds && over.is_some() {
            broken.push(format!("check does not see an excess of {:.1e}", over.unwrap_or(0.0)));
        }
        if holds == (known.failed(&certificate) || !certificate.violations.is_empty()) {
            broken.push(format!("check contradicts itself: {:?}", certificate.violations));
        }
        Ok(broken)
    }

    fn command(&self, name: &str, threads: u32, options: &[&str]) -> Command {
        let mut run = Command::new(self.program);
        run.arg("run").arg(self.folder.join("scene.toml")).arg("--out").arg(self.folder.join(name));
        run.args(["--threads", &threads.to_string()]).args(options);
        run
    }

    fn run(&self, name: &str, threads: u32, options: &[&str]) -> Result<Done, String> {
        self.go(&mut self.command(name, threads, options))
    }

    /// Runs a program until it ends or has had its time.
    fn go(&self, command: &mut Command) -> Result<Done, String> {
        let [out, err] = ["out.txt", "err.txt"].map(|name| self.folder.join(name));
        let file = |path: &Path| fs::File::create(path).map_err(|error| error.to_string());
        command.stdin(Stdio::null()).stdout(file(&out)?).stderr(file(&err)?);
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let status = wait(&mut child)?;
        let read = |path: &Path| fs::read_to_string(path).map_err(|error| error.to_string());
        Ok(Done { status, printed: read(&out)?, complained: read(&err)?, took: begun.elapsed() })
    }

    /// Starts a run and kills it.
    fn kill_after(&self, name: &str, time: Duration) -> Result<(), String> {
        let mut command = self.command(name, 2, &[]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        sleep(time);
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().map(|_| ()).map_err(|error| error.to_string())
    }

    /// The bytes of all frames and topologies.
    fn frames(&self, name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut files = BTreeMap::new();
        for part in ["frames", "topology"] {
            let Ok(entries) = fs::read_dir(self.folder.join(name).join(part)) else { continue };
            for entry in entries {
                let path = entry.map_err(|error| error.to_string())?.path();
                let bytes = fs::read(&path).map_err(|error| error.to_string())?;
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.insert(format!("{part}/{name}"), bytes);
            }
        }
        Ok(files)
    }
}

impl Known {
    /// By how much an extension is over the limit, if there is one.
    fn excess(&self, certificate: &Certificate) -> Option<f64> {
        let worst = certificate.extension.as_ref()?.value;
        self.limit.map(|limit| worst - limit).filter(|excess| *excess > 0.0)
    }

    /// Whether a promise of the scene does not hold by the figures of the certificate.
    fn failed(&self, certificate: &Certificate) -> bool {
        let tangled = certificate.intersections.as_ref().is_some_and(|found| found.count > 0);
        self.excess(certificate).is_some()
            || certificate.inside.is_some_and(|count| count > 0)
            || (self.contact && tangled)
    }
}

impl Said {
    /// Whether something of one of these kinds was said before the first step.
    fn warned(&self, kinds: &[&str]) -> bool {
        self.warnings.iter().any(|warning| kinds.contains(&warning.kind.as_str()))
    }

    /// What a certificate finds broken and the run did not tell of: each promise is excused by what was
    /// said of it alone, and an excess by one that is told to be as large.
    fn untold(&self, certificate: &Certificate, known: &Known) -> Vec<String> {
        let Summary { over_limit, worst_excess, pinched, .. } = self.summary;
        let mut broken: Vec<String> =
            certificate.unread.iter().chain(&certificate.unchecked).cloned().collect();
        if let Some(excess) = known.excess(certificate) {
            let counted = over_limit > 0 && excess <= worst_excess + TOLD_TO;
            if !counted && !self.warned(&["strained", "apart"]) {
                broken.push(format!("{excess:.2e} over a limit, told were {worst_excess:.2e}"));
            }
        }
        let inside = certificate.inside.unwrap_or(0);
        if inside > 0 && pinched == 0 && !self.warned(&["inside", "through"]) {
            broken.push(format!("{inside} inside solids, untold"));
        }
        let tangled = certificate.intersections.as_ref().map_or(0, |found| found.count);
        if tangled > 0 && known.contact && !self.warned(&["tangled", "layers"]) {
            broken.push(format!("{tangled} edges through triangles, untold"));
        }
        broken
    }

    /// Limits that were exceeded without a word beforehand.
    fn exceeded(&self) -> Option<String> {
        let Summary { over_limit, worst_excess, .. } = self.summary;
        let unexpected = over_limit > 0 && !self.warned(&["strained", "apart"]);
        let percent = worst_excess * 100.0;
        unexpected.then(|| format!("{over_limit} steps over limits, {percent:.3} % at most"))
    }

    /// What the run said it could not keep.
    fn told(&self) -> Option<String> {
        let Summary { over_limit, worst_excess, pinched, pierced } = self.summary;
        let mut told: Vec<String> =
            self.warnings.iter().map(|warning| format!("warned: {}", warning.kind)).collect();
        if over_limit > 0 && self.exceeded().is_none() {
            let percent = worst_excess * 100.0;
            told.push(format!("{over_limit} steps over limits, {percent:.3} % at most"));
        }
        if pinched > 0 {
            told.push(format!("{pinched} without room"));
        }
        if pierced > 0 {
            told.push(format!("{pierced} edges of solids through cloth"));
        }
        (!told.is_empty()).then(|| told.join(", "))
    }
}

/// Waits for the end of a process, or ends it when it has had its time.
fn wait(child: &mut Child) -> Result<Option<ExitStatus>, String> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(Some(status));
        }
        let spent = process::processor_time_of(child.id()).unwrap_or(begun.elapsed().as_secs_f64());
        if spent > PATIENCE {
            child.kill().map_err(|error| error.to_string())?;
            child.wait().map_err(|error| error.to_string())?;
            return Ok(None);
        }
        sleep(GLANCE);
    }
}

/// What is said first: of an error as JSON its first problem, of anything else its first lines, without
/// what draws boxes.
fn first_words(text: &str) -> String {
    if let Some(Ok(said)) = text.find('{').map(|at| serde_json::from_str::<Value>(&text[at..])) {
        let words = |value: &Value| value["message"].as_str().map(String::from);
        return words(&said["related"][0]).or_else(|| words(&said)).unwrap_or_default();
    }
    let lines = text.lines().map(|line| line.trim_matches(|c: char| !c.is_alphanumeric()));
    let said = |line: &&str| {
        !line.is_empty() && !line.starts_with("warning") && !line.starts_with("frame ")
    };
    let found: Vec<&str> = lines.filter(said).take(2).collect();
    found.join(" ").replace('|', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(over_limit: u64, worst_excess: f64, pinched: u32, kinds: &[&str]) -> Said {
        let warnings = kinds.iter().map(|kind| Warning { kind: (*kind).into() }).collect();
        Said { summary: Summary { over_limit, worst_excess, pinched, pierced: 0 }, warnings }
    }

    fn found(extension: f64, inside: u64, count: u64) -> Certificate {
        Certificate {
            extension: Some(Worst { value: extension }),
            inside: Some(inside),
            intersections: Some(Count { count }),
            unchecked: Vec::new(),
            unread: Vec::new(),
            violations: Vec::new(),
        }
    }

    #[test]
    fn a_promise_is_excused_by_what_was_said_of_it_alone() {
        let known = Known { contact: true, limit: Some(0.01), ..Known::default() };
        let untold = |said: &Said, found: &Certificate| said.untold(found, &known).len();
        assert_eq!(untold(&said(0, 0.0, 0, &[]), &found(0.01, 0, 0)), 0);
        assert_eq!(untold(&said(3, 0.02, 0, &[]), &found(0.03, 0, 0)), 0);
        // More than was told, and what was told of something else.
        assert_eq!(untold(&said(3, 0.02, 0, &[]), &found(0.04, 0, 0)), 1);
        assert_eq!(untold(&said(3, 0.02, 0, &["tangled"]), &found(0.01, 2, 0)), 1);
        assert_eq!(untold(&said(0, 0.0, 1, &["inside"]), &found(0.02, 2, 1)), 2);
        assert_eq!(untold(&said(0, 0.0, 1, &["layers", "apart"]), &found(0.02, 2, 1)), 0);
    }

    #[test]
    fn what_is_exceeded_is_told_only_where_it_was_said_beforehand() {
        assert!(said(1, 0.1, 0, &[]).exceeded().is_some());
        assert!(said(1, 0.1, 0, &["apart"]).exceeded().is_none());
        assert!(said(1, 0.1, 0, &["apart"]).told().is_some());
        assert!(said(0, 0.0, 0, &[]).told().is_none());
    }
}
