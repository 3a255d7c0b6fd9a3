//! Runs of cloth that tears: its changing topology is kept, resumed and made good like its frames.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;
mod tearing_cloth;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{damage, go};
use taffeta_io::cache::{CacheReader, CacheWriter, Claim};
use taffeta_scene::run::{Mode, RunError};
use tearing_cloth::{files, scene, whole};
use tempfile::tempdir;

/// The revision of each frame.
fn revisions(folder: &Path) -> Vec<u64> {
    let reader = CacheReader::open(folder).unwrap();
    reader.frames().iter().map(|number| reader.load(*number).unwrap().revision).collect()
}

fn copy(files: &BTreeMap<String, Vec<u8>>, from: &Path, to: &Path) {
    for part in ["frames", "topology"] {
        fs::create_dir(to.join(part)).unwrap();
    }
    files.iter().for_each(|(name, bytes)| fs::write(to.join(name), bytes).unwrap());
    for name in [".taffeta", "run.json", "scene.toml", "report.jsonl", "solids.tfs"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[test]
fn each_revision_that_a_frame_shows_has_a_topology_and_no_other() {
    let (folder, files) = whole();
    let shown = revisions(folder.path());
    assert!(shown.windows(2).filter(|pair| pair[0] < pair[1]).count() > 3, "{shown:?}");
    assert!(shown.is_sorted() && shown[0] == 0, "{shown:?}");
    let mut wanted: Vec<String> = shown.iter().map(|r| format!("topology/{r:06}.tft")).collect();
    wanted.dedup();
    let found: Vec<String> = files.keys().filter(|n| n.starts_with("topology")).cloned().collect();
    assert_eq!(found, wanted);
}

#[test]
fn resuming_from_any_frame_gives_the_same_bytes() {
    let (_, expected) = whole();
    for last in 5..=16 {
        let folder = tempdir().unwrap();
        go(&scene(&[]), folder.path(), Mode::New, Some(last)).unwrap();
        go(&scene(&[]), folder.path(), Mode::Resume, None).unwrap();
        assert!(files(folder.path()) == *expected, "stopped after frame {last}");
    }
}

/// What the user is told, and what happens to a run.
type Harm<'a> = (&'static str, &'a dyn Fn(&Path));

#[test]
fn topologies_that_are_lost_are_written_again_and_frames_stay() {
    let (from, expected) = whole();
    let all: Vec<&String> = expected.keys().filter(|n| n.starts_with("topology")).collect();
    let replace = |from: &Path, to: &Path| assert!(fs::copy(from, to).is_ok());
    let harms: [Harm; 4] = [
        ("is missing", &|f| fs::remove_file(f.join(all[0])).unwrap()),
        ("is damaged", &|f| damage(&f.join(all[2]))),
        ("more after it", &|f| all[1..].iter().for_each(|n| damage(&f.join(n)))),
        ("it is topology ", &|f| replace(&f.join(all[1]), &f.join(all[3]))),
    ];
    for (words, harm) in harms {
        let folder = tempdir().unwrap();
        let path = folder.path();
        copy(expected, from.path(), path);
        harm(path);
        let error = go(&scene(&[]), path, Mode::New, None).unwrap_err();
        assert!(matches!(error, RunError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        let ending = go(&scene(&[]), path, Mode::Resume, None).unwrap();
        assert!(ending.notes[0].contains(words), "{:?}", ending.notes);
        assert!(files(path) == *expected, "{words}");
    }
}

#[test]
fn a_run_that_lost_frames_and_topologies_goes_on_to_the_same_bytes() {
    let (from, expected) = whole();
    let lose: [fn(&Path); 2] =
        [|all| fs::remove_dir_all(all).unwrap(), |all| damage(&all.join("000000.tft"))];
    for (harmed, lose) in [(7, lose[0]), (11, lose[1]), (15, lose[0])] {
        let folder = tempdir().unwrap();
        let path = folder.path();
        copy(expected, from.path(), path);
        damage(&path.join(format!("frames/{harmed:06}.tff")));
        lose(&path.join("topology"));
        let ending = go(&scene(&[]), path, Mode::Resume, None).unwrap();
        assert_eq!(ending.resumed_from, Some(harmed - 1));
        assert!(files(path) == *expected, "{harmed}");
    }
}

#[test]
fn nothing_of_a_frame_that_is_not_sound_is_taken_over() {
    let (from, expected) = whole();
    for harmed in [5, 12] {
        let folder = tempdir().unwrap();
        let path = folder.path();
        copy(expected, from.path(), path);
        let mut frame = CacheReader::open(path).unwrap().load(harmed).unwrap();
        frame.revision += 1;
        frame.snapshot.state.velocities[30].y += 1.0;
        let mut writer = CacheWriter::reopen(Claim::take(path).unwrap()).unwrap();
        writer.write_frame(&frame).unwrap();
        drop(writer);
        go(&scene(&[]), path, Mode::Resume, None).unwrap();
        assert!(files(path) == *expected, "{harmed}");
    }
}

#[test]
fn topologies_of_frames_that_go_go_with_them() {
    let (from, expected) = whole();
    let folder = tempdir().unwrap();
    let path = folder.path();
    copy(expected, from.path(), path);
    damage(&path.join("frames/000009.tff"));
    go(&scene(&[]), path, Mode::Resume, Some(10)).unwrap();
    let shown = revisions(path);
    assert_eq!(shown.len(), 6);
    let last = files(path).keys().rfind(|n| n.starts_with("topology")).unwrap().clone();
    assert_eq!(last, format!("topology/{:06}.tft", shown[5]));
    // One that was written just before the power failed is no harm.
    fs::write(path.join("topology/099999.tft"), "no frame has it").unwrap();
    go(&scene(&[]), path, Mode::Resume, None).unwrap();
    assert!(files(path) == *expected);
}
