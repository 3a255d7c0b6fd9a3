//! What the command survives: being killed, a full disk, damage, a reader that goes away; and what
//! it leaves alone.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{SMALL, command, fail, frames, run_small, succeed, taffeta, text};
use tempfile::tempdir;

#[test]
fn nobody_reading_the_output_does_not_end_the_run() {
    let folder = tempdir().unwrap();
    let mut child = command(folder.path(), &run_small(&["--json", "--out", "r"])).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"frame\":0"), "{line}");
    // The reader is gone; so is whoever listens to errors.
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(frames(&folder.path().join("r")).len(), 21);
    for args in [&["scenes"][..], &["scenes", "hang"], &["check", "r", "--frames", "..15"]] {
        let mut child = command(folder.path(), args).spawn().unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_a_failure() {
    let folder = tempdir().unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(folder.path(), &["scenes"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("could not be written"), "{}", text(&output));
}

#[test]
fn a_damaged_run_is_noticed_and_made_good() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    let before = frames(&path.join("r"));
    fs::write(path.join("r/frames/000013.tff"), "rubbish").unwrap();
    let words = ["frame 13 is damaged", "--resume", "--overwrite"];
    fail(path, &run_small(&["--out", "r"]), &words);
    let said = succeed(path, &run_small(&["--out", "r", "--resume"]));
    let line = "note: frame 13 is damaged (it is not a Taffeta file or is cut off): frames 13 to \
                20 are made again";
    assert!(said.contains(line), "{said}");
    assert!(frames(&path.join("r")) == before);
}

#[test]
fn a_name_that_leaves_the_folder_is_refused() {
    let folder = tempdir().unwrap();
    let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n";
    for name in ["../evil", "a/b", "a\\\\b", ".", "..", "", " "] {
        fs::write(folder.path().join("n.toml"), format!("name = \"{name}\"\n{sheet}")).unwrap();
        let words = ["n.toml:1:8", "the name of a folder", "the scene has a problem"];
        fail(folder.path(), &["run", "n.toml"], &words);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_scene_file_beside_the_frames_is_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let mine = succeed(path, &["scenes", "hang"]);
    fs::write(path.join("scene.toml"), &mine).unwrap();
    for mode in [&[][..], &["--overwrite"], &["--resume"]] {
        let args = [&["run", "scene.toml", "--out", "."], &SMALL[..], mode].concat();
        fail(path, &args, &["not a Taffeta run", "--out"]);
    }
    assert_eq!(fs::read_to_string(path.join("scene.toml")).unwrap(), mine);
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

#[test]
fn killed_runs_resume_to_the_same_bits() {
    let folder = tempdir().unwrap();
    let scene = [
        "run",
        "hang",
        "--set=cloth.sheet.particles=[15, 15]",
        "--set=pin.0.particles=[0, 14]",
        "--set=frames.count=60",
        "--out",
    ];
    let begun = Instant::now();
    succeed(folder.path(), &[&scene[..], &["whole"]].concat());
    let whole_time = begun.elapsed();
    let expected = frames(&folder.path().join("whole"));
    let mut interrupted = 0;
    for attempt in 0..10u32 {
        let name = format!("killed{attempt}");
        let mut child =
            command(folder.path(), &[&scene[..], &[name.as_str()]].concat()).spawn().unwrap();
        // Ten moments spread over the run, at no round fraction of it.
        sleep(whole_time.mul_f64((f64::from(attempt) * 0.618).fract()));
        child.kill().unwrap();
        child.wait().unwrap();
        let target = folder.path().join(&name);
        let begun = target.join("run.json").exists();
        interrupted += u32::from(begun && frames(&target).len() < expected.len());
        let mode: &[&str] = if begun { &["--resume"] } else { &[] };
        succeed(folder.path(), &[&scene[..], &[name.as_str()], mode].concat());
        assert!(frames(&target) == expected, "killed at moment {attempt}");
        succeed(folder.path(), &["check", &name, "--frames", "..30"]);
    }
    assert!(interrupted >= 3, "only {interrupted} of ten kills hit the run");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_and_resume_goes_on() {
    let folder = tempdir().unwrap();
    let scene = ["run", "hang", "--set=frames.count=400", "--out", "r"];
    let child = command(folder.path(), &scene).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.path().join("r/frames/000002.tff").exists() && Instant::now() < deadline {
        sleep(Duration::from_millis(5));
    }
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert!(text(&output).contains("--resume"), "{}", text(&output));
    let made = frames(&folder.path().join("r"));
    assert!(made.len() >= 3 && made.iter().all(|(name, _)| name.ends_with(".tff")));
    fail(folder.path(), &scene, &["--resume", "--overwrite"]);
    let last = (made.len() + 1).to_string();
    succeed(folder.path(), &[&scene[..], &["--resume", "--last-frame", &last]].concat());
    assert_eq!(frames(&folder.path().join("r"))[..made.len()], made[..]);
}

/// A frame of which no end is in sight: half a million steps.
#[cfg(unix)]
#[test]
fn a_request_to_end_does_not_wait_for_the_frame() {
    let folder = tempdir().unwrap();
    let args =
        run_small(&["--set=step.max=6e-8", "--set=step.max_per_frame=9999999", "--out", "r"]);
    for signal in ["-INT", "-TERM"] {
        let mode: &[&str] = if signal == "-TERM" { &["--resume"] } else { &[] };
        let mut child = command(folder.path(), &[&args[..], mode].concat()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !folder.path().join("r/frames/000000.tff").exists() && Instant::now() < deadline {
            sleep(Duration::from_millis(5));
        }
        sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "the frame is not that long");
        let asked = Instant::now();
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        // Two seconds, and as much again for a busy machine.
        assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
        assert_eq!(output.status.code(), Some(130), "{}", text(&output));
        assert!(text(&output).contains("--resume"), "{}", text(&output));
        assert_eq!(frames(&folder.path().join("r")).len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_removed_or_written_through_links() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "mine"]));
    let before = frames(&path.join("mine"));
    for part in ["frames", "topology", "report.jsonl"] {
        let out = format!("r-{part}");
        succeed(path, &run_small(&["--out", &out]));
        let place = path.join(&out).join(part);
        if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) }.unwrap();
        std::os::unix::fs::symlink(path.join("mine").join(part), &place).unwrap();
        fail(path, &run_small(&["--out", &out, "--overwrite"]), &[part, "is a link"]);
        fail(path, &run_small(&["--out", &out, "--resume"]), &[part, "is a link"]);
    }
    assert!(frames(&path.join("mine")) == before);
}

#[test]
fn folders_that_cannot_be_written_are_clear_errors() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("file"), "not a folder").unwrap();
    fail(folder.path(), &run_small(&["--out", "file/r"]), &["file/r"]);
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/thesis.tex"), "precious").unwrap();
    fail(folder.path(), &run_small(&["--out", "mine", "--overwrite"]), &["mine", "--out"]);
    if cfg!(target_os = "linux") {
        fail(folder.path(), &run_small(&["--out", "/proc/r"]), &["/proc/r"]);
    }
}

