//! Alembic files, taken apart again by a reader that others wrote.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

mod moving_cloth;
mod torn_weave;

use std::path::Path;

use moving_cloth::MovingCloth;
use ogawa_rs::{
    Archive, FileReader, GroupChunk, ObjectReader, PodArray, PropertyHeader, PropertyReader,
};
use serde_json::Value;
use taffeta_io::export::export;
use torn_weave::TornWeave;

/// An open archive and one of its objects.
struct Opened {
    reader: FileReader,
    archive: Archive,
    cloth: ObjectReader,
}

impl Opened {
    fn new(path: &Path) -> Self {
        Self::child(path, 0, 1)
    }

    /// One object of so many.
    fn child(path: &Path, index: usize, count: usize) -> Self {
        let mut reader = FileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let archive = Archive::new(&mut reader).unwrap();
        let root = archive.load_root_object(&mut reader).unwrap();
        assert_eq!(root.child_count(), count);
        let metadata = &archive.indexed_meta_data;
        let cloth = root.load_child(index, &mut reader, metadata, &archive.time_samplings).unwrap();
        Self { reader, archive, cloth }
    }

    /// A property of the mesh, by its path below the schema.
    fn property(&mut self, path: &[&str]) -> Option<(GroupChunk, PropertyHeader)> {
        let properties = self.cloth.properties().unwrap();
        let (reader, archive) = (&mut self.reader, &self.archive);
        let mut property =
            properties.load_sub_property_by_name(".geom", reader, archive).unwrap()?;
        for name in path {
            let PropertyReader::Compound(compound) = property else { panic!("{name}") };
            property = compound.load_sub_property_by_name(name, reader, archive).unwrap()?;
        }
        match property {
            PropertyReader::Array(array) => Some((array.group, array.header)),
            PropertyReader::Scalar(scalar) => Some((scalar.group, scalar.header)),
            PropertyReader::Compound(_) => panic!("{path:?} is a compound"),
        }
    }

    /// The sample of a frame. The crate's own choice of sample forgets that arrays have two
    /// chunks a sample, so the rule of the format is written out here.
    fn sample(&mut self, path: &[&str], frame: u32) -> PodArray {
        let (group, header) = self.property(path).unwrap();
        assert!(frame < header.next_sample_index);
        let (first, last) = (header.first_changed_index, header.last_changed_index);
        // The crate gives 0 to n − 1 for a property that changes with every sample.
        let first = if last > 0 { first.max(1) } else { first };
        let stored = if last == 0 || frame < first { 0 } else { frame.min(last) - first + 1 };
        let scalar = header.property_type == ogawa_rs::PropertyType::Scalar;
        let chunk = stored as usize * if scalar { 1 } else { 2 };
        let data = group.load_data(&mut self.reader, chunk).unwrap();
        data.read_pod_array(&header.data_type, &mut self.reader).unwrap()
    }

    fn floats(&mut self, path: &[&str], frame: u32) -> Vec<f64> {
        match self.sample(path, frame) {
            PodArray::F32(numbers) => numbers.into_iter().map(f64::from).collect(),
            PodArray::F64(numbers) => numbers,
            other => panic!("{path:?} holds {other:?}"),
        }
    }

