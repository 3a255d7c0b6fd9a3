//! What `cargo metadata` tells: the packages, what they depend on, and where things lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::process;

/// The part of cargo's answer that the chores read.
#[derive(Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_root: PathBuf,
    pub target_directory: PathBuf,
}

/// One crate of a workspace.
#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
    pub manifest_path: PathBuf,
}

impl Package {
    /// Where it lies.
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }
}

/// One direct dependency of a crate, as its manifest states it.
#[derive(Deserialize)]
pub struct Dependency {
    /// The name of the package, also where the manifest renames it.
    pub name: String,
    /// Absent for an ordinary dependency.
    pub kind: Option<Kind>,
    /// Present for a crate that lies beside this one.
    pub path: Option<String>,
}

/// The two kinds of dependency that are not part of the crate itself.
#[derive(Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Dev,
    Build,
}

/// Something a package builds: a library, a program, a test.
#[derive(Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
}

impl Metadata {
    /// Reads the workspace this program was built in.
    pub fn of_workspace() -> Result<Self, String> {
        Self::of_manifest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
    }

    /// Reads the workspace that the given `Cargo.toml` belongs to.
    pub fn of_manifest(manifest: &Path) -> Result<Self, String> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
        command.arg(manifest);
        let text = process::capture(&mut command)?;
        serde_json::from_str(&text)
            .map_err(|error| format!("the answer of `cargo metadata` could not be read: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_read() {
        let workspace = Metadata::of_workspace().unwrap();
        let own = workspace.packages.iter().find(|package| package.name == "xtask").unwrap();
        assert!(own.dependencies.iter().any(|used| used.name == "serde_json"));
        assert!(own.targets.iter().any(|target| target.kind == ["bin"]));
        assert!(workspace.workspace_root.join("Cargo.toml").exists());
    }

    #[test]
    fn a_missing_manifest_is_named() {
        let problem = Metadata::of_manifest(Path::new("nowhere/Cargo.toml")).err().unwrap();
        assert!(problem.contains("nowhere/Cargo.toml"), "{problem}");
    }
}
