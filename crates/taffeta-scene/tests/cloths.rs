//! Several cloths: each with its own fabric, limits, contact, pins and checks, told of by its name.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{go, hashes, scene_of};
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::{FrameReport, Mode};
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText, check};
use tempfile::tempdir;

/// A light sheet that hangs at two of its corners, and a heavy small one on it.
const LAYERS: &str = r#"
[[cloth]]
name = "sheet"
fabric = { preset = "silk" }
limits = { extension = 0.02 }
check = { extension = 0.0201 }
[cloth.sheet]
size = [0.5, 0.5]
particles = [11, 11]
[[cloth]]
name = "patch"
position = [0.0, 0.02, 0.0]
fabric = { density = 0.5, thickness = 2e-3 }
contact = { friction = 0.6 }
[cloth.sheet]
size = [0.25, 0.25]
particles = [8, 8]
[model.continuum]
[limits]
extension = 0.04
[contact]
self = true
[[pin]]
cloth = "sheet"
edge = "left"
[[pin]]
cloth = "sheet"
edge = "right"
[[pin]]
cloth = "patch"
particles = [0]
until = 0.1
[frames]
count = 14
[check]
extension = 0.0401
intersections = 0
"#;

fn refused(text: &str) -> Vec<String> {
    let scene = SceneText { origin: "t", name: "t", base: Path::new("."), text };
    let resolved: Result<Scene, SceneError> =
        SceneFile::read(scene, &[]).and_then(|file| Scene::resolve(&file, 1 << 30));
    resolved.unwrap_err().problems().map(|problem| problem.message.clone()).collect()
}

#[test]
fn layers_keep_what_each_promises_and_are_told_of_by_name() {
    let (folder, halved) = (tempdir().unwrap(), tempdir().unwrap());
    let scene = scene_of(LAYERS, &[]);
    let own = &scene.setup.of_cloths;
    assert_eq!(own.iter().map(|of| of.limits.extension).collect::<Vec<_>>(), [0.02, 0.04]);
    assert_eq!((own[1].contact.thickness, own[1].contact.friction), (2e-3, 0.6));
    assert_eq!(scene.setup.pins[2].particles, [121]);
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);

    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check::check(&mut reader, &scene.checks, None).unwrap();
    assert!(certificate.holds(), "{:?}", certificate.violations);
    let names: Vec<String> =
        reader.topology(0).unwrap().cloths.into_iter().map(|cloth| cloth.name).collect();
    assert_eq!(names, ["sheet", "patch"]);
    // The sheet's limit is its own: that of the patch is looser, and used.
    let report = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
    let last: FrameReport = serde_json::from_str(report.lines().last().unwrap()).unwrap();
    let [sheet, patch] = &last.cloths[..] else { panic!("{:?}", last.cloths) };
    assert!(sheet.name == "sheet" && sheet.extension <= 0.02 && patch.name == "patch");
    assert!(patch.extension_at.particles.iter().all(|particle| *particle >= 121));

    // Taken up after half of it, it has the same bits.
    go(&scene, halved.path(), Mode::New, Some(6)).unwrap();
    assert!(go(&scene, halved.path(), Mode::Resume, None).unwrap().complete);
    assert_eq!(hashes(halved.path()), hashes(folder.path()));
}

#[test]
fn what_a_cloth_promises_by_itself_is_checked_by_itself() {
    let folder = tempdir().unwrap();
    let scene = scene_of(LAYERS, &["cloth.0.check.extension=0.0001", "frames.count=8"]);
    go(&scene, folder.path(), Mode::New, None).unwrap();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check::check(&mut reader, &scene.checks, None).unwrap();
    assert!(!certificate.violations.is_empty());
    assert!(certificate.violations.iter().all(|v| v.what.starts_with("`sheet`'s ")));
}

