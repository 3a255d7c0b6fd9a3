//! Cloth that tears, in formats with a file for each frame, and what formats of one mesh say of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod moving_cloth;
mod torn_weave;

use std::collections::BTreeSet;
use std::fs;

use taffeta_io::FrameSource;
use taffeta_io::export::{ExportError, FORMATS, export};
use tempfile::tempdir;
use torn_weave::TornWeave;

type Span = (u32, u32);

fn span(a: u32, b: u32) -> Span {
    (a.min(b), a.max(b))
}

/// The vertices of each line of an OBJ file of a kind.
fn elements(text: &str, kind: &str) -> Vec<Vec<u32>> {
    let vertex = |item: &str| item.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
    let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
    lines.map(|line| line.split_whitespace().map(vertex).collect()).collect()
}

#[test]
fn obj_has_the_yarns_outside_of_faces_as_lines() {
    let folder = tempdir().unwrap();
    let mut cloth = TornWeave::new(1..=3, 2, 3);
    export(&mut cloth, &folder.path().join("c.obj")).unwrap();
    for number in 1..=3 {
        let text = fs::read_to_string(folder.path().join(format!("c_{number:04}.obj"))).unwrap();
        let mut sides = BTreeSet::new();
        for face in elements(&text, "f ") {
            sides.extend((0..face.len()).map(|i| span(face[i], face[(i + 1) % face.len()])));
        }
        let lines: Vec<Span> = elements(&text, "l ")
            .iter()
            .flat_map(|line| line.windows(2).map(|two| span(two[0], two[1])).collect::<Vec<_>>())
            .collect();
        let drawn: BTreeSet<Span> = lines.iter().copied().collect();
        assert_eq!(lines.len(), drawn.len(), "a span is there twice");
        assert_eq!(lines.is_empty(), number == 1);
        assert!(drawn.is_disjoint(&sides), "a line along a face");
        let frame = cloth.read(number).unwrap();
        let yarns = frame.yarns.unwrap().all.iter().flat_map(|yarn| yarn.points.windows(2));
        let spans: BTreeSet<Span> =
            yarns.map(|two| span(two[0].particle, two[1].particle)).collect();
        assert!(drawn.is_subset(&spans), "frame {number}");
        assert!(spans.is_subset(&(&drawn | &sides)), "frame {number}");
    }
}

#[test]
fn formats_say_whether_they_hold_a_mesh_that_changes() {
    let able: Vec<&str> = FORMATS.iter().filter(|f| f.changes).map(|f| f.extension).collect();
    assert_eq!(able, ["abc", "usda", "obj", "ply", "stl"]);
    for format in FORMATS {
        let folder = tempdir().unwrap();
        let path = folder.path().join("c").with_extension(format.extension);
        match export(&mut TornWeave::new(1..=9, 4, 7), &path) {
            Ok(exported) => assert!(format.changes && exported.frames == 9),
            Err(error @ ExportError::TopologyChanges { frame: 4, .. }) => {
                let words = error.to_string();
                assert!(!format.changes && words.contains("frame 4"), "{words}");
                assert!(words.contains(&able.join(", ")), "{words}");
                // Up to there it is cloth like any other.
                export(&mut TornWeave::new(1..=3, 4, 7), &path).unwrap();
            }
            Err(error) => panic!("{}: {error}", format.extension),
        }
    }
}
