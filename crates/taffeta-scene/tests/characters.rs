//! Bodies that an animation moves: their size, their motion, and that where they lie does not matter.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;

use taffeta::Shape;
use taffeta_scene::text::Problem;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

/// A tetrahedron so high [m] that moves by 2 m along x in a second.
fn write_body(folder: &Path, height: f32) {
    let points = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.0, 0.3], [0.1, height, 0.1]];
    let mut bytes: Vec<u8> = points.iter().flatten().flat_map(|x: &f32| x.to_le_bytes()).collect();
    bytes.extend([0u8, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0]);
    for value in [0.0f32, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0] {
        bytes.extend(value.to_le_bytes());
    }
    let size = bytes.len();
    fs::write(folder.join("body.bin"), bytes).unwrap();
    let document = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"mesh": 0}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "buffers": [{{"byteLength": {size}, "uri": "body.bin"}}],
        "bufferViews": [{{"buffer": 0, "byteOffset": 0, "byteLength": 48}},
            {{"buffer": 0, "byteOffset": 48, "byteLength": 12}},
            {{"buffer": 0, "byteOffset": 60, "byteLength": 8}},
            {{"buffer": 0, "byteOffset": 68, "byteLength": 24}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [0, 0, 0], "max": [0.3, {height}, 0.3]}},
            {{"bufferView": 1, "componentType": 5121, "count": 12, "type": "SCALAR"}},
            {{"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR",
              "min": [0], "max": [1]}},
            {{"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"}}],
        "animations": [{{"name": "go", "samplers": [{{"input": 2, "output": 3}}],
            "channels": [{{"sampler": 0, "target": {{"node": 0, "path": "translation"}}}}]}}]}}"#
    );
    fs::write(folder.join("body.gltf"), document).unwrap();
}

fn resolve(base: &Path, character: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "[cloth.sheet]\nsize = [0.1, 0.1]\nparticles = [3, 3]\n[cloth]\nposition = [0, 9, 0]\n\
         [[solid]]\n[solid.character]\nfile = \"body.gltf\"\n{character}"
    );
    let scene = SceneText { origin: "t", name: "t", base, text: &text };
    Scene::resolve(&SceneFile::read(scene, &[])?, 1 << 30)
}

#[test]
fn a_body_moves_from_its_beginning_on() {
    let folder = tempdir().unwrap();
    write_body(folder.path(), 1.7);
    let scene = resolve(folder.path(), "rate = 10\nbegin = 0.5\nanimation = \"go\"\n").unwrap();
    let Shape::Mesh(mesh) = &scene.setup.solids[0].shape else { panic!("no mesh") };
    let keys = mesh.keys();
    assert_eq!((keys.len(), mesh.is_closed()), (11, true));
    assert_eq!((keys[0].time, keys[10].time), (0.5, 1.5));
    assert!((keys[5].positions[0].x - 1.0).abs() < 1e-6);
    assert!(
        scene.notes.iter().any(|note| note.contains("a body 1.700 m high, which moves for 1.00 s"))
    );
    // The same body elsewhere is the same scene.
    let elsewhere = tempdir().unwrap();
    write_body(elsewhere.path(), 1.7);
    let other = resolve(elsewhere.path(), "rate = 10\nbegin = 0.5\nanimation = \"go\"\n").unwrap();
    assert_eq!(scene.identity, other.identity);
    write_body(elsewhere.path(), 1.71);
    let other = resolve(elsewhere.path(), "rate = 10\nbegin = 0.5\nanimation = \"go\"\n").unwrap();
    assert_ne!(scene.identity, other.identity);
}

#[test]
fn a_giant_is_told_by_its_height_and_the_key_to_set() {
    let folder = tempdir().unwrap();
    write_body(folder.path(), 180.0);
    let error = resolve(folder.path(), "").unwrap_err();
    let words = |problem: &Problem| format!("{} {:?}", problem.message, problem.help);
    let told: String = error.problems().map(words).collect();
    assert!(told.contains("is 180.0000 m high"), "{told}");
    assert!(told.contains("`scale = 0.01`"), "{told}");
    assert!(resolve(folder.path(), "scale = 0.01").is_ok());
    assert!(resolve(folder.path(), "scale = 1").is_ok());
}

fn told(result: Result<Scene, SceneError>) -> String {
    let words = |problem: &Problem| format!("{} {:?}\n", problem.message, problem.help);
    result.unwrap_err().problems().map(words).collect()
}

