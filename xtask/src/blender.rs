//! The Blender extension: the add-on in `blender/` and the wheel of the Python package as one zip,
//! tested in Blender as a module of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::metadata::Metadata;
use crate::stage::Outcome;
use crate::{process, python};

/// Tells that Python is a version that Blender as a module is built for, and can make environments.
const PROBE: &str =
    "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 13)))";
/// Where such a Python may be found.
const PYTHONS: [&str; 3] = ["python3.13", "python3.11", "python3"];
/// What pictures of the documentation are named by, while tests make them.
const PICTURES: &str = "TAFFETA_BLENDER_PICTURES";

/// Builds the extension with an optimised wheel; tells where it is.
pub fn build() -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let (root, target) = (&workspace.workspace_root, &workspace.target_directory);
    let wheel = python::wheel(root, target)?;
    let zip = pack(root, target, &wheel)?;
    println!(
        "{}\nin Blender: Edit > Preferences > Get Extensions > Install from Disk",
        zip.display()
    );
    Ok(true)
}

/// Tests the extension on its own: with this Python, or one that is found.
pub fn test(python: Option<&str>, pictures: bool) -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    match check(&workspace.workspace_root, &workspace.target_directory, python, pictures) {
        Outcome::Passed => Ok(true),
        Outcome::Skipped(reason) => Err(format!("not tested: {reason}")),
        Outcome::Failed(problems) => Err(problems.join("\n")),
    }
}

/// Tries the extension in a Blender with a window, bakes there and keeps pictures of the panel.
pub fn window(program: &str) -> Result<bool, String> {
    let workspace = Metadata::of_workspace()?;
    let (root, target) = (&workspace.workspace_root, &workspace.target_directory);
    for (needed, option) in
        [(program, "--version"), ("xvfb-run", "--help"), ("import", "--version")]
    {
        if !process::works(needed, &[option]) {
            return Err(format!(
                "`{needed}` does not start: this takes a Blender of 4.2 or later and, of Debian's \
                 packages, xvfb and imagemagick"
            ));
        }
    }
    let zip = pack(root, target, &python::test_wheel(root, target)?)?;
    // A screen of its own: the same picture everywhere.
    let mut blender = Command::new("xvfb-run");
    blender.args(["--auto-servernum", "--server-args=-screen 0 1280x800x24", program]);
    blender.args(["--factory-startup", "--window-geometry", "0", "0", "1280", "800", "--python"]);
    blender.arg(root.join("blender/tests/window.py")).arg("--").arg(zip);
    blender.arg(root.join("docs/blender"));
    blender.env("BLENDER_USER_RESOURCES", target.join("blender/window"));
    let told = process::capture(&mut blender)?;
    // Blender ends well whatever became of a script.
    match told.contains("the window test passed") {
        true => Ok(true),
        false => Err(told),
    }
}

/// Packs the extension, installs it into Blender and runs its tests there, and those that read
/// exported files with Blender; skipped where Blender is not to be had.
pub fn check(root: &Path, target: &Path, python: Option<&str>, pictures: bool) -> Outcome {
    let found = python.or_else(|| PYTHONS.into_iter().find(|p| process::works(p, &["-c", PROBE])));
    let Some(found) = found else {
        return Outcome::Skipped(
            "Blender as a module needs Python 3.11 or 3.13 with its venv module; on Debian 12: \
             `apt-get install python3 python3-venv`"
                .into(),
        );
    };
    let venv = target.join("tools/blender");
    if let Err(problem) = environment(root, &venv, found) {
        return Outcome::Skipped(format!("Blender (bpy) could not be installed: {problem}"));
    }
    run_tests(root, target, &venv, pictures).into()
}

fn run_tests(root: &Path, target: &Path, venv: &Path, pictures: bool) -> Result<(), String> {
    let wheel = python::test_wheel(root, target)?;
    let zip = pack(root, target, &wheel)?;
    let mut tests = Command::new(venv.join("bin/python"));
    tests.current_dir(root.join("blender")).args(["-m", "pytest", "--quiet", "--durations=5"]);
    tests.args(["-p", "no:cacheprovider", "tests"]).env("TAFFETA_EXTENSION", &zip);
    // Not among the settings of whoever uses Blender here.
    tests.env("BLENDER_USER_RESOURCES", target.join("blender/user"));
    if pictures {
        tests.env(PICTURES, root.join("docs/blender"));
    }
    process::show(&mut tests)?;
    let mut readers = Command::new("cargo");
    // Of the whole workspace, so that what is compiled for other tests serves here too.
    readers.current_dir(root).args(["test", "--workspace", "--test", "independent_readers"]);
    readers.args(["blender", "--", "--ignored"]).env("TAFFETA_TOOLS", target.join("tools"));
    process::show(&mut readers)
}

