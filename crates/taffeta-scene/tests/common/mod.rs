//! A small scene in which much happens, and how to run it.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use taffeta_io::cache::{CacheReader, Survive, state_hash};
use taffeta_scene::run::{Ending, FrameReport, Mode, RunError, RunOptions, run};
use taffeta_scene::{Override, Scene, SceneFile, SceneText};
use tempfile::{TempDir, tempdir};

pub const SCENE: &str = r#"
[fabric]
stretch = 500.0
[cloth.sheet]
size = [0.5, 0.5]
particles = [9, 9]
[[pin]]
particles = [0, 8]
until = 0.35
[[pin]]
nearest = [0.25, 0.0, 0.25]
from = 0.1
ease = "smooth"
[[pin.key]]
time = 0.1
[[pin.key]]
time = 0.4
move = [0.0, 0.1, 0.0]
[air]
wind = [0.0, 1.0, 2.0]
[frames]
start = 10
count = 12
[check]
extension = 0.2
"#;

pub fn scene_with(overrides: &[&str]) -> Scene {
    scene_of(SCENE, overrides)
}

pub fn scene_of(text: &str, overrides: &[&str]) -> Scene {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
    let text = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text };
    Scene::resolve(&SceneFile::read(text, &overrides).unwrap(), 1 << 30).unwrap()
}

pub fn go(scene: &Scene, folder: &Path, mode: Mode, last: Option<u32>) -> Result<Ending, RunError> {
    let stop = AtomicBool::new(false);
    run(scene, &RunOptions { mode, last, ..anew(folder, &stop) }, &mut [])
}

/// A whole run into a new folder.
pub fn anew<'a>(folder: &'a Path, stop: &'a AtomicBool) -> RunOptions<'a> {
    RunOptions {
        folder,
        mode: Mode::New,
        last: None,
        stop,
        survive: Survive::default(),
        slow: None,
        dressing: None,
    }
}

pub fn hashes(folder: &Path) -> Vec<(u32, u64)> {
    let reader = CacheReader::open(folder).unwrap();
    let hash = |n: &u32| (*n, state_hash(&reader.load(*n).unwrap().snapshot));
    reader.frames().iter().map(hash).collect()
}

pub fn reported(folder: &Path) -> Vec<u32> {
    let report = fs::read_to_string(folder.join("report.jsonl")).unwrap();
    let frame = |line: &str| serde_json::from_str::<FrameReport>(line).unwrap().frame;
    report.lines().map(frame).collect()
}

pub fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// A whole run, and its hashes.
pub fn whole() -> (TempDir, Vec<(u32, u64)>) {
    let folder = tempdir().unwrap();
    let ending = go(&scene_with(&[]), folder.path(), Mode::New, None).unwrap();
    assert!(ending.complete);
    let hashes = hashes(folder.path());
    (folder, hashes)
}
