//! A small scene of cloth that tears, and how to run it.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use taffeta_scene::run::Mode;
use taffeta_scene::{Override, Scene, SceneFile, SceneText};
use tempfile::{TempDir, tempdir};

use crate::common::go;

/// A small cloth without weight, cut at several times and pulled apart.
const SCENE: &str = concat!(
    "gravity = [0.0, 0.0, 0.0]\n",
    include_str!("cloth.toml"),
    "[frames]\nstart = 5\nrate = 60.0\ncount = 12\n",
);

pub fn scene(overrides: &[&str]) -> Scene {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
    let text = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text: SCENE };
    Scene::resolve(&SceneFile::read(text, &overrides).unwrap(), 1 << 30).unwrap()
}

/// The bytes of all frames and topologies.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for part in ["frames", "topology"] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{part}/{}", path.file_name().unwrap().to_string_lossy());
            files.insert(name, fs::read(path).unwrap());
        }
    }
    files
}

/// A whole run, made once.
pub fn whole() -> &'static (TempDir, BTreeMap<String, Vec<u8>>) {
    static WHOLE: OnceLock<(TempDir, BTreeMap<String, Vec<u8>>)> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = tempdir().unwrap();
        assert!(go(&scene(&[]), folder.path(), Mode::New, None).unwrap().complete);
        let files = files(folder.path());
        (folder, files)
    })
}
