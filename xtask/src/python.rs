//! The Python package: its wheel built, installed into a fresh environment and tested there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::tools::needs_network;

/// Builds the wheel and runs the package's own tests on what pip installed of it.
pub fn check(root: &Path, target: &Path) -> Result<(), String> {
    let wheel = test_wheel(root, target)?;
    let python = fresh_environment(root, &target.join("python/venv"))?;
    process::show(pip_install(&python).arg(wheel))?;
    let mut tests = Command::new(&python);
    tests.current_dir(root.join("crates/taffeta-python"));
    tests.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--durations=5", "tests"]);
    tests.env("TAFFETA_PROGRAM", target.join("debug/taffeta"));
    process::show(&mut tests)
}

/// Builds the wheel as tests are built, so that most is compiled already; its path.
pub fn test_wheel(root: &Path, target: &Path) -> Result<PathBuf, String> {
    build(root, target, &["--profile", "dev"])
}

/// Builds an optimised wheel without the tables of debuggers, which are five sixths of it.
pub fn wheel(root: &Path, target: &Path) -> Result<PathBuf, String> {
    build(root, target, &["--release", "--strip"])
}

/// Builds an optimised wheel that runs where the C library is that of 2018 or later, by a linker that
/// knows those of all years.
pub fn portable_wheel(root: &Path, target: &Path) -> Result<PathBuf, String> {
    build(root, target, &["--release", "--strip", "--zig", "--compatibility", "manylinux_2_28"])
}

fn build(root: &Path, target: &Path, options: &[&str]) -> Result<PathBuf, String> {
    let folder = target.join("python");
    let builder = builder(root, &folder.join("builder"))?;
    let wheels = folder.join("wheels");
    // One of an earlier version must not be taken for this one.
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    }
    let mut build = Command::new(&builder);
    build.current_dir(root.join("crates/taffeta-python"));
    build.args(["-m", "maturin", "build"]).args(options).arg("--out");
    // Where maturin looks for zig.
    let programs = builder.parent().map(PathBuf::from);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&known)));
    build.env("PATH", path.map_err(|error| error.to_string())?);
    process::show(build.arg(&wheels))?;
    wheel_in(&wheels)
}

/// The Python of an environment that builds wheels, kept from one time to the next.
fn builder(root: &Path, venv: &Path) -> Result<PathBuf, String> {
    let python = venv.join("bin/python");
    let wanted = root.join("xtask/tools/wheel.txt");
    let text = fs::read_to_string(&wanted).map_err(|e| format!("{}: {e}", wanted.display()))?;
    let stamp = venv.join("stamp");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == text)
        && process::works(&python.to_string_lossy(), &["--version"])
    {
        return Ok(python);
    }
    process::show(Command::new("python3").args(["-m", "venv", "--clear"]).arg(venv))?;
    process::show(pip_install(&python).arg("--requirement").arg(&wanted))
        .map_err(|problem| needs_network(&problem, "the Python Package Index"))?;
    fs::write(&stamp, text).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
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

/// Begins `pip install`.
pub fn pip_install(python: &Path) -> Command {
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
        for text in [include_str!("../tools/python.txt"), include_str!("../tools/wheel.txt")] {
            let mut packages = text.lines().filter(|line| !line.starts_with('#'));
            assert!(packages.all(|line| line.contains("==")), "{text}");
        }
    }
}
