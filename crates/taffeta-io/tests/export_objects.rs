//! Several cloths and solids in one file: each is an object with its name, in its place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use ogawa_rs::{Archive, FileReader};
use serde_json::Value;
use taffeta::{Fabric, Frame, Model, Motion, MotionKey, Pose, Shape, Sheet, Solid};
use taffeta_io::export::export;
use taffeta_io::{Adapted, FrameSource, SourceError, UpAxis, Wishes};
use tempfile::tempdir;

/// A sheet and a larger one with a blank in its name, a ball that rises by 0.1 m a frame, a box that
/// stands.
struct Dressed {
    model: Model,
    positions: Vec<DVec3>,
    solids: Arc<Vec<Solid>>,
}

const FRAMES: u32 = 3;
const RATE: f64 = 25.0;

fn dressed() -> Dressed {
    let cloth = |size: f64, side: u32| {
        let mesh = Sheet { width: size, height: size, columns: side, rows: side }.mesh();
        Model::mass_spring(&mesh, &Fabric::default()).unwrap()
    };
    let named = vec![("skirt".to_string(), cloth(0.4, 4)), ("white blouse".into(), cloth(0.6, 3))];
    let model = Model::together(named).unwrap();
    let positions = (0..model.particles()).map(|i| DVec3::new(i as f64, 1.0, 0.5)).collect();
    let ball = Solid::resting(Shape::Sphere { radius: 0.1 }, Pose::at(DVec3::X));
    let key = |time: f64, y: f64| MotionKey { offset: DVec3::Y * y, time, ..MotionKey::default() };
    let rising = Motion { keys: vec![key(0.0, 0.0), key(1.0, 2.5)], ..Motion::still() };
    let block = Solid::resting(Shape::Box { size: DVec3::ONE }, Pose::at(DVec3::ZERO));
    let solids = Arc::new(vec![Solid { motion: rising, ..ball }, block]);
    Dressed { model, positions, solids }
}

impl FrameSource for Dressed {
    fn numbers(&self) -> RangeInclusive<u32> {
        1..=FRAMES
    }

    fn rate(&self) -> f64 {
        RATE
    }

    fn bodies(&mut self) -> Result<Arc<Vec<Solid>>, SourceError> {
        Ok(self.solids.clone())
    }

    fn read(&mut self, number: u32) -> Result<Frame<'_>, SourceError> {
        Ok(Frame {
            number,
            time: f64::from(number - 1) / RATE,
            revision: 0,
            faces: self.model.faces(),
            positions: &self.positions,
            velocities: &self.positions,
            yarns: None,
            cloths: self.model.cloths(),
        })
    }
}

fn exported(name: &str, up: UpAxis) -> (tempfile::TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    let mut source = dressed();
    export(&mut Adapted::new(&mut source, Wishes { up, ..Wishes::default() }), &path).unwrap();
    (folder, path)
}

#[test]
fn a_glb_has_a_node_a_mesh_and_a_material_for_each() {
    let (_folder, path) = exported("dressed.glb", UpAxis::Y);
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let names = |list: &str| -> Vec<String> {
        let items = document[list].as_array().unwrap();
        items.iter().map(|item| item["name"].as_str().unwrap().into()).collect()
    };
    let all = ["skirt", "white_blouse", "solid_0", "solid_1"];
    for list in ["nodes", "meshes", "materials"] {
        assert_eq!(names(list), all, "{list}");
    }
    // The box stands: it has no targets, and no channel moves it.
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    let moved: Vec<u64> = channels.iter().map(|c| c["target"]["node"].as_u64().unwrap()).collect();
    assert_eq!(moved, [0, 1, 2]);
    let primitive = |mesh: usize| &document["meshes"][mesh]["primitives"][0];
    let accessor = |number: &Value| &document["accessors"][number.as_u64().unwrap() as usize];
    assert_eq!(accessor(&primitive(0)["attributes"]["POSITION"])["count"], 16);
    assert_eq!(accessor(&primitive(1)["attributes"]["POSITION"])["count"], 9);
    // The ball rises by 0.1 m a frame.
    let target = &accessor(&primitive(2)["targets"][1]["POSITION"])["min"];
    assert!((target[1].as_f64().unwrap() - 0.2).abs() < 1e-6, "{target}");
    // Every view lies within the buffer, where the one before ends.
    let buffer = document["buffers"][0]["byteLength"].as_u64().unwrap();
    let mut end = 0;
    for view in document["bufferViews"].as_array().unwrap() {
        let at = view["byteOffset"].as_u64().unwrap();
        assert!(at >= end && at - end < 4, "{view}");
        end = at + view["byteLength"].as_u64().unwrap();
    }
    assert!(end <= buffer && buffer - end < 4 && bytes.len() as u64 == 28 + length as u64 + buffer);
}

#[test]
fn the_cloth_goes_alone_where_that_is_wanted() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("alone.usda");
    let wishes = Wishes { cloth_only: true, ..Wishes::default() };
    export(&mut Adapted::new(&mut dressed(), wishes), &path).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("def Mesh \"skirt\"") && !text.contains("solid_"));
}

#[test]
fn a_usd_stage_has_a_mesh_for_each_and_z_up_turns_solids_too() {
    let (_folder, path) = exported("dressed.usda", UpAxis::Z);
    let text = fs::read_to_string(path).unwrap();
    let meshes: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("def Mesh ")).collect();
    assert_eq!(meshes, ["\"skirt\"", "\"white_blouse\"", "\"solid_0\"", "\"solid_1\""]);
    let ball = text.split("def Mesh \"solid_0\"").nth(1).unwrap();
    let extents = ball.split("float3[] extent").nth(1).unwrap();
    assert!(extents.contains("(0.9, -0.1, -0.1), (1.1, 0.1, 0.1)"), "{}", &extents[..300]);
    assert!(extents.contains("(0.9, -0.1, 0.1), (1.1, 0.1, 0.3)"), "{}", &extents[..300]);
    let speed = ball.split("velocities.timeSamples").nth(1).unwrap();
    assert!(speed.lines().nth(2).unwrap().contains(", 2.5"), "{:?}", speed.lines().nth(2));
}

#[test]
fn an_alembic_archive_has_an_object_for_each() {
    let (_folder, path) = exported("dressed.abc", UpAxis::Y);
    let mut reader = FileReader::new(fs::File::open(path).unwrap()).unwrap();
    let archive = Archive::new(&mut reader).unwrap();
    let top = archive.load_root_object(&mut reader).unwrap();
    let (metadata, times) = (&archive.indexed_meta_data, &archive.time_samplings);
    let names: Vec<String> = (0..top.child_count())
        .map(|child| top.load_child(child, &mut reader, metadata, times).unwrap().header.name)
        .collect();
    assert_eq!(names, ["skirt", "white_blouse", "solid_0", "solid_1"]);
}

#[test]
fn an_obj_has_an_object_for_each_cloth_over_one_list_of_vertices() {
    let (folder, _) = exported("dressed.obj", UpAxis::Y);
    let text = fs::read_to_string(folder.path().join("dressed_0001.obj")).unwrap();
    let mut objects = text.split("\no ").skip(1);
    let skirt = objects.next().unwrap();
    assert!(skirt.starts_with("skirt\n") && skirt.matches("\nf ").count() == 9);
    let blouse = objects.next().unwrap();
    assert!(blouse.starts_with("white_blouse\n") && blouse.matches("\nf ").count() == 4);
    assert_eq!(text.matches("\nv ").count(), 25);
}
