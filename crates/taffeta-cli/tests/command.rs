//! The command as a user meets it: what it prints and where it fails.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::process::Command;
use std::time::Instant;

use common::{SMALL, fail, frames, run_small, succeed, taffeta, text};
use tempfile::tempdir;

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
    fail(path, &["export", "r", "--to", "/proc/nowhere/c.abc"], &["/proc/nowhere/c.abc"]);
    fs::remove_file(path.join("r/frames/000010.tff")).unwrap();
    fail(path, &["export", "r", "--to", "c.abc"], &["lacks frame 10", "has frame 11"]);
    succeed(path, &["export", "r", "--to", "c.abc", "--frames", "..9"]);
    fail(path, &["export", "nowhere", "--to", "c.abc"], &["nowhere", "no Taffeta run"]);
}

#[test]
fn an_export_without_the_last_frames_says_so() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    let said = succeed(path, &["export", "r", "--to", "c.abc"]);
    assert!(!said.contains("note"), "{said}");
    fs::remove_file(path.join("r/frames/000020.tff")).unwrap();
    let said = succeed(path, &["export", "r", "--to", "c.abc"]);
    assert!(said.contains("goes up to frame 20") && said.contains("after 19"), "{said}");
    let small = ["render", "r", "--out", "c%d.png", "--size", "16x16", "--samples", "1"];
    let said = succeed(path, &small);
    assert!(said.contains("goes up to frame 20") && said.contains("after 19"), "{said}");
    succeed(path, &["export", "r", "--to", "alone.abc", "--cloth-only"]);
    // Nor are the solids as they were run.
    fs::remove_file(path.join("r/solids.tfs")).unwrap();
    let said = succeed(path, &["export", "r", "--to", "c.abc", "--frames", "..5"]);
    assert!(said.contains("solids.tfs") && !said.contains("goes up to"), "{said}");
    fail(path, &["render", "r", "--out", "c.png", "--frame", "0"], &["solids.tfs", "--resume"]);
    fail(path, &["check", "r"], &["not checked: particles inside solids", "solids.tfs"]);
    fs::remove_file(path.join("r/scene.toml")).unwrap();
    fail(path, &["check", "r"], &["not checked", "scene.toml"]);
}

#[test]
fn frames_are_timed_and_turned_for_the_program_that_reads_them() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    succeed(path, &["export", "r", "--to", "c.usda", "--fps", "24", "--up", "z"]);
    let usd = fs::read_to_string(path.join("c.usda")).unwrap();
    // Frame 20 of a run at 30 frames a second is at two thirds of a second.
    for words in ["timeCodesPerSecond = 24", "endTimeCode = 16\n", "upAxis = \"Z\"", "  0.8: ["] {
        assert!(usd.contains(words), "{words}");
    }
    succeed(path, &["export", "r", "--to", "y%d.obj", "--frames", "20"]);
    succeed(path, &["export", "r", "--to", "z%d.obj", "--frames", "20", "--up", "z"]);
    let vertices = |file: &str| -> Vec<Vec<f64>> {
        let text = fs::read_to_string(path.join(file)).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
        lines.map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect()).collect()
    };
    for (y_up, z_up) in vertices("y20.obj").iter().zip(vertices("z20.obj")) {
        assert_eq!(z_up, [y_up[0], 0.0 - y_up[2], y_up[1]]);
    }
    fail(path, &["export", "r", "--to", "c.abc", "--fps", "24"], &["--fps is for usda"]);
    fail(path, &["export", "r", "--to", "c.usda", "--fps", "0"], &["positive"]);
    fail(path, &["export", "r", "--to", "c.glb", "--up", "z"], &["in glTF y is up"]);
    let output = taffeta(path, &["export", "r", "--to", "c.usda", "--up", "x"]);
    assert!(text(&output).contains("y or z points up"), "{}", text(&output));
}

