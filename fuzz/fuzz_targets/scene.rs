//! Any text as a scene, the first line as an override; resolved, but nothing is read from disk.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use taffeta_scene::format::Shape;
use taffeta_scene::{Override, Scene, SceneFile, SceneText};

fuzz_target!(|text: &str| {
    let base = Path::new(".");
    let (first, rest) = text.split_once('\n').unwrap_or(("seed=1", text));
    let scene = SceneText { origin: "fuzz", name: "fuzz", base, text: rest };
    let Ok(file) = SceneFile::read(scene, &[Override(first.into())]) else { return };
    if matches!(file.cloth.shape, Shape::Sheet(_)) {
        let _ = Scene::resolve(&file, 1 << 24);
    }
});
