//! The independent programs that tests read our files back with, installed under `target/tools`.
//!
//! `target/tools/venv` holds Python with numpy, trimesh, usd-core, av (FFmpeg) and pillow;
//! `target/tools/node_modules` holds the Khronos glTF validator.
//! The versions stand in `xtask/tools/`; a copy of those files, the stamp, tells a finished set-up.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process;

/// The files that say what is installed.
const REQUIREMENTS: [&str; 3] = ["requirements.txt", "package.json", "package-lock.json"];

/// Succeeds when Python can make an environment and is a version that usd-core is built for.
const PYTHON_PROBE: &str =
    "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))";

/// A program the set-up needs from the system.
struct Program {
    name: &'static str,
    probe: &'static [&'static str],
    /// The packages of Debian that bring it.
    debian: &'static [&'static str],
    remedy: &'static str,
}

const PROGRAMS: [Program; 2] = [
    Program {
        name: "python3",
        probe: &["-c", PYTHON_PROBE],
        debian: &["python3", "python3-venv"],
        remedy: "Python 3.11 to 3.14 with its venv module is needed as `python3`: install it from \
                 python.org, or on Debian 12 and later with `apt-get install python3 python3-venv`",
    },
    Program {
        name: "npm",
        probe: &["--version"],
        debian: &["nodejs", "npm"],
        remedy: "Node.js with `npm` is needed: install it from nodejs.org, or on Debian with \
                 `apt-get install nodejs npm`",
    },
];

/// Makes sure that `cargo fmt` and `cargo clippy` are there; a minimal toolchain lacks them.
pub fn rust_components() -> Vec<String> {
    [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter_map(|(command, component)| add_component(command, component).err())
        .collect()
}

fn add_component(command: &str, component: &str) -> Result<(), String> {
    if process::works("cargo", &[command, "--version"]) {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    add.args(["component", "add", component]);
    process::show(&mut add).map_err(|problem| {
        format!(
            "`cargo {command}` is missing and could not be added ({problem}): install the \
             component `{component}` of your Rust toolchain"
        )
    })
}

/// Installs what is missing or out of date into the folder `tools`; quick when nothing is.
pub fn set_up(root: &Path, tools: &Path) -> Result<(), String> {
    let wanted = read_requirements(root)?;
    let stamp = tools.join("stamp");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && usable(tools) {
        println!("already set up");
        return Ok(());
    }
    provide_programs()?;
    fs::create_dir_all(tools).map_err(|error| format!("{}: {error}", tools.display()))?;
    // Emptied first: a half-done installation must not pass for a finished one.
    fs::write(&stamp, "").map_err(|error| format!("{}: {error}", stamp.display()))?;
    install_python(root, tools)?;
    install_node(root, tools)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn read_requirements(root: &Path) -> Result<String, String> {
    REQUIREMENTS
        .iter()
        .map(|name| {
            let path = root.join("xtask/tools").join(name);
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        })
        .collect()
}

/// Whether what the stamp promises still runs: the system's Python may have gone since.
fn usable(tools: &Path) -> bool {
    process::works(&tools.join("venv/bin/python").to_string_lossy(), &["--version"])
        && tools.join("node_modules/gltf-validator/package.json").exists()
}

/// Finds the programs, or installs them where that is ours to do: as root on Debian.
fn provide_programs() -> Result<(), String> {
    let missing = missing_programs();
    if missing.is_empty() {
        return Ok(());
    }
    let mut problems = Vec::new();
    if Path::new("/etc/debian_version").exists() && is_root() {
        let packages: Vec<&str> = missing.iter().flat_map(|p| p.debian).copied().collect();
        problems.extend(install_from_debian(&packages).err());
    }
    let still_missing = missing_programs();
    problems.extend(still_missing.iter().map(|program| program.remedy.to_owned()));
    if still_missing.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn missing_programs() -> Vec<&'static Program> {
    PROGRAMS.iter().filter(|program| !process::works(program.name, program.probe)).collect()
}

/// Whether packages are ours to install.
pub fn is_root() -> bool {
    let mut id = Command::new("id");
    id.arg("-u");
    process::capture(&mut id).is_ok_and(|user| user.trim() == "0")
}

/// Installs packages of Debian by name.
pub fn install_from_debian(packages: &[&str]) -> Result<(), String> {
    let mut update = Command::new("apt-get");
    update.args(["update", "--quiet"]);
    process::show(&mut update)?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--quiet", "--yes", "--no-install-recommends"]).args(packages);
    process::show(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

fn install_python(root: &Path, tools: &Path) -> Result<(), String> {
    let venv = tools.join("venv");
    let mut create = Command::new("python3");
    create.args(["-m", "venv", "--clear"]).arg(&venv);
    process::show(&mut create)?;
    let mut install = Command::new(venv.join("bin/python"));
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--only-binary", ":all:", "--requirement"])
        .arg(root.join("xtask/tools/requirements.txt"));
    process::show(&mut install)
        .map_err(|problem| needs_network(&problem, "the Python Package Index"))
}

fn install_node(root: &Path, tools: &Path) -> Result<(), String> {
    for name in ["package.json", "package-lock.json"] {
        fs::copy(root.join("xtask/tools").join(name), tools.join(name))
            .map_err(|error| format!("{}: {error}", tools.join(name).display()))?;
    }
    let mut install = Command::new("npm");
    install.current_dir(tools).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    process::show(&mut install).map_err(|problem| needs_network(&problem, "the npm registry"))
}

/// What to say when packages cannot be fetched.
pub fn needs_network(problem: &str, place: &str) -> String {
    format!(
        "{problem}: the versions in xtask/tools/ could not be installed. They come from {place}: \
         check that it can be reached (directly or through the mirror this machine is set up for)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    #[test]
    fn every_python_package_is_pinned() {
        let text = fs::read_to_string(root().join("xtask/tools/requirements.txt")).unwrap();
        let packages: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        assert!(!packages.is_empty());
        assert!(packages.iter().all(|line| line.contains("==")), "{packages:?}");
    }

    #[test]
    fn the_node_lock_names_no_registry() {
        let text = fs::read_to_string(root().join("xtask/tools/package-lock.json")).unwrap();
        assert!(text.contains("gltf-validator") && text.contains("integrity"));
        assert!(!text.contains("resolved") && !text.contains("://"));
    }

    #[test]
    fn a_missing_requirement_file_is_named() {
        let problem = read_requirements(Path::new("nowhere")).unwrap_err();
        assert!(problem.starts_with("nowhere/xtask/tools/requirements.txt"), "{problem}");
    }

    #[test]
    fn an_empty_folder_is_not_usable() {
        assert!(!usable(Path::new("nowhere")));
    }
}