    fn integers(&mut self, path: &[&str], frame: u32) -> Vec<i64> {
        match self.sample(path, frame) {
            PodArray::I32(numbers) => numbers.into_iter().map(i64::from).collect(),
            PodArray::U32(numbers) => numbers.into_iter().map(i64::from).collect(),
            PodArray::U8(numbers) => numbers.into_iter().map(i64::from).collect(),
            other => panic!("{path:?} holds {other:?}"),
        }
    }
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn whole(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// Corners in the other order, face by face.
fn reversed<T: Clone>(counts: &[i64], corners: &[T]) -> Vec<T> {
    let mut rest = corners;
    let mut turned = Vec::new();
    for &count in counts {
        let (face, after) = rest.split_at(count as usize);
        turned.extend(face.iter().rev().cloned());
        rest = after;
    }
    turned
}

fn check_frame(opened: &mut Opened, index: u32, expected: &Value) {
    let positions = flat(&expected["positions"]);
    assert_eq!(opened.floats(&["P"], index), positions);
    assert_eq!(opened.floats(&[".velocities"], index), flat(&expected["velocities"]));
    let counts = whole(&expected["counts"]);
    assert_eq!(opened.integers(&[".faceCounts"], index), counts);
    let corners = reversed(&counts, &whole(&expected["corners"]));
    assert_eq!(opened.integers(&[".faceIndices"], index), corners);

    let coordinate = |axis: usize| positions.iter().skip(axis).step_by(3).copied();
    let least = (0..3).map(|axis| coordinate(axis).fold(f64::INFINITY, f64::min));
    let greatest = (0..3).map(|axis| coordinate(axis).fold(f64::NEG_INFINITY, f64::max));
    let bounds: Vec<f64> = least.chain(greatest).collect();
    assert_eq!(opened.floats(&[".selfBnds"], index), bounds);

    let uvs = expected["uvs"].as_array().unwrap();
    assert_eq!(opened.property(&["uv", ".vals"]).is_some(), !uvs.is_empty());
    if !uvs.is_empty() {
        let values = opened.floats(&["uv", ".vals"], index);
        let indices = opened.integers(&["uv", ".indices"], index);
        let read: Vec<f64> =
            indices.iter().flat_map(|&i| values[2 * i as usize..][..2].to_vec()).collect();
        assert_eq!(read, reversed(&counts, uvs).iter().flat_map(flat).collect::<Vec<_>>());
    }
}

/// Exports a cloth and compares every frame.
fn round_trip(mut cloth: MovingCloth) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloth.abc");
    let exported = export(&mut cloth, &path).unwrap();
    let expected = cloth.expected();
    let frames = expected["frames"].as_array().unwrap();
    assert_eq!((exported.frames, exported.files), (frames.len(), vec![path.clone()]));
    let mut opened = Opened::new(&path);
    for (index, frame) in frames.iter().enumerate() {
        check_frame(&mut opened, index as u32, frame);
    }
    opened
}

#[test]
fn a_moving_cloth_comes_back() {
    round_trip(MovingCloth::new(7, 5, 3..=12));
}

#[test]
fn a_texture_seam_comes_back() {
    round_trip(MovingCloth::new(4, 6, 0..=3).with_seam());
}

#[test]
fn a_cloth_without_texture_comes_back() {
    round_trip(MovingCloth::new(4, 6, 0..=3).without_uvs());
}

#[test]
fn a_single_frame_comes_back() {
    round_trip(MovingCloth::new(3, 3, 5..=5));
}

#[test]
fn more_frames_than_a_byte_counts_come_back() {
    round_trip(MovingCloth::new(2, 2, 1..=300));
}

#[test]
fn a_tear_comes_back_wherever_it_happens() {
    for at in 2..=6 {
        round_trip(MovingCloth::new(4, 3, 1..=6).with_seam().torn_at(at));
        for again in at + 1..=6 {
            round_trip(MovingCloth::new(4, 3, 1..=6).with_seam().torn_at(at).torn_at(again));
        }
    }
}

#[test]
fn the_yarns_of_cloth_that_tears_come_back() {
    for (loosens, tears) in [(2, 3), (3, 6), (5, 6), (7, 8)] {
        let mut cloth = TornWeave::new(1..=6, loosens, tears);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloth.abc");
        export(&mut cloth, &path).unwrap();
        let expected = cloth.expected();
        let [mut mesh, mut yarns] = [0, 1].map(|index| Opened::child(&path, index, 2));
        assert_eq!(yarns.cloth.header.full_name, "/yarns");
        assert_eq!(yarns.cloth.header.meta_data.tokens["schema"], "AbcGeom_Curve_v2");
        for (index, frame) in (0u32..).zip(expected["frames"].as_array().unwrap()) {
            check_frame(&mut mesh, index, frame);
            let wanted = &frame["yarns"];
            assert_eq!(yarns.integers(&["nVertices"], index), whole(&wanted["counts"]));
            assert_eq!(yarns.integers(&["curveBasisAndType"], index), [1, 0, 0, 0]);
            assert_eq!(yarns.floats(&["width"], index), flat(&wanted["width"]));
            assert_eq!(yarns.floats(&[".velocities"], index), flat(&wanted["velocities"]));
            let (found, points) = (yarns.floats(&["P"], index), flat(&wanted["points"]));
            assert_eq!(found.len(), points.len());
            let error = found.iter().zip(&points).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 2e-7, "{error}");
        }
    }
}

#[test]
fn frames_lie_at_their_number_over_the_rate() {
    let mut opened = round_trip(MovingCloth::new(3, 3, 10..=14));
    for path in ["P", ".faceCounts", ".velocities", ".selfBnds"] {
        let (_, header) = opened.property(&[path]).unwrap();
        assert_eq!(header.next_sample_index, 5);
        let sampling = header.time_sampling.unwrap();
        assert_eq!(sampling.sampling_type.time_per_cycle, 1.0 / 25.0);
        assert_eq!(sampling.samples, [10.0 / 25.0]);
    }
    assert_eq!(opened.archive.max_samples, [0, 5]);
}

#[test]
fn an_unchanged_mesh_is_stored_once() {
    let mut opened = round_trip(MovingCloth::new(3, 3, 1..=20));
    let (positions, _) = opened.property(&["P"]).unwrap();
    let (corners, _) = opened.property(&[".faceIndices"]).unwrap();
    assert_eq!((positions.child_count, corners.child_count), (40, 2));
}

#[test]
fn the_archive_says_what_it_is() {
    let opened = round_trip(MovingCloth::new(3, 3, 1..=2));
    let archive = &opened.archive.root_header.meta_data.tokens;
    assert_eq!(archive["_ai_DCC_FPS"], "25");
    assert!(archive["_ai_Application"].starts_with("Taffeta"));
    assert_eq!(opened.cloth.header.full_name, "/cloth");
    assert_eq!(opened.cloth.header.meta_data.tokens["schema"], "AbcGeom_PolyMesh_v1");
}
