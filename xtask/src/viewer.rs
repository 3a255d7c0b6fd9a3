//! The page of `taffeta view`: that what is committed is what its sources build, and that it works
//! in a real browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::stage::Outcome;
use crate::tools::{install_from_debian, is_root, needs_network};

/// Where browsers of this kind are found.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The files of the page.
const FILES: [&str; 4] = ["app.js", "icon.svg", "index.html", "style.css"];

/// Builds the page again and compares it with what is committed; then opens it in a browser.
pub fn check(root: &Path, target: &Path) -> Outcome {
    let built = prepare(root, target).and_then(|viewer| compare(root, target, &viewer));
    if let Err(problem) = built {
        return Outcome::Failed(vec![problem]);
    }
    let Some(browser) = browser() else {
        return Outcome::Skipped(
            "NO BROWSER: the page was not tried. Install Chromium (`apt-get install chromium`) or \
             Chrome, and run this again"
                .into(),
        );
    };
    try_it(target, &browser).into()
}

/// Copies the sources to where their packages are installed, so that the work tree stays clean.
fn prepare(root: &Path, target: &Path) -> Result<PathBuf, String> {
    let viewer = target.join("viewer");
    let sources = root.join("viewer");
    let lock = fs::read_to_string(sources.join("package-lock.json")).map_err(|e| e.to_string())?;
    let installed = fs::read_to_string(viewer.join("stamp")).is_ok_and(|stamp| stamp == lock);
    copy(&sources, &viewer)?;
    if !installed {
        let mut install = Command::new("npm");
        install.current_dir(&viewer).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        process::show(&mut install).map_err(|e| needs_network(&e, "the npm registry"))?;
        fs::write(viewer.join("stamp"), lock).map_err(|error| error.to_string())?;
    }
    Ok(viewer)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let place = to.join(entry.file_name());
        if entry.file_name() == "node_modules" {
            continue;
        }
        if entry.path().is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place).map_err(failed)?;
        }
    }
    Ok(())
}

fn compare(root: &Path, target: &Path, viewer: &Path) -> Result<(), String> {
    let npx = |words: &[&str]| {
        let mut command = Command::new("npx");
        command.current_dir(viewer).args(words);
        process::show(&mut command)
    };
    npx(&["tsc", "--noEmit"])?;
    let fresh = target.join("viewer-page");
    let mut build = Command::new("node");
    process::show(build.current_dir(viewer).arg("build.mjs").arg(&fresh))?;
    let committed = root.join("crates/taffeta-live/page");
    let other = FILES.iter().find(|file| {
        let read = |folder: &Path| fs::read(folder.join(file)).ok();
        read(&fresh).is_none() || read(&fresh) != read(&committed)
    });
    match other {
        None => Ok(()),
        Some(file) => Err(format!(
            "crates/taffeta-live/page/{file} is not what viewer/ builds: run `npm ci && npm run \
             build` in viewer/ and commit it"
        )),
    }
}

/// A browser, installed where that is ours to do: as root on Debian.
fn browser() -> Option<PathBuf> {
    let found = || BROWSERS.iter().find(|name| process::works(name, &["--version"]));
    if found().is_none() && Path::new("/etc/debian_version").exists() && is_root() {
        println!("installing Chromium");
        if let Err(problem) = install_from_debian(&["chromium"]) {
            println!("{problem}");
        }
    }
    found().and_then(|name| {
        let mut which = Command::new("which");
        let path = process::capture(which.arg(name)).ok()?;
        Some(PathBuf::from(path.trim()))
    })
}

fn try_it(target: &Path, browser: &Path) -> Result<(), String> {
    in_browser("test/browser.mjs", &target.join("debug/taffeta"), (target, browser), "browser")
}

/// Measures how long a hand waits for its picture, with the command as it is built for use.
pub fn answers(root: &Path, target: &Path) -> Result<(), String> {
    let mut build = Command::new("cargo");
    process::show(build.current_dir(root).args(["build", "--release", "-p", "taffeta-cli"]))?;
    prepare(root, target)?;
    let browser = browser().ok_or("there is no browser: install Chromium or Chrome")?;
    in_browser("test/answers.mjs", &target.join("release/taffeta"), (target, &browser), "answers")
}

fn in_browser(
    script: &str,
    taffeta: &Path,
    (target, browser): (&Path, &Path),
    folder: &str,
) -> Result<(), String> {
    let mut node = Command::new("node");
    node.current_dir(target.join("viewer")).arg(script);
    process::show(node.arg(taffeta).arg(browser).arg(target.join(folder)))
}
