//! The files of the repository, as paths from its root.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process;

/// Folders that git would ignore, passed over where there is no git to ask.
const PASSED_OVER: [&str; 6] = [".git", "target", "out", "node_modules", "__pycache__", "venv"];

/// A sorted set of paths with forward slashes.
pub struct Tree {
    files: BTreeSet<String>,
}

impl Tree {
    /// Asks git for all files that it tracks or would track; walks the folders of a plain copy.
    pub fn read(root: &Path) -> Result<Self, String> {
        let files = if root.join(".git").exists() { list(root)? } else { walk(root, "")? };
        Ok(Self { files: files.into_iter().filter(|path| root.join(path).exists()).collect() })
    }

    #[cfg(test)]
    pub fn of(files: &[&str]) -> Self {
        Self { files: files.iter().map(|&path| path.to_owned()).collect() }
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Whether this file, or a folder of this name with a file in it, is part of the repository.
    pub fn contains(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        self.files.contains(path)
            || self.files.range(inside.clone()..).next().is_some_and(|at| at.starts_with(&inside))
    }

    /// The names of the folders directly in `folder` (written with its closing slash, or empty).
    pub fn folders_in(&self, folder: &str) -> BTreeSet<&str> {
        let inside = self.files().filter_map(|path| path.strip_prefix(folder));
        inside.filter_map(|path| path.split_once('/')).map(|(name, _)| name).collect()
    }
}

fn list(root: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    // In a container the checkout often belongs to another user, which git refuses by default.
    git.args(["-c", "safe.directory=*", "ls-files", "-z"]);
    git.args(["--cached", "--others", "--exclude-standard"]).current_dir(root);
    let listing = process::capture(&mut git)?;
    Ok(listing.split_terminator('\0').map(str::to_owned).collect())
}

fn walk(root: &Path, folder: &str) -> Result<Vec<String>, String> {
    let explain = |error| format!("{}: {error}", root.join(folder).display());
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(folder)).map_err(explain)? {
        let entry = entry.map_err(explain)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}{name}");
        if !entry.file_type().map_err(explain)?.is_dir() {
            files.push(path);
        } else if !PASSED_OVER.contains(&name.as_str()) {
            files.extend(walk(root, &format!("{path}/"))?);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_folders_are_contained_and_nothing_else() {
        let tree = Tree::of(&["crates/taffeta/src/lib.rs", "crates-old/x", "README.md"]);
        for path in ["README.md", "crates", "crates/taffeta", "crates/taffeta/src/lib.rs"] {
            assert!(tree.contains(path), "{path}");
        }
        for path in ["READ", "crates/taff", "crates/taffeta/src/lib", "docs", ""] {
            assert!(!tree.contains(path), "{path}");
        }
    }

    #[test]
    fn folders_are_listed_once_without_files() {
        let tree = Tree::of(&["a/x", "a/y/z", "b/x", "top.md"]);
        assert_eq!(tree.folders_in(""), BTreeSet::from(["a", "b"]));
        assert_eq!(tree.folders_in("a/"), BTreeSet::from(["y"]));
    }

    #[test]
    fn a_plain_copy_is_walked_without_built_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = walk(root, "").unwrap();
        assert!(files.contains(&"src/documents/tree.rs".to_owned()), "{files:?}");
        assert!(!files.iter().any(|path| path.starts_with("target/")));
    }
}
