//! Cloth at rest as its texture coordinates lie: how strained it starts, that seams are particles of two
//! charts, that it becomes what it was cut as, and what is odd about files from elsewhere.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::go;
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Mode;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

const N: usize = 6;

/// A sheet of two halves that share the particles of its middle column, as OBJ: `place` puts them into
/// space, `left` and `right` say how each half was cut; both are given 0 to 1 along both sides.
struct Sheet {
    place: fn(f64, f64) -> [f64; 3],
    left: fn(f64, f64) -> [f64; 2],
    right: fn(f64, f64) -> [f64; 2],
}

/// A square of a metre whose halves lie apart in the texture.
const PLAIN: Sheet =
    Sheet { place: |x, y| [x, y, 0.0], left: |x, y| [x, y], right: |x, y| [x + 3.0, y + 0.5] };

impl Sheet {
    fn write(&self, folder: &Path) {
        let mut text = String::new();
        let share = |i: usize| i as f64 / N as f64;
        for (i, j) in (0..=N).flat_map(|j| (0..=N).map(move |i| (i, j))) {
            let [x, y, z] = (self.place)(share(i), share(j));
            text += &format!("v {x} {y} {z}\n");
        }
        let mut uvs = 0;
        for (i, j) in (0..N).flat_map(|j| (0..N).map(move |i| (i, j))) {
            let half = if i < N / 2 { self.left } else { self.right };
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let mut face = String::new();
            for (i, j) in corners {
                let [u, v] = half(share(i), share(j));
                text += &format!("vt {u} {v}\n");
                uvs += 1;
                face += &format!(" {}/{uvs}", j * (N + 1) + i + 1);
            }
            text += &format!("f{face}\n");
        }
        fs::write(folder.join("cut.obj"), text).unwrap();
    }
}

fn resolve(base: &Path, mesh: &str, more: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "[cloth.mesh]\nfile = \"cut.obj\"\nrest = \"uv\"\n{mesh}\n[model.continuum]\n{more}\n"
    );
    let scene = SceneText { origin: "t", name: "t", base, text: &text };
    Scene::resolve(&SceneFile::read(scene, &[])?, 1 << 30)
}

fn of(sheet: &Sheet, mesh: &str) -> Result<Scene, SceneError> {
    let folder = tempdir().unwrap();
    sheet.write(folder.path());
    resolve(folder.path(), mesh, "")
}

fn told(result: Result<Scene, SceneError>) -> String {
    result.unwrap_err().problems().map(|problem| problem.message.clone()).collect()
}

/// The warp's and the weft's strain where most strained, at the start.
fn strains(scene: &Scene) -> [f64; 2] {
    let worst = |along: usize| {
        let gauges = scene.setup.model.gauges().iter().skip(along).step_by(2);
        gauges
            .map(|gauge| gauge.strain(&scene.setup.positions))
            .fold(0.0, |worst: f64, strain| if strain.abs() > worst.abs() { strain } else { worst })
    };
    [worst(0), worst(1)]
}

#[test]
fn strain_counts_from_the_texture_and_not_from_the_shape() {
    let [warp, weft] = strains(&of(&PLAIN, "").unwrap());
    assert!(warp.abs() < 1e-12 && weft.abs() < 1e-12, "{warp} {weft}");
    let wide = Sheet { place: |x, y| [1.1 * x, y, 0.0], ..PLAIN };
    let scene = of(&wide, "").unwrap();
    let [warp, weft] = strains(&scene);
    assert!((warp - 0.1).abs() < 1e-12 && weft.abs() < 1e-12, "{warp} {weft}");
    // What it weighs is what was cut.
    let mass: f64 = scene.setup.model.masses().iter().sum();
    let plain: f64 = of(&PLAIN, "").unwrap().setup.model.masses().iter().sum();
    assert!((mass / plain - 1.0).abs() < 1e-12);
}

