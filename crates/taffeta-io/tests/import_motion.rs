//! Animated glTF bodies: what moves them, and what is said about those that cannot be read.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::f64::consts::FRAC_1_SQRT_2;
use std::io::{self, Write};
use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};
use taffeta_io::import::{Motion, MotionWish, read_gltf_motion, read_motion};

const ONCE: MotionWish = MotionWish { animation: None, rate: 4.0 };

/// A document in the making: numbers go into its buffer, described by an accessor each.
struct Draft {
    document: Value,
    bytes: Vec<u8>,
}

impl Draft {
    /// A triangle in a node of its own, which nothing moves yet.
    fn triangle() -> Self {
        let document = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0 }], "meshes": [{ "primitives": [{ "attributes": {} }] }],
            "bufferViews": [], "accessors": [], "animations": []
        });
        let mut draft = Self { document, bytes: Vec::new() };
        let corners = draft.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        draft.document["accessors"][corners]["min"] = json!([0, 0, 0]);
        draft.document["accessors"][corners]["max"] = json!([1, 1, 0]);
        draft.document["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(corners);
        draft
    }

    fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let wide = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len() / wide, bytes)
    }

    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: Vec<u8>) -> usize {
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.bytes.extend(bytes);
        let list = |document: &mut Value, key: &str, item: Value| {
            let items = document[key].as_array_mut().unwrap();
            items.push(item);
            items.len() - 1
        };
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        let view = list(&mut self.document, "bufferViews", view);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        list(&mut self.document, "accessors", accessor)
    }

    /// An animation of one property of a node.
    fn animate(&mut self, target: (usize, &str), keys: (&str, &[f32]), values: (&str, &[f32])) {
        let ((how, times), (kind, values)) = (keys, values);
        let input = self.floats("SCALAR", times);
        self.document["accessors"][input]["min"] = json!([times.first()]);
        self.document["accessors"][input]["max"] = json!([times.last()]);
        let output = self.floats(kind, values);
        let animation = json!({
            "name": format!("of {}", target.1),
            "samplers": [{ "input": input, "output": output, "interpolation": how }],
            "channels": [{ "sampler": 0, "target": { "node": target.0, "path": target.1 } }]
        });
        self.document["animations"].as_array_mut().unwrap().push(animation);
    }

    fn glb(&self) -> Vec<u8> {
        let mut document = self.document.clone();
        document["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        if document["animations"] == json!([]) {
            document.as_object_mut().unwrap().remove("animations");
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((12 + 16 + text.len() as u32 + self.bytes.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text[..]), (b"BIN\0", &self.bytes[..])] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        bytes
    }

    fn read(&self) -> Motion {
        read_gltf_motion(&self.glb(), ONCE, &|_| Err(io::ErrorKind::NotFound.into())).unwrap()
    }

    fn complaint(&self, wish: MotionWish) -> String {
        let read = read_gltf_motion(&self.glb(), wish, &|_| Err(io::ErrorKind::NotFound.into()));
        read.unwrap_err().to_string()
    }
}

/// The way of a vertex.
fn way(motion: &Motion, vertex: usize) -> Vec<DVec3> {
    motion.moments.iter().map(|moment| moment.positions[vertex]).collect()
}

fn near(found: &[DVec3], wanted: &[[f64; 3]]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (a, b) in found.iter().zip(wanted) {
        assert!(a.distance(DVec3::from_array(*b)) < 1e-6, "{found:?} is not {wanted:?}");
    }
}

#[test]
fn nodes_move_by_lines_steps_and_splines() {
    let ends = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0];
    let mut draft = Draft::triangle();
    draft.animate((0, "translation"), ("LINEAR", &[1.0, 2.0]), ("VEC3", &ends));
    let motion = draft.read();
    let times: Vec<f64> = motion.moments.iter().map(|moment| moment.time).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    near(&way(&motion, 0), &[0.0, 0.5, 1.0, 1.5, 2.0].map(|x| [x, 0.0, 0.0]));

    let mut draft = Draft::triangle();
    draft.animate((0, "translation"), ("STEP", &[1.0, 2.0]), ("VEC3", &ends));
    near(&way(&draft.read(), 0), &[0.0, 0.0, 0.0, 0.0, 2.0].map(|x| [x, 0.0, 0.0]));

    // Tangents of none at both ends: 3t² − 2t³ of the way.
    let (flat, mut spline) = ([0.0; 3], Vec::new());
    for value in ends.chunks(3) {
        spline.extend([&flat[..], value, &flat].concat());
    }
    let mut draft = Draft::triangle();
    draft.animate((0, "translation"), ("CUBICSPLINE", &[1.0, 2.0]), ("VEC3", &spline));
    near(&way(&draft.read(), 0), &[0.0, 0.3125, 1.0, 1.6875, 2.0].map(|x| [x, 0.0, 0.0]));
    // And one that leaves with 4 m/s.
    spline[6] = 4.0;
    let mut draft = Draft::triangle();
    draft.animate((0, "translation"), ("CUBICSPLINE", &[1.0, 2.0]), ("VEC3", &spline));
    near(&way(&draft.read(), 0)[2..3], &[[1.5, 0.0, 0.0]]);
}