/// An environment with Blender in it; kept as long as what it is made of is the same.
fn environment(root: &Path, venv: &Path, python: &str) -> Result<(), String> {
    let wanted = root.join("xtask/tools/blender.txt");
    let text = fs::read_to_string(&wanted).map_err(|e| format!("{}: {e}", wanted.display()))?;
    let version = process::capture(Command::new(python).arg("--version"))?;
    let (stamp, wanted_stamp) = (venv.join("stamp"), format!("{version}{text}"));
    let runs = process::works(&venv.join("bin/python").to_string_lossy(), &["--version"]);
    if runs && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted_stamp) {
        return Ok(());
    }
    process::show(Command::new(python).args(["-m", "venv", "--clear"]).arg(venv))?;
    let mut install = python::pip_install(&venv.join("bin/python"));
    process::show(install.arg("--requirement").arg(&wanted))?;
    fs::write(&stamp, wanted_stamp).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Makes the zip; returns its path.
fn pack(root: &Path, target: &Path, wheel: &Path) -> Result<PathBuf, String> {
    let told = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let (source, stage) = (root.join("blender"), target.join("blender/stage"));
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(|error| told(&stage, error))?;
    }
    fs::create_dir_all(stage.join("wheels")).map_err(|error| told(&stage, error))?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let copy = |from: &Path, to: PathBuf| fs::copy(from, to).map_err(|error| told(from, error));
    copy(wheel, stage.join("wheels").join(&name))?;
    for entry in fs::read_dir(&source).map_err(|error| told(&source, error))? {
        let path = entry.map_err(|error| told(&source, error))?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if file.ends_with(".py") || file == "LICENSE" {
            copy(&path, stage.join(file))?;
        }
    }
    let template = source.join("blender_manifest.toml");
    let text = fs::read_to_string(&template).map_err(|error| told(&template, error))?;
    let version = env!("CARGO_PKG_VERSION");
    let manifest = text
        .replace("{version}", version)
        .replace("{wheel}", &name)
        .replace("{platform}", platform(&name)?);
    let place = stage.join("blender_manifest.toml");
    fs::write(&place, manifest).map_err(|error| told(&place, error))?;
    let zip = target.join(format!("blender/taffeta-{version}.zip"));
    let _ = fs::remove_file(&zip);
    let mut names: Vec<PathBuf> = fs::read_dir(&stage)
        .map_err(|error| told(&stage, error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.sort();
    let mut make = Command::new("python3");
    make.args(["-m", "zipfile", "-c"]).arg(&zip).args(&names);
    process::capture(&mut make)?;
    Ok(zip)
}

/// What Blender calls the platform that a wheel is for.
fn platform(wheel: &str) -> Result<&'static str, String> {
    let known = [
        ("linux_x86_64", "linux-x64"),
        ("win_amd64", "windows-x64"),
        ("win_arm64", "windows-arm64"),
        ("macosx_", "macos-x64"),
    ];
    let name = match wheel.contains("manylinux") && wheel.contains("x86_64") {
        true => Some("linux-x64"),
        false if wheel.contains("macosx_") && wheel.contains("arm64") => Some("macos-arm64"),
        false => known.iter().find(|(part, _)| wheel.contains(part)).map(|(_, name)| *name),
    };
    name.ok_or_else(|| format!("Blender has no name for the platform of {wheel}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_have_blenders_names() {
        for (wheel, name) in [
            ("taffeta-0.1.0-cp310-abi3-manylinux_2_34_x86_64.whl", "linux-x64"),
            ("taffeta-0.1.0-cp310-abi3-linux_x86_64.whl", "linux-x64"),
            ("taffeta-0.1.0-cp310-abi3-win_amd64.whl", "windows-x64"),
            ("taffeta-0.1.0-cp310-abi3-macosx_11_0_arm64.whl", "macos-arm64"),
            ("taffeta-0.1.0-cp310-abi3-macosx_11_0_x86_64.whl", "macos-x64"),
        ] {
            assert_eq!(platform(wheel), Ok(name));
        }
        assert!(platform("taffeta-0.1.0-cp310-abi3-manylinux_2_34_aarch64.whl").is_err());
    }

    #[test]
    fn every_package_is_pinned_and_every_python_has_its_blender() {
        let text = include_str!("../tools/blender.txt");
        let packages: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(packages.iter().all(|line| line.contains("==")), "{text}");
        for version in ["3.11", "3.13"] {
            let (major, minor) = version.split_once('.').unwrap();
            assert!(PROBE.contains(&format!("({major}, {minor})")));
            assert!(packages.iter().any(|l| l.starts_with("bpy") && l.contains(version)));
        }
    }
}
