//! Chores of the workspace: `cargo xtask` lists them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore speaks to the terminal")]

mod blender;
mod directions;
mod documents;
mod fuzz;
mod gallery;
mod layers;
mod metadata;
mod papers;
mod process;
mod python;
mod scenes;
mod stage;
mod strain;
mod tools;
mod torture;
mod viewer;

use std::path::Path;
use std::process::{Command, ExitCode};

use metadata::Metadata;
use stage::{Outcome, Report};

const USAGE: &str = "\
usage: cargo xtask <command>

  test             set up the tools, then run every check and every test
  ci               the same as test; what .ci/run stands for
  house            only the quick checks of test: directions, layers and documents
  docs             rewrite the documents that are generated from the code
  python           build the Python package and test it in a fresh environment; a stage of test
  python wheel     build a wheel that runs on any Linux with a C library of 2018 or later
  viewer           compare the page with its sources and try it in a browser; a stage of test
  viewer answers   measure in a browser how long a hand waits for its picture
  blender          build the Blender extension, taffeta-<version>.zip, with the wheel inside
  blender test     install it into Blender as a module of Python and test it; a stage of test. A
                   Python may follow (3.11 or 3.13, which decides which Blender it is)
  blender docs     the same, and make the pictures of docs/blender.md
  blender window   try it in a Blender with a window, and make the pictures of its panel; the
                   program may follow
  gallery          run every built-in scene and make its picture in docs/gallery/
  strain [taffeta] measure strain against time for every method into docs/strain/, with this
                   command or else a fresh release build
  papers [KEY]     run all experiments, or those of a paper (BB08, BW98, MBCN09, Ye08), `scenes`,
                   `contact`, `hang`, `growth`, `threads`, `endurance` or `truth`, and write
                   docs/results.md and papers/KEY/; a scene may follow, to run them on another;
                   --quick for smaller ones, --program PATH to measure that command
  torture          run random scenes, check them by a program of others, kill and resume them, and
                   compare numbers of threads: --minutes N (10), --seed S (1), --scene N for one
  fuzz [seconds]   run every fuzz target for so long (30 seconds each unless told)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(true)
        }
        ["test" | "ci"] => test(),
        ["house"] => house(),
        ["docs"] => docs(),
        ["gallery"] => gallery::make(),
        ["python"] => python(),
        ["python", "wheel"] => wheel(),
        ["viewer"] => viewer(),
        ["viewer", "answers"] => answers(),
        ["blender"] => blender::build(),
        ["blender", "test"] => blender::test(None, false),
        ["blender", "test", python] => blender::test(Some(python), false),
        ["blender", "docs"] => blender::test(None, true),
        ["blender", "window"] => blender::window("blender"),
        ["blender", "window", program] => blender::window(program),
        ["strain"] => strain_of_release(),
        ["strain", program] => strain::measure(Path::new(program)),
        ["papers", words @ ..] => papers::parse(words).and_then(|wishes| papers::run(&wishes)),
        ["torture", options @ ..] => {
            torture::parse(options).and_then(|wishes| torture::run(&wishes))
        }
        ["fuzz"] => fuzz::run(fuzz::DEFAULT_SECONDS),
        ["fuzz", seconds] => fuzz::parse_seconds(seconds).and_then(fuzz::run),
        _ => Err(format!("`cargo xtask {}` is not a command\n\n{USAGE}", words.join(" "))),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// What can be read from the sources alone.
fn house() -> Result<bool, String> {
    let mut report = Report::default();
    check_house(&Metadata::of_workspace()?, &mut report);
    Ok(report.conclude())
}

fn check_house(workspace: &Metadata, report: &mut Report) {
    report.stage("dependency directions", || directions::check(&workspace.packages));
    report.stage("layers of modules", || layers::check(&workspace.packages));
    report.stage("documents", || documents::check(&workspace.workspace_root));
}

/// Measures with a fresh release build.
fn strain_of_release() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    process::show(&mut cargo(&workspace.workspace_root, "build --release"))?;
    strain::measure(&workspace.target_directory.join("release").join("taffeta"))
}

/// Runs every stage, whatever the stages before it found; true when none failed.
fn test() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let root = workspace.workspace_root.as_path();
    let tools = workspace.target_directory.join("tools");
    let mut report = Report::default();
    report.stage("rust components", tools::rust_components);
    report.stage("rustfmt", || process::show(&mut cargo(root, "fmt --all --check")));
    report.stage("clippy", || {
        process::show(&mut cargo(
            root,
            "clippy --workspace --all-targets --keep-going -- -D warnings",
        ))
    });
    report.stage("clippy, without movies", || {
        let part = "clippy -p taffeta-render --no-default-features -- -D warnings";
        process::show(&mut cargo(root, part))
    });
    report.stage("rustdoc", || {
        let mut rustdoc = cargo(root, "doc --workspace --no-deps --keep-going");
        process::show(rustdoc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    check_house(&workspace, &mut report);
    report.stage("tools set-up", || tools::set_up(root, &tools));
    report.stage("tests", || {
        let mut tests = cargo(root, "test --workspace --no-fail-fast");
        tests.env("TAFFETA_TOOLS", &tools);
        process::show(&mut tests)
    });
    report.stage("python package", || python::check(root, &workspace.target_directory));
    report.stage("page in a browser", || viewer::check(root, &workspace.target_directory));
    report.stage("blender extension", || {
        blender::check(root, &workspace.target_directory, None, false)
    });
    report.stage("golden hashes, release", || golden_in_release(root));
    report.stage("built-in scenes", || match scenes::check(root, &workspace.target_directory) {
        Ok(problems) => Outcome::from(problems),
        Err(problem) => Outcome::from(Err(problem)),
    });
    Ok(report.conclude())
}

fn viewer() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    process::show(&mut cargo(&workspace.workspace_root, "build"))?;
    let mut report = Report::default();
    report.stage("page in a browser", || {
        viewer::check(&workspace.workspace_root, &workspace.target_directory)
    });
    Ok(report.conclude())
}

fn answers() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    viewer::answers(&workspace.workspace_root, &workspace.target_directory).map(|()| true)
}

fn python() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    python::check(&workspace.workspace_root, &workspace.target_directory).map(|()| true)
}

fn wheel() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let wheel = python::portable_wheel(&workspace.workspace_root, &workspace.target_directory)?;
    println!("{}", wheel.display());
    Ok(true)
}

/// The test stage has compared the golden hashes without full optimisation; release must agree.
fn golden_in_release(root: &Path) -> Outcome {
    let test = "crates/taffeta/tests/golden.rs";
    if !root.join(test).exists() {
        return Outcome::Skipped(format!("there is no {test}"));
    }
    process::show(&mut cargo(root, "test --release -p taffeta --test golden")).into()
}

fn docs() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let mut update = cargo(&workspace.workspace_root, "test -p taffeta-scene --test documented");
    update.env("TAFFETA_UPDATE_DOCS", "1");
    process::show(&mut update).map(|()| true)
}

fn cargo(root: &Path, arguments: &str) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root).args(arguments.split_whitespace());
    command
}
