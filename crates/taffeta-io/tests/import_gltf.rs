//! glTF files, and what is said about broken ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{self, Write};
use std::path::Path;

use glam::{DVec2, DVec3};
use serde_json::{Value, json};
use taffeta_io::import::{FormatError, Imported, read_gltf, read_mesh};

/// Four corners of a square, the second and third repeated for a texture seam.
const POSITIONS: [[f32; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 0.0, -0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
];
const UVS: [[f32; 2]; 6] =
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.75, 0.5], [0.5, 0.75]];
const INDICES: [u16; 6] = [0, 1, 2, 3, 4, 5];

fn binary() -> Vec<u8> {
    let positions = POSITIONS.iter().flatten().flat_map(|value| value.to_le_bytes());
    let uvs = UVS.iter().flatten().flat_map(|value| value.to_le_bytes());
    let indices = INDICES.iter().flat_map(|value| value.to_le_bytes());
    positions.chain(uvs).chain(indices).collect()
}

/// The square as a document; its buffer is the binary chunk of a GLB.
fn square() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2
        }] }],
        "buffers": [{ "byteLength": 132 }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 72 },
            { "buffer": 0, "byteOffset": 72, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 120, "byteLength": 12 }
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ]
    })
}

fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 16 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &text[..]), (b"BIN\0", binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

fn no_files(_: &str) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::NotFound.into())
}

fn read_bytes(bytes: &[u8]) -> Result<Imported, FormatError> {
    read_gltf(bytes, &no_files)
}

fn read(document: &Value) -> Result<Imported, FormatError> {
    read_bytes(&glb(document, &binary()))
}

/// The square after a change.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut document = square();
    change(&mut document);
    document
}

fn complaint(change: impl FnOnce(&mut Value)) -> String {
    read(&changed(change)).unwrap_err().to_string()
}

const JOINED: &str = "2 vertices were joined with one at the same place";

#[test]
fn colours_stay_with_the_corners_and_are_linear_in_the_file() {
    let mut document = square();
    document["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(3);
    document["buffers"][0]["byteLength"] = json!(156);
    let view = json!({ "buffer": 0, "byteOffset": 132, "byteLength": 24 });
    document["bufferViews"].as_array_mut().unwrap().push(view);
    let accessor = json!({ "bufferView": 3, "componentType": 5121, "normalized": true,
        "count": 6, "type": "VEC4" });
    document["accessors"].as_array_mut().unwrap().push(accessor);
    let mut bytes = binary();
    for k in 0..6 {
        bytes.extend([255, 55, 0, 17 * k]);
    }
    bytes[132 + 12] = 0;
    let mesh = read_bytes(&glb(&document, &bytes)).unwrap().mesh;
    let [plain, other] = [0xff_80_00, 0x00_80_00];
    assert_eq!(mesh.faces.all_colours(), [plain, plain, plain, other, plain, plain]);
}

#[test]
fn vertices_at_one_place_are_one_and_keep_their_texture_coordinates() {
    let Imported { mesh, notes } = read(&square()).unwrap();
    assert_eq!(notes, [JOINED]);
    assert_eq!(mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)]);
    assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2], [1, 3, 2]]);
    let upwards = UVS.map(|[u, v]| DVec2::new(u.into(), 1.0 - f64::from(v)));
    assert_eq!(mesh.faces.all_uvs(), upwards);
    assert_eq!(mesh.problems(), []);
}

#[test]
fn primitives_of_a_mesh_are_joined_but_two_meshes_are_not() {
    let primitive = square()["meshes"][0]["primitives"][0].clone();
    let split = read(&changed(|d| d["meshes"][0]["primitives"] = json!([primitive, primitive])));
    assert_eq!(split.unwrap().mesh.positions.len(), 4);
    let twice = changed(|d| {
        d["nodes"] = json!([{ "mesh": 0 }, { "mesh": 0, "translation": [0, 0, 5] }]);
        d["scenes"][0]["nodes"] = json!([0, 1]);
    });
    let Imported { mesh, notes } = read(&twice).unwrap();
    assert_eq!(mesh.positions.len(), 8);
    assert_eq!(mesh.positions[7], DVec3::new(1.0, 1.0, 5.0));
    assert_eq!(notes[0], "2 meshes of the scene were merged into one");
}

