//! Seams: drawn together within the limits, held, resumed to the same bits, and refused where they
//! cannot be.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::path::Path;

use common::{go, hashes};
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Mode;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

/// Two panels either side of a ball, sewn at their tops.
const PANELS: &str = "[cloth.mesh]\nfile = \"panels.obj\"\n[limits]\nextension = 0.01\n[contact]\n\
                      self = true\n[[solid]]\n[solid.sphere]\nradius = 0.08\n[[seam]]\n\
                      left = [30, 31, 32, 33, 34, 35]\nright = [66, 67, 68, 69, 70, 71]\n\
                      [frames]\ncount = 24\n";

fn write_panels(folder: &Path) {
    let mut text = String::new();
    for side in [-0.12, 0.12] {
        for i in 0..36 {
            let (x, y) = (0.05 * f64::from(i % 6) - 0.125, 0.05 * f64::from(i / 6) - 0.12);
            text += &format!("v {x} {y} {side}\n");
        }
    }
    for corner in
        [0, 36].into_iter().flat_map(|first| (0..25).map(move |i| first + i / 5 * 6 + i % 5))
    {
        let q = corner + 1;
        text += &format!("f {q} {} {} {}\n", q + 1, q + 7, q + 6);
    }
    std::fs::write(folder.join("panels.obj"), text).unwrap();
}

fn resolve(base: &Path, text: &str) -> Result<Scene, SceneError> {
    let scene = SceneText { origin: "t", name: "t", base, text };
    Scene::resolve(&SceneFile::read(scene, &[])?, 1 << 30)
}

fn gap(folder: &Path, frame: u32) -> f64 {
    let found = CacheReader::open(folder).unwrap().load(frame).unwrap();
    let at = found.snapshot.state.positions;
    (30..36).map(|left| at[left].distance(at[left + 36])).fold(0.0, f64::max)
}

#[test]
fn a_seam_closes_within_the_limits_and_goes_on_to_the_same_bits() {
    let (base, folder, halved) = (tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap());
    write_panels(base.path());
    let scene = resolve(base.path(), PANELS).unwrap();
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);
    assert!(gap(folder.path(), 0) > 0.23);
    assert!(gap(folder.path(), 24) < 1e-3, "{}", gap(folder.path(), 24));
    let report = std::fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
    for line in report.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["extension"].as_f64().unwrap() < 0.0101, "{line}");
    }
    go(&scene, halved.path(), Mode::New, Some(9)).unwrap();
    go(&scene, halved.path(), Mode::Resume, None).unwrap();
    assert_eq!(hashes(folder.path()), hashes(halved.path()));
    let other = resolve(base.path(), &PANELS.replace("[[seam]]", "[[seam]]\nstiffness = 500"));
    assert_ne!(other.unwrap().identity, scene.identity);
}

/// A sheet whose first column is sewn to its last.
const TUBE: &str = "[cloth.sheet]\nsize = [0.4, 0.1]\nparticles = [17, 5]\n[limits]\n\
                    extension = 0.01\n[air]\n[[seam]]\nleft = [0, 17, 34, 51, 68]\n\
                    right = [16, 33, 50, 67, 84]\n";

fn complaint(text: &str) -> String {
    let error = resolve(Path::new("."), text).unwrap_err();
    error.problems().map(|problem| problem.message.clone()).collect()
}

#[test]
fn seams_that_cannot_be_are_told() {
    for (change, told) in [
        (("84]", "85]"), "particles 68 and 85 cannot be sewn together"),
        (("84]", "68]"), "particles 68 and 68 cannot be sewn together"),
        (("84]", "84, 83]"), "5 particles on the left cannot be sewn to 6 on the right"),
        (
            ("[air]", "[integrator.explicit]\n[limiter.impulses]\n[air]"),
            "seams need implicit steps",
        ),
    ] {
        let text = TUBE.replace(change.0, change.1);
        assert_ne!(text, TUBE);
        let found = complaint(&text);
        assert!(found.contains(told), "{found}");
    }
    // Without limits steps would be explicit, were there no seams.
    let free = resolve(Path::new("."), &TUBE.replace("[limits]\nextension = 0.01\n", "")).unwrap();
    assert!(free.notes.iter().any(|note| note.contains("steps are implicit")), "{:?}", free.notes);
    let torn = TUBE.replace("[limits]\nextension = 0.01\n", "[tear]\n");
    assert!(complaint(&torn).contains("cloth that tears has no seams"), "{}", complaint(&torn));
}
