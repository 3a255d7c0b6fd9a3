//! People: the one that is built in, pins that bodies carry, and what is refused.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::path::Path;

use common::{go, scene_of};
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Mode;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText, check};
use tempfile::tempdir;

/// A short skirt on a coarse person.
const SKIRT: &str = r#"
[fabric]
preset = "cotton"
bend_damping = 0.02
[cloth]
position = [0.0, 0.95, 0.002]
[cloth.tube]
radius = 0.28
top_radius = 0.165
length = 0.3
oval = 0.82
particles = [32, 9]
[model.continuum]
[[solid]]
thickness = 4e-3
[solid.mannequin]
cycle = "walk"
duration = 0.8
rate = 30.0
cell = 0.028
[[pin]]
edge = "top"
to = 0
[limits]
extension = 0.03
[contact]
self = true
[frames]
count = 18
[check]
extension = 0.0301
intersections = 0
inside = 0
"#;

fn refused(text: &str) -> Vec<String> {
    let scene = SceneText { origin: "t", name: "t", base: Path::new("."), text };
    let resolved: Result<Scene, SceneError> =
        SceneFile::read(scene, &[]).and_then(|file| Scene::resolve(&file, 1 << 30));
    resolved.unwrap_err().problems().map(|problem| problem.message.clone()).collect()
}

#[test]
fn a_skirt_is_carried_by_the_waist_and_every_frame_is_clean() {
    let folder = tempdir().unwrap();
    let scene = scene_of(SKIRT, &[]);
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check::check(&mut reader, &scene.checks, None).unwrap();
    assert!(certificate.holds(), "{:?}", certificate.violations);
    // The waistband has gone along, and kept its shape.
    let at = |frame: u32| reader.load(frame).unwrap().snapshot.state.positions;
    let (first, last) = (at(0), at(18));
    let band = 8 * 32..9 * 32;
    let moved = last[band.start].distance(first[band.start]);
    assert!(moved > 0.05, "{moved} m");
    for (a, b) in band.clone().zip(band.skip(7)) {
        let [before, after] = [&first, &last].map(|at| at[a].distance(at[b]));
        assert!((after / before - 1.0).abs() < 1e-4, "{a}–{b}: {before} {after}");
    }
}

#[test]
fn a_spot_of_the_surface_carries_a_button() {
    let button = SKIRT.replace(
        "edge = \"top\"\nto = 0",
        "nearest = [0.165, 1.1, 0.002]\nto = 0\ncarry = \"surface\"",
    );
    let pins = scene_of(&button, &[]).setup.pins;
    assert_eq!((pins.len(), pins[0].particles.len()), (1, 1));
    let keys = &pins[0].motion.keys;
    assert!(keys.len() == 25 && keys[0].offset.length() < 1e-12);
    assert!(keys.windows(2).all(|pair| pair[0].offset.distance(pair[1].offset) < 0.1));
}

#[test]
fn a_rigid_solid_carries_pins_by_its_own_keys() {
    let text = "[cloth.sheet]\nsize = [0.2, 0.2]\nparticles = [3, 3]\n[[pin]]\nparticles = [0]\n\
                to = 0\n[[solid]]\nposition = [0, -0.2, 0]\n[solid.sphere]\nradius = 0.1\n\
                [[solid.key]]\ntime = 0.0\n[[solid.key]]\ntime = 1.0\nturn = 90\n";
    let setup = scene_of(text, &[]).setup;
    assert_eq!(setup.pins[0].motion, setup.solids[0].motion);
}

#[test]
fn what_no_body_can_carry_is_refused_at_its_place() {
    let cases = [
        (SKIRT.replace("to = 0", "to = 3"), "there is no solid 3: there are 0 to 0"),
        (SKIRT.replace("to = 0", "to = 0\nfrom = 0.1"), "has no `from`"),
        (SKIRT.replace("to = 0", "carry = \"rigid\""), "but no solid does"),
        (
            SKIRT.replace("to = 0", "to = 0\nslide_line = [0, 1, 0]"),
            "what slides cannot be carried",
        ),
        (
            SKIRT
                .replace("duration = 0.8", "duration = 100\n")
                .replace("rate = 30.0", "rate = 900"),
            "moments of the mannequin",
        ),
    ];
    for (text, wanted) in cases {
        let found = refused(&text);
        assert!(found.iter().any(|message| message.contains(wanted)), "{wanted}: {found:?}");
    }
}
