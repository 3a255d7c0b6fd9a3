//! Contact in scenes: asked for by a flag, reported by frame, proved from the frames.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use taffeta_io::cache::CacheReader;
use taffeta_scene::check::check;
use taffeta_scene::run::{FrameReport, Mode};
use taffeta_scene::{Scene, SceneFile, SceneText};
use tempfile::tempdir;

/// A strip whose free end is carried through its held half.
const STRIP: &str = r#"
[fabric]
stretch = 200.0
[cloth.sheet]
size = [0.2, 0.6]
particles = [4, 13]
[[pin]]
box = [[-1, -1, -1], [1, 1, 0.01]]
[[pin]]
edge = "bottom"
[[pin.key]]
time = 0.0
[[pin.key]]
time = 0.3
move = [0.013, 0.15, -0.45]
[[pin.key]]
time = 0.5
move = [0.013, -0.1, -0.43]
[model.continuum]
[frames]
count = 16
[check]
intersections = 0
"#;

fn scene(base: &Path, text: &str) -> Scene {
    let text = SceneText { origin: "t.toml", name: "t", base, text };
    Scene::resolve(&SceneFile::read(text, &[]).unwrap(), 1 << 30).unwrap()
}

fn reports(folder: &Path) -> Vec<FrameReport> {
    let text = fs::read_to_string(folder.join("report.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn without_contact_check_finds_the_intersections() {
    let folder = tempdir().unwrap();
    let ghost = scene(Path::new("."), STRIP);
    assert_eq!(ghost.setup.self_contact, None);
    common::go(&ghost, folder.path(), Mode::New, None).unwrap();
    assert!(reports(folder.path()).iter().all(|report| report.contact.is_none()));
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let found = check(&mut reader, &ghost.checks, None).unwrap();
    assert!(!found.holds() && found.intersections.unwrap().count > 0);
    let first = &found.violations[0].what;
    assert!(first.contains("edges pass through triangles, over 0; first the edge"), "{first}");
}

/// Two upright triangles that cut each other, held by their upper sides, and pulled apart.
#[test]
fn a_tangled_start_is_told_and_so_is_its_end() {
    let folder = tempdir().unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0.5 -1 0\nv 0.5 -0.2 -0.5\nv 0.5 -0.2 0.5\nv 0.5 -1.2 0.1\n\
                f 1 2 3\nf 4 5 6\n";
    fs::write(folder.path().join("two.obj"), mesh).unwrap();
    let text = r#"
[cloth.mesh]
file = "two.obj"
[[pin]]
particles = [0, 1, 2]
[[pin]]
particles = [3, 4, 5]
[[pin.key]]
time = 0.0
[[pin.key]]
time = 0.2
move = [1.0, 0.0, 0.0]
[contact]
self = true
[step]
max_stretch_change = 0.5
[frames]
count = 8
"#;
    let out = folder.path().join("out");
    let ending = common::go(&scene(folder.path(), text), &out, Mode::New, None).unwrap();
    let all = reports(&out);
    let tangled = |frame: usize| all[frame].contact.as_ref().unwrap().tangled.len();
    assert!(tangled(0) > 0);
    assert_eq!(tangled(8), 0);
    let told = |words: &str| ending.notes.iter().any(|note| note.contains(words));
    assert!(told("in frame 0 ") && told("pass through triangles"), "{:?}", ending.notes);
    assert!(told("the cloth has come apart from itself"), "{:?}", ending.notes);
}

#[test]
fn defaults_and_mistakes_of_the_section() {
    let fabric = "[fabric]\nthickness = 0.002\n";
    let with = |contact: &str| format!("{contact}{}", STRIP.replacen("[fabric]", fabric, 1));
    let asked = scene(Path::new("."), &with("contact.self = true\n"));
    let contact = asked.setup.self_contact.unwrap();
    assert_eq!((contact.thickness, contact.friction), (0.002, 0.3));
    let text = with("contact.self = \"yes\"\ncontact.friction = -1\n");
    let text = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text: &text };
    let error = SceneFile::read(text, &[]).unwrap_err();
    let said: Vec<&str> = error.problems().map(|p| p.message.as_str()).collect();
    assert!(said.iter().any(|s| s.contains("true or false is needed")), "{said:?}");
    assert!(said.iter().any(|s| s.contains("-1 is out of range")), "{said:?}");
}
