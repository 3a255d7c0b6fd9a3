//! Solids in scenes: read, checked, kept with the frames, and proved from them.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{damage, go, hashes};
use taffeta::{Shape, Side};
use taffeta_io::cache::CacheReader;
use taffeta_scene::check::{Certificate, check};
use taffeta_scene::run::{FrameReport, Mode};
use taffeta_scene::{Builtin, Override, Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

const SHEET: &str = "[cloth.sheet]\nsize = [0.5, 0.5]\nparticles = [6, 6]\n";

fn resolve(base: &Path, text: &str, overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
    let scene = SceneText { origin: "t.toml", name: "t", base, text };
    Scene::resolve(&SceneFile::read(scene, &overrides)?, 1 << 30)
}

fn here(text: &str) -> Scene {
    resolve(Path::new("."), text, &[]).unwrap()
}

fn certificate(folder: &Path, scene: &Scene) -> Certificate {
    check(&mut CacheReader::open(folder).unwrap(), &scene.checks, None).unwrap()
}

fn run(scene: &Scene) -> (tempfile::TempDir, Certificate) {
    let folder = tempdir().unwrap();
    assert!(go(scene, folder.path(), Mode::New, None).unwrap().complete);
    let found = certificate(folder.path(), scene);
    (folder, found)
}

#[test]
fn every_shape_is_read_and_placed() {
    let shapes = [
        "[solid.plane]",
        "[solid.sphere]\nradius = 0.2",
        "[solid.capsule]\nradius = 0.1\nlength = 0.3",
        "[solid.cylinder]\nradius = 0.1\nlength = 0.3",
        "[solid.box]\nsize = [0.1, 0.2, 0.3]",
    ];
    for shape in shapes {
        let text = format!(
            "{SHEET}[[solid]]\nposition = [0, -1, 0]\nrotation = [0, 0, 90]\nthickness = 0.01\n\
             friction = 0.7\nside = \"both\"\n{shape}\n[[solid.key]]\ntime = 0\n[[solid.key]]\n\
             time = 2\nmove = [1, 0, 0]\nturn = 90\nscale = 3\n"
        );
        let solid = here(&text).setup.solids.remove(0);
        assert_eq!((solid.thickness, solid.friction, solid.side), (0.01, 0.7, Side::Both));
        // Keys turn and scale about the solid's own place.
        let pose = solid.pose_at(1.0);
        assert!(pose.shift.distance(glam::DVec3::new(0.5, -1.0, 0.0)) < 1e-12, "{pose:?}");
        assert_eq!(pose.scale, 2.0);
    }
}

#[test]
fn mistakes_in_solids_come_at_once_with_their_places() {
    let text = format!(
        "{SHEET}[[solid]]\nfriction = -1\n[solid.sphere]\nradius = -0.2\n[[solid]]\n\
         thickness = 0.1\n[[solid]]\n[solid.plane]\n[solid.box]\nsize = [1, 1, 1]\n[[solid]]\n\
         [solid.capsule]\nradius = 1\nlenght = 2\n[[solid.key]]\ntime = 2\n[[solid.key]]\n\
         time = 1\n[[solid]]\n[solid.sequence]\nfile = \"a.obj\"\nfirst = 5\nlast = 3\n"
    );
    let error = resolve(Path::new("."), &text, &[]).expect_err("all is wrong");
    let messages: Vec<String> = error.problems().map(|p| p.message.clone()).collect();
    let told = [
        "-1 is out of range",
        "-0.2 m is out of range",
        "the solid has no shape",
        "the solid has 2 shapes",
        "has no key `lenght`",
        "needs `length`",
        "keys are out of order",
        "no digits to count by",
        "the last file, 3, comes before the first, 5",
    ];
    for words in told {
        assert!(messages.iter().any(|m| m.contains(words)), "{words} is not in {messages:#?}");
    }
}

#[test]
fn what_only_the_simulator_sees_is_told_at_the_solid() {
    let jump = "[[solid]]\n[solid.sphere]\nradius = 0.1\n[[solid.key]]\ntime = 0\n[[solid.key]]\n\
                time = 0.001\nmove = [9, 0, 0]\n";
    let flat = "[[solid]]\n[solid.box]\nsize = [1, 0, 1]\n";
    let shell = "[[solid]]\nthickness = 0\nside = \"both\"\n[solid.plane]\n";
    for (solid, words) in [(jump, "a jump"), (flat, "size along y"), (shell, "thickness")] {
        let text = format!("{SHEET}{solid}");
        let error = resolve(Path::new("."), &text, &[]).expect_err(words);
        let problem = error.problems().next().unwrap();
        assert!(problem.message.contains(words), "{}", problem.message);
        let at = &text[problem.span.range.clone()];
        assert!(solid.contains(at) && problem.span.range.start > SHEET.len(), "{at}");
    }
}

#[test]
fn a_slope_holds_on_one_side_of_the_angle_of_friction_and_not_on_the_other() {
    let scene = |overrides: &[&str]| {
        let text = Builtin::named("incline").unwrap().text;
        let small = ["cloth.sheet.particles=[6,6]", "frames.count=30"];
        let all: Vec<&str> = small.iter().chain(overrides).copied().collect();
        resolve(Path::new("."), text, &all).unwrap()
    };
    let height = |scene: &Scene| {
        let folder = tempdir().unwrap();
        go(scene, folder.path(), Mode::New, None).unwrap();
        let report = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
        let last: FrameReport = serde_json::from_str(report.lines().last().unwrap()).unwrap();
        last.height
    };
    let stays = height(&scene(&[]));
    assert!((stays - 0.001).abs() < 0.001, "{stays}");
    let slides = height(&scene(&["solid.0.friction=0.33"]));
    assert!(slides < -0.02, "{slides}");
}

const BALL: &str = "[[solid]]\nposition = [0, -0.12, 0]\n[solid.sphere]\nradius = 0.1\n\
                    [frames]\ncount = 15\n[check]\ninside = 0\n";

#[test]
fn the_promise_that_nothing_is_inside_holds_and_is_kept_by_nothing_else() {
    let scene = here(&format!("{SHEET}{BALL}"));
    assert!(scene.notes.is_empty() && scene.warnings.is_empty(), "{:?}", scene.warnings);
    let (_, found) = run(&scene);
    assert!(found.holds(), "{:?}", found.violations);
    // Cloth that starts inside is told at once, and found in the frames.
    let text = format!("{SHEET}{BALL}").replace("-0.12", "-0.05");
    let scene = here(&text);
    let told = scene.warnings[0].to_string();
    assert!(told.contains("start inside solid 0"), "{told}");
    let (_, found) = run(&scene);
    let first = &found.violations[0];
    assert!(first.frame == 0 && first.what.contains("inside solid 0"), "{first:?}");
    assert!(found.inside > Some(0));
}

#[test]
fn damaged_solids_are_told_and_made_good() {
    let scene = here(&format!("{SHEET}{BALL}"));
    let (folder, _) = run(&scene);
    let whole = hashes(folder.path());
    let file = folder.path().join("solids.tfs");
    let harms: [fn(&Path); 2] = [damage, |path| fs::remove_file(path).unwrap()];
    for harm in harms {
        harm(&file);
        assert!(go(&scene, folder.path(), Mode::New, None).is_err());
        let ending = go(&scene, folder.path(), Mode::Resume, None).unwrap();
        assert!(ending.notes.iter().any(|note| note.contains("solids")), "{:?}", ending.notes);
        assert_eq!(hashes(folder.path()), whole);
        assert!(certificate(folder.path(), &scene).holds());
    }
}

#[test]
fn a_run_with_contacts_resumes_to_the_same_bits() {
    let scene = here(&format!("{SHEET}{BALL}"));
    let (folder, _) = run(&scene);
    let part = tempdir().unwrap();
    go(&scene, part.path(), Mode::New, Some(7)).unwrap();
    go(&scene, part.path(), Mode::Resume, None).unwrap();
    assert_eq!(hashes(part.path()), hashes(folder.path()));
}

/// A square of two triangles at a height.
fn square_obj(height: f64) -> String {
    let corners = [[-1, -1], [-1, 1], [1, 1], [1, -1]];
    let vertices = corners.map(|[x, z]| format!("v {x} {height} {z}\n")).concat();
    format!("{vertices}f 1 2 3\nf 1 3 4\n")
}

#[test]
fn meshes_and_sequences_come_from_files_and_are_kept_by_content() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("floor.obj"), square_obj(-0.05)).unwrap();
    for number in 8..=11 {
        let height = -0.05 + 0.01 * f64::from(number - 8);
        fs::write(folder.path().join(format!("lift-{number:03}.obj")), square_obj(height)).unwrap();
    }
    let mesh = format!("{SHEET}[[solid]]\n[solid.mesh]\nfile = \"floor.obj\"\nscale = 2\n");
    let scene = resolve(folder.path(), &mesh, &[]).unwrap();
    let solid = &scene.setup.solids[0];
    assert_eq!(solid.side, Side::Both, "it is not closed");
    assert!(scene.notes.iter().any(|note| note.contains("4 edges of one triangle")));
    assert_eq!(solid.surface_at(0.0).positions[2], glam::DVec3::new(2.0, -0.1, 2.0));

    // The same content under another name is the same scene; other content is not.
    fs::copy(folder.path().join("floor.obj"), folder.path().join("boden.obj")).unwrap();
    let renamed = resolve(folder.path(), &mesh.replace("floor", "boden"), &[]).unwrap();
    assert_eq!(renamed.identity, scene.identity);
    fs::write(folder.path().join("boden.obj"), square_obj(-0.06)).unwrap();
    let other = resolve(folder.path(), &mesh.replace("floor", "boden"), &[]).unwrap();
    assert_ne!(other.identity, scene.identity);

    let lift = format!(
        "{SHEET}[[solid]]\n[solid.sequence]\nfile = \"lift-###.obj\"\nfirst = 8\nlast = 11\n\
         rate = 10\nbegin = 0.1\n[frames]\ncount = 9\n"
    );
    let scene = resolve(folder.path(), &lift, &[]).unwrap();
    let Shape::Mesh(mesh) = &scene.setup.solids[0].shape else { panic!("a mesh was expected") };
    let times: Vec<f64> = mesh.keys().iter().map(|key| key.time).collect();
    assert!(times.iter().zip([0.1, 0.2, 0.3, 0.4]).all(|(a, b)| (a - b).abs() < 1e-12));
    let (kept, found) = run(&scene);
    assert!(found.holds());
    let solids = CacheReader::open(kept.path()).unwrap().solids().unwrap();
    assert_eq!(solids.0, scene.setup.solids);

    fs::write(folder.path().join("lift-010.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let error = resolve(folder.path(), &lift, &[]).expect_err("another mesh");
    let message = &error.problems().next().unwrap().message;
    assert!(message.contains("lift-010.obj has other faces"), "{message}");
    let missing = resolve(folder.path(), &lift.replace("last = 11", "last = 12"), &[]);
    assert!(missing.is_err());
    fs::write(folder.path().join("nan.obj"), "v 0 nan 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let nan = mesh_of("nan.obj");
    assert!(resolve(folder.path(), &nan, &[]).is_err());
}

fn mesh_of(file: &str) -> String {
    format!("{SHEET}[[solid]]\n[solid.mesh]\nfile = \"{file}\"\n")
}
