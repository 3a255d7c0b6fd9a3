//! What the report and the certificate say of cloth that tears.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;
mod tearing_cloth;

use std::fs;
use std::path::Path;

use common::go;
use taffeta_io::cache::{CacheReader, CacheWriter, Claim};
use taffeta_scene::check::{Certificate, check};
use taffeta_scene::format::Checks;
use taffeta_scene::run::{FrameReport, FrayReport, Mode};
use tearing_cloth::{scene, whole};
use tempfile::tempdir;

fn lines(folder: &Path) -> Vec<FrameReport> {
    let text = fs::read_to_string(folder.join("report.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn checked(folder: &Path, checks: &Checks) -> Certificate {
    check(&mut CacheReader::open(folder).unwrap(), checks, None).unwrap()
}

#[test]
fn the_report_counts_what_the_frames_show() {
    let (folder, _) = whole();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let reports = lines(folder.path());
    let mut last = FrayReport::default();
    for report in &reports {
        let frays = report.frays.unwrap();
        let range = Some(report.frame..=report.frame);
        let found = check(&mut reader, &Checks::default(), range).unwrap().torn.unwrap();
        assert_eq!(found.frame, report.frame);
        assert_eq!((found.torn, found.ends), (frays.torn, frays.ends));
        assert_eq!(found.pieces, frays.pieces, "frame {}", report.frame);
        assert_eq!(frays.ends, 2 * frays.torn);
        assert!(frays.torn >= last.torn && frays.split >= last.split && frays.apart >= last.apart);
        assert!(frays.apart <= frays.split);
        last = frays;
    }
    assert_eq!(reports[0].frays, Some(FrayReport { pieces: 1, ..FrayReport::default() }));
    assert!(last.torn > 6 && last.mean_length > 0.0, "{last:?}");
}

#[test]
fn a_run_says_how_far_its_cloth_has_torn_in_the_end() {
    let folder = tempdir().unwrap();
    let ending = go(&scene(&[]), folder.path(), Mode::New, Some(12)).unwrap();
    assert_eq!(ending.summary.frays, lines(folder.path()).last().unwrap().frays);
    let plain = tempdir().unwrap();
    let ending = go(&common::scene_with(&[]), plain.path(), Mode::New, Some(12)).unwrap();
    assert_eq!(ending.summary.frays, None);
}

#[test]
fn promises_of_tears_hold_or_do_not() {
    let (folder, _) = whole();
    let FrayReport { torn, pieces, .. } = lines(folder.path()).last().unwrap().frays.unwrap();
    let promise =
        |torn, pieces| Checks { torn: Some(torn), pieces: Some(pieces), ..Checks::default() };
    assert!(checked(folder.path(), &promise([torn, torn], [pieces, pieces])).holds());
    let broken = checked(folder.path(), &promise([0, torn - 1], [pieces + 1, 999_999]));
    assert_eq!(broken.violations.len(), 2, "{:?}", broken.violations);
    let said = &broken.violations[0];
    assert!(said.frame == 17 && said.what.contains(&format!("{torn} torn spans")), "{said:?}");
    // A part of the run proves nothing of its last frame.
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let part = check(&mut reader, &promise([torn, torn], [1, 1]), Some(5..=8)).unwrap();
    assert!(part.holds() && part.unchecked[0].contains("torn in frame 17"), "{part:?}");
}

#[test]
fn cloth_that_cannot_tear_breaks_promises_of_tears() {
    let (folder, _) = common::whole();
    let checks = Checks { torn: Some([0, 5]), ..Checks::default() };
    let found = checked(folder.path(), &checks);
    assert!(found.violations[0].what.contains("cannot tear"), "{:?}", found.violations);
}

#[test]
fn tears_that_their_topology_does_not_have_are_found() {
    let folder = tempdir().unwrap();
    go(&scene(&["frames.count=3"]), folder.path(), Mode::New, None).unwrap();
    let mut frame = CacheReader::open(folder.path()).unwrap().load(5).unwrap();
    frame.snapshot.tears.as_mut().unwrap().torn[0] = true;
    let mut writer = CacheWriter::reopen(Claim::take(folder.path()).unwrap()).unwrap();
    writer.write_frame(&frame).unwrap();
    let found = checked(folder.path(), &Checks::default());
    let words = "1 spans of yarn are torn, but there are 0 ends";
    assert!(found.violations.iter().any(|v| v.what == words), "{:?}", found.violations);
}
