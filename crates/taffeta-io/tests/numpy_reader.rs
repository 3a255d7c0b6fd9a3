//! NumPy and trimesh read what is exported, number for number.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a test may say what it saw")]

mod recorded;
mod tools;

use glam::{DVec2, DVec3};
use recorded::{Recorded, patch, quads, swaying, with_seam, without_uvs};
use serde_json::json;
use taffeta_io::export::export;
use tempfile::tempdir;
use tools::Tools;

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

fn check(tools: &Tools, mut source: Recorded) {
    let folder = tempdir().unwrap();
    for extension in ["npz", "obj", "ply", "stl"] {
        export(&mut source, &folder.path().join(format!("run.{extension}"))).unwrap();
    }
    std::fs::write(folder.path().join("expected.json"), expected(&source).to_string()).unwrap();
    tools.python("check_npz.py", &[folder.path().as_os_str()]);
}

#[test]
fn numpy_and_trimesh_read_the_same_numbers() {
    let Some(tools) = Tools::find() else { return };
    for mesh in [quads(), with_seam(quads()), without_uvs(quads()), patch(), with_seam(patch())] {
        check(&tools, swaying(&mesh, 7, 3));
    }
}
