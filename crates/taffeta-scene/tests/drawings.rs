//! Garments from drawings: panels named by the ids of outlines, placed and sewn by the scene.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use taffeta_scene::text::Problem;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

/// Two panels of 30 by 20 cm with a round hem, a dart in one, and a grain line.
const DRAWING: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="100cm" height="50cm" viewBox="0 0 100 50">
<g transform="translate(5 5)">
  <path id="front" d="M 0 0 L 12 0 L 15 4 L 18 0 H 30 V 20 Q 15 24 0 20 Z"/>
  <path id="back" d="M 40 0 H 70 V 20 Q 55 24 40 20 Z"/>
  <path id="grain" d="M 15 6 V 18"/>
  <rect id="pocket" x="80" y="0" width="5" height="5"/>
</g>
</svg>"#;

const SCENE: &str = r#"
[cloth.garment]
file = "bag.svg"
edge = 0.02
[[cloth.panel]]
name = "front"
position = [0.0, 1.0, 0.06]
[[cloth.panel]]
name = "back"
position = [0.0, 1.0, -0.06]
rotation = [0.0, 180.0, 0.0]
[[cloth.seam]]
join = ["front.1", "front.2"]
[[cloth.seam]]
join = ["front.4", "back.3"]
[[cloth.seam]]
join = ["front.6", "back.1"]
[model.continuum]
[contact]
self = true
[limits]
extension = 0.05
[frames]
count = 2
"#;

fn resolve(base: &Path, drawing: &str, text: &str) -> Result<Scene, SceneError> {
    fs::write(base.join("bag.svg"), drawing).unwrap();
    let scene = SceneText { origin: "t", name: "t", base, text };
    Scene::resolve(&SceneFile::read(scene, &[])?, 1 << 30)
}

fn of(drawing: &str, text: &str) -> Result<Scene, SceneError> {
    resolve(tempdir().unwrap().path(), drawing, text)
}

fn told(result: Result<Scene, SceneError>) -> String {
    let words = |problem: &Problem| format!("{} {:?}\n", problem.message, problem.help);
    result.unwrap_err().problems().map(words).collect()
}

#[test]
fn a_drawing_becomes_a_garment_that_can_be_put_on() {
    let mut scene = of(DRAWING, SCENE).unwrap();
    assert_eq!(scene.warnings, Vec::new());
    for part in [
        "2 panels with 3 seams",
        "not cut: pocket",
        "`front`: its corners are 0.3000 m by 0.2000 m",
        "1 × open line",
    ] {
        assert!(scene.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", scene.notes);
    }
    let places = scene.dress(&AtomicBool::new(false), &mut |_| {}).unwrap().unwrap();
    assert!(places.iter().all(|at| at.is_finite()));
    // The cloth weighs what was drawn: 600 cm² and 80 of the hem for each panel, less the dart.
    let area = 2.0 * (0.06 + 2.0 / 3.0 * 0.3 * 0.02) - 0.5 * 0.06 * 0.04;
    let density = taffeta::Fabric::default().density;
    let mass: f64 = scene.setup.model.masses().iter().sum();
    assert!((mass / (density * area) - 1.0).abs() < 0.01, "{mass} {}", density * area);
}

#[test]
fn the_drawing_is_kept_by_what_is_cut_from_it() {
    let scene = of(DRAWING, SCENE).unwrap();
    let again = of(&DRAWING.replace("<path id=\"grain\"", "<path id=\"line\""), SCENE).unwrap();
    assert_eq!(scene.identity, again.identity);
    let other = of(&DRAWING.replace("Q 15 24", "Q 15 25"), SCENE).unwrap();
    assert_ne!(scene.identity, other.identity);
    let folder = tempdir().unwrap();
    resolve(folder.path(), DRAWING, SCENE).unwrap();
    let text = SceneText { origin: "t", name: "t", base: folder.path(), text: SCENE };
    assert_eq!(SceneFile::read(text, &[]).unwrap().files(), [folder.path().join("bag.svg")]);
}

#[test]
fn what_does_not_fit_the_drawing_is_refused() {
    let message = told(of(DRAWING, &SCENE.replace("name = \"front\"", "name = \"frnt\"")));
    assert!(
        message.contains("no closed outline `frnt`") && message.contains("`front`"),
        "{message}"
    );
    let message = told(of(DRAWING, &SCENE.replace("name = \"back\"", "name = \"front\"")));
    assert!(message.contains("two panels are `front`"), "{message}");
    let message = told(of(DRAWING, &SCENE.replace("back.3", "back.7")));
    assert!(message.contains("no panel has an edge `back.7`"), "{message}");
    let message = told(of(DRAWING, &SCENE.replace("front.6", "front.4")));
    assert!(message.contains("`front.4` is sewn twice"), "{message}");
    let edges = SCENE.replace("name = \"back\"", "name = \"back\"\nedge = [{ from = [0, 0] }]");
    assert!(told(of(DRAWING, &edges)).contains("is in the drawing"));
    let unplaced = "[cloth.garment]\nfile = \"bag.svg\"\n[model.continuum]\n";
    assert!(told(of(DRAWING, unplaced)).contains("where the panels of the drawing are put"));
    let crossing = DRAWING.replace("L 15 4 L 18 0", "L 15 40 L 18 0");
    assert!(told(of(&crossing, SCENE)).contains("crosses itself"));
    let message = told(of("<svg><path id=\"front\" d=\"M 0 0 L\"/></svg>", SCENE));
    assert!(message.contains("bag.svg, line 1"), "{message}");
}
