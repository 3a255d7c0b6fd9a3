//! Whatever happens to a folder, its sound frames are the truth and are never lost.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::SystemTime;

use common::{damage, go, hashes, reported, scene_with, whole};
use taffeta_io::cache::CacheReader;
use taffeta_scene::check::check;
use taffeta_scene::run::{FrameReport, Mode, RunError};
use tempfile::tempdir;

/// All that a rewritten file would have anew.
fn stamps(folder: &Path, frames: RangeInclusive<u32>) -> Vec<(u64, SystemTime)> {
    let stamp = |number: u32| {
        let file = folder.join(format!("frames/{number:06}.tff")).metadata().unwrap();
        (inode(&file), file.modified().unwrap())
    };
    frames.map(stamp).collect()
}

#[cfg(unix)]
fn inode(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

type Harm = fn(&Path);

/// What may happen to a run up to frame 17, the last frame that is sound after it, and words of
/// what the user is told.
const HARMS: [(&str, Harm, u32, &str); 12] = [
    ("a frame half written", |f| fs::write(f.join("frames/000018.part"), "half").unwrap(), 17, ""),
    (
        "a report line lost",
        |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            let kept = report.trim_end().rsplit_once('\n').unwrap().0;
            fs::write(f.join("report.jsonl"), format!("{kept}\n")).unwrap();
        },
        17,
        "frame 17 is missing or wrong",
    ),
    (
        "a report line half written",
        |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            fs::write(f.join("report.jsonl"), &report[..report.len() - 40]).unwrap();
        },
        17,
        "frame 17 is missing or wrong",
    ),
    (
        "a report line of another state",
        |f| {
            let report = fs::read_to_string(f.join("report.jsonl")).unwrap();
            fs::write(f.join("report.jsonl"), report.replacen("hash\":\"", "hash\":\"f", 1))
                .unwrap();
        },
        17,
        "frame 10 is missing or wrong",
    ),
    (
        "no report",
        |f| fs::remove_file(f.join("report.jsonl")).unwrap(),
        17,
        "8 frames (10 to 17) is missing or wrong: it is measured again, but what was done on the way is lost",
    ),
    (
        "a report that is no text",
        |f| fs::write(f.join("report.jsonl"), [0xff; 100]).unwrap(),
        17,
        "8 frames (10 to 17)",
    ),
    (
        "a damaged last frame",
        |f| damage(&f.join("frames/000017.tff")),
        16,
        "frame 17 is damaged (its checksum does not match its content): frames 17 to 17",
    ),
    (
        "a damaged frame in the middle",
        |f| damage(&f.join("frames/000013.tff")),
        12,
        "frame 13 is damaged (its checksum does not match its content): frames 13 to 17",
    ),
    (
        "a missing frame",
        |f| fs::remove_file(f.join("frames/000013.tff")).unwrap(),
        12,
        "frame 13 is missing: frames 13 to 17 are made again",
    ),
    (
        "a frame in place of another",
        |f| {
            fs::copy(f.join("frames/000012.tff"), f.join("frames/000015.tff")).unwrap();
        },
        14,
        "frame 15 is damaged (it is frame 12, not 15)",
    ),
    (
        "a damaged topology",
        |f| damage(&f.join("topology/000000.tft")),
        17,
        "the topology of frame 10 is damaged (its checksum does not match its content): it is written again",
    ),
    (
        "no topology",
        |f| fs::remove_dir_all(f.join("topology")).unwrap(),
        17,
        "the topology of frame 10 is missing",
    ),
];

#[test]
fn whatever_happens_resuming_keeps_the_sound_frames_and_makes_the_others_again() {
    let (_keep, expected) = whole();
    let scene = scene_with(&[]);
    for (what, harm, sound, words) in HARMS {
        let folder = tempdir().unwrap();
        let path = folder.path();
        go(&scene, path, Mode::New, Some(17)).unwrap();
        harm(path);
        let before = stamps(path, 10..=sound);
        let ending = go(&scene, path, Mode::Resume, None).unwrap();
        assert_eq!(ending.resumed_from, Some(sound), "{what}");
        let told = ending.notes.join("\n");
        assert!(told.contains(words) && told.is_empty() == words.is_empty(), "{what}: {told}");
        assert_eq!(stamps(path, 10..=sound), before, "{what}: a sound frame was written again");
        assert_eq!(hashes(path), expected, "{what}");
        assert_eq!(reported(path), (10..=22).collect::<Vec<_>>(), "{what}");
        assert!(!path.join("frames/000018.part").exists(), "{what}");
        let mut reader = CacheReader::open(path).unwrap();
        let certificate = check(&mut reader, &scene.checks, None).unwrap();
        assert!(certificate.holds(), "{what}: {certificate:?}");
    }
}