#[test]
fn a_file_whose_parts_are_missing_or_that_nothing_moves_says_so() {
    let folder = tempdir().unwrap();
    write_body(folder.path(), 1.7);
    fs::remove_file(folder.path().join("body.bin")).unwrap();
    let message = told(resolve(folder.path(), ""));
    assert!(message.contains("buffer 0: the file `body.bin` cannot be read"), "{message}");
    fs::write(folder.path().join("body.bin"), [0; 10]).unwrap();
    let message = told(resolve(folder.path(), ""));
    assert!(message.contains("buffer 0: the data ends too early"), "{message}");
    write_body(folder.path(), 1.7);
    let text = fs::read_to_string(folder.path().join("body.gltf")).unwrap();
    let still = text.split(",\n        \"animations\"").next().unwrap().to_string() + "}";
    fs::write(folder.path().join("body.gltf"), still).unwrap();
    let message = told(resolve(folder.path(), ""));
    assert!(message.contains("an animation is missing"), "{message}");
    assert!(message.contains("a body that does not move is a [solid.mesh]"), "{message}");
}

#[test]
fn a_motion_needs_bones_and_keys_that_are_about_it() {
    let folder = tempdir().unwrap();
    write_body(folder.path(), 1.7);
    let walk = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\n\
                MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n";
    fs::write(folder.path().join("walk.bvh"), walk).unwrap();
    let message = told(resolve(folder.path(), "motion = \"walk.bvh\"\n"));
    assert!(message.contains("a skin"), "{message}");
    fs::write(folder.path().join("walk.bvh"), walk.replace("Frames: 1", "Frames: one")).unwrap();
    let message = told(resolve(folder.path(), "motion = \"walk.bvh\"\n"));
    assert!(message.contains("walk.bvh, line 8: `one` is not a whole number"), "{message}");
    let message = told(resolve(folder.path(), "motion = \"body.gltf\"\n"));
    assert!(message.contains("bvh does"), "{message}");
    let message = told(resolve(folder.path(), "blend = 2.0\n"));
    assert!(message.contains("`blend` is about a `motion`"), "{message}");
    let both = "motion = \"walk.bvh\"\nanimation = \"go\"\nbones = [\"Hips\"]\n";
    let message = told(resolve(folder.path(), both));
    assert!(message.contains("not by both") && message.contains("`Hips` names one"), "{message}");
    // A scene that is carried elsewhere takes the motion along.
    let text = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n[[solid]]\n[solid.character]\n\
                file = \"body.gltf\"\nmotion = \"walk.bvh\"\n";
    let scene = SceneText { origin: "t", name: "t", base: folder.path(), text };
    let files = SceneFile::read(scene, &[]).unwrap().files();
    assert!(files.iter().any(|file| file.ends_with("walk.bvh")), "{files:?}");
}

#[test]
fn sequences_of_every_format_move_and_are_told_where_they_break() {
    let folder = tempdir().unwrap();
    let square =
        |height: f64| [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, z)| [x, height, z]);
    for number in 1..=4 {
        let at = square(0.1 * f64::from(number));
        let line = |head: &str, [x, y, z]: &[f64; 3]| format!("{head}{x} {y} {z}\n");
        let obj: String = at.iter().map(|at| line("v ", at)).collect();
        let ply: String = at.iter().map(|at| line("", at)).collect();
        fs::write(folder.path().join(format!("b-{number}.obj")), obj + "f 1 2 3 4\n").unwrap();
        let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
        fs::write(folder.path().join(format!("b-{number}.ply")), format!("{head}{ply}4 0 1 2 3\n"))
            .unwrap();
    }
    let body = |file: &str| {
        let text = format!(
            "[cloth.sheet]\nsize = [0.1, 0.1]\nparticles = [3, 3]\n[cloth]\nposition = [0, 9, 0]\n\
             [[solid]]\n[solid.sequence]\nfile = \"{file}\"\nlast = 4\nrate = 10\n"
        );
        let scene = SceneText { origin: "t", name: "t", base: folder.path(), text: &text };
        SceneFile::read(scene, &[]).and_then(|file| Scene::resolve(&file, 1 << 30))
    };
    for file in ["b-#.obj", "b-#.ply"] {
        let scene = body(file).unwrap();
        let Shape::Mesh(mesh) = &scene.setup.solids[0].shape else { panic!("no mesh") };
        let heights: Vec<f64> = mesh.keys().iter().map(|key| key.positions[2].y).collect();
        let wanted = [0.1, 0.2, 0.3, 0.4];
        assert!(
            heights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-7),
            "{file}: {heights:?}"
        );
    }
    // More than 4 m in a tenth of a second.
    let far: String = square(4.4).iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    fs::write(folder.path().join("b-3.obj"), far + "f 1 2 3 4\n").unwrap();
    let notes = body("b-#.obj").unwrap().notes;
    assert!(
        notes.iter().any(|note| note.contains("from one moment to the next, at 42 m/s")),
        "{notes:?}"
    );
    fs::write(folder.path().join("b-3.obj"), "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n").unwrap();
    assert!(told(body("b-#.obj")).contains("b-3.obj has other faces than"));
    fs::remove_file(folder.path().join("b-3.ply")).unwrap();
    assert!(told(body("b-#.ply")).contains("b-3.ply"));
}
