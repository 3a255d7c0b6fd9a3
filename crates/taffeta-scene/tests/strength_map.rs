//! A picture says how strong the yarns are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

use std::fs::File;
use std::path::Path;

use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

const SCENE: &str = "
[cloth.sheet]
size = [0.02, 0.01]
particles = [21, 11]
[tear]
strength = [1.0, 1.0]
[tear.map]
file = 'map.png'
black = 0.5
white = 3.0
[integrator.implicit]
";

fn resolve(base: &Path) -> Result<Scene, SceneError> {
    let text = SceneText { origin: "t.toml", name: "t", base, text: SCENE };
    Scene::resolve(&SceneFile::read(text, &[]).unwrap(), 1 << 30)
}

fn paint(base: &Path, width: u32, height: u32, grey: &[u8]) {
    let file = File::create(base.join("map.png")).unwrap();
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(grey).unwrap();
}

/// Black on the left and white on the right, from 1 cm on.
#[test]
fn yarns_are_as_strong_as_they_are_painted() {
    let folder = tempdir().unwrap();
    let row: Vec<u8> = (0..200).map(|x| if x < 100 { 0 } else { 255 }).collect();
    paint(folder.path(), 200, 2, &row.repeat(2));
    let scene = resolve(folder.path()).unwrap();
    let woven = scene.setup.woven.as_ref().unwrap();
    let (mut weak, mut strong) = (0, 0);
    for (edge, &factor) in woven.tearing().factors.iter().enumerate() {
        let column = |crossing: u32| f64::from(crossing % 21);
        let [a, b] = woven.ends(edge);
        let middle = (column(a) + column(b)) / 2.0;
        match middle {
            m if m < 9.9 => {
                weak += 1;
                assert!((factor - 0.5).abs() < 1e-12, "{middle}: {factor}");
            }
            m if m > 10.1 => {
                strong += 1;
                assert!((factor - 3.0).abs() < 1e-12, "{middle}: {factor}");
            }
            _ => assert!((0.5..=3.0).contains(&factor)),
        }
    }
    assert!(weak > 150 && strong > 150, "{weak} {strong}");
    paint(folder.path(), 1, 1, &[255]);
    assert_ne!(resolve(folder.path()).unwrap().identity, scene.identity);
}

#[test]
fn a_map_that_cannot_be_read_is_told_by_name() {
    let folder = tempdir().unwrap();
    let told = |why: &str| {
        let message = format!("{:?}", resolve(folder.path()).unwrap_err());
        assert!(message.contains("map.png") && message.contains(why), "{message}");
    };
    told("No such file");
    std::fs::write(folder.path().join("map.png"), "not a picture").unwrap();
    told("it is no sound PNG");
}
