//! The certificate is never false: whatever is missing, damaged or another run's, no check passes
//! that would not pass without it, and none says anything else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{go, scene_of};
use taffeta_io::cache::CacheReader;
use taffeta_scene::check::{Certificate, check};
use taffeta_scene::run::Mode;
use taffeta_scene::{SceneFile, SceneText};
use tempfile::{TempDir, tempdir};

/// A cloth that falls onto a ball, or starts inside of it.
fn scene(height: f64) -> String {
    format!(
        r#"
[cloth]
position = [0.0, {height}, 0.0]
[cloth.sheet]
size = [0.2, 0.2]
particles = [5, 5]
[[solid]]
thickness = 0.003
[solid.sphere]
radius = 0.15
[contact]
self = true
[integrator.implicit]
[frames]
count = 5
[check]
extension = 0.5
inside = 0
intersections = 0
[[check.height]]
time = 0.1
mean = {height}
tolerance = 0.2
"#
    )
}

fn run(text: &str) -> TempDir {
    let folder = tempdir().unwrap();
    assert!(go(&scene_of(text, &[]), folder.path(), Mode::New, None).unwrap().complete);
    folder
}

/// What `taffeta check` finds; nothing if it cannot even begin.
fn certificate(folder: &Path) -> Option<Certificate> {
    let mut reader = CacheReader::open(folder).ok()?;
    let text = reader.scene().ok()?;
    let text = SceneText { origin: "t.toml", name: "", base: folder, text: &text };
    let checks = SceneFile::read(text, &[]).ok()?.checks;
    check(&mut reader, &checks, None).ok()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Every harm that is done to a file, by what is left of it; none where it is removed.
fn harms(bytes: &[u8], foreign: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let mut harms = vec![("removed".into(), None)];
    for cut in [0, 1, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        harms.push((format!("cut at {cut}"), Some(bytes[..cut].to_vec())));
    }
    for part in 0..23 {
        let at = part * (bytes.len() - 1) / 22;
        for bit in [1, 0x40] {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= bit;
            harms.push((format!("byte {at} flipped by {bit}"), Some(flipped)));
        }
    }
    harms.push(("another run's".into(), Some(fs::read(foreign).unwrap())));
    harms
}

fn said(certificate: &Certificate) -> String {
    serde_json::to_string(certificate).unwrap()
}

#[test]
fn no_check_passes_falsely_whatever_happens_to_a_file() {
    // One that holds and one that does not, each with the other's files, of as many particles.
    for (own, other, good) in [(0.16, 0.0, true), (0.0, 0.16, false)] {
        let (folder, stranger) = (run(&scene(own)), run(&scene(other)));
        let path = folder.path();
        let sound = certificate(path).unwrap();
        assert_eq!(sound.holds(), good, "{sound:?}");
        for file in files(path) {
            let name = file.strip_prefix(path).unwrap();
            let bytes = fs::read(&file).unwrap();
            let mut noticed = 0;
            for (what, left) in harms(&bytes, &stranger.path().join(name)) {
                match left {
                    Some(left) => fs::write(&file, left).unwrap(),
                    None => fs::remove_file(&file).unwrap(),
                }
                let found = certificate(path);
                let passes = found.as_ref().filter(|found| found.holds());
                if let Some(found) = passes {
                    let (found, sound) = (said(found), said(&sound));
                    assert_eq!(found, sound, "{} {what} and passes", name.display());
                } else {
                    noticed += 1;
                }
            }
            let marker = name == Path::new(".taffeta");
            assert!(noticed >= 5 || (marker && good), "{}: {noticed}", name.display());
            fs::write(&file, bytes).unwrap();
        }
        assert_eq!(said(&certificate(path).unwrap()), said(&sound));
    }
}

#[test]
fn solids_that_are_lost_damaged_or_foreign_are_said_to_be_unchecked() {
    let (folder, stranger) = (run(&scene(0.0)), run(&scene(0.16)));
    let file = folder.path().join("solids.tfs");
    let bytes = fs::read(&file).unwrap();
    let mut damaged = bytes.clone();
    damaged[60] ^= 1;
    let harms: [(&str, &dyn Fn()); 3] = [
        ("cannot read", &|| fs::remove_file(&file).unwrap()),
        ("checksum", &|| fs::write(&file, &damaged).unwrap()),
        ("belongs to another run", &|| {
            fs::copy(stranger.path().join("solids.tfs"), &file).unwrap();
        }),
    ];
    for (words, harm) in harms {
        fs::write(&file, &bytes).unwrap();
        harm();
        let found = certificate(folder.path()).unwrap();
        assert!(!found.holds() && found.inside.is_none(), "{words}: {found:?}");
        let [unread] = &found.unread[..] else { panic!("{words}: {found:?}") };
        assert!(unread.starts_with("particles inside solids: ") && unread.contains(words));
        // Also where a part of the frames was asked for.
        let mut reader = CacheReader::open(folder.path()).unwrap();
        let checks = scene_of(&scene(0.0), &[]).checks;
        assert!(!check(&mut reader, &checks, Some(1..=2)).unwrap().holds(), "{words}");
        let ending = go(&scene_of(&scene(0.0), &[]), folder.path(), Mode::Resume, None).unwrap();
        let told = ending.notes.join("\n");
        assert!(told.contains("the file of the solids is"), "{words}: {told}");
        assert_eq!(fs::read(&file).unwrap(), bytes, "{words}");
    }
}

#[test]
fn a_topology_in_place_of_another_is_noticed() {
    let folder = run(&scene(0.16));
    let (first, second) = ("topology/000000.tft", "topology/000001.tft");
    let mut reader = CacheReader::open(folder.path()).unwrap();
    fs::copy(folder.path().join(first), folder.path().join(second)).unwrap();
    let error = reader.topology(1).unwrap_err().to_string();
    assert!(error.contains("it is topology 0, not 1"), "{error}");
    assert!(reader.frame(3).is_ok());
}

#[test]
fn particles_that_pins_hold_inside_a_solid_are_counted() {
    // A floor rises over a corner that is held, or slides another way than out.
    for slides in ["", "slide_line = [1.0, 0.0, 0.0]"] {
        let text = HELD.replace("particles = [0]", &format!("particles = [0]\n{slides}"));
        let folder = tempdir().unwrap();
        let ending = go(&scene_of(&text, &[]), folder.path(), Mode::New, None).unwrap();
        let summary = &ending.summary;
        assert_eq!((summary.pinched, summary.pinched_at), (1, Some(0)), "{slides}: {summary:?}");
        assert!(summary.pinched_frame > 0, "at the start there is room");
        assert!(!certificate(folder.path()).unwrap().holds());
    }
}

const HELD: &str = r#"
[cloth.sheet]
size = [0.5, 0.5]
particles = [6, 6]
[[pin]]
particles = [0]
[[solid]]
position = [0.0, -0.1, 0.0]
[solid.plane]
[[solid.key]]
time = 0.0
[[solid.key]]
time = 0.4
move = [0.0, 0.12, 0.0]
[integrator.implicit]
[frames]
count = 12
[check]
inside = 0
"#;
