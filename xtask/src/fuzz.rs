//! A bounded run of every fuzz target, with corpus and findings under the target folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::metadata::Metadata;
use crate::process;
use crate::stage::Report;

/// How long each target runs unless told \[s\].
pub const DEFAULT_SECONDS: u32 = 30;

/// Reads the time to spend on each target.
pub fn parse_seconds(word: &str) -> Result<u32, String> {
    match word.parse() {
        Ok(seconds) if seconds > 0 => Ok(seconds),
        _ => Err(format!(
            "`{word}` is not a time: give a whole number of seconds, as in `cargo xtask fuzz 60`"
        )),
    }
}

/// Fuzzes every target for `seconds`; true when none of them found anything.
pub fn run(seconds: u32) -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let folder = workspace.workspace_root.join("fuzz");
    let targets = targets(&folder)?;
    provide_fuzzer()?;
    let mut report = Report::default();
    for target in &targets {
        let job = Job { fuzz: &folder, output: &workspace.target_directory, target, seconds };
        report.stage(target, || job.run());
    }
    Ok(report.conclude())
}

/// The programs that the fuzz folder's own manifest lists.
fn targets(folder: &Path) -> Result<Vec<String>, String> {
    let manifest = Metadata::of_manifest(&folder.join("Cargo.toml"))?;
    let names: Vec<String> = manifest
        .packages
        .into_iter()
        .flat_map(|package| package.targets)
        .filter(|target| target.kind.iter().any(|kind| kind == "bin"))
        .map(|target| target.name)
        .collect();
    if names.is_empty() { Err("fuzz/Cargo.toml lists no target".to_owned()) } else { Ok(names) }
}

/// cargo-fuzz is installed where it is missing; a second toolchain is left to the reader.
fn provide_fuzzer() -> Result<(), String> {
    if !process::works("cargo", &["+nightly", "--version"]) {
        return Err(
            "fuzzing needs Rust's nightly toolchain (for its sanitizers): install it with \
                    `rustup toolchain install nightly`"
                .to_owned(),
        );
    }
    if process::works("cargo", &["fuzz", "--version"]) {
        return Ok(());
    }
    process::show(Command::new("cargo").args(["install", "cargo-fuzz", "--locked"]))
        .map_err(|problem| format!("{problem}: install cargo-fuzz by hand, then run this again"))
}

/// One target's run.
struct Job<'a> {
    fuzz: &'a Path,
    /// The target folder of the workspace.
    output: &'a Path,
    target: &'a str,
    seconds: u32,
}

impl Job<'_> {
    fn run(&self) -> Result<(), String> {
        let corpus = self.output.join("fuzz-corpus").join(self.target);
        let findings = self.output.join("fuzz-findings").join(self.target);
        for folder in [&corpus, &findings] {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let found = format!("the input that did it is in {}", findings.display());
        process::show(&mut self.command(&corpus, &findings))
            .map_err(|problem| format!("{problem}; if the target crashed, {found}"))
    }

    fn command(&self, corpus: &Path, findings: &Path) -> Command {
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", "run", "--fuzz-dir"]).arg(self.fuzz);
        command.arg("--target-dir").arg(self.output.join("fuzz"));
        command.arg(self.target).arg(corpus);
        let seeds = self.fuzz.join("seeds").join(self.target);
        if seeds.exists() {
            command.arg(seeds);
        }
        command.args(["--", &format!("-max_total_time={}", self.seconds), "-print_final_stats=1"]);
        command.arg(format!("-artifact_prefix={}/", findings.display()));
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_whole_and_positive() {
        assert_eq!(parse_seconds("60"), Ok(60));
        for word in ["0", "-1", "1.5", "soon", ""] {
            assert!(parse_seconds(word).unwrap_err().contains("whole number"), "{word}");
        }
    }

    #[test]
    fn findings_and_new_inputs_stay_out_of_the_fuzz_folder() {
        let job =
            Job { fuzz: "fuzz".as_ref(), output: "target".as_ref(), target: "obj", seconds: 5 };
        let command = job.command("target/corpus".as_ref(), "target/findings".as_ref());
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        assert!(words.contains(&"-artifact_prefix=target/findings/".into()), "{words:?}");
        assert!(words.contains(&"-max_total_time=5".into()), "{words:?}");
        let target = words.iter().position(|word| word == "obj").unwrap();
        assert_eq!(words[target + 1], "target/corpus", "new inputs go to the first folder");
    }
}
