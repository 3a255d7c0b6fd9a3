//! Runs the command as a user does.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A sheet small enough to run in moments.
pub const SMALL: [&str; 4] = [
    "--set=cloth.sheet.particles=[9, 9]",
    "--set=pin.0.particles=[0, 8]",
    "--set=frames.count=20",
    "--set=step.max=0.002",
];

pub fn taffeta(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
    command.args(args).current_dir(folder).env_remove("CARGO").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[track_caller]
pub fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = taffeta(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    text(&output)
}

#[track_caller]
pub fn fail(folder: &Path, args: &[&str], words: &[&str]) {
    let output = taffeta(folder, args);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?} does not say {word:?}: {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

pub fn run_small<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    [&["run", "hang"], &SMALL[..], extra].concat()
}

pub fn frames(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder.join("frames"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}
