//! Cloth that tears, as a user runs, kills, proves, shows and exports it.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Instant;

use common::{command, fail, succeed};
use tempfile::{TempDir, tempdir};

/// Cut at several times and pulled apart, as the tests of scenes do it.
const SCENE: &str = concat!(
    include_str!("../../taffeta-scene/tests/tearing_cloth/cloth.toml"),
    "[frames]\nrate = 60.0\ncount = 30\n",
    "[check]\ntorn = [6, 5000]\n",
    "[render]\nsize = [96, 54]\n",
);

fn folder() -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("t.toml"), SCENE).unwrap();
    folder
}

/// Every file of a run but the report, in which seconds differ.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for part in ["frames", "topology", "."] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_file() && name != "report.jsonl" {
                files.insert(format!("{part}/{name}"), fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn killed_runs_resume_to_the_same_files() {
    let folder = folder();
    let path = folder.path();
    let begun = Instant::now();
    succeed(path, &["run", "t.toml", "--out", "whole"]);
    let time = begun.elapsed();
    let expected = files(&path.join("whole"));
    assert!(expected.keys().filter(|name| name.starts_with("topology")).count() > 4);
    for attempt in 1..=6u32 {
        let name = format!("killed{attempt}");
        let args = ["run", "t.toml", "--out", &name];
        let mut child = command(path, &args).spawn().unwrap();
        sleep(time.mul_f64((f64::from(attempt) * 0.618).fract()));
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = path.join(&name).join("run.json").exists();
        let mode: &[&str] = if begun { &["--resume"] } else { &[] };
        succeed(path, &[&args[..], mode].concat());
        assert!(files(&path.join(&name)) == expected, "killed at moment {attempt}");
    }
}

#[test]
fn torn_cloth_is_proved_shown_and_exported() {
    let folder = folder();
    let path = folder.path();
    let said = succeed(path, &["run", "t.toml", "--out", "r"]);
    assert!(said.contains("spans of yarn are torn") && said.contains("pieces"), "{said}");
    let said = succeed(path, &["check", "r"]);
    assert!(said.contains("torn spans of yarn in frame 30 (asked for: 6 to 5000)"), "{said}");
    let broken = ["--set=check.torn=[0, 1]", "--out=r"];
    succeed(path, &[&["run", "t.toml"], &broken[..]].concat());
    fail(path, &["check", "r"], &["torn spans of yarn, 0 to 1 are asked for", "1 violation"]);

    let mut pictures = Vec::new();
    for look in ["cloth", "strain", "wire", "levels", "yarns"] {
        let file = format!("{look}.png");
        succeed(path, &["render", "r", "--frame=20", "--look", look, "--out", &file]);
        pictures.push(fs::read(path.join(file)).unwrap());
    }
    let motif = "--set=render.texture.motif=\"gingham\"";
    succeed(path, &["render", "r", "--out=textured.gif", "--frames=20..22", motif]);
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 5, "two looks show the same");
    let words = ["cross as [weave] says"];
    fail(path, &["render", "r", "--out=a.png", "--weave=satin-5"], &words);
    fail(path, &["render", "r", "--out=a.png", "--set=render.weave=\"plain\""], &words);

    succeed(path, &["export", "r", "--to=c.abc"]);
    fail(path, &["export", "r", "--to=c.glb"], &["the mesh changes at frame", "usda, obj, ply"]);
}
