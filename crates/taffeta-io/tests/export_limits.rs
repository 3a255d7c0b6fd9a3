//! What every animation format refuses, and what it leaves behind when it does.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod moving_cloth;

use std::fs;
use std::path::Path;

use moving_cloth::MovingCloth;
use taffeta::Mesh;
use taffeta_io::export::{ExportError, export};

const FORMATS: [&str; 3] = ["abc", "usda", "glb"];

/// Exports over an older file; the export must fail and leave only that file, as it was.
fn refusal(mut cloth: MovingCloth, extension: &str) -> ExportError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cloth").with_extension(extension);
    fs::write(&path, "older").unwrap();
    let error = export(&mut cloth, &path).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"older");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a partial file stayed");
    error
}

#[test]
fn a_position_that_is_no_number_is_named() {
    for extension in FORMATS {
        let mut cloth = MovingCloth::new(4, 3, 1..=6);
        cloth.broken = Some((5, 7));
        let error = refusal(cloth, extension);
        assert!(
            matches!(error, ExportError::NotFinite { frame: 5, vertex: 7, what: "position" }),
            "{extension}: {error}"
        );
    }
}

#[test]
fn a_position_beyond_single_precision_is_named() {
    for extension in FORMATS {
        let mut cloth = MovingCloth::new(4, 3, 1..=6);
        cloth.rest.positions[2].x = 1e39;
        let error = refusal(cloth, extension);
        assert!(matches!(error, ExportError::NotFinite { vertex: 2, .. }), "{extension}: {error}");
    }
}

#[test]
fn a_face_beyond_the_vertices_is_an_error() {
    for extension in FORMATS {
        let mut cloth = MovingCloth::new(4, 3, 1..=6);
        cloth.rest.positions.pop();
        let error = refusal(cloth, extension);
        assert!(matches!(error, ExportError::Read { frame: 1, .. }), "{extension}: {error}");
    }
}

#[test]
fn no_frames_or_no_rate_is_an_error() {
    for extension in FORMATS {
        #[expect(clippy::reversed_empty_ranges, reason = "an empty range is the point")]
        let error = refusal(MovingCloth::new(4, 3, 2..=1), extension);
        assert!(matches!(error, ExportError::NoFrames), "{extension}: {error}");
        for rate in [0.0, -24.0, f64::NAN, f64::INFINITY] {
            let mut cloth = MovingCloth::new(4, 3, 1..=2);
            cloth.rate = rate;
            let error = refusal(cloth, extension);
            assert!(matches!(error, ExportError::BadRate { .. }), "{extension}: {error}");
        }
    }
}

#[test]
fn glb_names_the_frame_where_the_mesh_changes() {
    let error = refusal(MovingCloth::new(4, 3, 1..=6).torn_at(4), "glb");
    let named = matches!(error, ExportError::TopologyChanges { frame: 4, extension: "glb" });
    assert!(named, "{error}");
}

#[test]
fn glb_refuses_a_mesh_without_faces() {
    let mut cloth = MovingCloth::new(4, 3, 1..=6);
    cloth.rest = Mesh { positions: Vec::new(), faces: Default::default() };
    let error = refusal(cloth, "glb");
    assert!(matches!(error, ExportError::EmptyMesh { extension: "glb" }), "{error}");
}

#[test]
fn the_folder_is_made_and_equal_frames_give_equal_files() {
    let folder = tempfile::tempdir().unwrap();
    for extension in FORMATS {
        let written = ["a/b", "c"].map(|parent| {
            let path = folder.path().join(parent).join("cloth").with_extension(extension);
            export(&mut MovingCloth::new(4, 3, 1..=6), &path).unwrap();
            fs::read(path).unwrap()
        });
        assert_eq!(written[0], written[1], "{extension}");
    }
}

#[test]
fn a_folder_in_the_way_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for extension in FORMATS {
        let path = folder.path().join("cloth").with_extension(extension);
        fs::create_dir(&path).unwrap();
        let error = export(&mut MovingCloth::new(4, 3, 1..=6), &path).unwrap_err();
        assert!(matches!(error, ExportError::Write { .. }), "{extension}: {error}");
    }
}

/// The binary formats take no more than their numbers: three floats each for position and
/// velocity or normal, whatever the number of frames. Text takes up to five times that.
#[test]
fn files_are_hardly_larger_than_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let (side, frames) = (41, 150);
    for extension in FORMATS {
        let path = folder.path().join("cloth").with_extension(extension);
        let started = std::time::Instant::now();
        export(&mut MovingCloth::new(side, side, 1..=frames), &path).unwrap();
        let length = length(&path);
        println!("{extension}: {length} bytes in {:?}", started.elapsed());
        let numbers = u64::from(side * side * frames) * 24;
        let most = if extension == "usda" { numbers * 5 } else { numbers * 103 / 100 };
        assert!(length < most, "{extension}: {length} bytes for {numbers} bytes of numbers");
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}