#[test]
fn nodes_place_their_meshes() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let document = changed(|d| {
        d["nodes"] = json!([
            { "children": [1], "translation": [10, 0, 0], "rotation": [0, 0, half, half] },
            { "mesh": 0, "scale": [2, 3, 4] },
            { "mesh": 0 }
        ]);
    });
    let mesh = read(&document).unwrap().mesh;
    assert_eq!(mesh.positions.len(), 4, "node 2 is not in the scene");
    assert!(mesh.positions[3].distance(DVec3::new(7.0, 2.0, 0.0)) < 1e-6, "{}", mesh.positions[3]);
}

#[test]
fn a_mirror_turns_the_triangles() {
    let mirrored = read(&changed(|d| d["nodes"][0]["scale"] = json!([1, 1, -1]))).unwrap().mesh;
    assert_eq!(mirrored.faces.corners(0), [0, 2, 1]);
    let uvs = mirrored.faces.corner_uvs(0).unwrap();
    assert_eq!(uvs[1], DVec2::new(0.0, 0.0), "texture coordinates go with their corners");
}

#[test]
fn strips_fans_and_plain_vertices_are_triangles() {
    let faces = |mode: u32, indices: [u16; 6], count: usize| {
        let mut bytes = binary();
        let stored = indices.iter().flat_map(|index| index.to_le_bytes());
        bytes.truncate(120);
        bytes.extend(stored);
        let document = changed(|d| {
            d["meshes"][0]["primitives"][0]["mode"] = json!(mode);
            d["accessors"][2]["count"] = json!(count);
        });
        let mesh = read_bytes(&glb(&document, &bytes)).unwrap().mesh;
        mesh.faces.iter().map(<[u32]>::to_vec).collect::<Vec<_>>()
    };
    assert_eq!(faces(5, [0, 1, 2, 4, 0, 0], 4), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(faces(5, [0, 1, 2, 2, 4, 1], 6), [[0, 1, 2], [3, 2, 1]]);
    assert_eq!(faces(6, [0, 1, 4, 2, 0, 0], 4), [[0, 1, 3], [0, 3, 2]]);
    let plain = changed(|d| {
        d["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    });
    assert_eq!(read(&plain).unwrap().mesh, read(&square()).unwrap().mesh);
}

#[test]
fn buffers_may_stand_in_the_text_or_in_another_file() {
    use base64::Engine;
    let expected = read(&square()).unwrap();
    let encoded = base64::engine::general_purpose::STANDARD.encode(binary());
    let uri = format!("data:application/octet-stream;base64,{encoded}");
    let text = changed(|d| d["buffers"][0]["uri"] = json!(uri)).to_string();
    assert_eq!(read_bytes(text.as_bytes()).unwrap(), expected);

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a square.bin"), binary()).unwrap();
    let beside = |uri: &str| {
        let path = folder.path().join("a.gltf");
        std::fs::write(&path, changed(|d| d["buffers"][0]["uri"] = json!(uri)).to_string())
            .unwrap();
        read_mesh(&path)
    };
    assert_eq!(beside("a%20square.bin").unwrap(), expected);
    for (uri, why) in
        [("gone.bin", "No such file"), ("../up.bin", "same folder"), ("/dev/zero", "same folder")]
    {
        let error = beside(uri).unwrap_err().to_string();
        assert!(error.contains("a.gltf, buffer 0: the file") && error.contains(why), "{error}");
    }
}

#[test]
fn a_skinned_mesh_is_read_in_the_pose_of_its_skeleton() {
    let mut bytes = binary();
    // Joints 0 and 1, half each, for all six vertices.
    bytes.extend([0, 1, 0, 0].repeat(6));
    bytes.extend([[0.5_f32, 0.5, 0.0, 0.0]; 6].iter().flatten().flat_map(|w| w.to_le_bytes()));
    let document = changed(|d| {
        d["nodes"] = json!([
            { "mesh": 0, "skin": 0, "translation": [100, 0, 0] },
            { "translation": [0, 0, 4] },
            { "translation": [0, 6, 0] }
        ]);
        d["scenes"][0]["nodes"] = json!([0, 1, 2]);
        d["skins"] = json!([{ "joints": [1, 2] }]);
        d["meshes"][0]["primitives"][0]["attributes"] =
            json!({ "POSITION": 0, "TEXCOORD_0": 1, "JOINTS_0": 3, "WEIGHTS_0": 4 });
        d["buffers"][0]["byteLength"] = json!(252);
        for (offset, length) in [(132, 24), (156, 96)] {
            let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
            d["bufferViews"].as_array_mut().unwrap().push(view);
        }
        for (view, kind) in [(3, 5121), (4, 5126)] {
            let accessor =
                json!({ "bufferView": view, "componentType": kind, "count": 6, "type": "VEC4" });
            d["accessors"].as_array_mut().unwrap().push(accessor);
        }
    });
    let Imported { mesh, notes } = read_bytes(&glb(&document, &bytes)).unwrap();
    assert_eq!(mesh.positions[0], DVec3::new(0.0, 3.0, 2.0));
    assert_eq!(mesh.positions.len(), 4);
    assert!(notes[0].contains("skeleton (1 of them) is not kept"), "{notes:?}");
}

#[test]
fn an_animation_that_is_ignored_is_noted() {
    let moving = changed(|d| {
        let sampler = json!({ "input": 0, "output": 0 });
        let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "translation" } });
        d["animations"] = json!([{ "samplers": [sampler], "channels": [channel] }]);
    });
    let notes = read(&moving).unwrap().notes;
    assert!(notes[0].contains("its animation (1 of them) is ignored"), "{notes:?}");
}

#[test]
fn what_is_left_out_is_noted() {
    let notes = read(&changed(|d| {
        let mut points = d["meshes"][0]["primitives"][0].clone();
        points["mode"] = json!(0);
        d["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
        d["meshes"][0]["primitives"].as_array_mut().unwrap().push(points);
        d["scenes"].as_array_mut().unwrap().push(json!({ "nodes": [] }));
    }));
    let expected = [
        "only the default scene of 2 was read",
        "mesh 0, primitive 0: morph targets were left out",
        "mesh 0, primitive 1: points or lines were left out",
        JOINED,
    ];
    assert_eq!(notes.unwrap().notes, expected);
}

#[test]
fn faults_have_their_place() {
    let in_primitive = "mesh 0, primitive 0: ";
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 14] = [
        (
            |d| d["accessors"][2]["count"] = json!(5),
            "mesh 0, primitive 0: 5 corners are no whole number of triangles",
        ),
        (
            |d| d["accessors"][1]["count"] = json!(5),
            "mesh 0, primitive 0: 5 texture coordinates for 6 vertices",
        ),
        (
            |d| d["accessors"][0]["count"] = json!(3),
            "mesh 0, primitive 0: 6 texture coordinates for 3 vertices",
        ),
        (
            |d| d["accessors"][0]["count"] = json!(7),
            "mesh 0, primitive 0: the data ends too early: 84 bytes are needed here, 72 are there",
        ),
        (
            |d| d["accessors"][0]["type"] = json!("VEC2"),
            "mesh 0, primitive 0: accessor 0 has 2 numbers, not 3",
        ),
        (
            |d| d["bufferViews"][2]["byteLength"] = json!(900),
            "mesh 0, primitive 0: the data ends too early: 1020 bytes are needed here, 132 are there",
        ),
        (
            |d| d["bufferViews"][0]["byteOffset"] = json!(u64::MAX),
            "mesh 0, primitive 0: the data ends too early: 18446744073709551615 bytes are needed here, 132 are there",
        ),
        (
            |d| d["bufferViews"][0]["byteStride"] = json!(4),
            "mesh 0, primitive 0: elements of 12 bytes stand 4 bytes apart",
        ),
        (
            |d| d["buffers"][0]["byteLength"] = json!(1000),
            "buffer 0: the data ends too early: 1000 bytes are needed here, 132 are there",
        ),
        (
            |d| d["nodes"][0]["children"] = json!([0]),
            "node 0: it has two parents, or is its own ancestor",
        ),
        (|d| d["accessors"] = json!([]), "mesh 0: refers to accessor 0, but there are 0"),
        (|d| d["nodes"][0] = json!({}), "scene: a mesh in the scene is missing"),
        (|d| d["nodes"][0]["mesh"] = json!(7), "JSON at nodes[0].mesh: index out of bounds"),
        (
            |d| d["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
            "JSON: the required extension KHR_draco_mesh_compression cannot be read; export the file without it, and without compression",
        ),
    ];
    for (change, message) in cases {
        assert_eq!(complaint(change), message);
    }
    let sparse = complaint(|d| {
        d["accessors"][0]["sparse"] = json!({ "count": 1,
            "indices": { "bufferView": 2, "componentType": 5123 }, "values": { "bufferView": 0 } });
    });
    assert!(sparse.starts_with(in_primitive) && sparse.contains("sparse"), "{sparse}");
    let empty = complaint(|d| {
        d["accessors"][0]["count"] = json!(4_000_000_000_u32);
        d["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    });
    assert_eq!(empty, "JSON at accessors[0].bufferView: missing data");
    let mut bytes = binary();
    bytes[130] = 6;
    let error = read_bytes(&glb(&square(), &bytes)).unwrap_err().to_string();
    assert_eq!(error, format!("{in_primitive}refers to vertex 6, but there are 6"));
}

#[test]
fn every_truncation_of_a_glb_is_an_error() {
    let whole = glb(&square(), &binary());
    for end in 0..whole.len() {
        assert!(read_bytes(&whole[..end]).is_err(), "{end} of {} bytes", whole.len());
        let mut header_agrees = whole[..end].to_vec();
        if let Some(length) = header_agrees.get_mut(8..12) {
            length.copy_from_slice(&(end as u32).to_le_bytes());
        }
        assert!(read_bytes(&header_agrees).is_err(), "{end} of {} bytes", whole.len());
    }
    let mut short = whole;
    short[8..12].copy_from_slice(&3_u32.to_le_bytes());
    assert!(read_bytes(&short).unwrap_err().to_string().starts_with("GLB header: a length of 3"));
}

#[test]
fn a_small_file_cannot_ask_for_a_huge_mesh() {
    let document = changed(|d| {
        let primitive = d["meshes"][0]["primitives"][0].clone();
        d["meshes"][0]["primitives"] = Value::Array(vec![primitive; 1000]);
        d["nodes"] = Value::Array(vec![json!({ "mesh": 0 }); 1000]);
        d["scenes"][0]["nodes"] = Value::Array((0..1000).map(|node| json!(node)).collect());
    });
    let error = read(&document).unwrap_err().to_string();
    assert!(error.contains("repeats its data over 256 times"), "{error}");
}

/// The sample character lies beside the repository where it is there at all; it is not part of it.
#[test]
fn a_character_from_elsewhere_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        // Not by a macro: what those print is hidden when a test passes.
        let note = b"SKIPPED: there is no folder shared/data beside the repository\n";
        io::stderr().write_all(note).unwrap();
        return;
    }
    let imported = read_mesh(&folder.join("characters/RiggedFigure.glb")).unwrap();
    let mesh = imported.mesh;
    let low = mesh.positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = mesh.positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let tall = high - low;
    assert!(tall.y > tall.x && tall.y > 3.0 * tall.z, "the figure does not stand: {low} to {high}");
    assert_eq!((mesh.positions.len(), mesh.faces.len()), (130, 256));
    assert_eq!(mesh.problems(), []);
}
