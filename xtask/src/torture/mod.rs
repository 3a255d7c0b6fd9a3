//! Random scenes over all features: run, checked by `taffeta check` and by a program that shares no code
//! with it, killed and resumed, and compared between numbers of threads.
//!
//! Scene `n` of a seed is always the same; its files stay in `target/torture` where something is wrong.

mod chance;
mod judge;
mod record;
mod scenes;
mod trial;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::metadata::Metadata;
use crate::process;

use judge::Judge;
use trial::{End, Trial};

/// The most scenes of a hundred that may end in an error, take too long or exceed their limits.
const MOST_ENDED: usize = 5;

/// What is asked for.
pub struct Wishes {
    minutes: f64,
    seed: u64,
    /// A single scene, by its number, or so many.
    only: Option<u64>,
    scenes: Option<u64>,
    /// The command to torture, instead of a fresh release build.
    program: Option<PathBuf>,
    /// Whether the counts go on the page of results.
    record: bool,
}

/// Reads `--minutes N`, `--seed S`, `--scene N`, `--scenes N`, `--program PATH` and `--record`.
pub fn parse(words: &[&str]) -> Result<Wishes, String> {
    let mut wishes =
        Wishes { minutes: 10.0, seed: 1, only: None, scenes: None, program: None, record: false };
    let mut words = words.iter();
    while let Some(&option) = words.next() {
        if option == "--record" {
            wishes.record = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{option}` needs a value"))?;
        let told = |_| format!("`{value}` is not a number for `{option}`");
        match option {
            "--minutes" => wishes.minutes = value.parse().map_err(|_| told(()))?,
            "--seed" => wishes.seed = value.parse().map_err(|_| told(()))?,
            "--scene" => wishes.only = Some(value.parse().map_err(|_| told(()))?),
            "--scenes" => wishes.scenes = Some(value.parse().map_err(|_| told(()))?),
            "--program" => wishes.program = Some(PathBuf::from(value)),
            _ => {
                return Err(format!(
                    "`{option}` is none of --minutes, --seed, --scene, --scenes, --program and --record"
                ));
            }
        }
    }
    Ok(wishes)
}

/// Tortures the release build; true where no promise was broken and few scenes ended early.
pub fn run(wishes: &Wishes) -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let root = workspace.workspace_root.as_path();
    let target = &workspace.target_directory;
    let program = match &wishes.program {
        Some(program) => program.clone(),
        None => {
            let mut build = Command::new("cargo");
            build.current_dir(root).args(["build", "--release", "-p", "taffeta-cli"]);
            process::show(&mut build)?;
            target.join("release").join("taffeta")
        }
    };
    let place = Place {
        program,
        folder: target.join("torture"),
        judge: Judge::set_up(root, &target.join("tools").join("torture"))?,
        seed: wishes.seed,
    };
    let begun = Instant::now();
    let patience = Duration::from_secs_f64(60.0 * wishes.minutes);
    let mut ends: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut numbers = match wishes.only {
        Some(one) => one..one + 1,
        None => 0..wishes.scenes.unwrap_or(u64::MAX),
    };
    println!("| scene | particles | limits | ended | seconds | what |\n|---|---|---|---|---|---|");
    while let Some(number) = numbers.next().filter(|_| begun.elapsed() < patience) {
        let end = place.one(number)?;
        ends.entry(end).or_default().push(number);
    }
    if wishes.record && wishes.only.is_none() {
        record::write(root, wishes.seed, &ends)?;
    }
    Ok(conclude(wishes.seed, &ends))
}

/// What every scene needs.
struct Place {
    program: PathBuf,
    folder: PathBuf,
    judge: Judge,
    seed: u64,
}

impl Place {
    /// Runs a scene through everything and prints its line of the table; how it ended.
    fn one(&self, number: u64) -> Result<&'static str, String> {
        let scene = scenes::scene(self.seed, number);
        let folder = self.folder.join(format!("{}-{number}", self.seed));
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(told)?;
        }
        fs::create_dir_all(&folder).map_err(told)?;
        fs::write(folder.join("scene.toml"), &scene.text).map_err(told)?;
        let trial = Trial { program: &self.program, folder: &folder, judge: &self.judge };
        let begun = Instant::now();
        let end = trial.through_all(&scene.known, number)?;
        let (limit, particles) = (scene.known.limit, size_of(&scene.text));
        let limit = limit.map_or("–".into(), |limit| format!("{} %", limit * 100.0));
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "| {number} | {particles} | {limit} | {} | {seconds:.1} | {} |",
            end.name(),
            end.why()
        );
        if matches!(end, End::Held | End::Told(_) | End::Refused(_)) {
            fs::remove_dir_all(&folder).map_err(told)?;
        }
        Ok(end.name())
    }
}

/// How many particles a scene has, as it says it.
fn size_of(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("particles = ["));
    line.and_then(|rest| rest.strip_suffix(']')).unwrap_or("")
}

/// Prints how many scenes ended how; whether that is good enough.
fn conclude(seed: u64, ends: &BTreeMap<&str, Vec<u64>>) -> bool {
    let all: usize = ends.values().map(Vec::len).sum();
    println!("\nseed {seed}, {all} scenes");
    for (name, which) in ends {
        let listed: Vec<String> = which.iter().take(20).map(u64::to_string).collect();
        println!("{name:>10} {:4}   {}", which.len(), listed.join(" "));
    }
    let of = |name: &str| ends.get(name).map_or(0, Vec::len);
    let ended = of(trial::STOPPED) + of(trial::SLOW) + of(trial::EXCEEDED);
    of(trial::BROKEN) == 0 && 100 * ended <= MOST_ENDED * all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let wishes = parse(&["--minutes", "0.5", "--seed", "9"]).map(|w| (w.minutes, w.seed));
        assert_eq!(wishes, Ok((0.5, 9)));
        let wishes = parse(&["--record", "--scenes", "7", "--program", "x"]).ok().unwrap();
        assert!(wishes.record && wishes.scenes == Some(7) && wishes.program == Some("x".into()));
        assert!(parse(&["--minutes"]).is_err());
        assert!(parse(&["--seed", "x"]).is_err());
        assert!(parse(&["--hours", "1"]).is_err());
    }

    #[test]
    fn a_broken_promise_fails_and_so_do_many_errors() {
        let ends = |name, count: u64| {
            BTreeMap::from([(name, (0..count).collect()), ("held", (0..94).collect())])
        };
        assert!(conclude(1, &ends(trial::SLOW, 4)));
        assert!(!conclude(1, &ends(trial::SLOW, 6)));
        assert!(!conclude(1, &ends(trial::BROKEN, 1)));
    }
}
