//! The experiments of the papers and those beyond them, run by the release build and written down in
//! `papers/<KEY>/` and on the page of results, `docs/results.md`.
//!
//! A set of experiments is a file here with a function that runs them, and a line in [`SETS`].

mod bb08;
mod bench;
mod bw98;
mod contact;
mod endurance;
mod figure;
mod growth;
mod hang;
mod mbcn09;
mod page;
mod places;
mod scenes;
mod stamp;
mod threads;
mod truth;
mod watch;
mod ye08;

use std::path::{Path, PathBuf};

use crate::metadata::Metadata;
use bench::Bench;
use figure::Figure;
use page::Page;
pub use stamp::{commit_of, day_of_today};

/// What is asked for.
#[derive(Default)]
pub struct Wishes {
    /// One set of experiments; all without it.
    key: Option<String>,
    /// Another scene than the paper's own.
    scene: Option<String>,
    /// Smaller experiments.
    quick: bool,
    /// The command to measure, instead of a fresh release build.
    program: Option<PathBuf>,
}

/// Runs a set of experiments.
enum Experiments {
    /// Of a paper, which has a folder of its own: its figures go on the page.
    Paper(fn(&Bench) -> Result<Vec<Figure>, String>),
    /// Of the page alone: its text.
    Own(fn(&Bench) -> Result<String, String>),
}

use Experiments::{Own, Paper};

/// Every set of experiments in the order of the page: its key, its title, and how.
const SETS: [(&str, &str, Experiments); 11] = [
    ("scenes", "The papers' scenes", Own(scenes::run)),
    ("BW98", "Large steps (BW98)", Paper(bw98::run)),
    ("Ye08", "Impulses (Ye08)", Paper(ye08::run)),
    ("BB08", "Strips (BB08)", Paper(bb08::run)),
    ("MBCN09", "Tearing (MBCN09)", Paper(mbcn09::run)),
    ("contact", "Contact", Paper(contact::run)),
    ("hang", "A hanging square, by others and by us", Own(hang::run)),
    ("growth", "Growth with the particles", Own(growth::run)),
    ("threads", "Threads", Own(threads::run)),
    ("endurance", "A long run", Own(endurance::run)),
    ("truth", "Physical truth", Own(truth::run)),
];

/// The section of `cargo xtask torture`, which comes last.
pub const TORTURE: &str = "Torture";

/// Replaces a section of the page.
pub fn put_section(root: &Path, title: &str, text: &str) -> Result<(), String> {
    let order: Vec<&str> = SETS.iter().map(|(_, title, _)| *title).collect();
    Page::open(root).put(title, text, &order)
}

/// Reads `[KEY [SCENE]] [--quick] [--program PATH]`.
pub fn parse(words: &[&str]) -> Result<Wishes, String> {
    let mut wishes = Wishes::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--quick" => wishes.quick = true,
            "--program" => {
                let program = words.next().ok_or("`--program` needs the path of the command")?;
                wishes.program = Some(PathBuf::from(program));
            }
            _ if word.starts_with('-') => {
                return Err(format!("`{word}` is none of --quick and --program"));
            }
            _ if wishes.key.is_none() => wishes.key = Some(word.into()),
            _ if wishes.scene.is_none() => wishes.scene = Some(word.into()),
            _ => return Err(format!("`{word}` is one word too many")),
        }
    }
    Ok(wishes)
}

/// Runs the experiments that are asked for and renews their sections of the page; true where all could
/// be run.
pub fn run(wishes: &Wishes) -> Result<bool, String> {
    let known = |key: &str| SETS.iter().any(|(known, ..)| known.eq_ignore_ascii_case(key));
    if let Some(key) = wishes.key.as_ref().filter(|key| !known(key)) {
        let all: Vec<&str> = SETS.iter().map(|(key, ..)| *key).collect();
        return Err(format!(
            "there are no experiments of {key}; there are those of {}",
            all.join(", ")
        ));
    }
    let root = Metadata::of_workspace()?.workspace_root;
    let mut all_ran = true;
    for (key, title, experiments) in SETS {
        if wishes.key.as_ref().is_some_and(|wish| !wish.eq_ignore_ascii_case(key)) {
            continue;
        }
        println!("\n== {title}");
        let text =
            section(&Bench::new(key, wishes)?, key, &experiments).unwrap_or_else(|problem| {
                println!("{problem}");
                all_ran = false;
                format!("**Not measured**: {problem}")
            });
        put_section(&root, title, &text)?;
    }
    Ok(all_ran)
}

/// What the page says of a set of experiments.
fn section(bench: &Bench, key: &str, experiments: &Experiments) -> Result<String, String> {
    match experiments {
        Own(run) => run(bench),
        Paper(run) => {
            let stamp = bench.stamp("1 thread");
            let figures = figure::table(&run(bench)?);
            let folder = format!("[papers/{key}](../papers/{key})");
            Ok(format!(
                "{stamp}\n{figures}\nIn full, from the last run that was not quick: {folder}.\n"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let wishes = parse(&["BW98", "drape-cylinder", "--quick", "--program", "x"]).ok().unwrap();
        assert_eq!(wishes.key.as_deref(), Some("BW98"));
        assert_eq!(wishes.scene.as_deref(), Some("drape-cylinder"));
        assert!(wishes.quick && wishes.program == Some("x".into()));
        assert!(parse(&["--slow"]).is_err());
        assert!(parse(&["--program"]).is_err());
        assert!(parse(&["a", "b", "c"]).is_err());
    }

    #[test]
    fn an_unknown_key_is_refused_before_anything_is_built() {
        let wishes = Wishes { key: Some("XY99".into()), ..Wishes::default() };
        assert!(run(&wishes).err().unwrap().contains("BW98"));
    }
}
