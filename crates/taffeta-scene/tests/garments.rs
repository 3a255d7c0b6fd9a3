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
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText, check};
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

/// The tube under another, wider one, each a cloth of its own; and a cloth that is no garment.
fn two_tubes() -> String {
    let (begin, rest) = TUBE.split_once("[cloth.garment]").unwrap();
    let (garment, end) = rest.split_once("[[solid]]").unwrap();
    let under = format!("[[cloth]]\nname = \"under\"\n[cloth.garment]{garment}");
    let over = under
        .replace("under", "over")
        .replace("0.16]", "0.2]")
        .replace("0.18,", "0.21,")
        .replace("settle = 0.2", "settle = 0.1");
    let band = "[[cloth]]\nname = \"band\"\nposition = [0, 0.5, 0]\n[cloth.tube]\nradius = 0.2\n\
                length = 0.05\nparticles = [24, 3]\n";
    format!("{begin}{under}{over}{band}[[solid]]{end}")
}

#[test]
fn garments_are_put_on_one_over_the_other_and_each_is_named() {
    let folder = tempdir().unwrap();
    let text =
        two_tubes().replace("[contact]", "[[pin]]\ncloth = \"band\"\nedge = \"top\"\n[contact]");
    let scene = resolve(&text).unwrap();
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);
    let mut reader = CacheReader::open(folder.path()).unwrap();
    let certificate = check::check(&mut reader, &scene.checks, None).unwrap();
    assert!(certificate.holds(), "{:?}", certificate.violations);
    let (frame, topology) = reader.frame(0).unwrap();
    let at = &frame.snapshot.state.positions;
    let names: Vec<&str> = topology.cloths.iter().map(|cloth| &*cloth.name).collect();
    assert_eq!(names, ["under", "over", "band"]);
    // One is around the other: its widest place is farther out at every height.
    let girth = |cloth: usize, height: f64| {
        let own = topology.cloths[cloth].particles.clone();
        let near = own.map(|p| at[p as usize]).filter(|place| (place.y - height).abs() < 0.03);
        near.map(|place| place.x.hypot(place.z)).fold(0.0, f64::max)
    };
    for height in [-0.1, 0.0, 0.1] {
        let [under, over] = [girth(0, height), girth(1, height)];
        assert!(under < over, "at {height}: {under} {over}");
    }
    // What is no garment stayed where the scene puts it.
    let band = topology.cloths[2].particles.clone();
    assert!(band.clone().all(|p| (0.47..0.53).contains(&at[p as usize].y)), "{band:?}");
}

#[test]
fn an_edge_of_several_garments_is_not_guessed() {
    let pinned =
        |pin: &str| two_tubes().replace("[contact]", &format!("[[pin]]\n{pin}\n[contact]"));
    let told = complaint(&pinned("edges = [\"front.top\"]"));
    assert!(told.contains("several garments have an edge `front.top`"), "{told}");
    let setup = resolve(&pinned("cloth = \"over\"\nedges = [\"front.top\"]")).unwrap().setup;
    let over = setup.model.cloths()[1].particles.clone();
    assert!(setup.pins[0].particles.iter().all(|particle| over.contains(particle)));
    let told = complaint(&pinned("cloth = \"band\"\nedges = [\"front.top\"]"));
    assert!(told.contains("only a [cloth.garment]"), "{told}");
}

/// A body that rises by 0.3 m carries the upper edge of the tube, from where it is when it is on.
#[test]
fn a_waist_goes_along_with_the_body_from_where_it_was_put_on() {
    let folder = tempdir().unwrap();
    let text = TUBE
        .replace("[contact]", "[[pin]]\nedges = [\"front.top\", \"back.top\"]\nto = 0\n[contact]")
        .replace(
            "[[solid]]\nposition",
            "[[solid.key]]\ntime = 0.0\n[[solid.key]]\ntime = 0.1\nmove = [0, 0.05, 0]\n[[solid]]\nposition",
        );
    let scene = resolve(&text).unwrap();
    assert!(go(&scene, folder.path(), Mode::New, None).unwrap().complete);
    let reader = CacheReader::open(folder.path()).unwrap();
    let waist = &scene.setup.pins[0].particles;
    let at = |frame: u32| reader.load(frame).unwrap().snapshot.state.positions;
    let (first, last) = (at(0), at(4));
    assert!(waist.len() > 20);
    for &particle in waist {
        let moved = last[particle as usize] - first[particle as usize];
        assert!((moved - glam::DVec3::Y * 0.05).length() < 1e-6, "{particle}: {moved}");
    }
}
