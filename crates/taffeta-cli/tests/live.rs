//! `taffeta view` as far as it needs no browser, and runs of what was saved there.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{fail, frames, run_small, succeed};
use taffeta_live::{Action, Session};
use taffeta_scene::{SceneFile, SceneText};
use tempfile::tempdir;

const SCENE: &str = "\
[cloth.sheet]
size = [0.5, 0.5]
particles = [9, 9]
[[pin]]
edge = \"top\"
[frames]
count = 6
";

fn session() -> Session {
    let scene = SceneText { origin: "s.toml", name: "s", base: Path::new("."), text: SCENE };
    let mut session = Session::new(&SceneFile::read(scene, &[]).unwrap(), None, 1 << 30).unwrap();
    let grab = Action::Grab { particle: 70, radius: 0.1, to: [0.3, -0.3, 0.3] };
    session.act(&grab).unwrap();
    for _ in 0..4 {
        session.next_frame().unwrap();
    }
    session.act(&Action::Release).unwrap();
    session.act(&Action::Pin { particle: 80 }).unwrap();
    session.next_frame().unwrap();
    session
}

#[test]
fn a_run_becomes_one_page() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    let said = succeed(path, &["view", "r", "--page", "r.html"]);
    assert!(said.contains("21 frames") && said.contains("MB"), "{said}");
    let page = fs::read_to_string(path.join("r.html")).unwrap();
    assert!(page.contains("data-mode=\"pack\"") && !page.contains("src=\"app.js\""));
    fail(path, &["view", "hang", "--page", "x.html"], &["--page is made of a run's frames"]);
    fail(path, &["view", "r", "--set", "seed=2"], &["--set is for scenes"]);
    fail(path, &["view", "hangg"], &["there is no scene `hangg`", "did you mean hang"]);
    fs::create_dir(path.join("empty")).unwrap();
    fail(path, &["view", "empty"], &["empty is a folder, but not of a run"]);
}

#[test]
fn recordings_of_hands_are_run_again_to_the_same_bits() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let text = session().recording().unwrap().text();
    fs::write(path.join("s.hands.json"), &text).unwrap();
    let said = succeed(path, &["run", "s.hands.json"]);
    assert!(said.contains("has the bits that were recorded"), "{said}");
    assert_eq!(frames(&path.join("out/s-hands")).len(), 6);
    fail(path, &["run", "s.hands.json"], &["has frames already"]);
    succeed(path, &["run", "s.hands.json", "--overwrite", "--threads", "1"]);
    fail(path, &["run", "s.hands.json", "--resume"], &["--resume does not go with a recording"]);
    let other = text.replace("\"radius\":0.1", "\"radius\":0.2");
    fs::write(path.join("o.hands.json"), other).unwrap();
    fail(path, &["run", "o.hands.json", "--out", "o"], &["has other bits than were recorded"]);
    fs::write(path.join("x.hands.json"), "{}").unwrap();
    fail(path, &["run", "x.hands.json"], &["this is no recording of hands"]);
    let said = succeed(path, &["export", "out/s-hands", "--to", "s.npz"]);
    assert!(said.contains("6 frames"), "{said}");
}

#[test]
fn a_saved_state_goes_on() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let mut session = session();
    fs::write(path.join("s.toml"), session.text()).unwrap();
    fs::write(path.join("s.tff"), session.sealed().unwrap()).unwrap();
    let said = succeed(path, &["run", "s.toml", "--from", "s.tff", "--out", "r"]);
    assert!(said.contains("frames 5 to 11"), "{said}");
    assert_eq!(frames(&path.join("r")).len(), 7);
    fail(path, &["run", "hang", "--from", "s.tff"], &["s.tff"]);
    fs::write(path.join("bad.tff"), "no state").unwrap();
    fail(path, &["run", "s.toml", "--from", "bad.tff"], &["bad.tff"]);
    fail(path, &["run", "s.toml", "--from", "s.tff", "--last-frame", "3"], &["of frame 5"]);
}
