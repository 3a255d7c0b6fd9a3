//! Programs that are not ours, for tests that read our files with them.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of programs that `TAFFETA_TOOLS` names.
pub struct Tools {
    pub folder: PathBuf,
}

impl Tools {
    /// The tools, or a loud note that the test is skipped.
    pub fn find() -> Option<Self> {
        let folder = std::env::var_os("TAFFETA_TOOLS").map(PathBuf::from);
        if folder.is_none() {
            // Not by a macro: what those print is hidden when a test passes.
            let note = "SKIPPED: set TAFFETA_TOOLS to a folder with venv/ and node_modules/\n";
            let _ = std::io::stderr().write_all(note.as_bytes());
        }
        folder.map(|folder| Self { folder })
    }

    /// Fails unless a file or folder is among the tools.
    pub fn require(&self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        assert!(path.exists(), "TAFFETA_TOOLS is set, but {} is not there", path.display());
        path
    }

    /// Runs one of the scripts in `readers/` with the tools' Python.
    pub fn python(&self, script: &str, arguments: &[&OsStr]) {
        self.run(&self.require("venv/bin/python"), script, arguments);
    }

    /// Runs one of the scripts in `readers/`; what it says is part of the failure.
    pub fn run(&self, program: &Path, script: &str, arguments: &[&OsStr]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers").join(script);
        let output = Command::new(program)
            .arg(&script)
            .args(arguments)
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        println!("{said}");
        assert!(output.status.success(), "{} failed:\n{said}{complained}", script.display());
    }
}
