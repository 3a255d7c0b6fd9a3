//! A program that is watched while it runs: its processor time, its memory, and no longer than it may.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::process;

/// How often a program is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// What was seen of a program that came to its end.
pub struct Watched {
    /// What it wrote to standard output.
    pub printed: String,
    /// Processor time it took \[s\], where the system tells.
    pub processor: Option<f64>,
    /// The most memory it had at a time \[MB\], where the system tells.
    pub peak: Option<f64>,
    /// The memory it had at each glance \[MB\].
    pub resident: Vec<f64>,
}

/// Runs a program; what it says goes to files in the folder. It is ended when it has had so many
/// seconds of processor time.
pub fn watch(command: &mut Command, folder: &Path, patience: f64) -> Result<Watched, String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(told)?;
    let [out, err] = ["out.txt", "err.txt"].map(|name| folder.join(name));
    command.stdin(Stdio::null());
    command.stdout(File::create(&out).map_err(told)?).stderr(File::create(&err).map_err(told)?);
    let before = process::processor_time();
    let mut child = command.spawn().map_err(told)?;
    let mut memory = Memory::default();
    let status = wait(&mut child, patience, &mut memory).map_err(told)?;
    let after = process::processor_time();
    let Some(status) = status else { return Err(format!("more than {patience} s")) };
    if !status.success() {
        return Err(first_words(&fs::read_to_string(&err).map_err(told)?));
    }
    Ok(Watched {
        printed: fs::read_to_string(&out).map_err(told)?,
        processor: after.zip(before).map(|(after, before)| after - before),
        peak: memory.peak,
        resident: memory.resident,
    })
}

/// What a program has of memory \[MB\].
#[derive(Default)]
struct Memory {
    peak: Option<f64>,
    resident: Vec<f64>,
}

impl Memory {
    fn look_at(&mut self, process: u32) {
        let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return };
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim()
                .strip_suffix(" kB")?
                .parse::<f64>()
                .ok()
                .map(|kibibytes| kibibytes * 1.024e-3)
        };
        // What has ended has no memory left, and its peak is not said any more.
        self.peak = of("VmHWM:").or(self.peak);
        self.resident.extend(of("VmRSS:"));
    }
}

/// Waits for the end of a program, or ends it when it has had its time.
fn wait(
    child: &mut Child,
    patience: f64,
    memory: &mut Memory,
) -> Result<Option<ExitStatus>, std::io::Error> {
    let begun = Instant::now();
    loop {
        memory.look_at(child.id());
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let spent = process::processor_time_of(child.id()).unwrap_or(begun.elapsed().as_secs_f64());
        if spent > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        sleep(GLANCE);
    }
}

/// The first problem that an error tells as JSON, or else its first line.
fn first_words(said: &str) -> String {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    if let Some(value) = said.find('{').and_then(|at| value(&said[at..])) {
        let words = |value: &serde_json::Value| value["message"].as_str().map(String::from);
        return words(&value["related"][0]).or_else(|| words(&value)).unwrap_or_default();
    }
    said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("taffeta-watch-{}-{name}", std::process::id()))
    }

    #[test]
    fn what_a_program_prints_and_takes_is_seen() {
        let folder = folder("prints");
        let seen = watch(Command::new("cargo").arg("--version"), &folder, 60.0).unwrap();
        assert!(seen.printed.starts_with("cargo "));
        assert!(seen.processor.is_none_or(|seconds| seconds < 60.0));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let folder = folder("fails");
        let problem = watch(Command::new("cargo").arg("--no-such-flag"), &folder, 60.0);
        assert!(problem.err().unwrap().contains("unexpected argument"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_first_problem_is_taken_from_what_is_said_as_json() {
        let said = "{\"message\": \"all\", \"related\": [{\"message\": \"the first\"}]}";
        assert_eq!(first_words(said), "the first");
        assert_eq!(first_words("{\"message\": \"alone\"}"), "alone");
        assert_eq!(first_words("\nplain\nwords"), "plain");
    }
}
