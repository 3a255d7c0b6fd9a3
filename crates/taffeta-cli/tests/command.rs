//! The command as a user meets it: what it prints, where it fails, and how it survives being
//! killed.

#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::tempdir;

/// A sheet small enough to run in moments.
const SMALL: [&str; 3] =
    ["--set=cloth.sheet.particles=[9, 9]", "--set=pin.0.particles=[0, 8]", "--set=frames.count=20"];

fn taffeta(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
    command.args(args).current_dir(folder).env_remove("CARGO").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[track_caller]
fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = taffeta(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    text(&output)
}

#[track_caller]
fn fail(folder: &Path, args: &[&str], words: &[&str]) {
    let output = taffeta(folder, args);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?} does not say {word:?}: {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

fn run_small<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    [&["run", "hang"], &SMALL[..], extra].concat()
}

fn frames(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder.join("frames"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_run_says_what_it_wrote_and_how_to_look_at_it() {
    let folder = tempdir().unwrap();
    let said = succeed(folder.path(), &run_small(&[]));
    for words in [
        "21 frames",
        "out/hang",
        "worst strain",
        "0 discarded",
        "taffeta check out/hang",
        "Blender",
    ] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    assert_eq!(frames(&folder.path().join("out/hang")).len(), 21);
    let said = succeed(folder.path(), &["check", "out/hang", "--frames", "..15"]);
    assert!(said.contains("16 frames") && said.contains("everything holds"), "{said}");
}

#[test]
fn every_format_is_exported_whole_or_in_part() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    for file in ["c.abc", "c.usda", "c.glb", "c.pc2", "c.mdd", "c.npz"] {
        let said = succeed(path, &["export", "r", "--to", file]);
        assert!(said.contains("21 frames") && said.contains(file), "{said}");
        assert!(path.join(file).metadata().unwrap().len() > 1000, "{file}");
    }
    for extension in ["obj", "ply", "stl"] {
        let to = format!("seq/c%03d.{extension}");
        let said = succeed(path, &["export", "r", "--to", &to, "--frames", "5..7"]);
        assert!(said.contains("3 frames"), "{said}");
        assert!(path.join(format!("seq/c006.{extension}")).exists());
        assert!(!path.join(format!("seq/c008.{extension}")).exists());
    }
    fail(path, &["export", "r", "--to", "c.fbx"], &["c.fbx", "abc, usda, glb"]);
    fail(path, &["export", "r", "--to", "c.abc", "--frames", "5..99"], &["frames 0 to 20"]);
    fail(path, &["export", "nowhere", "--to", "c.abc"], &["nowhere", "no Taffeta run"]);
    fail(path, &["export", "r", "--to", "/proc/nowhere/c.abc"], &["/proc/nowhere/c.abc"]);
}

#[test]
fn scenes_are_listed_printed_and_run_from_files() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    assert!(succeed(path, &["scenes"]).contains("hang"));
    let printed = succeed(path, &["scenes", "hang"]);
    fs::write(path.join("my.toml"), &printed).unwrap();
    succeed(path, &[&["run", "my.toml"], &SMALL[..]].concat());
    assert_eq!(frames(&path.join("out/my")).len(), 21);
    fail(path, &["scenes", "hangg"], &["did you mean hang?"]);
    fail(path, &["run", "hnag"], &["did you mean hang?", "flag"]);
    fail(path, &["run", "gone.toml"], &["gone.toml"]);
}

#[test]
fn mistakes_are_shown_with_place_and_caret() {
    let folder = tempdir().unwrap();
    let scene = "[fabric]\ndensty = 0.2\n[cloth.sheet]\nsize = [1, 1]\nparticles = [3, -3]\n";
    fs::write(folder.path().join("bad.toml"), scene).unwrap();
    let words =
        ["bad.toml:2:1", "bad.toml:5:17", "did you mean `density`?", "2 problems", "unknown key"];
    fail(folder.path(), &["run", "bad.toml"], &words);
    fail(folder.path(), &["run", "hang", "--set", "fabric.densty=1"], &["--set:1:8", "density"]);
    let output = taffeta(folder.path(), &["run", "bad.toml", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["related"].as_array().unwrap().len(), 2);
}

#[test]
fn machines_get_json() {
    let folder = tempdir().unwrap();
    let output = taffeta(folder.path(), &run_small(&["--json", "--out", "r"]));
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 22);
    let keys = [
        "time",
        "steps",
        "rejected",
        "h_min",
        "h_max",
        "extension",
        "extension_edge",
        "extension_p999",
        "kinetic",
        "potential",
        "seconds",
        "hash",
    ];
    for key in keys {
        assert!(lines[7].get(key).is_some(), "{key}");
    }
    assert_eq!(lines[21]["complete"], true);
    let report = fs::read_to_string(folder.path().join("r/report.jsonl")).unwrap();
    assert_eq!(report.lines().count(), 21);
    let output = taffeta(folder.path(), &["check", "r", "--json"]);
    let certificate: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(certificate["certificate"]["frames"], 21);
}

#[test]
fn a_violated_check_fails_and_names_frame_and_edge() {
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&["--set=check.extension=1e-5", "--out", "r"]));
    fail(folder.path(), &["check", "r"], &["frame 1: edge", "is extended by", "violations"]);
    fail(folder.path(), &["check", "r", "--frames", "3..4", "--json"], &["\"holds\":false"]);
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let folder = tempdir().unwrap();
    // Large enough for every loop to be cut.
    let large = [
        "run",
        "hang",
        "--set=cloth.sheet.particles=[70, 70]",
        "--set=pin.0.particles=[0, 69]",
        "--set=frames.count=2",
        "--set=air.drag=1.0",
        "--out",
    ];
    for threads in ["1", "2", "4", "8"] {
        succeed(folder.path(), &[&large[..], &[threads, "--threads", threads]].concat());
        assert_eq!(frames(&folder.path().join(threads)), frames(&folder.path().join("1")));
    }
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
fn ctrl_c_stops_after_the_frame_and_resume_goes_on() {
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

#[test]
fn absurd_sizes_are_refused_with_the_memory_they_need() {
    let folder = tempdir().unwrap();
    let absurd = "--set=cloth.sheet.particles=[60000, 60000]";
    fail(folder.path(), &["run", "hang", absurd], &["GiB", "3600000000 particles"]);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_run_is_rendered_and_plotted() {
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&[]));
    let size = "--size=64x36";
    let render = |more: &[&'static str]| [&["render", "out/hang", size], more].concat();
    let said = succeed(folder.path(), &render(&["--out=a.png", "--frame=7", "--look=strain"]));
    assert!(said.contains("1 pictures") && said.contains("a.png"), "{said}");
    succeed(folder.path(), &render(&["--out=f/%04d.png", "--frames=3..5", "--look=yarns"]));
    assert!(folder.path().join("f/0005.png").exists());
    succeed(folder.path(), &render(&["--out=m.mp4", "--frames=..4", "--camera=1,1,3"]));
    succeed(folder.path(), &["plot", "out/hang", "--out=p.svg"]);
    succeed(folder.path(), &["plot", "out/hang", "--out=p.png"]);
}

#[test]
fn what_cannot_be_rendered_is_told() {
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&["--last-frame=2"]));
    let render = ["render", "out/hang", "--size=64x36"];
    let refuse =
        |more: &[&str], words: &[&str]| fail(folder.path(), &[&render, more].concat(), words);
    refuse(&["--out=a.avi"], &["png, mp4, webp, gif"]);
    refuse(&["--out=a.png", "--frame=9"], &["holds frames 0 to 2"]);
    fail(
        folder.path(),
        &["render", "out/hang", "--out=a.png", "--size=900000x900000"],
        &["GiB of memory"],
    );
    refuse(&["--out=out/hang/run.json/a.png"], &["cannot write"]);
    fail(folder.path(), &["render", "nowhere", "--out=a.png"], &["holds no Taffeta run"]);
    fail(folder.path(), &["plot", "out/hang", "--out=a.pdf"], &["svg, png"]);
    fs::remove_file(folder.path().join("out/hang/report.jsonl")).unwrap();
    fail(folder.path(), &["plot", "out/hang", "--out=a.svg"], &["no report"]);
    fs::remove_dir_all(folder.path().join("out/hang/frames")).unwrap();
    fs::create_dir(folder.path().join("out/hang/frames")).unwrap();
    refuse(&["--out=a.png"], &["no whole frame"]);
}

#[test]
fn a_frame_with_a_lost_particle_is_left_out_and_named() {
    use taffeta_io::cache::{CacheReader, CacheWriter};
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&["--last-frame=2"]));
    let path = folder.path().join("out/hang");
    let reader = CacheReader::open(&path).unwrap();
    let (manifest, scene) = (reader.manifest().clone(), reader.scene().unwrap());
    let mut lost = reader.load(2).unwrap();
    lost.snapshot.state.positions[5].y = f64::NAN;
    let mut writer = CacheWriter::resume(&path, &manifest, &scene, 1, "").unwrap();
    writer.write_frame(&lost).unwrap();
    let render = ["render", "out/hang", "--size=64x36"];
    let said = succeed(folder.path(), &[&render[..], &["--out=a.gif"]].concat());
    for words in ["frame 2 is left out", "particle 5", "2 pictures"] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    let alone = [&render[..], &["--out=a.png", "--frame=2"]].concat();
    fail(folder.path(), &alone, &["frame 2 is left out", "particle 5"]);
}
