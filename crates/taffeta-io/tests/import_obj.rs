//! OBJ files as people write them, and what is said about broken ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use glam::{DVec2, DVec3};
use taffeta_io::import::{Fault, FormatError, ImportError, Imported, Place, read_mesh, read_obj};

fn read(text: &str) -> Imported {
    read_obj(text.as_bytes()).unwrap()
}

/// The message about a file that cannot be read.
fn complaint(text: &str) -> String {
    read_obj(text.as_bytes()).unwrap_err().to_string()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn reads_the_usual_statements() {
    let imported = read(
        "# a tent\r\nmtllib a.mtl\no tent\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 .1e-2\nv 0 1 0\n\
         vt 0\nvt 1 0 0\nvt 1 1\nvn 0 0 1\ns off\nusemtl caf\u{e9}\n\
         f 1/1/1 2/2/1 3/3/1 # front\nf -4/-3 -2/-1 \\\n  -1/1\n",
    );
    let note = "colours were left out: 5 of 6 corners of faces have none from 0 to 1";
    assert_eq!(imported.notes, [note]);
    let mesh = imported.mesh;
    assert_eq!(mesh.positions[2], DVec3::new(1.0, 1.0, 0.001));
    assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3]]);
    let uv = DVec2::new;
    let uvs = [uv(0.0, 0.0), uv(1.0, 0.0), uv(1.0, 1.0), uv(0.0, 0.0), uv(1.0, 1.0), uv(0.0, 0.0)];
    assert_eq!(mesh.faces.all_uvs(), uvs);
}

#[test]
fn colours_of_vertices_come_through_where_all_have_one() {
    let coloured = |last: &str| {
        read(&format!("v 0 0 0 1 0 0\nv 1 0 0 1 0 .5 0\nv 0 1 0 {last}\nf 1 2 3\nf 3 2 1"))
    };
    let imported = coloured("0 0 1");
    assert_eq!(imported.notes, [""; 0]);
    let [red, green, blue] = [0xff_00_00, 0x00_80_00, 0x00_00_ff];
    assert_eq!(imported.mesh.faces.all_colours(), [red, green, blue, blue, green, red]);
    for bad in ["", "0 0 255", "0 0 nan"] {
        let imported = coloured(bad);
        assert!(imported.mesh.faces.all_colours().is_empty(), "{bad}");
        assert!(imported.notes[0].starts_with("colours were left out: 2 of 6"), "{bad}");
    }
}

#[test]
fn faces_may_stand_before_their_vertices_and_have_any_number_of_corners() {
    let mesh =
        read("f 1 2\nf 1//9 2//9 3//9 4//9 5//9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 nan 0")
            .mesh;
    assert_eq!(mesh.faces.iter().map(<[u32]>::len).collect::<Vec<_>>(), [2, 5]);
    assert!(mesh.positions[4].y.is_nan());
    assert!(!mesh.problems().is_empty());
}

#[test]
fn what_is_left_out_is_noted() {
    let notes =
        read(&format!("{TRIANGLE}l 1 2\nl 2 3\nhello\nvt 0 0\nf 1/1 2/1 3/1\nf 1 2 3")).notes;
    assert_eq!(
        notes,
        [
            "1 statements `hello` were not understood and left out, the first on line 6",
            "2 `l` elements (lines or points) were left out, the first on line 4",
            "texture coordinates were left out: 1 of 2 faces have none",
        ]
    );
}

#[test]
fn faults_have_their_line() {
    let cases = [
        ("v 0 0 0\nv 1 x 0", "line 2: `x` is not a number"),
        ("v 0 0,5 0", "line 1: `0,5` is not a number"),
        ("\n\nv 1 2", "line 3: coordinate z is missing"),
        ("vt", "line 1: coordinate u is missing"),
        ("v 1 2 \\\n\n3", "line 2: coordinate z is missing"),
        ("f", "line 1: every vertex of the face is missing"),
        ("f 1 2 4", "line 1: refers to vertex 1, but there are 0"),
        ("f 1.5 2 3", "line 1: `1.5` is not a whole number"),
        ("f 1/2/3/4", "line 1: `1/2/3/4` is no corner; write vertex/uv/normal"),
        ("f 1//x", "line 1: `x` is not a whole number"),
        ("f 99999999999999999999", "line 1: `99999999999999999999` is not a whole number"),
        (
            "surf 0 1 0 1 1 2 3",
            "line 1: `surf` (free-form geometry or another file) cannot be read; save the shape as polygons",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(complaint(text), message, "{text}");
    }
    let after_triangle = [
        ("f 1 2 4", "line 4: refers to vertex 4, but there are 3"),
        ("f 1 2 0", "line 4: refers to vertex 0, but there are 3"),
        ("f 1 2 -4", "line 4: refers to vertex -4, but there are 3"),
        (
            "f 1 2 -9223372036854775808",
            "line 4: refers to vertex -9223372036854775808, but there are 3",
        ),
        ("f 1/1 2/1 3/1", "line 4: refers to texture coordinate 1, but there are 0"),
        (
            "vt 0 0\nf 1/1 2 3",
            "line 5: only some corners of the face have texture coordinates: give all or none",
        ),
    ];
    for (text, message) in after_triangle {
        assert_eq!(complaint(&format!("{TRIANGLE}{text}")), message, "{text}");
    }
}

#[test]
fn long_words_are_shortened_in_messages() {
    let FormatError { place, fault } = read_obj("v ä".repeat(1000).as_bytes()).unwrap_err();
    assert_eq!(place, Place::Line(1));
    assert_eq!(fault, Fault::NotANumber { text: "äv".to_owned() });
    assert!(complaint(&format!("v {}", "é".repeat(1000))).len() < 150);
}

#[test]
fn files_are_named_in_messages() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read_mesh(&folder.path().join("none.obj")).unwrap_err();
    assert!(matches!(missing, ImportError::Read { .. }), "{missing}");
    assert!(missing.to_string().contains("none.obj: No such file"), "{missing}");
    let unknown = read_mesh(&folder.path().join("none.fbx")).unwrap_err().to_string();
    assert!(unknown.ends_with("these extensions work: obj, ply, gltf, glb"), "{unknown}");
    let path = folder.path().join("broken.OBJ");
    std::fs::write(&path, "v 1").unwrap();
    let broken = read_mesh(&path).unwrap_err().to_string();
    assert_eq!(broken, format!("{}, line 1: coordinate y is missing", path.display()));
}
