//! PLY files in all encodings, and what is said about broken ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use glam::{DVec2, DVec3};
use taffeta_io::import::read_ply;

const ENCODINGS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

/// A value of a file, by the type that it has there.
#[derive(Clone, Copy)]
enum Value {
    U8(u8),
    I16(i16),
    I32(i32),
    U32(u32),
    F32(f32),
    F64(f64),
}

/// Writes records in an encoding: the test's own idea of PLY.
fn file(encoding: &str, header: &str, records: &[&[Value]]) -> Vec<u8> {
    let mut bytes = format!("ply\nformat {encoding} 1.0\n{header}\nend_header\n").into_bytes();
    for record in records {
        for value in *record {
            let (text, big) = match *value {
                Value::U8(value) => (value.to_string(), value.to_be_bytes().to_vec()),
                Value::I16(value) => (value.to_string(), value.to_be_bytes().to_vec()),
                Value::I32(value) => (value.to_string(), value.to_be_bytes().to_vec()),
                Value::U32(value) => (value.to_string(), value.to_be_bytes().to_vec()),
                Value::F32(value) => (value.to_string(), value.to_be_bytes().to_vec()),
                Value::F64(value) => (value.to_string(), value.to_be_bytes().to_vec()),
            };
            match encoding {
                "ascii" => bytes.extend(format!("{text} ").into_bytes()),
                "binary_big_endian" => bytes.extend(big),
                _ => bytes.extend(big.iter().rev()),
            }
        }
        if encoding == "ascii" {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[test]
fn colours_are_read_in_every_type_that_has_a_full_value() {
    use Value::{F32, I32, U8};
    let header = |kind: &str| {
        format!(
            "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             property {kind} red\nproperty {kind} green\nproperty {kind} blue\n\
             element face 1\nproperty list uchar int vertex_indices"
        )
    };
    let at = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| [F32(x), F32(y), F32(0.0)]);
    let face: &[Value] = &[U8(3), I32(2), I32(0), I32(1)];
    let read = |kind: &str, colours: [[Value; 3]; 3]| {
        let vertices: Vec<Vec<Value>> = (0..3).map(|i| [at[i], colours[i]].concat()).collect();
        let mut records: Vec<&[Value]> = vertices.iter().map(Vec::as_slice).collect();
        records.push(face);
        read_ply(&file("binary_little_endian", &header(kind), &records)).unwrap()
    };
    let bytes = read("uchar", [[U8(1), U8(2), U8(3)], [U8(255), U8(0), U8(0)], [U8(9); 3]]);
    assert_eq!(bytes.mesh.faces.all_colours(), [0x09_09_09, 0x01_02_03, 0xff_00_00]);
    let floats = read("float", [[F32(1.0); 3], [F32(0.0); 3], [F32(0.2); 3]]);
    assert_eq!(floats.mesh.faces.all_colours(), [0x33_33_33, 0xff_ff_ff, 0]);
    let beyond = read("float", [[F32(255.0); 3], [F32(0.0); 3], [F32(0.2); 3]]);
    assert!(beyond.mesh.faces.all_colours().is_empty());
    assert!(beyond.notes[0].starts_with("colours were left out: 1 of 3"), "{:?}", beyond.notes);
}

#[test]
fn all_encodings_and_types_read_the_same() {
    use Value::{F32, F64, I16, I32, U8, U32};
    let header = "comment made by hand\nelement vertex 3\nproperty float x\nproperty double y\n\
        property short z\nproperty uchar red\nproperty float s\nproperty float t\n\
        element material 1\nproperty list int float numbers\n\
        element face 2\nproperty int flags\nproperty list uchar uint vertex_index";
    let records: [&[Value]; 6] = [
        &[F32(0.125), F64(0.1), I16(-300), U8(200), F32(0.0), F32(0.25)],
        &[F32(1.0), F64(-2.5e-9), I16(7), U8(0), F32(0.5), F32(0.75)],
        &[F32(-4.0), F64(1.0 / 3.0), I16(0), U8(9), F32(1.0), F32(1.0)],
        &[I32(2), F32(1.0), F32(2.0)],
        &[I32(-70_000), U8(3), U32(0), U32(1), U32(2)],
        &[I32(5), U8(2), U32(2), U32(0)],
    ];
    for encoding in ENCODINGS {
        let imported = read_ply(&file(encoding, header, &records)).unwrap();
        assert_eq!(imported.notes, ["1 elements `material` were left out"], "{encoding}");
        let mesh = imported.mesh;
        assert_eq!(mesh.positions[0], DVec3::new(0.125, 0.1, -300.0), "{encoding}");
        assert_eq!(mesh.positions[2], DVec3::new(-4.0, 1.0 / 3.0, 0.0));
        assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [&[0, 1, 2][..], &[2, 0]]);
        assert_eq!(mesh.faces.corner_uvs(1), Some(&[DVec2::ONE, DVec2::new(0.0, 0.25)][..]));
    }
}

const TRIANGLE: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices";

fn triangle(encoding: &str, indices: [i32; 3]) -> Vec<u8> {
    let [a, b, c] = indices.map(Value::I32);
    let zero = Value::F32(0.0);
    let vertex: &[Value] = &[zero, zero, zero];
    file(encoding, TRIANGLE, &[vertex, vertex, vertex, &[Value::U8(3), a, b, c]])
}

#[test]
fn indices_out_of_range_are_named() {
    for (bad, count) in [(3, 3), (-1, 3), (i32::MAX, 3)] {
        for encoding in ENCODINGS {
            let place = if encoding == "ascii" { "line 13" } else { "face 0" };
            let error = read_ply(&triangle(encoding, [0, 1, bad])).unwrap_err().to_string();
            assert_eq!(error, format!("{place}: refers to vertex {bad}, but there are {count}"));
        }
    }
}

#[test]
fn every_truncation_is_an_error() {
    for encoding in ENCODINGS {
        let whole = triangle(encoding, [0, 1, 2]);
        assert!(read_ply(&whole).is_ok());
        // The last three bytes of a text file are the digit, a space and the end of the line.
        let least = if encoding == "ascii" { 3 } else { 1 };
        for end in 0..=whole.len() - least {
            assert!(read_ply(&whole[..end]).is_err(), "{encoding}, {end} of {} bytes", whole.len());
        }
    }
}

#[test]
fn huge_counts_in_tiny_files_fail_at_once() {
    let huge = TRIANGLE.replace("vertex 3", "vertex 9000000000000000000");
    for encoding in ENCODINGS {
        assert!(read_ply(&file(encoding, &huge, &[])).is_err());
    }
    let no_properties = format!("element nothing 9000000000000000000\n{TRIANGLE}");
    let body = triangle("ascii", [0, 1, 2]);
    let body = &body[body.len() - 30..];
    let bytes = [file("ascii", &no_properties, &[]), body.to_vec()].concat();
    assert_eq!(read_ply(&bytes).unwrap().mesh.positions.len(), 3);
    let list = TRIANGLE.replace("list uchar", "list uint");
    let zero = Value::F32(0.0);
    let vertex: &[Value] = &[zero, zero, zero];
    let records: [&[Value]; 4] = [vertex, vertex, vertex, &[Value::U32(u32::MAX)]];
    let error = read_ply(&file("binary_big_endian", &list, &records)).unwrap_err().to_string();
    let message = "face 0: the data ends too early: 17179869180 bytes are needed here, 0 are there";
    assert_eq!(error, message);
}

#[test]
fn faults_have_their_place() {
    let text = |header: &str, body: &str| {
        format!("ply\nformat ascii 1.0\n{header}\nend_header\n{body}").into_bytes()
    };
    let points = "element vertex 1\nproperty float x\nproperty float y\nproperty float z";
    let with_uv = "property list uchar float texcoord";
    let cases = [
        (b"solid".to_vec(), "line 1: `ply`, with which PLY files begin, is missing"),
        (b"ply\nend_header\n".to_vec(), "line 2: the line `format` is missing"),
        (b"ply\nformat ascii 1.0\n".to_vec(), "line 2: the line `end_header` is missing"),
        (b"ply\nformat ebcdic 1.0\n".to_vec(), "line 2: `ebcdic` is no PLY format"),
        (
            b"ply\nformat ascii 2.0\n".to_vec(),
            "line 2: `format ascii 2.0` is no line of a PLY 1.0 header",
        ),
        (text("property float x", ""), "line 3: the element of this property is missing"),
        (text("element vertex x", ""), "line 3: `x` is not a whole number"),
        (text("element vertex -1", ""), "line 3: -1 elements `vertex`"),
        (text("element a 1\nproperty half x", ""), "line 4: `half` is no type"),
        (
            text("element a 1\nproperty list float int x", ""),
            "line 4: a list cannot be counted in `float`",
        ),
        (text("element face 0", ""), "header: element vertex is missing"),
        (
            text("element vertex 1\nelement vertex 1", ""),
            "header: element vertex stands there twice",
        ),
        (
            text("element vertex 1\nproperty float x", "0"),
            "header, element vertex: property y is missing",
        ),
        (
            text("element vertex 0\nelement tristrips 1", ""),
            "header: the element tristrips (triangle strips) cannot be read; save the mesh with plain faces",
        ),
        (text(points, "0 0"), "line 8: a value is missing"),
        (text(points, "\n0 0 0 0"), "line 9: 1 values too many for element vertex"),
        (text(points, "0 zero 0"), "line 8: `zero` is not a number"),
        (
            text(&format!("{points}\nelement face 1\nproperty float vertex_indices"), "0 0 0"),
            "header, element face: the list property vertex_indices of whole numbers is missing",
        ),
        (
            text(&TRIANGLE.replace("vertex 3", "vertex 1"), "0 0 0\n-3 0 0 0"),
            "line 11: -3 items in the list vertex_indices",
        ),
        (
            text(&TRIANGLE.replace("vertex 3", "vertex 1"), "0 0 0\n1 0.5"),
            "line 11: `0.5` is not a whole number",
        ),
        (
            text(
                &format!("{}\n{with_uv}", TRIANGLE.replace("vertex 3", "vertex 1")),
                "0 0 0\n1 0 1 0",
            ),
            "line 12: 1 values in texcoord for 1 corners",
        ),
    ];
    for (bytes, message) in cases {
        let read = read_ply(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(read.unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn what_is_left_out_is_noted() {
    let mut bytes = triangle("binary_little_endian", [0, 1, 2]);
    bytes.extend([1, 2, 3]);
    let notes = read_ply(&bytes).unwrap().notes;
    assert_eq!(notes, ["3 bytes after the last element were left out"]);
}
