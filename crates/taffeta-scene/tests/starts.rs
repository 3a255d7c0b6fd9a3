//! Bad starts are told before anything is computed: what, where, how many, and what to do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::{anew, go, scene_of};
use taffeta_scene::run::{FrameReport, Mode, run};
use taffeta_scene::{Builtin, Scene, SceneFile, SceneText, Warning};
use tempfile::tempdir;

fn scene_in(base: &Path, text: &str) -> Scene {
    let text = SceneText { origin: "t.toml", name: "t", base, text };
    Scene::resolve(&SceneFile::read(text, &[]).unwrap(), 1 << 30).unwrap()
}

/// The one warning of a scene with a mesh.
fn told_of(mesh: &str, text: &str) -> Warning {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("m.obj"), mesh).unwrap();
    one(&scene_in(folder.path(), text))
}

fn one(scene: &Scene) -> Warning {
    let [warning] = &scene.warnings[..] else { panic!("{:?}", scene.warnings) };
    warning.clone()
}

fn says(warning: &Warning, kind: &str, count: usize, words: &[&str]) {
    let said = warning.to_string();
    assert_eq!((warning.kind.as_str(), warning.count), (kind, count), "{said}");
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!warning.particles.is_empty() && warning.particles.len() <= 8, "{warning:?}");
}

const SHEET: &str = "[cloth.sheet]\nsize = [1.0, 1.0]\nparticles = [5, 5]\n[integrator.implicit]\n";

#[test]
fn a_shell_through_the_cloth_is_told() {
    // An upright square that cuts the sheet along x = 0.1, between its particles.
    let mesh = "v 0.1 -1 -1\nv 0.1 1 -1\nv 0.1 1 1\nv 0.1 -1 1\nf 1 2 3 4\n";
    let text = format!("{SHEET}[[solid]]\n[solid.mesh]\nfile = \"m.obj\"\n");
    // Five edges along x, the diagonals of four quads, and three triangles at its own diagonal.
    let warning = told_of(mesh, &text);
    says(&warning, "through", 12, &["the shell of solid 0", "(0.0000, 0.0000, ", "move the cloth"]);
    let beside =
        told_of(mesh, &text.replace("[[solid]]", "[[solid]]\nposition = [-0.2, 0.0, 0.0]"));
    says(&beside, "through", 12, &["particle"]);
    let apart = text.replace("[[solid]]", "[[solid]]\nposition = [0.5, 0.0, 0.0]");
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("m.obj"), mesh).unwrap();
    assert_eq!(scene_in(folder.path(), &apart).warnings, []);
}

#[test]
fn a_body_between_the_particles_is_told() {
    let ball = "[[solid]]\nposition = [0.125, 0.0, 0.125]\n[solid.sphere]\nradius = 0.05\n";
    let warning = one(&scene_of(&format!("{SHEET}{ball}"), &[]));
    assert_eq!(warning.kind, "through");
    assert!(warning.count > 0 && warning.to_string().starts_with("solid 0 starts through"));
    let inside = ball.replace("0.05\n", "0.3\n");
    let warning = one(&scene_of(&format!("{SHEET}{inside}"), &[]));
    says(
        &warning,
        "inside",
        4,
        &["particles start inside solid 0", "deepest", "led out at 0.25 m/s"],
    );
}

#[test]
fn cloth_through_itself_is_told() {
    let mesh = "v 0 0 0\nv 1 0 0\nv 0.6 -1 0\nv 0.5 -0.2 -0.5\nv 0.5 -0.2 0.5\nv 0.5 -1.2 0.1\n\
                f 1 2 3\nf 4 5 6\n";
    let text = "[cloth.mesh]\nfile = \"m.obj\"\n[contact]\nself = true\n";
    let warning = told_of(mesh, text);
    says(&warning, "tangled", warning.count, &["starts through itself", "edge 0–2 through"]);
    // Where nothing keeps it from that, it is a matter of what is promised.
    let promised = "[cloth.mesh]\nfile = \"m.obj\"\n[check]\nintersections = 0\n";
    says(&told_of(mesh, promised), "tangled", warning.count, &["cannot hold"]);
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("m.obj"), mesh).unwrap();
    let free = scene_in(folder.path(), "[cloth.mesh]\nfile = \"m.obj\"\n");
    assert_eq!(free.warnings, []);
}

#[test]
fn layers_that_lie_in_each_other_are_told() {
    let layers = |gap: f64| {
        format!(
            "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.1 {gap} 0.1\nv 0.3 {gap} 0.1\nv 0.1 {gap} 0.3\n\
             f 1 2 3\nf 4 5 6\n"
        )
    };
    let text =
        "[fabric]\nthickness = 0.001\n[cloth.mesh]\nfile = \"m.obj\"\n[contact]\nself = true\n";
    let words =
        ["layers of the cloth lie in each other", "first particle 3 at (0.1", "0.001 m apart"];
    says(&told_of(&layers(5e-6), text), "layers", 3, &words);
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("m.obj"), layers(1e-4)).unwrap();
    assert_eq!(scene_in(folder.path(), text).warnings, []);
}