/// A disk that is really full: a small tmpfs, which only root on Linux can mount.
#[test]
fn a_full_disk_is_a_clear_error_and_loses_no_frame() {
    let folder = tempdir().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = cfg!(target_os = "linux")
        && Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=400k", "tmpfs"])
            .arg(&disk)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    if !mounted {
        println!("SKIPPED: a full disk needs a tmpfs, which could not be mounted here");
        return;
    }
    let scene = [
        "run",
        "hang",
        "--set=cloth.sheet.particles=[21, 21]",
        "--set=pin.0.particles=[0, 20]",
        "--set=frames.count=40",
        "--out",
    ];
    let output = taffeta(folder.path(), &[&scene[..], &["disk/r"]].concat());
    let made = frames(&disk.join("r"));
    let grown = Command::new("mount").args(["-o", "remount,size=50m"]).arg(&disk).status();
    let resumed = taffeta(folder.path(), &[&scene[..], &["disk/r", "--resume"]].concat());
    let after = frames(&disk.join("r"));
    let unmounted = Command::new("umount").arg(&disk).status();
    assert!(grown.unwrap().success() && unmounted.unwrap().success());

    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("No space left"), "{}", text(&output));
    assert!(made.len() > 3 && made.iter().all(|(name, _)| name.ends_with(".tff")));
    assert!(resumed.status.success(), "{}", text(&resumed));
    assert_eq!(after.len(), 41);
    assert_eq!(after[..made.len()], made[..]);
}

/// A power failure cannot be had in a test, but what would survive it can be seen: with strace.
#[test]
fn new_folders_are_on_disk_before_anything_is_put_into_them() {
    let folder = tempdir().unwrap();
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-e", "trace=/mkdir|^open|^fsync", "-o", "trace"]);
    traced.arg(env!("CARGO_BIN_EXE_taffeta")).args(run_small(&["--out", "a/b/r"]));
    let done = traced.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    if !done.status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: seeing what is put on disk needs strace, which does not run here");
        return;
    }
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    for (made, above) in [("a", "."), ("a/b", "a"), ("a/b/r", "a/b"), ("a/b/r/frames", "a/b/r")] {
        let mut after = trace.lines().skip_while(|line| {
            !(line.contains("mkdir")
                && line.contains(&format!("\"{made}\""))
                && line.ends_with("= 0"))
        });
        let next: Vec<&str> = after.by_ref().skip(1).take(2).collect();
        let synced = next[0].contains(&format!("\"{above}\"")) && next[1].contains("fsync(");
        assert!(synced, "{made} was made, then: {next:?}");
    }
}
