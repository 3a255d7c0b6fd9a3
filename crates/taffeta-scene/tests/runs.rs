//! Runs lose nothing: frames survive, resumed runs have the same bits, and other people's folders
//! are left alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{anew, go, hashes, reported, scene_with, whole};
use taffeta::Frame;
use taffeta_io::cache::CacheReader;
use taffeta_scene::check::check;
use taffeta_scene::run::{FrameReport, FrameSink, Mode, RunError, run};
use taffeta_scene::{Scene, SceneFile, SceneText};
use tempfile::tempdir;

#[test]
fn a_run_writes_every_frame_and_its_report() {
    let (folder, hashes) = whole();
    let numbers: Vec<u32> = hashes.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (10..=22).collect::<Vec<_>>());
    assert_eq!(reported(folder.path()), numbers);
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check(&mut reader, &scene_with(&[]).checks, None).unwrap();
    assert!(certificate.holds(), "{certificate:?}");
    assert_eq!(certificate.frames, 13);
}

#[test]
fn resuming_from_any_frame_gives_the_same_bits() {
    let (_keep, expected) = whole();
    let scene = scene_with(&[]);
    for last in 10..=22 {
        let folder = tempdir().unwrap();
        let part = go(&scene, folder.path(), Mode::New, Some(last)).unwrap();
        assert_eq!((part.reached, part.complete), (last, last == 22));
        let rest = go(&scene, folder.path(), Mode::Resume, None).unwrap();
        assert_eq!(rest.resumed_from, Some(last));
        assert_eq!(hashes(folder.path()), expected, "stopped after frame {last}");
        assert_eq!(reported(folder.path()).len(), 13);
    }
}

#[test]
fn a_longer_run_goes_on_where_a_shorter_one_ended() {
    let (_keep, expected) = whole();
    let folder = tempdir().unwrap();
    go(&scene_with(&["frames.count=5"]), folder.path(), Mode::New, None).unwrap();
    go(&scene_with(&[]), folder.path(), Mode::Resume, None).unwrap();
    assert_eq!(hashes(folder.path()), expected);
}

#[test]
fn stopping_ends_after_the_frame_being_computed() {
    struct StopAt<'a>(u32, &'a AtomicBool);
    impl FrameSink for StopAt<'_> {
        fn frame(
            &mut self,
            frame: &Frame,
            _: &FrameReport,
        ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            self.1.fetch_or(frame.number == self.0, Ordering::Relaxed);
            Ok(())
        }
    }
    let (folder, stop) = (tempdir().unwrap(), AtomicBool::new(false));
    let options = anew(folder.path(), &stop);
    let ending = run(&scene_with(&[]), &options, &mut [&mut StopAt(14, &stop)]).unwrap();
    // While frame 14 is shown, frame 15 may be on its way.
    assert!((14..=15).contains(&ending.reached) && !ending.complete, "{ending:?}");
    assert_eq!(hashes(folder.path()).len() as u32, ending.reached - 9);
}

#[test]
fn a_run_that_died_while_it_began_leaves_a_folder_that_can_be_used() {
    // In the order in which they come into being.
    let made = [".taffeta", "frames", "topology", "report.jsonl", "scene.toml", "run.json"];
    let (reference, expected) = whole();
    for mode in [Mode::New, Mode::Resume, Mode::Overwrite] {
        for count in 1..=made.len() {
            let folder = tempdir().unwrap();
            for name in &made[..count] {
                let (from, to) = (reference.path().join(name), folder.path().join(name));
                if from.is_dir() {
                    fs::create_dir(to).unwrap();
                } else {
                    fs::copy(from, to).unwrap();
                }
            }
            fs::write(folder.path().join("run.part"), "half").unwrap();
            go(&scene_with(&[]), folder.path(), mode, None).unwrap();
            assert_eq!(hashes(folder.path()), expected, "{mode:?} after {count} files");
            assert!(!folder.path().join("run.part").exists());
        }
    }
}

