//! The command and the library make the same frames, bit by bit. What Python makes is compared with
//! the command by the tests of its package.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::path::Path;
use std::process::Command;

use taffeta::Simulation;
use taffeta_io::cache::state_hash;
use taffeta_scene::run::{FrameReport, hash_text};
use taffeta_scene::{Builtin, Override, Scene, SceneFile, SceneText};

#[test]
fn the_command_and_the_library_have_the_same_fingerprints() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["hang", "twist"] {
        let out = folder.path().join(name);
        let count = "frames.count=4";
        let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
        command.args(["run", name, "--set", count, "--out"]).arg(&out);
        assert!(command.output().unwrap().status.success());
        let report = std::fs::read_to_string(out.join("report.jsonl")).unwrap();
        let hash = |line: &str| serde_json::from_str::<FrameReport>(line).unwrap().hash;
        let made: Vec<String> = report.lines().map(hash).collect();

        let text = Builtin::named(name).unwrap().text;
        let text = SceneText { origin: name, name, base: Path::new("."), text };
        let file = SceneFile::read(text, &[Override(count.into())]).unwrap();
        let scene = Scene::resolve(&file, u64::MAX).unwrap();
        let mut simulation = Simulation::new(scene.setup).unwrap();
        let mut found = vec![hash_text(state_hash(&simulation.snapshot()))];
        for frame in scene.frames.first + 1..=scene.frames.last {
            simulation.advance_to(scene.frames.time(frame)).unwrap();
            found.push(hash_text(state_hash(&simulation.snapshot())));
        }
        assert_eq!(found, made, "{name}");
    }
}
