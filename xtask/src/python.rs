//! The Python package: its wheel built, installed into a fresh environment and tested there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::tools::needs_network;

/// Builds the wheel and runs the package's own tests on what pip installed of it.
pub fn check(root: &Path, target: &Path) -> Result<(), String> {
    let folder = target.join("python");
    let package = root.join("crates/taffeta-python");
    let python = fresh_environment(root, &folder.join("venv"))?;
    let wheels = folder.join("wheels");
    // One of an earlier version must not be taken for this one.
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    }
    // The profile of the other tests, so that most is compiled already.
    let mut build = Command::new(&python);
    build.current_dir(&package).args(["-m", "maturin", "build", "--profile", "dev", "--out"]);
    process::show(build.arg(&wheels))?;
    let mut install = pip_install(&python);
    process::show(install.arg(wheel_in(&wheels)?))?;
    let mut tests = Command::new(&python);
    tests.current_dir(&package).args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]);
    tests.args(["--durations=5", "tests"]);
    tests.env("TAFFETA_PROGRAM", target.join("debug/taffeta"));
    process::show(&mut tests)
}

/// An environment with the tools of the tests and nothing else; its Python.
fn fresh_environment(root: &Path, venv: &Path) -> Result<PathBuf, String> {
    let mut create = Command::new("python3");
    create.args(["-m", "venv", "--clear"]).arg(venv);
    process::show(&mut create)?;
    let python = venv.join("bin/python");
    let mut install = pip_install(&python);
    install.arg("--requirement").arg(root.join("xtask/tools/python.txt"));
    process::show(&mut install)
        .map_err(|problem| needs_network(&problem, "the Python Package Index"))?;
    Ok(python)
}

fn pip_install(python: &Path) -> Command {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(["--only-binary", ":all:"]);
    install
}

fn wheel_in(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut wheels = paths.filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    wheels.next().ok_or_else(|| format!("maturin left no wheel in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_wheel_is_a_problem() {
        assert!(wheel_in(Path::new("nowhere")).unwrap_err().starts_with("nowhere"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(wheel_in(here).unwrap_err().starts_with("maturin left no wheel"));
    }

    #[test]
    fn every_package_is_pinned() {
        let text = include_str!("../tools/python.txt");
        let mut packages = text.lines().filter(|line| !line.starts_with('#'));
        assert!(packages.all(|line| line.contains("==")), "{text}");
    }
}