#[test]
fn a_seam_is_particles_of_two_charts_and_the_texture_stays_as_it_was() {
    let scene = of(&PLAIN, "").unwrap();
    assert_eq!(scene.setup.model.particles(), (N + 1) * (N + 1));
    assert!(scene.notes.iter().any(|note| note.contains("into 2 panels of 1.0000 m²")));
    let small =
        Sheet { left: |x, y| [x / 4.0, y / 4.0], right: |x, y| [x / 4.0 + 0.5, y / 4.0], ..PLAIN };
    let scene = of(&small, "uv_scale = 4.0").unwrap();
    let [warp, weft] = strains(&scene);
    assert!(warp.abs() < 1e-12 && weft.abs() < 1e-12, "{warp} {weft}");
    let uvs = scene.setup.model.faces().all_uvs();
    assert!(uvs.iter().all(|uv| uv.max_element() <= 0.75), "pictures fit as before");
}

#[test]
fn what_is_drawn_from_behind_is_the_same_cloth() {
    let mirrored = Sheet { right: |x, y| [3.0 - x, y], ..PLAIN };
    let scene = of(&mirrored, "").unwrap();
    let [warp, weft] = strains(&scene);
    assert!(warp.abs() < 1e-12 && weft.abs() < 1e-12, "{warp} {weft}");
    let note = scene.notes.iter().find(|note| note.contains("mirrored")).unwrap();
    assert!(note.contains("18 of 36 faces, in 1 of the panels"), "{note}");
    // One chart that goes there and back, like paper folded in the middle.
    let folded = Sheet { left: |x, y| [x, y], right: |x, y| [1.0 - x, y], ..PLAIN };
    let scene = of(&folded, "").unwrap();
    assert!(scene.notes.iter().any(|note| note.contains("1 of the panels are so in part")));
}

/// Loads without gravity.
fn floating(scene: &Scene) -> taffeta::Loads {
    taffeta::Loads { gravity: glam::DVec3::ZERO, ..scene.setup.loads }
}

#[test]
fn cloth_becomes_what_it_was_cut_as() {
    // A square that the file has squeezed to four fifths along x, and that nothing holds.
    let squeezed = Sheet { place: |x, y| [0.85 * x, y, 0.02 * x * y], ..PLAIN };
    let (base, folder) = (tempdir().unwrap(), tempdir().unwrap());
    squeezed.write(base.path());
    let scene = resolve(base.path(), "", "[frames]\ncount = 90\n[air]\ndrag = 0.5\n").unwrap();
    let scene =
        Scene { setup: taffeta::Setup { loads: floating(&scene), ..scene.setup.clone() }, ..scene };
    let [before, _] = strains(&scene);
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);
    let last = *CacheReader::open(folder.path()).unwrap().frames().last().unwrap();
    let end = CacheReader::open(folder.path()).unwrap().load(last).unwrap();
    let after = Scene {
        setup: taffeta::Setup { positions: end.snapshot.state.positions, ..scene.setup.clone() },
        ..scene
    };
    let [warp, _] = strains(&after);
    assert!(before < -0.14 && warp.abs() < 0.2 * before.abs(), "{before} {warp}");
}

#[test]
fn a_wrong_unit_is_refused_with_the_scale_that_fits() {
    let inches = Sheet {
        left: |x, y| [x * 39.37, y * 39.37],
        right: |x, y| [x * 39.37 + 60.0, y * 39.37],
        ..PLAIN
    };
    let message = told(of(&inches, ""));
    assert!(message.contains("`uv_scale = 0.0254` would fit"), "{message}");
    assert!(of(&inches, "uv_scale = 0.0254").is_ok());
    // Said so, it is so; and told.
    let scene = of(&inches, "uv_scale = 0.05").unwrap();
    assert!(scene.notes.iter().any(|note| note.contains("`uv_scale = 0.0254` would fit")));
}

#[test]
fn odd_textures_are_told() {
    let unlike = Sheet { right: |x, y| [2.0 * x + 3.0, 2.0 * y], ..PLAIN };
    let scene = of(&unlike, "uv_scale = 0.6").unwrap();
    assert!(scene.notes.iter().any(|note| note.contains("different scales")), "{:?}", scene.notes);
    let filled =
        Sheet { left: |x, y| [x * 0.6, y * 1.5], right: |x, y| [x * 0.6 + 3.0, y * 1.5], ..PLAIN };
    let scene = of(&filled, "").unwrap();
    let note = scene.notes.iter().find(|note| note.contains("stretched to fill")).unwrap();
    assert!(note.contains("2.500 times"), "{note}");
}