/// Sixteen times as many mistakes take about sixteen times as long, not 256 times.
#[test]
fn many_mistakes_are_told_in_linear_time() {
    let folder = tempdir().unwrap();
    let seconds = |count: usize| {
        let keys: String = (0..count).map(|key| format!("key{key} = 1\n")).collect();
        fs::write(folder.path().join("m.toml"), keys).unwrap();
        let begun = Instant::now();
        let output = taffeta(folder.path(), &["run", "m.toml"]);
        let said = text(&output);
        assert!(said.contains(&format!("the scene has {} problems", count + 1)), "{count}");
        assert!(said.contains(&format!("m.toml:{count}:1")), "the last is shown at its place");
        begun.elapsed().as_secs_f64()
    };
    let [few, many] = [seconds(1_000), seconds(16_000)];
    assert!(many < 80.0 * few, "{few} s for 1,000 and {many} s for 16,000");
}

#[test]
fn a_bad_start_is_told_first() {
    let folder = tempdir().unwrap();
    let scene = "[cloth.sheet]\nsize = [1.0, 1.0]\nparticles = [5, 5]\n[[solid]]\n[solid.sphere]\n\
                 radius = 0.2\n[integrator.implicit]\n[frames]\ncount = 2\n";
    fs::write(folder.path().join("s.toml"), scene).unwrap();
    let output = taffeta(folder.path(), &["run", "s.toml", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.starts_with("warning: 1 particles start inside"));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(out.matches("\"kind\":\"inside\"").count(), 2, "first line and summary: {out}");
}

#[test]
fn scenes_are_listed_printed_and_run_from_files() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    assert!(succeed(path, &["scenes"]).contains("hang"));
    assert!(succeed(path, &["fabrics"]).contains("denim"));
    let fabrics: serde_json::Value =
        serde_json::from_str(&succeed(path, &["fabrics", "--json"])).unwrap();
    assert_eq!(fabrics[2]["name"], "denim");
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
        "extension_at",
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
fn promises_the_run_is_too_short_for_do_not_hold() {
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&["--out", "r", "--set=check.from=5.0"]));
    let words = ["not checked: the strain from 5 s on", "frames 0 to 20", "too short"];
    fail(folder.path(), &["check", "r"], &words);
    fail(folder.path(), &["check", "r", "--json"], &["\"holds\":false", "\"unchecked\":[\""]);
    let said = succeed(folder.path(), &["check", "r", "--frames", "0..20"]);
    assert!(said.contains("not checked") && said.contains("everything holds in these"), "{said}");
}

#[test]
fn new_promises_are_checked_without_new_frames() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    // Strips would keep even the tighter promise.
    let constraints = "--set=limiter.constraints.max_solves=8";
    succeed(path, &run_small(&["--out", "r", constraints]));
    let before = frames(&path.join("r"));
    let check = ["check", "r", "--frames", "..20"];
    succeed(path, &check);
    let said =
        succeed(path, &run_small(&["--out", "r", constraints, "--set=check.extension=1e-5"]));
    assert!(said.contains("already in r") && said.contains("scene.toml"), "{said}");
    fail(path, &check, &["is extended by", "over 0.001 %"]);
    assert!(frames(&path.join("r")) == before);
    let kept = fs::read_to_string(path.join("r/scene.toml")).unwrap();
    fs::write(path.join("r/scene.toml"), kept.replace("1e-5", "1.0")).unwrap();
    fail(path, &check, &["scene.toml is damaged", "not the text that was run"]);
    let manifest = fs::read_to_string(path.join("r/run.json")).unwrap();
    fs::write(path.join("r/run.json"), manifest.replace("\"last\": 20", "\"last\": 10")).unwrap();
    fail(path, &check, &["run.json is damaged", "seal"]);
    fail(path, &["export", "r", "--to", "c.abc"], &["run.json is damaged", "seal"]);
}