#[test]
fn the_users_own_files_are_never_taken_for_ours() {
    for name in ["scene.toml", "run.json", "report.jsonl", "frames", "topology", ".lock"] {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join(name), "precious").unwrap();
        for mode in [Mode::New, Mode::Resume, Mode::Overwrite] {
            let error = go(&scene_with(&[]), folder.path(), mode, None).unwrap_err();
            assert!(matches!(error, RunError::Foreign { .. }), "{name}: {error}");
        }
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn fewer_frames_than_there_are_is_complete_and_said() {
    let (folder, expected) = whole();
    let shorter = scene_with(&["frames.count=5"]);
    for mode in [Mode::New, Mode::Resume] {
        let ending = go(&shorter, folder.path(), mode, None).unwrap();
        assert!(ending.complete, "{ending:?}");
        assert_eq!((ending.summary.frames, ending.reached), (0, 22));
        assert!(ending.notes.iter().any(|n| n.contains("up to 22")), "{:?}", ending.notes);
    }
    assert_eq!(hashes(folder.path()), expected);
    assert_eq!(CacheReader::open(folder.path()).unwrap().manifest().last, 15);
}

#[test]
fn new_promises_are_kept_with_the_frames_that_are_there() {
    let (folder, expected) = whole();
    let scene = scene_with(&["check.extension=0.33", "name=renamed"]);
    let ending = go(&scene, folder.path(), Mode::New, None).unwrap();
    assert_eq!(ending.summary.frames, 0);
    assert!(ending.notes[0].contains("scene.toml"), "{:?}", ending.notes);
    let reader = CacheReader::open(folder.path()).unwrap();
    assert_eq!(reader.manifest().scene, "renamed");
    let text = reader.scene().unwrap();
    let kept = SceneText { origin: "", name: "", base: Path::new("."), text: &text };
    assert_eq!(SceneFile::read(kept, &[]).unwrap().checks.extension, Some(0.33));
    assert_eq!(hashes(folder.path()), expected);
    let again = go(&scene, folder.path(), Mode::New, None).unwrap();
    assert_eq!(again.notes, Vec::<String>::new());
}

#[test]
fn a_mesh_file_may_be_renamed_but_not_changed() {
    let folder = tempdir().unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n";
    fs::write(folder.path().join("a.obj"), square).unwrap();
    fs::write(folder.path().join("b.obj"), square).unwrap();
    fs::write(folder.path().join("c.obj"), square.replace("1 0 1", "1 0 2")).unwrap();
    let scene = |file: &str| {
        let text = format!("[cloth.mesh]\nfile = \"{file}\"\n[frames]\ncount = 1\n");
        let text = SceneText { origin: "t", name: "t", base: folder.path(), text: &text };
        Scene::resolve(&SceneFile::read(text, &[]).unwrap(), 1 << 30).unwrap()
    };
    let (a, b, c) = (scene("a.obj"), scene("b.obj"), scene("c.obj"));
    assert_eq!(a.identity, b.identity);
    assert_ne!(a.identity, c.identity);
    // What is kept with the frames runs from anywhere.
    go(&a, &folder.path().join("r"), Mode::New, None).unwrap();
    let kept = CacheReader::open(&folder.path().join("r")).unwrap().scene().unwrap();
    let text = SceneText { origin: "t", name: "t", base: Path::new("/nowhere"), text: &kept };
    let again = Scene::resolve(&SceneFile::read(text, &[]).unwrap(), 1 << 30).unwrap();
    assert_eq!(again.identity, a.identity);
}

#[test]
fn other_runs_and_other_files_are_left_alone() {
    let (folder, expected) = whole();
    let path = folder.path();
    let done = go(&scene_with(&[]), path, Mode::New, None).unwrap();
    assert_eq!(done.summary.frames, 0, "nothing is left to do");
    let other = scene_with(&["fabric.density=0.3"]);
    for mode in [Mode::New, Mode::Resume] {
        let error = go(&other, path, mode, None).unwrap_err();
        assert!(matches!(error, RunError::OtherScene { .. }), "{error}");
    }
    let longer = scene_with(&["frames.count=20"]);
    let error = go(&longer, path, Mode::New, None).unwrap_err();
    assert!(matches!(error, RunError::Unfinished { last: 22, .. }), "{error}");
    assert_eq!(hashes(path), expected);

    let foreign = tempdir().unwrap();
    fs::write(foreign.path().join("thesis.tex"), "precious").unwrap();
    for mode in [Mode::New, Mode::Resume, Mode::Overwrite] {
        let error = go(&scene_with(&[]), foreign.path(), mode, None).unwrap_err();
        assert!(matches!(error, RunError::Foreign { .. }), "{error}");
    }
    assert_eq!(fs::read_dir(foreign.path()).unwrap().count(), 1);

    go(&other, path, Mode::Overwrite, None).unwrap();
    assert_ne!(hashes(path), expected);
}

#[test]
fn there_must_be_something_to_resume_and_the_frame_must_exist() {
    let folder = tempdir().unwrap();
    let error = go(&scene_with(&[]), folder.path(), Mode::Resume, None).unwrap_err();
    assert!(matches!(error, RunError::NothingToResume { .. }), "{error}");
    for asked in [9, 23] {
        let error = go(&scene_with(&[]), folder.path(), Mode::New, Some(asked)).unwrap_err();
        assert!(matches!(error, RunError::NoSuchFrame { .. }), "{error}");
    }
}

#[test]
fn frames_are_shown_in_their_order_once_they_are_on_disk() {
    struct Witness<'a>(&'a Path, u32);
    impl FrameSink for Witness<'_> {
        fn frame(
            &mut self,
            frame: &Frame,
            report: &FrameReport,
        ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            assert_eq!((frame.number, report.frame), (self.1, self.1));
            let kept = CacheReader::open(self.0)?.load(frame.number)?.snapshot;
            assert_eq!(kept.state.positions, frame.positions);
            self.1 += 1;
            if self.1 == 17 { Err("seen enough".into()) } else { Ok(()) }
        }
    }
    let (folder, stop) = (tempdir().unwrap(), AtomicBool::new(false));
    let options = anew(folder.path(), &stop);
    let ending = run(&scene_with(&[]), &options, &mut [&mut Witness(folder.path(), 10)]);
    let RunError::Sink { frame: 16, .. } = ending.unwrap_err() else { panic!("another error") };
    // What was computed in the meantime is not recorded any more: nothing comes after a failure.
    assert_eq!(hashes(folder.path()).len(), 7);
    assert_eq!(reported(folder.path()).len(), 7);
}

