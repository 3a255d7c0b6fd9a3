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

/// A small cloth, cut at several times and pulled apart.
const SCENE: &str = r#"
gravity = [0.0, 0.0, 0.0]
[fabric]
density = 2.5
shear = 0.2
bend = 0.2
[cloth.sheet]
size = [0.02, 0.01]
particles = [24, 12]
[[pin]]
edge = "left"
[[pin.key]]
time = 0.0
[[pin.key]]
time = 0.2
move = [-0.004, 0.0, 0.0]
[[pin]]
edge = "right"
[[tear.cut]]
from = [0.01, -0.001]
to = [0.0101, 0.006]
time = 0.05
[[tear.cut]]
from = [0.013, -0.001]
to = [0.0131, 0.006]
time = 0.1
[[tear.cut]]
from = [0.006, -0.001]
to = [0.0061, 0.006]
time = 0.15
[[tear.cut]]
from = [0.016, -0.001]
to = [0.0161, 0.006]
time = 0.18
[tear]
strength = [0.3, 0.5]
[model.springs]
shear = "compression"
[integrator.explicit]
[limits]
extension = 0.02
[limiter.strips]
[step]
max = 0.0020833
[frames]
start = 5
rate = 60.0
count = 12
"#;

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