#[test]
fn cloth_thicker_than_its_edges_is_told() {
    let text = format!("{SHEET}[contact]\nself = true\nthickness = 0.3\n");
    // All sides of the 16 quads, and not their diagonals.
    says(&one(&scene_of(&text, &[])), "thickness", 40, &["0.3 m is more than 40", "[contact]"]);
    assert_eq!(scene_of(&text.replace("0.3", "0.2"), &[]).warnings, []);
}

#[test]
fn a_start_beyond_the_limits_is_told() {
    let text = format!("[cloth]\njitter = 0.01\n{SHEET}[limits]\nextension = 0.01\n");
    let warning = one(&scene_of(&text, &[]));
    let words = ["start beyond the strain limits", "+1.000 % are allowed", "jitter of 0.01 m"];
    says(&warning, "strained", warning.count, &words);
    assert_eq!(
        scene_of(&text.replace("0.01\n", "0.0001\n"), &["limits.extension=0.01"]).warnings,
        []
    );
}

const PULLED: &str = r#"
[cloth.sheet]
size = [1.0, 1.0]
particles = [9, 9]
[[pin]]
edge = "left"
[[pin]]
edge = "right"
[[pin.key]]
time = 0.0
[[pin.key]]
time = 0.1
move = [0.1, 0.0, 0.0]
[[pin.key]]
time = 0.2
move = [0.0, 0.0, 0.0]
[limits]
extension = 0.01
[frames]
count = 6
"#;

#[test]
fn pins_farther_apart_than_limits_allow_are_told() {
    // Opposite particles only: others have a longer way around.
    let words =
        ["1.1000 m apart at 0.100 s", "0.0900 m more than the 1.0100 m", "more than 10.00 %"];
    says(&one(&scene_of(PULLED, &[])), "apart", 9, &words);
    says(&one(&scene_of(PULLED, &["model.continuum.rest_stretch=[1.0, 1.0]"])), "apart", 9, &words);
    // A limit that lets them, pins that never come there, and no limit.
    for fine in ["limits.extension=0.11", "frames.count=0", "pin.1.until=0.005"] {
        assert_eq!(scene_of(PULLED, &[fine]).warnings, [], "{fine}");
    }
    let free = PULLED.replace("[limits]\nextension = 0.01\n", "");
    assert_eq!(scene_of(&free, &[]).warnings, []);
}

#[test]
fn cloth_that_tears_beside_a_mesh_is_told() {
    let text = "[cloth.sheet]\nsize = [0.02, 0.02]\nparticles = [6, 6]\n[[solid]]\n\
                position = [0.0, -0.1, 0.0]\nfaceted = true\n[solid.sphere]\nradius = 0.05\n[tear]\n";
    let told = one(&scene_of(text, &[]));
    assert_eq!((told.kind.as_str(), told.count, told.particles.len()), ("loose", 1, 0));
    assert!(told.what.contains("solid 0, which is a mesh"), "{told}");
    assert_eq!(scene_of(text, &["solid.0.faceted=false"]).warnings, []);
    assert_eq!(scene_of(&text.replace("[tear]\n", ""), &[]).warnings, []);
}

#[test]
fn the_report_begins_with_the_warnings_also_when_its_line_was_lost() {
    let folder = tempdir().unwrap();
    let scene = scene_of(PULLED, &["frames.count=3"]);
    go(&scene, folder.path(), Mode::New, None).unwrap();
    let warnings = || -> Vec<usize> {
        let text = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<FrameReport>(line).unwrap());
        lines.map(|report| report.warnings.len()).collect()
    };
    assert_eq!(warnings(), [1, 0, 0, 0]);
    fs::remove_file(folder.path().join("report.jsonl")).unwrap();
    go(&scene, folder.path(), Mode::Resume, None).unwrap();
    assert_eq!(warnings(), [1, 0, 0, 0]);
}

#[test]
fn built_in_scenes_begin_well() {
    for builtin in Builtin::ALL {
        let scene = scene_in(Path::new("."), builtin.text);
        assert_eq!(scene.warnings, [], "{}", builtin.name);
    }
}

#[test]
fn a_run_stops_in_the_middle_of_a_frame() {
    let folder = tempdir().unwrap();
    // Over two hundred thousand steps a frame.
    let scene = scene_of(PULLED, &["step.max=1.5e-7", "step.max_per_frame=10000000"]);
    let stop = AtomicBool::new(false);
    let options = anew(folder.path(), &stop);
    let ending = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        run(&scene, &options, &mut []).unwrap()
    });
    assert_eq!((ending.reached, ending.complete), (0, false));
    let text = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1);
}
