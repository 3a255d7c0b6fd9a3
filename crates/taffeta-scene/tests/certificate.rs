//! The certificate: what does not hold is found, and what cannot be checked does not hold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{scene_with, whole};
use taffeta_io::cache::{CacheReader, CacheWriter, Claim};
use taffeta_scene::check::{Violation, check};
use taffeta_scene::format::{Checks, HeightCheck};

#[test]
fn check_finds_what_was_changed_behind_its_back() {
    let scene = scene_with(&[]);
    let find = |change: fn(&Path), words: &str| {
        let (folder, _) = whole();
        change(folder.path());
        let mut reader = CacheReader::open(folder.path()).unwrap();
        let found = check(&mut reader, &scene.checks, None).unwrap().violations;
        assert!(found.iter().any(|v| v.what.contains(words)), "{words}: {found:?}");
    };
    find(|f| fs::remove_file(f.join("frames/000013.tff")).unwrap(), "it is not there");
    find(|f| fs::remove_file(f.join("report.jsonl")).unwrap(), "no line");
    find(
        |f| {
            fs::copy(f.join("frames/000014.tff"), f.join("frames/000015.tff")).unwrap();
        },
        "it is frame 14",
    );
    find(
        |f| {
            let path = f.join("frames/000016.tff");
            let bytes = fs::read(&path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
        "damaged",
    );
    find(
        |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            fs::write(f.join("report.jsonl"), report.replace("\"hash\":\"", "\"hash\":\"f"))
                .unwrap();
        },
        "the report says",
    );
}

#[test]
fn frames_in_a_row_that_are_not_there_are_one_violation() {
    let (folder, _) = whole();
    for frame in [13, 14, 15, 17] {
        fs::remove_file(folder.path().join(format!("frames/{frame:06}.tff"))).unwrap();
    }
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let found = check(&mut reader, &Checks::default(), None).unwrap().violations;
    let missing: Vec<&Violation> = found.iter().filter(|v| v.what.contains("not there")).collect();
    assert_eq!(missing.len(), 2, "{found:?}");
    assert!(missing[0].frame == 13 && missing[0].what.ends_with("up to frame 15"), "{found:?}");
    assert!(missing[1].frame == 17 && missing[1].what == "it is not there", "{found:?}");
}

#[test]
fn promises_about_frames_that_are_not_there_do_not_hold() {
    let (folder, _) = whole();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let height = |time| HeightCheck { time, mean: 0.0, tolerance: 1e9 };
    let late = |from| Checks { from, ..scene_with(&[]).checks };
    let tall = |time| Checks { heights: vec![height(time)], ..Checks::default() };
    let (end, rate) = (0.4, 30.0);
    for checks in [late(end), tall(end), tall(0.0)] {
        let found = check(&mut reader, &checks, None).unwrap();
        assert!(found.holds() && found.unchecked.is_empty(), "{checks:?}: {found:?}");
    }
    let beyond = [0.5, 1e9, f64::from(u32::MAX) / rate, 1e300, f64::MAX];
    for checks in beyond.into_iter().flat_map(|time| [late(time), tall(time)]) {
        let found = check(&mut reader, &checks, None).unwrap();
        assert_eq!((found.holds(), found.unchecked.len()), (false, 1), "{checks:?}");
        assert!(found.violations.is_empty());
        let found = check(&mut reader, &checks, Some(10..=15)).unwrap();
        assert_eq!((found.holds(), found.unchecked.len()), (true, 1), "{checks:?}");
    }
}

#[test]
fn a_strain_that_is_no_number_does_not_hold() {
    let (folder, _) = whole();
    let mut frame = CacheReader::open(folder.path()).unwrap().load(14).unwrap();
    // Finite, but too far apart to subtract.
    frame.snapshot.state.positions[0].x = 1.5e308;
    frame.snapshot.state.positions[1].x = -1.5e308;
    let mut writer = CacheWriter::reopen(Claim::take(folder.path()).unwrap()).unwrap();
    writer.write_frame(&frame).unwrap();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let found = check(&mut reader, &Checks::default(), None).unwrap();
    let strain = |v: &&Violation| v.frame == 14 && v.what.contains("strain of edge 0–1 is NaN");
    assert!(found.violations.iter().any(|v| strain(&v)), "{:?}", found.violations);
}

#[test]
fn check_names_the_edge_and_the_height_that_do_not_hold() {
    let (folder, _) = whole();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let mut checks = scene_with(&[]).checks;
    checks.extension = Some(1e-6);
    checks.compression = Some(1e-6);
    checks.heights = vec![HeightCheck { time: 0.2, mean: 7.0, tolerance: 0.1 }];
    let found = check(&mut reader, &checks, None).unwrap();
    let has = |words: &str| found.violations.iter().any(|v| v.what.contains(words));
    assert!(has("is extended by") && has("is compressed by"));
    let height: Vec<_> = found.violations.iter().filter(|v| v.what.contains("height")).collect();
    assert_eq!(height.len(), 1);
    assert_eq!(height[0].frame, 16);
}
