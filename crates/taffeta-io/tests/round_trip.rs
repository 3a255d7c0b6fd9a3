//! What is exported and read back is the same mesh, to the last bit.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod recorded;

use glam::{DVec2, DVec3};
use proptest::collection::vec;
use proptest::prelude::*;
use recorded::{Recorded, patch, swaying, with_seam, without_uvs};
use taffeta::Mesh;
use taffeta::mesh::Faces;
use taffeta_io::export::export;
use taffeta_io::import::read_mesh;
use tempfile::tempdir;

/// Everything in a mesh as whole numbers: NaN and the sign of 0 count.
fn bits(mesh: &Mesh) -> (Vec<u64>, Vec<Vec<u32>>, Vec<u64>) {
    (
        mesh.positions.iter().flat_map(DVec3::to_array).map(f64::to_bits).collect(),
        mesh.faces.iter().map(<[u32]>::to_vec).collect(),
        mesh.faces.all_uvs().iter().flat_map(DVec2::to_array).map(f64::to_bits).collect(),
    )
}

fn there_and_back(mesh: &Mesh, extension: &str) -> Mesh {
    let folder = tempdir().unwrap();
    let mut source: Recorded = swaying(mesh, 1, 1);
    source.moments[0].mesh = mesh.clone();
    let exported = export(&mut source, &folder.path().join(format!("c.{extension}"))).unwrap();
    let imported = read_mesh(&exported.files[0]).unwrap();
    assert_eq!(imported.notes, [""; 0]);
    imported.mesh
}

#[test]
fn cloth_comes_back() {
    for mesh in [patch(), with_seam(patch()), without_uvs(patch())] {
        for extension in ["obj", "ply"] {
            assert_eq!(bits(&there_and_back(&mesh, extension)), bits(&mesh), "{extension}");
        }
    }
}

/// GLB holds triangles in single precision and repeats vertices along texture seams.
#[test]
fn cloth_comes_back_from_glb_as_triangles_in_single_precision() {
    for mesh in [patch(), with_seam(patch()), without_uvs(patch())] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("c.glb");
        export(&mut swaying(&mesh, 1, 2), &path).unwrap();
        let back = read_mesh(&path).unwrap().mesh;
        let single = |at: &DVec3| at.as_vec3().as_dvec3();
        assert_eq!(back.positions, mesh.positions.iter().map(single).collect::<Vec<_>>());
        let triangles: Vec<_> = mesh.faces.triangles().collect();
        assert_eq!(back.faces.iter().collect::<Vec<_>>(), triangles);
        let corner_uvs = |mesh: &Mesh, face: usize| mesh.faces.corner_uvs(face).map(<[_]>::to_vec);
        let (last, triangle) = (mesh.faces.len() - 1, triangles.len() - 1);
        let near = |(a, b): (&DVec2, &DVec2)| a.distance(*b) < 1e-6;
        match (corner_uvs(&back, triangle), corner_uvs(&mesh, last)) {
            (Some(back), Some(uvs)) => assert!(back.iter().zip(&uvs).all(near), "{back:?} {uvs:?}"),
            (back, uvs) => assert_eq!(back, uvs),
        }
    }
}

/// Whatever an exporter accepts: all that is finite in single precision.
fn value() -> impl Strategy<Value = f64> {
    let any = any::<f64>().prop_filter("in range", |value| (*value as f32).is_finite());
    prop_oneof![3 => -2.0..2.0, 1 => any, 1 => Just(-0.0)]
}

fn uv() -> impl Strategy<Value = DVec2> {
    (value(), value()).prop_map(DVec2::from)
}

/// Which texture coordinates a mesh has.
#[derive(Clone, Debug)]
enum Uvs {
    None,
    PerVertex(Vec<DVec2>),
    PerCorner(Vec<DVec2>),
}

fn mesh() -> impl Strategy<Value = Mesh> {
    (1_usize..12).prop_flat_map(|vertices| {
        let positions = vec((value(), value(), value()).prop_map(DVec3::from), vertices);
        let faces = vec(vec(0..vertices as u32, 1..6), 0..8);
        let uvs = prop_oneof![
            Just(Uvs::None),
            vec(uv(), vertices).prop_map(Uvs::PerVertex),
            vec(uv(), 8 * 6).prop_map(Uvs::PerCorner),
        ];
        (positions, faces, uvs).prop_map(|(positions, faces, uvs)| assemble(positions, &faces, uvs))
    })
}

fn assemble(positions: Vec<DVec3>, polygons: &[Vec<u32>], uvs: Uvs) -> Mesh {
    let mut faces = Faces::new();
    polygons.iter().for_each(|polygon| faces.push(polygon));
    let corners = faces.all_corners().to_vec();
    match uvs {
        Uvs::None => {}
        Uvs::PerVertex(uvs) => {
            assert!(faces.set_uvs(corners.iter().map(|vertex| uvs[*vertex as usize]).collect()));
        }
        Uvs::PerCorner(uvs) => assert!(faces.set_uvs(uvs[..corners.len()].to_vec())),
    }
    Mesh { positions, faces }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mesh_comes_back_from_obj(mesh in mesh()) {
        prop_assert_eq!(bits(&there_and_back(&mesh, "obj")), bits(&mesh));
    }

    #[test]
    fn any_mesh_comes_back_from_ply(mesh in mesh()) {
        prop_assert_eq!(bits(&there_and_back(&mesh, "ply")), bits(&mesh));
    }
}
