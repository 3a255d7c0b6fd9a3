//! The bytes of exported files, decoded here from the definitions of their formats.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod recorded;

use std::fs;
use std::path::Path;

use glam::{DVec3, Vec3};
use recorded::{Recorded, patch, swaying};
use taffeta_io::export::{ExportError, export};
use tempfile::tempdir;

const SEQUENCES: [&str; 3] = ["obj", "ply", "stl"];
const ONE_MESH: [&str; 3] = ["pc2", "mdd", "npz"];

fn export_to(source: &mut Recorded, folder: &Path, name: &str) -> Result<Vec<String>, ExportError> {
    let exported = export(source, &folder.join(name))?;
    assert_eq!(exported.frames, source.moments.len());
    let name = |file: &std::path::PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    Ok(exported.files.iter().map(name).collect())
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn singles(bytes: &[u8], from_bytes: fn([u8; 4]) -> f32) -> Vec<f32> {
    bytes.chunks(4).map(|chunk| from_bytes(chunk.try_into().unwrap())).collect()
}

fn all_points(source: &Recorded) -> Vec<f32> {
    let points = source.moments.iter().flat_map(|moment| &moment.mesh.positions);
    points.flat_map(|at| at.as_vec3().to_array()).collect()
}

#[test]
fn a_sequence_has_one_file_a_frame() {
    for extension in SEQUENCES {
        let folder = tempdir().unwrap();
        let mut source = swaying(&patch(), 9, 3);
        let files = export_to(&mut source, folder.path(), &format!("c%03d.{extension}")).unwrap();
        let expected = [9, 10, 11].map(|number| format!("c{number:03}.{extension}"));
        assert_eq!(files, expected);
        let mut sorted = expected.to_vec();
        sorted.sort();
        assert_eq!(names_in(folder.path()), sorted);
    }
}

#[test]
fn the_mesh_may_change_only_where_each_frame_has_its_own() {
    let mut source = swaying(&patch(), 1, 4);
    for moment in &mut source.moments[2..] {
        moment.revision = 1;
        moment.mesh.positions.push(DVec3::ZERO);
        moment.velocities.push(DVec3::ZERO);
        moment.mesh.faces.push(&[2, 3, 13]);
        let mut uvs = moment.mesh.faces.all_uvs().to_vec();
        uvs.resize(moment.mesh.faces.all_corners().len(), uvs[0]);
        moment.mesh.faces.set_uvs(uvs);
    }
    for extension in SEQUENCES {
        let folder = tempdir().unwrap();
        export_to(&mut source, folder.path(), &format!("c.{extension}")).unwrap();
    }
    for wanted in ONE_MESH {
        let folder = tempdir().unwrap();
        match export_to(&mut source, folder.path(), &format!("c.{wanted}")) {
            Err(error @ ExportError::TopologyChanges { frame: 3, extension }) => {
                assert_eq!(extension, wanted);
                let words = error.to_string();
                assert!(words.contains("frame 3") && words.contains("abc, usda, obj, ply, stl"));
            }
            other => panic!("{wanted}: {other:?}"),
        }
        assert_eq!(names_in(folder.path()), [""; 0], "{wanted} left a file behind");
    }
}

#[test]
fn a_particle_that_is_nowhere_is_named() {
    for extension in SEQUENCES.iter().chain(&ONE_MESH) {
        let folder = tempdir().unwrap();
        let mut source = swaying(&patch(), 5, 3);
        source.moments[1].mesh.positions[4].z = f64::NAN;
        match export_to(&mut source, folder.path(), &format!("c.{extension}")) {
            Err(ExportError::NotFinite { frame: 6, vertex: 4, what: "position" }) => {}
            other => panic!("{extension}: {other:?}"),
        }
    }
}

#[test]
fn obj_keeps_quads_and_shares_texture_coordinates() {
    let folder = tempdir().unwrap();
    export_to(&mut swaying(&patch(), 1, 1), folder.path(), "c.obj").unwrap();
    let text = fs::read_to_string(folder.path().join("c_0001.obj")).unwrap();
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("v "), count("vt "), count("f ")), (13, 13, 7));
    assert_eq!(text.lines().last(), Some("f 4/8 8/7 13/13"));
    assert!(text.contains("\nv -0.55 0.0 -0.35\n"), "{text}");
}

#[test]
fn stl_has_a_normal_and_corners_for_each_triangle() {
    let folder = tempdir().unwrap();
    let mesh = patch();
    export_to(&mut swaying(&mesh, 1, 1), folder.path(), "c.stl").unwrap();
    let bytes = fs::read(folder.path().join("c_0001.stl")).unwrap();
    assert!(!bytes.starts_with(b"solid"));
    let triangles: Vec<_> = mesh.faces.triangles().collect();
    assert_eq!(bytes[80..84], (triangles.len() as u32).to_le_bytes());
    assert_eq!(bytes.len(), 84 + 50 * triangles.len());
    for (record, triangle) in bytes[84..].chunks(50).zip(triangles) {
        let values = singles(&record[..48], f32::from_le_bytes);
        let corners = triangle.map(|vertex| mesh.positions[vertex as usize].as_vec3());
        assert_eq!(values[3..], corners.map(|at| at.to_array()).concat());
        let normal = Vec3::from_slice(&values[..3]);
        assert!((normal.length() - 1.0).abs() < 1e-6);
        let spread = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        assert!(normal.dot(spread) > 0.999 * spread.length());
        assert_eq!(record[48..], [0, 0]);
    }
}

#[test]
fn pc2_has_its_header_and_all_points() {
    let folder = tempdir().unwrap();
    let mut source = swaying(&patch(), 12, 3);
    assert_eq!(export_to(&mut source, folder.path(), "c.pc2").unwrap(), ["c.pc2", "c-mesh.obj"]);
    let bytes = fs::read(folder.path().join("c.pc2")).unwrap();
    let header = [
        b"POINTCACHE2\0".as_slice(),
        &1_i32.to_le_bytes(),
        &13_i32.to_le_bytes(),
        &12_f32.to_le_bytes(),
        &1_f32.to_le_bytes(),
        &3_i32.to_le_bytes(),
    ];
    assert_eq!(bytes[..32], header.concat());
    assert_eq!(singles(&bytes[32..], f32::from_le_bytes), all_points(&source));
}

#[test]
fn mdd_has_its_header_times_and_all_points() {
    let folder = tempdir().unwrap();
    let mut source = swaying(&patch(), 12, 3);
    assert_eq!(export_to(&mut source, folder.path(), "c.mdd").unwrap(), ["c.mdd", "c-mesh.obj"]);
    let bytes = fs::read(folder.path().join("c.mdd")).unwrap();
    assert_eq!(bytes[..8], [0, 0, 0, 3, 0, 0, 0, 13]);
    let values = singles(&bytes[8..], f32::from_be_bytes);
    assert_eq!(values[..3], [0.0, 1.0 / 24.0, 2.0 / 24.0]);
    assert_eq!(values[3..], all_points(&source));
}

#[test]
fn the_obj_of_a_point_cache_is_the_first_frame() {
    for extension in ["pc2", "mdd"] {
        let folder = tempdir().unwrap();
        let mut source = swaying(&patch(), 12, 3);
        export_to(&mut source, folder.path(), &format!("c.{extension}")).unwrap();
        export_to(&mut source, folder.path(), "alone.obj").unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("c-mesh.obj"), read("alone_0012.obj"));
    }
}