#[test]
fn what_was_not_cut_is_refused() {
    let flat = Sheet { right: |x, _| [x + 3.0, 0.0], ..PLAIN };
    let message = told(of(&flat, ""));
    assert!(message.contains("18 of 36 faces have texture coordinates without area"), "{message}");
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("cut.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let message = told(resolve(folder.path(), "", ""));
    assert!(message.contains("needs texture coordinates"), "{message}");
    let some =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 2 4 3\n";
    fs::write(folder.path().join("cut.obj"), some).unwrap();
    let message = told(resolve(folder.path(), "", ""));
    assert!(message.contains("1 of 2 faces have none"), "{message}");
    let nan = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt nan 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";
    fs::write(folder.path().join("cut.obj"), nan).unwrap();
    assert!(told(resolve(folder.path(), "", "")).contains("not finite"));
}

#[test]
fn springs_and_idle_keys_are_refused() {
    let folder = tempdir().unwrap();
    PLAIN.write(folder.path());
    let read = |text: &str| {
        let scene = SceneText { origin: "t", name: "t", base: folder.path(), text };
        told(SceneFile::read(scene, &[]).and_then(|file| Scene::resolve(&file, 1 << 30)))
    };
    let message = read("[cloth.mesh]\nfile = \"cut.obj\"\nrest = \"uv\"\n");
    assert!(message.contains("[model.continuum]"), "{message}");
    let message = read("[cloth.mesh]\nfile = \"cut.obj\"\nuv_scale = 2.0\n[model.continuum]\n");
    assert!(message.contains("`uv_scale`"), "{message}");
}

#[test]
fn panels_exported_apart_are_told_and_joined_if_wanted() {
    let folder = tempdir().unwrap();
    // Two triangles that meet at an edge and share no vertex.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n\
                f 1/1 2/2 3/3\nf 4/2 5/4 6/3\n";
    fs::write(folder.path().join("cut.obj"), text).unwrap();
    let scene = resolve(folder.path(), "", "").unwrap();
    assert_eq!(scene.setup.model.particles(), 6);
    assert!(scene.notes.iter().any(|note| note.contains("2 vertices lie exactly on others")));
    let scene = resolve(folder.path(), "join = true", "").unwrap();
    assert_eq!(scene.setup.model.particles(), 4);
    assert!(!scene.notes.iter().any(|note| note.contains("lie exactly")));
}

#[test]
fn seams_of_a_gltf_are_sewn_by_themselves() {
    let folder = tempdir().unwrap();
    // Two triangles of a square, each with vertices of its own and apart in the texture, v downwards.
    let corners = [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]];
    let places = corners.map(|[x, y]| [x as f32, y as f32, 0.0]);
    let uvs = corners.map(|[x, y]| [x as f32, 1.0 - y as f32]);
    let mut bytes: Vec<u8> = places.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    for (number, [u, v]) in uvs.iter().enumerate() {
        let u = if number < 3 { *u } else { u + 2.0 };
        bytes.extend(u.to_le_bytes().into_iter().chain(v.to_le_bytes()));
    }
    fs::write(folder.path().join("cut.bin"), bytes).unwrap();
    let document = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]}],
        "buffers": [{"byteLength": 120, "uri": "cut.bin"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 72},
            {"buffer": 0, "byteOffset": 72, "byteLength": 48}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC2"}]}"#;
    fs::write(folder.path().join("cut.gltf"), document).unwrap();
    let text = "[cloth.mesh]\nfile = \"cut.gltf\"\nrest = \"uv\"\n[model.continuum]\n";
    let scene = SceneText { origin: "t", name: "t", base: folder.path(), text };
    let scene = Scene::resolve(&SceneFile::read(scene, &[]).unwrap(), 1 << 30).unwrap();
    assert_eq!(scene.setup.model.particles(), 4);
    assert!(scene.notes.iter().any(|note| note.contains("into 2 panels of 1.0000 m²")));
    assert!(scene.notes.iter().all(|note| !note.contains("mirrored")), "{:?}", scene.notes);
    assert!(strains(&scene).iter().all(|strain| strain.abs() < 1e-6));
}
