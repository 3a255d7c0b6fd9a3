//! What we export, read by programs that others wrote, and compared number by number.
//!
//! The programs are in the folder that `TAFFETA_TOOLS` names: `venv/bin/python` with `numpy` and
//! `usd-core`, and `node_modules/gltf-validator`. Without the variable these tests are skipped,
//! and say so; with it, a missing program is a failure.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails loudly")]

mod moving_cloth;
mod tools;
mod torn_weave;

use std::ffi::OsStr;
use std::path::Path;

use moving_cloth::MovingCloth;
use serde_json::Value;
use taffeta_io::FrameSource;
use taffeta_io::export::export;
use tools::Tools;
use torn_weave::TornWeave;

/// Frames, and what a file of them should hold.
trait Known: FrameSource {
    fn known(&mut self) -> Value;
}

impl Known for MovingCloth {
    fn known(&mut self) -> Value {
        self.expected()
    }
}

impl Known for TornWeave {
    fn known(&mut self) -> Value {
        self.expected()
    }
}

/// Exports a cloth and hands the file and what it should hold to a program.
fn check(cloth: &mut impl Known, name: &str, run: impl Fn(&Path, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let (file, expected) = (folder.path().join(name), folder.path().join("expected.json"));
    std::fs::write(&expected, cloth.known().to_string()).unwrap();
    let exported = export(cloth, &file).unwrap();
    assert_eq!(exported.frames, cloth.numbers().count());
    assert_eq!(exported.files, [file.as_path()]);
    run(&file, &expected);
}

fn check_usd(cloth: &mut impl Known) {
    let Some(tools) = Tools::find() else { return };
    check(cloth, "cloth.usda", |file, expected| {
        tools.python("check_usd.py", &[file.as_ref(), expected.as_ref()]);
    });
}

fn check_glb(cloth: &mut MovingCloth) {
    let Some(tools) = Tools::find() else { return };
    tools.require("node_modules/gltf-validator");
    check(cloth, "cloth.glb", |file, expected| {
        let folder: &OsStr = tools.folder.as_ref();
        tools.run("node".as_ref(), "check_glb.mjs", &[folder, file.as_ref(), expected.as_ref()]);
    });
}

#[test]
fn usd_holds_a_moving_cloth() {
    check_usd(&mut MovingCloth::new(7, 5, 3..=12));
}

#[test]
fn usd_holds_a_cloth_with_a_texture_seam() {
    check_usd(&mut MovingCloth::new(4, 6, 0..=2).with_seam());
}

#[test]
fn usd_holds_a_cloth_without_texture() {
    check_usd(&mut MovingCloth::new(4, 3, 1..=2).without_uvs());
}

#[test]
fn usd_holds_a_cloth_that_tears() {
    check_usd(&mut MovingCloth::new(4, 3, 1..=9).with_seam().torn_at(3).torn_at(8));
}

/// A change that keeps every list as long as it was, which readers would interpolate.
#[test]
fn usd_keeps_faces_apart_before_and_after_a_change() {
    check_usd(&mut MovingCloth::new(4, 3, 1..=9).with_seam().reordered_at(5));
}

#[test]
fn usd_holds_the_yarns_of_cloth_that_tears() {
    check_usd(&mut TornWeave::new(1..=9, 3, 8));
    check_usd(&mut TornWeave::new(4..=6, 5, 6));
    check_usd(&mut TornWeave::new(4..=6, 7, 8));
}

#[test]
fn glb_holds_a_moving_cloth() {
    check_glb(&mut MovingCloth::new(7, 5, 3..=12));
}

#[test]
fn glb_holds_a_cloth_with_a_texture_seam() {
    check_glb(&mut MovingCloth::new(4, 6, 0..=5).with_seam());
}

#[test]
fn glb_holds_a_cloth_without_texture() {
    check_glb(&mut MovingCloth::new(4, 3, 1..=2).without_uvs());
}

#[test]
fn glb_holds_a_single_frame() {
    check_glb(&mut MovingCloth::new(4, 3, 8..=8));
}

/// Blender is a large download, so these run only when asked for: `cargo xtask blender test`, a stage
/// of `cargo xtask test`, puts it at `blender` in the tools folder and runs them with `--ignored`.
fn check_blender(cloth: &mut impl Known, name: &str) {
    let Some(tools) = Tools::find() else { return };
    let python = tools.require("blender/bin/python");
    check(cloth, name, |file, expected| {
        tools.run(&python, "check_blender.py", &[file.as_ref(), expected.as_ref()]);
    });
}

#[test]
#[ignore = "needs Blender: cargo xtask blender test runs it"]
fn blender_plays_a_moving_cloth() {
    for name in ["cloth.abc", "cloth.usda", "cloth.glb"] {
        check_blender(&mut MovingCloth::new(41, 41, 1..=60), name);
        check_blender(&mut MovingCloth::new(7, 5, 3..=12).with_seam(), name);
    }
}

#[test]
#[ignore = "needs Blender: cargo xtask blender test runs it"]
fn blender_plays_a_cloth_that_tears() {
    for name in ["cloth.abc", "cloth.usda"] {
        let mut torn = MovingCloth::new(7, 5, 3..=12).with_seam().torn_at(6).torn_at(10);
        check_blender(&mut torn, name);
        check_blender(&mut TornWeave::new(1..=9, 3, 8), name);
    }
}