#[test]
fn two_runs_cannot_write_to_one_folder() {
    struct Rival<'a>(&'a Path, bool);
    impl FrameSink for Rival<'_> {
        fn frame(
            &mut self,
            _: &Frame,
            _: &FrameReport,
        ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            let error = go(&scene_with(&[]), self.0, Mode::Overwrite, None).unwrap_err();
            self.1 |= error.to_string().contains("in use by another run");
            Ok(())
        }
    }
    let (folder, stop) = (tempdir().unwrap(), AtomicBool::new(false));
    let options = anew(folder.path(), &stop);
    let mut rival = Rival(folder.path(), false);
    run(&scene_with(&[]), &options, &mut [&mut rival]).unwrap();
    assert!(rival.1);
}

#[test]
fn a_run_that_cannot_go_on_keeps_its_frames_and_says_why() {
    let folder = tempdir().unwrap();
    // The pin is torn away at 10,000 m/s.
    let scene =
        scene_with(&["pin.1.key.1.move=[0.0, 3000.0, 0.0]", "step.max_stretch_change=1e-3"]);
    let error = go(&scene, folder.path(), Mode::New, None).unwrap_err();
    let RunError::Step { frame, .. } = error else { panic!("{error}") };
    assert!(frame > 12, "{error}");
    assert_eq!(hashes(folder.path()).len() as u32, frame - 10);
    let reader = CacheReader::open(folder.path()).unwrap();
    for number in reader.frames() {
        let state = reader.load(*number).unwrap().snapshot.state;
        assert!(state.positions.iter().all(|p| p.is_finite()));
    }
}