#[test]
fn a_motion_that_ends_between_moments_ends_where_it_does() {
    let mut draft = Draft::triangle();
    let values = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    draft.animate((0, "translation"), ("LINEAR", &[0.0, 0.6]), ("VEC3", &values));
    let motion = draft.read();
    assert_eq!(motion.moments.len(), 4);
    assert!((motion.moments[3].time - 0.6).abs() < 1e-6);
    near(&way(&motion, 0)[3..], &[[1.0, 0.0, 0.0]]);
}

#[test]
fn morph_targets_follow_their_weights() {
    let mut draft = Draft::triangle();
    let target = draft.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
    draft.document["accessors"][target]["min"] = json!([0, 0, 0]);
    draft.document["accessors"][target]["max"] = json!([0, 0, 3]);
    draft.document["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
    draft.document["meshes"][0]["weights"] = json!([0.5]);
    draft.animate((0, "weights"), ("LINEAR", &[0.0, 0.5]), ("SCALAR", &[0.0, 1.0]));
    near(&way(&draft.read(), 1), &[[1.0, 0.0, 0.0], [1.0, 0.0, 1.5], [1.0, 0.0, 3.0]]);
}

/// A triangle on two joints, of which the second, at (1, 0, 0), turns by 90° about z.
fn skinned() -> Draft {
    let mut draft = Draft::triangle();
    draft.document["nodes"] = json!([
        { "mesh": 0, "skin": 0, "translation": [9, 9, 9] },
        { "children": [2] },
        { "translation": [1, 0, 0] }
    ]);
    draft.document["scenes"] = json!([{ "nodes": [0, 1] }]);
    let bytes: Vec<u8> = vec![0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0];
    let joints = draft.accessor("VEC4", 5121, 3, bytes);
    let weights = draft.floats("VEC4", &[1., 0., 0., 0., 0.5, 0.5, 0., 0., 1., 0., 0., 0.]);
    let mut binds = [0.0f32; 32];
    for i in 0..4 {
        (binds[5 * i], binds[16 + 5 * i]) = (1.0, 1.0);
    }
    binds[16 + 12] = -1.0;
    let binds = draft.floats("MAT4", &binds);
    let attributes = &mut draft.document["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    draft.document["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": binds }]);
    let turn = FRAC_1_SQRT_2 as f32;
    let turns = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, turn, turn];
    draft.animate((2, "rotation"), ("LINEAR", &[0.0, 0.5]), ("VEC4", &turns));
    draft
}

#[test]
fn skins_follow_their_joints_and_not_their_node() {
    let motion = skinned().read();
    near(&way(&motion, 0), &[[0.0; 3]; 3]);
    // At the joint that turns, and one metre above it.
    near(&way(&motion, 1), &[[1.0, 0.0, 0.0]; 3]);
    let (sin, cos) = (FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    near(&way(&motion, 2), &[[1.0, 1.0, 0.0], [1.0 - sin, cos, 0.0], [0.0, 0.0, 0.0]]);
    assert_eq!((motion.faces.len(), motion.notes.len()), (1, 0));
}

#[test]
fn vertices_that_move_alike_are_one_and_others_are_not() {
    let mut draft = skinned();
    let corners = [1.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let position = draft.floats("VEC3", &corners);
    draft.document["accessors"][position]["min"] = json!([1, 0, 0]);
    draft.document["accessors"][position]["max"] = json!([2, 1, 0]);
    // As the first has them: on the second joint, on it, and on the first alone.
    let joints = draft.accessor("VEC4", 5121, 3, vec![1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let weights = draft.floats("VEC4", &[1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.]);
    let primitives = draft.document["meshes"][0]["primitives"].as_array_mut().unwrap();
    primitives.push(json!({ "attributes":
        { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights } }));
    let motion = draft.read();
    // Of six corners one is another's; the third is at a place of the first's, but moves otherwise.
    assert_eq!(motion.moments[0].positions.len(), 5);
    assert_eq!(motion.faces.corners(1)[0], 2);
}

#[test]
fn what_cannot_be_read_is_told() {
    let still = Draft::triangle();
    assert_eq!(still.complaint(ONCE), "animations: an animation is missing");
    let mut two = Draft::triangle();
    let values = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    for path in ["translation", "scale"] {
        two.animate((0, path), ("LINEAR", &[0.0, 1.0]), ("VEC3", &values));
    }
    let told = two.complaint(ONCE);
    assert_eq!(
        told,
        "animations: there are 2 animations; name one of `of translation`, `of scale`"
    );
    let named = two.complaint(MotionWish { animation: Some("walk"), ..ONCE });
    assert!(named.contains("`walk`, of `of translation`, `of scale`, which are there,"), "{named}");
    let wish = MotionWish { animation: Some("of translation"), ..ONCE };
    assert!(read_gltf_motion(&two.glb(), wish, &|_| Err(io::ErrorKind::NotFound.into())).is_ok());

    // A skeleton that no mesh is bound to.
    let mut bare = skinned();
    bare.document["nodes"][0].as_object_mut().unwrap().remove("skin");
    let told = bare.complaint(ONCE);
    assert!(told.starts_with("animation 0: it moves no mesh: there is no skin"), "{told}");

    let mut back = Draft::triangle();
    back.animate((0, "translation"), ("LINEAR", &[1.0, 0.5]), ("VEC3", &values));
    assert!(back.complaint(ONCE).contains("times of an animation do not increase"));
    let mut few = Draft::triangle();
    few.animate((0, "translation"), ("LINEAR", &[0.0, 1.0, 2.0]), ("VEC3", &values));
    assert!(few.complaint(ONCE).contains("6 values for 3 keys"), "{}", few.complaint(ONCE));
    let mut lost = skinned();
    lost.document["skins"][0]["joints"] = json!([1]);
    assert!(lost.complaint(ONCE).contains("refers to joint 1, but there are 1"));
    let mut short = skinned();
    short.bytes.truncate(100);
    assert!(short.complaint(ONCE).contains("the data ends too early"));

    let folder = tempfile::tempdir().unwrap();
    let mut apart = skinned().document;
    apart["buffers"] = json!([{ "byteLength": 4, "uri": "lost.bin" }]);
    std::fs::write(folder.path().join("a.gltf"), apart.to_string()).unwrap();
    let told = read_motion(&folder.path().join("a.gltf"), ONCE).unwrap_err().to_string();
    assert!(told.contains("the file `lost.bin` cannot be read"), "{told}");
    let told = read_motion(Path::new("a.obj"), ONCE).unwrap_err().to_string();
    assert_eq!(told, "a.obj names no format that moves; gltf, glb and npz do");
}

#[test]
fn every_truncation_is_an_error() {
    let whole = skinned().glb();
    for end in 0..whole.len() {
        let read = read_gltf_motion(&whole[..end], ONCE, &|_| Err(io::ErrorKind::NotFound.into()));
        assert!(read.is_err(), "{end} of {} bytes", whole.len());
    }
}

/// Bodies that lie beside the repository where they are there at all; they are not part of it.
#[test]
fn bodies_from_elsewhere_walk_and_dance() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/people");
    if !folder.is_dir() {
        let note = b"SKIPPED: there is no folder shared/data/people beside the repository\n";
        io::stderr().write_all(note).unwrap();
        return;
    }
    for (name, seconds, along) in [("walk", 5.08, 4.1), ("dance", 4.90, 0.0)] {
        let wish = MotionWish { animation: None, rate: 5.0 };
        let motion = read_motion(&folder.join(format!("body-{name}.glb")), wish).unwrap();
        let [first, last] = [0, motion.moments.len() - 1].map(|n| &motion.moments[n]);
        let heights = first.positions.iter().map(|at| at.y);
        assert!((heights.fold(0.0, f64::max) - 1.663).abs() < 0.01);
        assert!((last.time - seconds).abs() < 0.02, "{}", last.time);
        let count = first.positions.len() as f64;
        let middle = |at: &[DVec3]| at.iter().sum::<DVec3>() / count;
        let shift = middle(&last.positions) - middle(&first.positions);
        assert!((shift.z - along).abs() < 0.5, "{name} goes {shift}");
        // Nobody moves faster than a hand can.
        for pair in motion.moments.windows(2) {
            let ways = pair[0].positions.iter().zip(&pair[1].positions);
            let fastest = ways.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(fastest < 12.0 / 5.0, "{name}: {fastest} m in 0.2 s");
        }
    }
}
