//! The independent checker: `xtask/tools/torture.py` with the IPC Toolkit, in an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::scenes::Known;
use crate::process;
use crate::tools::needs_network;

/// How far a particle may seem inside a ball, and an edge longer than its limit, by rounding.
const ROUNDING: f64 = 1e-9;

/// Where its Python and its script are.
pub struct Judge {
    python: PathBuf,
    script: PathBuf,
}

/// The worst of all frames.
#[derive(Deserialize)]
struct Found {
    frames: u32,
    intersections: u32,
    ipc: u32,
    depth: f64,
    extension: f64,
}

impl Judge {
    /// Installs what is missing.
    pub fn set_up(root: &Path, folder: &Path) -> Result<Self, String> {
        let wanted = root.join("xtask/tools/torture.txt");
        let told = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&wanted).map_err(|error| told(&wanted, error))?;
        let (python, stamp) = (folder.join("bin/python"), folder.join("stamp"));
        let ready = fs::read_to_string(&stamp).is_ok_and(|found| found == text);
        if !ready || !process::works(&python.to_string_lossy(), &["--version"]) {
            process::show(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
            let mut install = Command::new(&python);
            install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            install.args(["--only-binary", ":all:", "--requirement"]).arg(&wanted);
            process::show(&mut install)
                .map_err(|problem| needs_network(&problem, "the Python Package Index"))?;
            fs::write(&stamp, text).map_err(|error| told(&stamp, error))?;
        }
        Ok(Self { python, script: root.join("xtask/tools/torture.py") })
    }

    /// What does not hold in the frames of a folder, and whether only a limit does not.
    pub fn look(&self, folder: &Path, known: &Known) -> Result<(Vec<String>, Option<f64>), String> {
        let known_text = serde_json::to_string(known).map_err(|error| error.to_string())?;
        let mut look = Command::new(&self.python);
        let said = process::capture(look.arg(&self.script).arg(folder).arg(known_text))?;
        let found: Found = serde_json::from_str(&said).map_err(|error| error.to_string())?;
        let mut broken = Vec::new();
        if found.frames == 0 {
            broken.push("no frame was exported".into());
        }
        if found.intersections > 0 || found.ipc > 0 {
            broken.push(format!(
                "{} edges through triangles by exact signs, {} frames by the IPC Toolkit",
                found.intersections, found.ipc
            ));
        }
        if found.depth > ROUNDING {
            broken.push(format!("{:.1e} m inside a ball", found.depth));
        }
        let over = known.extension.map(|limit| found.extension - limit);
        Ok((broken, over.filter(|over| *over > ROUNDING)))
    }
}
