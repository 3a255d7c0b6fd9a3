//! NumPy and trimesh read what is exported, number for number.
//!
//! Runs where the environment variable `TAFFETA_TOOLS` names a folder with `venv/bin/python`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod recorded;

use std::path::Path;
use std::process::Command;

use glam::{DVec2, DVec3};
use recorded::{Recorded, patch, quads, swaying, with_seam, without_uvs};
use serde_json::json;
use taffeta_io::export::export;
use tempfile::tempdir;

fn expected(source: &Recorded) -> serde_json::Value {
    let vectors = |values: &[DVec3]| values.iter().map(DVec3::to_array).collect::<Vec<_>>();
    let moments = &source.moments;
    let faces = &moments[0].mesh.faces;
    json!({
        "rate": source.rate,
        "frames": (source.first..).take(moments.len()).collect::<Vec<_>>(),
        "times": moments.iter().map(|moment| moment.time).collect::<Vec<_>>(),
        "positions": moments.iter().map(|m| vectors(&m.mesh.positions)).collect::<Vec<_>>(),
        "velocities": moments.iter().map(|m| vectors(&m.velocities)).collect::<Vec<_>>(),
        "faces": faces.iter().collect::<Vec<_>>(),
        "uvs": faces.all_uvs().iter().map(DVec2::to_array).collect::<Vec<_>>(),
    })
}

fn check(python: &Path, mut source: Recorded) {
    let folder = tempdir().unwrap();
    for extension in ["npz", "obj", "ply", "stl"] {
        export(&mut source, &folder.path().join(format!("run.{extension}"))).unwrap();
    }
    std::fs::write(folder.path().join("expected.json"), expected(&source).to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/check_npz.py");
    let ran = Command::new(python).arg(script).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.ends_with("all agree\n"), "{said}");
}

#[test]
fn numpy_and_trimesh_read_the_same_numbers() {
    let Some(tools) = std::env::var_os("TAFFETA_TOOLS") else {
        println!("SKIPPED: TAFFETA_TOOLS names no folder with NumPy and trimesh");
        return;
    };
    let python = Path::new(&tools).join("venv/bin/python");
    assert!(python.exists(), "TAFFETA_TOOLS is set, but there is no {}", python.display());
    for mesh in [quads(), with_seam(quads()), without_uvs(quads()), patch(), with_seam(patch())] {
        check(&python, swaying(&mesh, 7, 3));
    }
}
