//! Garments in scenes: put on before the first frame, kept with the frames, clean in all of them; and
//! what users get wrong about them.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that fails may panic")]

mod common;

use std::fs;
use std::path::Path;

use common::{go, hashes};
use taffeta::collision::{Surface, intersections};
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Mode;
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use tempfile::tempdir;

/// A tube of two panels around a capsule, on a ball that is too wide for it.
const TUBE: &str = r#"
[fabric]
preset = "cotton"
[cloth.garment]
edge = 0.03
settle = 0.2
[[cloth.panel]]
name = "front"
position = [0.0, 0.0, 0.16]
edge = [
    { name = "hem", from = [-0.18, -0.2] }, { name = "left", from = [0.18, -0.2] },
    { name = "top", from = [0.18, 0.2] }, { name = "right", from = [-0.18, 0.2] },
]
[[cloth.panel]]
name = "back"
position = [0.0, 0.0, -0.16]
rotation = [0.0, 180.0, 0.0]
edge = [
    { name = "hem", from = [-0.18, -0.2] }, { name = "right", from = [0.18, -0.2] },
    { name = "top", from = [0.18, 0.2] }, { name = "left", from = [-0.18, 0.2] },
]
[[cloth.seam]]
join = ["front.left", "back.left"]
[[cloth.seam]]
join = ["front.right", "back.right"]
[[solid]]
capsule = { radius = 0.09, length = 0.8 }
[[solid]]
position = [0.0, -0.32, 0.0]
sphere = { radius = 0.14 }
[contact]
self = true
thickness = 0.002
[limits]
extension = 0.03
[model.continuum]
[frames]
count = 4
[check]
intersections = 0
"#;

fn resolve(text: &str) -> Result<Scene, SceneError> {
    let scene = SceneText { origin: "t", name: "t", base: Path::new("."), text };
    Scene::resolve(&SceneFile::read(scene, &[])?, 1 << 30)
}

#[test]
fn a_garment_is_put_on_once_and_goes_on_to_the_same_bits() {
    let (whole, halved) = (tempdir().unwrap(), tempdir().unwrap());
    let scene = resolve(TUBE).unwrap();
    assert_eq!(scene.warnings, []);
    assert!(go(&scene, whole.path(), Mode::New, None).unwrap().complete);
    let mut reader = CacheReader::open(whole.path()).unwrap();
    let dressed = reader.dressed().unwrap().expect("it is kept where the garment was put on").0;
    for number in 0..=4 {
        let (frame, topology) = reader.frame(number).unwrap();
        let at = &frame.snapshot.state.positions;
        if number == 0 {
            assert_eq!(*at, dressed);
        }
        let surface = Surface::new(&topology.faces, at.len());
        assert!(intersections(&surface, at).is_empty(), "frame {number}");
        let worst = topology.gauges.iter().map(|gauge| gauge.strain(at)).fold(0.0, f64::max);
        assert!(worst < 0.0301, "frame {number}: {worst}");
    }
    // Both panels and both seams: a tube that is closed around.
    let border =
        reader.frame(0).unwrap().1.faces.edges().into_iter().filter(|e| e.faces.len() == 1);
    assert_eq!(border.count(), 4 * 12);

    go(&scene, halved.path(), Mode::New, Some(0)).unwrap();
    let kept = fs::metadata(halved.path().join("dressed.tfd")).unwrap().modified().unwrap();
    let ending = go(&scene, halved.path(), Mode::Resume, None).unwrap();
    assert_eq!(hashes(whole.path()), hashes(halved.path()));
    let after = fs::metadata(halved.path().join("dressed.tfd")).unwrap().modified().unwrap();
    assert_eq!((kept, ending.notes.len()), (after, 0), "{:?}", ending.notes);

    // What is damaged is made again, to the same bits.
    let path = halved.path().join("dressed.tfd");
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::remove_file(halved.path().join("frames/000004.tff")).unwrap();
    let ending = go(&scene, halved.path(), Mode::Resume, None).unwrap();
    assert!(ending.notes.iter().any(|note| note.contains("put on again")), "{:?}", ending.notes);
    assert_eq!(hashes(whole.path()), hashes(halved.path()));
}

fn complaint(text: &str) -> String {
    let error = resolve(text).expect_err("something is wrong");
    let told = |problem: &taffeta_scene::text::Problem| {
        format!("{} | {}", problem.message, problem.help.as_deref().unwrap_or_default())
    };
    error.problems().map(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_wrong_with_panels_is_told() {
    for (change, told) in [
        (("\"front.right\"", "\"front.rigth\""), "did you mean `front.right`?"),
        (
            ("join = [\"front.left\", \"back.left\"]", "join = [\"front.left\"]"),
            "joins two edges, not 1",
        ),
        (
            ("\"front.right\", \"back.right\"", "\"front.left\", \"back.right\""),
            "`front.left` is sewn twice",
        ),
        (("from = [0.18, 0.2]", "from = [-0.3, 0.0]"), "crosses itself"),
        (("name = \"back\"", "name = \"front\""), "two panels are `front`"),
        (("[model.continuum]", ""), "a continuum of triangles, not springs"),
        (("edge = 0.03", "edge = 0.03\nfile = \"shirt.json\""), "not from both"),
        (("name = \"hem\"", "name = \"hem\", arc = 0.1, control = [[0, 0]]"), "not both"),
        (
            ("[contact]", "[[pin]]\nbox = [[-1, -1, -1], [1, 1, 1]]\n[contact]"),
            "not known before it is put on",
        ),
        (("[contact]", "[[pin]]\nedges = [\"front.tip\"]\n[contact]"), "did you mean `front.top`?"),
    ] {
        let text = TUBE.replacen(change.0, change.1, 1);
        assert_ne!(text, TUBE);
        let found = complaint(&text);
        assert!(found.contains(told), "{told}: {found}");
    }
    let long = TUBE.replacen("from = [0.18, 0.2]", "from = [0.18, 1.2]", 1);
    assert!(complaint(&long).contains("times as long"), "{}", complaint(&long));
    // Both panels show their outside: ends that are exchanged would turn one of them inside out.
    let twisted = TUBE.replacen("join = [", "reversed = true\njoin = [", 1);
    assert!(complaint(&twisted).contains("one of them is flipped"), "{}", complaint(&twisted));
    let lone = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n[[pin]]\nedges = [\"a.b\"]\n";
    assert!(complaint(lone).contains("only a [cloth.garment] has edges of panels"));
}

#[test]
fn panels_that_start_badly_are_told() {
    for (change, kind) in [
        (("[0.0, 0.0, 0.16]", "[0.0, 0.0, 0.05]"), "inside"),
        (("[0.0, 0.0, 0.16]", "[0.0, 0.0, 3.0]"), "far"),
        (("from = [0.18, 0.2]", "from = [0.18, 0.4]"), "eased"),
    ] {
        let text = TUBE.replacen(change.0, change.1, 1);
        assert_ne!(text, TUBE);
        let scene = resolve(&text).unwrap();
        assert!(scene.warnings.iter().any(|warning| warning.kind == kind), "{:?}", scene.warnings);
    }
}
