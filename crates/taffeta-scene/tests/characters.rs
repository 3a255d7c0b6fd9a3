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
