//! Sewing patterns: what the file says comes through, in metres, and what is wrong is told with its place.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::path::Path;

use glam::{DVec2, DVec3};
use taffeta_garment::Curve;
use taffeta_io::import::{read_garmentcode, read_pattern};

const BAG: &str = include_str!("../../../fuzz/seeds/pattern/bag.json");

fn complaint(text: &str) -> String {
    read_garmentcode(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_pattern_comes_through_in_metres() {
    let read = read_garmentcode(BAG.as_bytes()).unwrap();
    let [front, back] = &read.pattern.panels[..] else { panic!("two panels") };
    assert_eq!((&*front.name, &*back.name), ("front", "back"));
    assert!(read.notes.is_empty());
    assert!(read.pattern.problems().is_empty());
    assert_eq!(front.ends(1), [DVec2::new(0.2, 0.0), DVec2::new(0.2, 0.3)]);
    // The arc has the circle's radius and bulges outwards; the control point is along and across.
    let height = 0.3 - (0.09f64 - 0.04).sqrt();
    assert!(matches!(front.outline[0].curve, Curve::Arc(found) if (found - height).abs() < 1e-12));
    let Curve::Quadratic(control) = front.outline[2].curve else { panic!("a quadratic curve") };
    assert!((control - DVec2::new(0.0, 0.26)).length() < 1e-12, "{control}");
    // Turned about y by 180°, x is to the left.
    let corner = back.placement.apply(back.ends(0)[1]);
    assert!((corner - DVec3::new(-0.2, 0.9, -0.2)).length() < 1e-12, "{corner}");
    // Seams go where they belong: no end is nearer the other way around.
    assert!(read.pattern.twists().is_empty());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (change, told) in [
        (("\"endpoints\": [1, 2]}", "\"endpoints\": [1, 9]}"), "edge 1: it ends at vertex 9"),
        (("[20, 30], [-20, 30]],", "[20, 30]],"), "refers to vertex 3, but there are 3"),
        (("[30, 0, 1]", "[3, 0, 1]"), "a circle of radius 3 does not reach"),
        (("\"quadratic\"", "\"clothoid\""), "curvature `clothoid`"),
        (
            ("\"panel\": \"back\", \"edge\": 3", "\"panel\": \"side\", \"edge\": 3"),
            "stitch 0: panel `side`",
        ),
        (
            ("\"panel\": \"back\", \"edge\": 3", "\"panel\": \"back\", \"edge\": 7"),
            "refers to edge 7",
        ),
        (("\"relative\"", "\"polar\""), "curvature_coords is `polar`"),
        (("\"units_in_meter\": 100", "\"units_in_meter\": 0"), "units_in_meter is 0"),
        (("{\"pattern\"", "{\"patern\""), "line 14: missing field `pattern`"),
    ] {
        let text = BAG.replacen(change.0, change.1, 1);
        assert_ne!(text, BAG);
        assert!(complaint(&text).contains(told), "{}", complaint(&text));
    }
}

#[test]
fn two_angles_are_taken_about_own_axes_and_that_is_said() {
    let text = BAG.replace("[0, 180, 0]", "[90, 0, 90]");
    let read = read_garmentcode(text.as_bytes()).unwrap();
    assert!(
        read.notes[0].contains("panel `back` is turned by 90°, 0° and 90°"),
        "{:?}",
        read.notes
    );
    // About z first as seen from outside: x becomes y, and then z.
    let turn = read.pattern.panels[1].placement.pose.turn;
    assert!((turn * DVec3::X - DVec3::Z).length() < 1e-12);
}

/// The patterns of GarmentCode that tests may find beside the repository.
#[test]
fn patterns_of_garmentcode_can_be_cut() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/patterns");
    if !folder.is_dir() {
        eprintln!("SKIPPED: there are no patterns in {}", folder.display());
        return;
    }
    for (name, panels, seams) in
        [("shirt_mean", 8, 18), ("dress_pencil", 6, 23), ("js_mean_all", 12, 57)]
    {
        let read = read_pattern(&folder.join(format!("{name}_specification.json"))).unwrap();
        assert_eq!((read.pattern.panels.len(), read.pattern.seams.len()), (panels, seams));
        assert_eq!(read.pattern.problems(), []);
        assert_eq!(read.pattern.twists(), [], "{name}");
        let cut = read.pattern.cut(0.02).unwrap();
        let (angle, panel) = cut.least_angle;
        println!(
            "{name}: {} triangles, least angle {:.1}° in {}",
            cut.flat.faces.len(),
            angle.to_degrees(),
            read.pattern.panels[panel].name
        );
        assert!(angle.to_degrees() > 2.0, "{name}: {}", angle.to_degrees());
    }
}
