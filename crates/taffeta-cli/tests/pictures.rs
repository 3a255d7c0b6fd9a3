//! Pictures as a scene and a user want them, and what becomes of them when a user changes his mind.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{fail, run_small, succeed};
use tempfile::tempdir;

const TINY: &str = "--set=render.size=[64, 36]";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_is_rendered_in_one_go_and_again_when_all_frames_are_there() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let said = succeed(path, &run_small(&[TINY, "--render=a.mp4", "--last-frame=4"]));
    assert!(said.contains("5 pictures") && said.contains("a.mp4"), "{said}");
    assert!(said.contains("--render a.mp4") && said.contains("--resume"), "{said}");
    let said = succeed(path, &run_small(&[TINY, "--render=b.gif", "--resume"]));
    assert!(said.contains("21 pictures") && !said.contains("Look at it"), "{said}");
    let before = common::frames(&path.join("out/hang"));
    let output = common::taffeta(path, &run_small(&[TINY, "--render=p/%02d.png", "--json"]));
    let summary: serde_json::Value =
        serde_json::from_str(String::from_utf8(output.stdout).unwrap().lines().last().unwrap())
            .unwrap();
    assert_eq!(summary["rendered"].as_array().unwrap().len(), 21);
    assert_eq!(names(path), ["a.mp4", "b.gif", "out", "p"]);
    assert_eq!(names(&path.join("p")).len(), 21);
    assert!(common::frames(&path.join("out/hang")) == before);
}

#[test]
fn pictures_that_cannot_be_made_are_told_before_the_first_step() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("file"), "").unwrap();
    fs::write(path.join("broken.png"), "no picture").unwrap();
    let refuse = |more: &[&str], words: &[&str]| {
        fail(path, &run_small(&[&[TINY], more].concat()), words);
        assert!(!path.join("out").exists(), "{more:?}");
    };
    refuse(&["--render=a.avi"], &["png, mp4, webp, gif"]);
    refuse(&["--render=file/a.mp4"], &["cannot write"]);
    refuse(&["--render=a.mp4", "--set=render.size=[63, 36]"], &["even"]);
    refuse(&["--render=a.png", "--set=render.size=[60000, 60000]"], &["GiB of memory"]);
    refuse(&["--render=a.png", "--set=render.texture.file=gone.png"], &["gone.png"]);
    refuse(&["--render=a.png", "--set=render.texture.file=broken.png"], &["broken.png"]);
    refuse(&["--render=a.png", "--set=camera.field_of_view=0"], &["above 0"]);
    assert_eq!(names(path), ["broken.png", "file"]);
}

#[test]
fn the_camera_of_a_scene_is_used_and_can_be_overridden() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let camera = ["--set=camera.position=[2, 1, 3]", "--set=camera.target=[0, -0.3, 0]"];
    succeed(path, &run_small(&[&camera[..], &["--out=fixed", TINY]].concat()));
    succeed(path, &run_small(&["--out=free", TINY]));
    let picture = |run: &str, more: &[&str]| {
        let frame = ["render", run, "--out=a.png", "--frame=12"];
        succeed(path, &[&frame[..], more].concat());
        fs::read(path.join("a.png")).unwrap()
    };
    let fixed = picture("fixed", &[]);
    let typed = ["--camera=2,1,3", "--target=0,-0.3,0"];
    assert!(picture("free", &[]) != fixed);
    assert!(picture("free", &typed) == fixed);
    let set = ["--set=camera.position=[2, 1, 3]", "--set=camera.target=[0, -0.3, 0]"];
    assert!(picture("free", &set) == fixed);
    assert!(picture("fixed", &["--azimuth=-30"]) == picture("free", &[]));
    assert!(picture("fixed", &["--fov=40"]) != fixed);
    // The camera is part of the scene, but not of what its frames are.
    let moved = ["--out=free", TINY, "--set=camera.position=[2, 1, 3]"];
    let said = succeed(path, &run_small(&moved));
    assert!(said.contains("scene.toml is brought up to date"), "{said}");
    assert!(picture("free", &["--target=0,-0.3,0"]) == fixed);
}