#[test]
fn a_cloth_alone_in_its_list_is_as_one_without() {
    let single = "[cloth.sheet]\nsize = [0.5, 0.5]\nparticles = [9, 9]\n[[pin]]\nparticles = [0]\n\
                  [frames]\ncount = 5\n";
    let listed = single.replace("[cloth.sheet]", "[[cloth]]\n[cloth.sheet]");
    let hashes_of = |text: &str| {
        let folder = tempdir().unwrap();
        go(&scene_of(text, &[]), folder.path(), Mode::New, None).unwrap();
        hashes(folder.path())
    };
    assert_eq!(hashes_of(single), hashes_of(&listed));
    assert_eq!(scene_of(&listed, &[]).setup.model.cloths()[0].name, "cloth-1");
}

#[test]
fn names_and_checks_of_cloths_do_not_bear_on_frames_but_places_do() {
    let identity = |change: &str| scene_of(LAYERS, &[change]).identity;
    let same = identity("frames.count=14");
    assert_eq!(identity("cloth.1.check.extension=0.5"), same);
    assert_ne!(identity("cloth.1.position=[0, 0.03, 0]"), same);
    assert_ne!(identity("cloth.1.fabric.density=0.4"), same);
}

#[test]
fn what_is_not_clear_or_not_possible_is_refused_at_its_place() {
    let cases = [
        (LAYERS.replace("cloth = \"patch\"\nparticles", "particles"), "of which cloth"),
        (LAYERS.replace("cloth = \"patch\"", "cloth = \"scarf\""), "no cloth is `scarf`"),
        (LAYERS.replace("name = \"patch\"", "name = \"sheet\""), "two cloths are `sheet`"),
        (format!("{LAYERS}[tear]\nstrength = [1, 2]\n"), "of several cloths none can tear"),
        (format!("{LAYERS}[limiter.strips]\n"), "only constraints keep the limits"),
        (
            LAYERS.replace(
                "cloth = \"patch\"\nparticles = [0]",
                "cloth = \"patch\"\nparticles = [64]",
            ),
            "64 is not a particle of this cloth",
        ),
        (
            format!("{LAYERS}[[seam]]\ncloths = [\"sheet\"]\nleft = [0]\nright = [0]\n"),
            "a seam joins two cloths, not 1",
        ),
        (format!("{LAYERS}[[seam]]\nleft = [0]\nright = [1]\n"), "of which cloth"),
    ];
    for (text, wanted) in cases {
        let found = refused(&text);
        assert!(found.iter().any(|message| message.contains(wanted)), "{wanted}: {found:?}");
    }
    let sewn =
        format!("{LAYERS}[[seam]]\ncloths = [\"sheet\", \"patch\"]\nleft = [0]\nright = [0]\n");
    let sewn =
        sewn.replace("[cloth.sheet]\nsize = [0.25", "jitter = 0.0\n[cloth.sheet]\nsize = [0.25");
    let model = scene_of(&sewn, &[]).setup.model;
    assert_eq!(model.springs().last().unwrap().ends, [0, 121]);
}

#[test]
fn cloths_of_one_fabric_and_one_limit_are_moved_by_strips() {
    let two = "[[cloth]]\n[cloth.sheet]\nsize = [0.5, 0.5]\nparticles = [9, 9]\n[[cloth]]\n\
               position = [2, 0, 0]\n[cloth.sheet]\nsize = [0.5, 0.5]\nparticles = [9, 9]\n\
               [[pin]]\ncloth = \"cloth-1\"\nedge = \"left\"\n[[pin]]\ncloth = \"cloth-2\"\n\
               edge = \"left\"\n[limits]\nextension = 0.01\n[frames]\ncount = 6\n";
    let scene = scene_of(two, &[]);
    assert!(scene.notes.iter().any(|note| note.contains("by strips")), "{:?}", scene.notes);
    let folder = tempdir().unwrap();
    go(&scene, folder.path(), Mode::New, None).unwrap();
    let state = CacheReader::open(folder.path()).unwrap().load(6).unwrap().snapshot.state;
    let off = (0..81).map(|i| {
        let moved = state.positions[i + 81] - state.positions[i];
        (moved - glam::DVec3::X * 2.0).length()
    });
    assert!(off.fold(0.0, f64::max) < 1e-9);
}
