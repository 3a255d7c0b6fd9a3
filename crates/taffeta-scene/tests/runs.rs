//! Runs lose nothing: frames survive, resumed runs have the same bits, and other people's folders
//! are left alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use taffeta::Frame;
use taffeta_io::cache::{CacheReader, state_hash};
use taffeta_scene::check::check;
use taffeta_scene::run::{Ending, FrameReport, FrameSink, Mode, RunError, RunOptions, run};
use taffeta_scene::{Override, Scene, SceneFile, SceneText};
use tempfile::{TempDir, tempdir};

const SCENE: &str = r#"
[fabric]
stretch = 500.0
[cloth.sheet]
size = [0.5, 0.5]
particles = [9, 9]
[[pin]]
particles = [0, 8]
until = 0.35
[[pin]]
nearest = [0.25, 0.0, 0.25]
from = 0.1
ease = "smooth"
[[pin.key]]
time = 0.1
[[pin.key]]
time = 0.4
move = [0.0, 0.1, 0.0]
[air]
wind = [0.0, 1.0, 2.0]
[frames]
start = 10
count = 12
[check]
extension = 0.2
"#;

fn scene_with(overrides: &[&str]) -> Scene {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
    let text = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text: SCENE };
    Scene::resolve(&SceneFile::read(text, &overrides).unwrap(), 1 << 30).unwrap()
}

fn go(scene: &Scene, folder: &Path, mode: Mode, last: Option<u32>) -> Result<Ending, RunError> {
    let stop = AtomicBool::new(false);
    run(scene, &RunOptions { folder, mode, last, stop: &stop }, &mut [])
}

fn hashes(folder: &Path) -> Vec<(u32, u64)> {
    let reader = CacheReader::open(folder).unwrap();
    let hash = |n: &u32| (*n, state_hash(&reader.load(*n).unwrap().snapshot.state));
    reader.frames().iter().map(hash).collect()
}

fn reported(folder: &Path) -> Vec<u32> {
    let report = fs::read_to_string(folder.join("report.jsonl")).unwrap();
    let frame = |line: &str| serde_json::from_str::<FrameReport>(line).unwrap().frame;
    report.lines().map(frame).collect()
}

/// A whole run, and its hashes.
fn whole() -> (TempDir, Vec<(u32, u64)>) {
    let folder = tempdir().unwrap();
    let ending = go(&scene_with(&[]), folder.path(), Mode::New, None).unwrap();
    assert!(ending.complete);
    let hashes = hashes(folder.path());
    (folder, hashes)
}

#[test]
fn a_run_writes_every_frame_and_its_report() {
    let (folder, hashes) = whole();
    let numbers: Vec<u32> = hashes.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (10..=22).collect::<Vec<_>>());
    assert_eq!(reported(folder.path()), numbers);
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check(&mut reader, &scene_with(&[]).checks, 10..=22).unwrap();
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
fn stopping_ends_after_the_current_frame() {
    struct StopAt<'a>(u32, &'a AtomicBool);
    impl FrameSink for StopAt<'_> {
        fn frame(
            &mut self,
            frame: &Frame,
            _: &FrameReport,
        ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            self.1.store(frame.number == self.0, Ordering::Relaxed);
            Ok(())
        }
    }
    let (folder, stop) = (tempdir().unwrap(), AtomicBool::new(false));
    let options = RunOptions { folder: folder.path(), mode: Mode::New, last: None, stop: &stop };
    let ending = run(&scene_with(&[]), &options, &mut [&mut StopAt(14, &stop)]).unwrap();
    assert_eq!((ending.reached, ending.complete), (14, false));
    assert_eq!(hashes(folder.path()).len(), 5);
}

#[test]
fn what_a_crash_leaves_is_cleaned_up_or_made_again() {
    let (_keep, expected) = whole();
    let scene = scene_with(&[]);
    type Crash = fn(&Path);
    let crashes: [(&str, Crash); 6] = [
        ("a frame half written", |f| fs::write(f.join("frames/000018.part"), "half").unwrap()),
        ("a frame without a report", |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            let kept = report.rsplit_once("\n{").unwrap().0;
            fs::write(f.join("report.jsonl"), format!("{kept}\n")).unwrap();
        }),
        ("a report line half written", |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            fs::write(f.join("report.jsonl"), &report[..report.len() - 40]).unwrap();
        }),
        ("a damaged last frame", |f| {
            let path = f.join("frames/000017.tff");
            let mut bytes = fs::read(&path).unwrap();
            bytes[200] ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("a missing frame", |f| fs::remove_file(f.join("frames/000013.tff")).unwrap()),
        ("no report", |f| fs::remove_file(f.join("report.jsonl")).unwrap()),
    ];
    for (what, crash) in crashes {
        let folder = tempdir().unwrap();
        go(&scene, folder.path(), Mode::New, Some(17)).unwrap();
        crash(folder.path());
        go(&scene, folder.path(), Mode::Resume, None).unwrap();
        assert_eq!(hashes(folder.path()), expected, "{what}");
        assert_eq!(reported(folder.path()).len(), 13, "{what}");
        assert!(!folder.path().join("frames/000018.part").exists(), "{what}");
    }
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
    let options = RunOptions { folder: folder.path(), mode: Mode::New, last: None, stop: &stop };
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

#[test]
fn check_finds_what_was_changed_behind_its_back() {
    let scene = scene_with(&[]);
    let find = |change: fn(&Path), words: &str| {
        let (folder, _) = whole();
        change(folder.path());
        let mut reader = CacheReader::open(folder.path()).unwrap();
        let found = check(&mut reader, &scene.checks, 10..=22).unwrap().violations;
        assert!(found.iter().any(|v| v.what.contains(words)), "{words}: {found:?}");
    };
    find(|f| fs::remove_file(f.join("frames/000013.tff")).unwrap(), "holds no frame 13");
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
fn check_names_the_edge_and_the_height_that_do_not_hold() {
    let (folder, _) = whole();
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let mut checks = scene_with(&[]).checks;
    checks.extension = Some(1e-6);
    checks.compression = Some(1e-6);
    checks.heights =
        vec![taffeta_scene::format::HeightCheck { time: 0.2, mean: 7.0, tolerance: 0.1 }];
    let found = check(&mut reader, &checks, 10..=22).unwrap();
    let has = |words: &str| found.violations.iter().any(|v| v.what.contains(words));
    assert!(has("is extended by") && has("is compressed by"));
    let height: Vec<_> = found.violations.iter().filter(|v| v.what.contains("height")).collect();
    assert_eq!(height.len(), 1);
    assert_eq!(height[0].frame, 16);
}