#[test]
fn a_moving_camera_is_at_its_keys_when_it_should_be() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let keys = "camera.key=[{time=0, position=[2, 1, 3]}, {time=0.5, position=[-2, 1, 3]}]";
    succeed(path, &run_small(&["--set", keys, "--set=camera.target=[0, 0, 0]", TINY]));
    let picture = |frame: &str, more: &[&str]| {
        let frame = ["render", "out/hang", "--out=a.png", "--frame", frame];
        succeed(path, &[&frame[..], more].concat());
        fs::read(path.join("a.png")).unwrap()
    };
    // The light comes from where the camera starts, so only that start can be typed.
    assert!(picture("0", &[]) == picture("0", &["--camera=2,1,3"]));
    assert!(picture("15", &[]) != picture("15", &["--camera=2,1,3"]));
    let still = "--set=camera.key=[{time=0, position=[2, 1, 3]}, {time=0.01, position=[-2, 1, 3]}]";
    assert!(picture("15", &[]) == picture("15", &[still]));
    assert!(picture("7", &[]) != picture("7", &[still]));
    let through =
        "--set=camera.key=[{time=0, position=[0, 0, 1]}, {time=0.4, position=[0, 0, -1]}]";
    let all = ["render", "out/hang", "--out=a.gif", through];
    fail(path, &all, &["at 0.200 s", "is where it looks"]);
    assert!(!path.join("a.gif").exists() && !path.join("a.gif.part").exists());
}

#[test]
fn cameras_typed_wrong_and_keys_of_frames_are_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--last-frame=1", TINY]));
    let refuse = |more: &[&str], words: &[&str]| {
        fail(path, &[&["render", "out/hang", "--out=a.png"], more].concat(), words);
        assert_eq!(names(path), ["out"]);
    };
    for angle in ["--fov=0", "--fov=180", "--fov=-3", "--fov=nan"] {
        refuse(&[angle], &["field of view between 0 and 180"]);
    }
    refuse(&["--camera=1,2,3", "--target=1,2,3"], &["is where it looks"]);
    refuse(&["--camera=1,2,inf"], &["is nowhere"]);
    refuse(&["--set=fabric.density=1"], &["would change frames"]);
    refuse(&["--set=camera.positon=[1, 2, 3]"], &["did you mean `position`?"]);
    refuse(&["--set=render.texture.file=gone.jpg"], &["gone.jpg"]);
    succeed(path, &["render", "out/hang", "--out=a.png", "--camera=0,0,0", "--target=0,0,-1"]);
}

#[test]
fn a_legend_without_room_is_left_out_and_that_is_told() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    succeed(path, &run_small(&["--last-frame=2", TINY, "--set=render.look=strain"]));
    let render = ["render", "out/hang", "--out=a.png"];
    let said = succeed(path, &render);
    assert!(said.contains("no room for the legend, which needs 320 × 180"), "{said}");
    let said = succeed(path, &[&render[..], &["--size=320x180", "--samples=1"]].concat());
    assert!(!said.contains("legend"), "{said}");
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use common::{command, text};
    use std::process::{Command, Output};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    /// Starts a command and sends Ctrl-C as soon as a file is there.
    fn interrupt(folder: &Path, args: &[&str], file: &str) -> Output {
        let child = command(folder, args).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !folder.join(file).exists() && Instant::now() < deadline {
            sleep(Duration::from_millis(2));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        child.wait_with_output().unwrap()
    }

    #[test]
    fn a_movie_leaves_nothing_behind_and_a_sequence_its_whole_pictures() {
        let folder = tempdir().unwrap();
        let path = folder.path();
        succeed(path, &run_small(&[]));
        let slow = ["render", "out/hang", "--size=640x360", "--samples=512"];
        let movie = [&slow[..], &["--out=a.mp4"]].concat();
        let output = interrupt(path, &movie, "a.mp4.part");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("stopping") && said.contains("stopped at frame"), "{said}");
        assert!(said.contains("nothing is left"), "{said}");
        assert_eq!(names(path), ["out"]);
        let sequence = [&slow[..], &["--out=p/%04d.png"]].concat();
        let output = interrupt(path, &sequence, "p/0001.png");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("the pictures up to p/00"), "{said}");
        let left = names(&path.join("p"));
        assert!(left.len() >= 2 && left.iter().all(|name| name.ends_with(".png")), "{left:?}");
    }

    #[test]
    fn a_run_keeps_its_frames_and_says_how_to_render_them() {
        let folder = tempdir().unwrap();
        let path = folder.path();
        let slow = ["--set=render.size=[640, 360]", "--set=render.samples=512", "--render=a.webp"];
        // The last frame is on disk before the first picture is begun.
        let output = interrupt(path, &run_small(&slow), "out/hang/frames/000020.tff");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("taffeta render out/hang --out a.webp"), "{said}");
        assert_eq!(names(path), ["out"]);
        assert_eq!(common::frames(&path.join("out/hang")).len(), 21);
    }
}