#[test]
fn fewer_frames_than_there_are_are_exported_as_asked() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--out", "r"]));
    let fewer = ["--set=frames.count=4", "--set=output.export=[\"c%02d.stl\"]", "--out", "r"];
    let said = succeed(path, &run_small(&fewer));
    for words in ["more frames than the scene's 4: up to 20", "exported r/c04.stl", "Prove it"] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    assert!(!path.join("r/c05.stl").exists());
    assert_eq!(frames(&path.join("r")).len(), 21);
}

#[test]
fn the_end_of_a_part_tells_the_command_that_goes_on() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("my scene.toml"), succeed(path, &["scenes", "hang"])).unwrap();
    let first = [&["run", "my scene.toml"], &SMALL[..], &["--out", "it's", "--last-frame", "5"]];
    let said = succeed(path, &first.concat());
    let line = said.lines().find(|line| line.ends_with("--resume")).expect(&said).trim();
    let rest = line.strip_prefix("taffeta ").expect(line);
    if cfg!(unix) {
        let script = format!("exec \"$0\" {rest}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_taffeta")]).current_dir(path);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{script}: {}", text(&output));
        assert_eq!(frames(&path.join("it's")).len(), 21);
    }
}

#[test]
fn a_folder_is_no_scene_and_hides_none() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("hang")).unwrap();
    succeed(path, &run_small(&["--out", "r"]));
    fs::create_dir(path.join("mine.toml")).unwrap();
    fail(path, &["run", "mine.toml"], &["mine.toml is a folder, not a scene"]);
    fail(path, &["run", "r"], &["r is a folder, not a scene", "did you mean r/scene.toml?"]);
}

#[test]
fn a_violated_check_fails_and_names_frame_and_edge() {
    let folder = tempdir().unwrap();
    let constraints = "--set=limiter.constraints.max_solves=8";
    succeed(folder.path(), &run_small(&["--set=check.extension=1e-5", constraints, "--out", "r"]));
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
    assert!(said.contains("1 picture in") && said.contains("a.png"), "{said}");
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
    use taffeta_io::cache::{CacheReader, CacheWriter, Claim};
    let folder = tempdir().unwrap();
    succeed(folder.path(), &run_small(&["--last-frame=2"]));
    let path = folder.path().join("out/hang");
    let reader = CacheReader::open(&path).unwrap();
    let mut lost = reader.load(2).unwrap();
    lost.snapshot.state.positions[5].y = f64::NAN;
    let mut writer = CacheWriter::reopen(Claim::take(&path).unwrap()).unwrap();
    writer.write_frame(&lost).unwrap();
    let render = ["render", "out/hang", "--size=64x36"];
    let said = succeed(folder.path(), &[&render[..], &["--out=a.gif"]].concat());
    for words in ["frame 2 is left out", "particle 5", "2 pictures"] {
        assert!(said.contains(words), "{words:?} is not in: {said}");
    }
    let alone = [&render[..], &["--out=a.png", "--frame=2"]].concat();
    fail(folder.path(), &alone, &["frame 2 is left out", "particle 5"]);
}

#[test]
fn mistakes_in_endless_lines_and_depths_are_shown_too() {
    let folder = tempdir().unwrap();
    let numbers: Vec<String> = (0..12_000).map(|number| number.to_string()).collect();
    let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [150, 150]\n";
    let pin = format!("[[pin]]\nparticles = [{}, 22500]\n", numbers.join(", "));
    fs::write(folder.path().join("long.toml"), format!("{sheet}{pin}")).unwrap();
    fail(folder.path(), &["run", "long.toml"], &["22500 is not a particle", "long.toml:5:"]);
    fs::write(folder.path().join("deep.toml"), format!("a = {}", "[".repeat(100_000))).unwrap();
    fail(folder.path(), &["run", "deep.toml"], &["deep.toml:1:"]);
    let deep = format!("{}b=1", "a.".repeat(30_000));
    fail(folder.path(), &["run", "hang", "--set", &deep], &["levels deep"]);
}