#[test]
fn a_finished_run_that_is_damaged_is_not_taken_for_whole() {
    let scene = scene_with(&["frames.count=7"]);
    for (what, harm, sound, words) in HARMS {
        let folder = tempdir().unwrap();
        let path = folder.path();
        go(&scene, path, Mode::New, None).unwrap();
        let expected = hashes(path);
        harm(path);
        let before = stamps(path, 10..=sound);
        let plain = go(&scene, path, Mode::New, None);
        if words.is_empty() {
            assert_eq!(plain.unwrap().summary.frames, 0, "{what}");
            continue;
        }
        let error = plain.unwrap_err();
        assert!(matches!(error, RunError::Damaged { .. }), "{what}: {error}");
        for word in [words.split(':').next().unwrap(), "--resume", "--overwrite"] {
            assert!(error.to_string().contains(word), "{what}: {error}");
        }
        let ending = go(&scene, path, Mode::Resume, None).unwrap();
        assert!(ending.complete && ending.notes.join("\n").contains(words), "{what}: {ending:?}");
        assert_eq!(stamps(path, 10..=sound), before, "{what}: a sound frame was written again");
        assert_eq!(hashes(path), expected, "{what}");
        assert_eq!(reported(path), (10..=17).collect::<Vec<_>>(), "{what}");
        let again = go(&scene, path, Mode::New, None).unwrap();
        assert_eq!((again.summary.frames, again.notes), (0, vec![]), "{what}");
    }
}

#[test]
fn what_is_measured_again_is_what_was_measured() {
    let (folder, _) = whole();
    let read = || -> Vec<FrameReport> {
        let text = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let before = read();
    fs::remove_file(folder.path().join("report.jsonl")).unwrap();
    go(&scene_with(&[]), folder.path(), Mode::Resume, None).unwrap();
    for (mut before, after) in before.into_iter().zip(read()) {
        // Nothing is known of the way to a frame, but that there is none to the first.
        let way = (after.frame == 10).then_some(0);
        assert_eq!([after.steps, after.rejected, after.over_limit, after.pinched], [way; 4]);
        assert_eq!(after.worst_excess, way.map(f64::from));
        assert_eq!((after.h_min, after.h_max), (None, None));
        before = FrameReport {
            steps: after.steps,
            rejected: after.rejected,
            iterations: after.iterations,
            unconverged: after.unconverged,
            limit_iterations: after.limit_iterations,
            limit_unconverged: after.limit_unconverged,
            over_limit: after.over_limit,
            worst_excess: after.worst_excess,
            newton: after.newton,
            newton_unconverged: after.newton_unconverged,
            pierced: after.pierced,
            pinched: after.pinched,
            h_min: None,
            h_max: None,
            seconds: after.seconds.clone(),
            ..before
        };
        assert_eq!(before, after);
    }
}

#[test]
fn without_a_flag_no_frame_is_ever_removed() {
    let scene = scene_with(&[]);
    for (last, gone) in [(17, 10), (22, 10), (17, 14)] {
        let folder = tempdir().unwrap();
        let path = folder.path();
        go(&scene, path, Mode::New, Some(last)).unwrap();
        fs::remove_file(path.join(format!("frames/{gone:06}.tff"))).unwrap();
        let error = go(&scene, path, Mode::New, None).unwrap_err().to_string();
        assert!(error.contains(&format!("frame {gone} is missing")), "{error}");
        assert!(error.contains("--resume") && error.contains("--overwrite"), "{error}");
        assert_eq!(CacheReader::open(path).unwrap().frames().len() as u32, last - 10);
    }
}

#[test]
fn frames_of_which_nothing_says_whose_they_are_are_left_alone() {
    let harms: [Harm; 2] = [|f| fs::remove_file(f).unwrap(), |f| damage(f)];
    for harm in harms {
        let (folder, expected) = whole();
        let manifest = fs::read(folder.path().join("run.json")).unwrap();
        harm(&folder.path().join("run.json"));
        for mode in [Mode::New, Mode::Resume] {
            let error = go(&scene_with(&[]), folder.path(), mode, None).unwrap_err();
            assert!(matches!(error, RunError::Unreadable { .. }), "{error}");
            assert!(error.to_string().contains("--overwrite"), "{error}");
        }
        assert!(CacheReader::open(folder.path()).is_err());
        fs::write(folder.path().join("run.json"), manifest).unwrap();
        assert_eq!(hashes(folder.path()), expected);
        harm(&folder.path().join("run.json"));
        go(&scene_with(&[]), folder.path(), Mode::Overwrite, None).unwrap();
        assert_eq!(hashes(folder.path()), expected);
    }
}

#[test]
fn damage_beyond_what_is_asked_for_is_said_and_left() {
    let (folder, _) = whole();
    damage(&folder.path().join("frames/000020.tff"));
    for mode in [Mode::New, Mode::Resume] {
        let ending = go(&scene_with(&[]), folder.path(), mode, Some(15)).unwrap();
        assert_eq!((ending.reached, ending.complete), (19, false));
        assert!(ending.notes[0].contains("frame 20 is damaged"), "{:?}", ending.notes);
        assert_eq!(CacheReader::open(folder.path()).unwrap().frames().len(), 13);
    }
}

#[test]
fn a_changed_scene_text_is_noticed() {
    let (folder, _) = whole();
    let path = folder.path().join("scene.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("extension = 0.2", "extension = 0.9")).unwrap();
    let error = CacheReader::open(folder.path()).unwrap().scene().unwrap_err();
    assert!(error.to_string().contains("not the text that was run"), "{error}");
    go(&scene_with(&[]), folder.path(), Mode::New, None).unwrap();
    assert_eq!(CacheReader::open(folder.path()).unwrap().scene().unwrap(), text);
}
