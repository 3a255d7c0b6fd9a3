//! Every built-in scene is a test: it is run, and its frames must prove what it promises.

use std::path::Path;
use std::process::Command;

use crate::process;

/// Runs and checks every scene with the release build; all that fail are named.
pub fn check(root: &Path, target: &Path) -> Result<Vec<String>, String> {
    let mut build = Command::new("cargo");
    build.current_dir(root).args(["build", "--release", "-p", "taffeta-cli"]);
    process::show(&mut build)?;
    let taffeta = || Command::new(target.join("release").join("taffeta"));
    let listing = process::capture(taffeta().arg("scenes"))?;
    let mut problems = Vec::new();
    for name in names(&listing) {
        let folder = target.join("scenes").join(name);
        let run = process::show(taffeta().args(["run", name, "--overwrite", "--out"]).arg(&folder));
        let checked = run.and_then(|()| process::show(taffeta().arg("check").arg(&folder)));
        problems.extend(checked.err());
    }
    Ok(problems)
}

/// The first word of each line.
fn names(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter_map(|line| line.split_whitespace().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_first_words() {
        let listing = "hang       A sheet.\nflag       A flag.\n";
        assert_eq!(names(listing).collect::<Vec<_>>(), ["hang", "flag"]);
    }
}
