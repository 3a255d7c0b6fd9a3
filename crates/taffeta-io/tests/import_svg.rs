//! Drawings: the outlines they hold, at their true size, and what is said about what is no panel.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use glam::DVec2;
use proptest::prelude::*;
use proptest::sample::Index;
use taffeta_garment::{Curve, Panel};
use taffeta_io::import::{ImportedPattern, read_svg};

/// A drawing in millimetres.
fn drawing(inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200mm\" height=\"100mm\" \
         viewBox=\"0 0 200 100\">\n{inner}\n</svg>\n"
    )
}

fn read(inner: &str) -> ImportedPattern {
    read_svg(drawing(inner).as_bytes()).unwrap()
}

fn told(inner: &str) -> String {
    read_svg(drawing(inner).as_bytes()).unwrap_err().to_string()
}

fn only(inner: &str) -> Panel {
    let mut panels = read(inner).pattern.panels;
    assert_eq!(panels.len(), 1);
    panels.pop().unwrap()
}

/// Points along the outline, and the area within.
fn around(panel: &Panel) -> (Vec<DVec2>, f64) {
    let edges = 0..panel.outline.len();
    let way: Vec<DVec2> = edges
        .flat_map(|edge| {
            let ends = panel.ends(edge);
            (0..200).map(move |i| panel.outline[edge].curve.at(ends, f64::from(i) / 200.0))
        })
        .collect();
    let area = way.iter().zip(way.iter().cycle().skip(1)).map(|(a, b)| 0.5 * a.perp_dot(*b)).sum();
    (way, area)
}

fn names(panel: &Panel) -> String {
    panel.outline.iter().map(|edge| edge.name.as_str()).collect()
}

#[test]
fn outlines_have_the_size_of_the_drawing_whatever_its_unit() {
    let panel = only("<path id=\"front\" d=\"M 10 10 h 100 v 50 h -100 z\"/>");
    assert_eq!((panel.name.as_str(), panel.outline.len()), ("front", 4));
    let (way, area) = around(&panel);
    assert!((area - 0.005).abs() < 1e-12, "{area}");
    // It lies around the middle of its box, y up.
    assert!(way.iter().all(|at| at.x.abs() < 0.05 + 1e-12 && at.y.abs() < 0.025 + 1e-12));
    let sized = |head: &str| {
        let text =
            format!("<svg {head}><rect id=\"a\" x=\"1\" y=\"1\" width=\"2\" height=\"4\"/></svg>");
        let read = read_svg(text.as_bytes()).unwrap();
        (read.pattern.panels[0].length(1).max(read.pattern.panels[0].length(0)), read.notes)
    };
    for (head, metres) in [
        ("width=\"200mm\" height=\"100mm\" viewBox=\"0 0 200 100\"", 0.004),
        ("width=\"20cm\" height=\"10cm\" viewBox=\"0 0 20 10\"", 0.04),
        ("width=\"2in\" height=\"1in\" viewBox=\"0 0 2 1\"", 4.0 * 0.0254),
        ("width=\"144pt\" height=\"72pt\" viewBox=\"0 0 2 1\"", 4.0 * 0.0254),
        ("width=\"192\" height=\"96px\" viewBox=\"0 0 2 1\"", 4.0 * 0.0254),
        ("width=\"200mm\" viewBox=\"0 0 200 100\"", 0.004),
    ] {
        let (length, notes) = sized(head);
        assert!((length - metres).abs() < 1e-12, "{head}: {length}");
        assert!(notes.iter().all(|note| !note.contains("1/96")), "{head}");
    }
    for head in ["", "width=\"100%\" height=\"100%\" viewBox=\"0 0 2 1\""] {
        let (length, notes) = sized(head);
        assert!((length - 4.0 * 0.0254 / 96.0).abs() < 1e-12, "{head}: {length}");
        assert!(notes.iter().any(|note| note.contains("1/96 inch")), "{head}");
    }
}

#[test]
fn every_kind_of_piece_goes_where_it_is_drawn() {
    // All of them, absolute and relative, on the way around a disc of 40 mm.
    let k = 40.0 * 0.552_284_749_8;
    let absolute = format!(
        "M 90 50 C 90 {} {} 90 50 90 S 10 {} 10 50 A 40 40 0 0 1 50 10 L 90 10 V 50 Z",
        50.0 + k,
        50.0 + k,
        50.0 + k
    );
    let relative = format!(
        "m 90 50 c 0 {k} {} 40 -40 40 s -40 {} -40 -40 a 40 40 0 0 1 40 -40 l 40 0 v 40 z",
        k - 40.0,
        k - 40.0
    );
    let wanted = (0.75 * std::f64::consts::PI + 1.0) * 0.04 * 0.04;
    for data in [&absolute, &relative] {
        let panel = only(&format!("<path id=\"a\" d=\"{data}\"/>"));
        assert_eq!(panel.outline.len(), 5);
        let (_, area) = around(&panel);
        assert!((area / wanted - 1.0).abs() < 1e-3, "{area} {wanted}");
        assert!(matches!(
            panel.outline.iter().find(|edge| edge.name == "2").unwrap().curve,
            Curve::Arc(_)
        ));
    }
    let waves = only("<path id=\"a\" d=\"M 0 0 Q 20 30 40 0 T 80 0 L 40 60 Z\"/>");
    // A wave up and one down: as much as the triangle has.
    assert!((around(&waves).1 - 0.0024).abs() < 1e-6, "{}", around(&waves).1);
    let disc = only("<circle id=\"a\" cx=\"50\" cy=\"50\" r=\"20\"/>");
    assert!((around(&disc).1 / (std::f64::consts::PI * 4e-4) - 1.0).abs() < 1e-3);
    let corners = only("<polygon id=\"a\" points=\"0,0 30,0 30,20\"/>");
    assert!((around(&corners).1 - 3e-4).abs() < 1e-12);
}

#[test]
fn what_is_seen_is_the_outside_however_it_was_drawn() {
    let one = only("<path id=\"a\" d=\"M 0 0 L 40 0 A 20 20 0 0 1 40 40 L 0 40 Z\"/>");
    let other = only("<path id=\"a\" d=\"M 0 0 L 0 40 L 40 40 A 20 20 0 0 0 40 0 Z\"/>");
    for panel in [&one, &other] {
        let (way, area) = around(panel);
        let wanted = 0.0016 + 0.5 * std::f64::consts::PI * 4e-4;
        assert!((area / wanted - 1.0).abs() < 1e-3, "{area} {wanted}");
        let far = way.iter().map(|at| at.x).fold(f64::NEG_INFINITY, f64::max);
        assert!((far - 0.03).abs() < 1e-5, "the arc goes outwards: {far}");
    }
    // Edges keep the numbers that they are drawn in.
    assert_eq!((names(&one).as_str(), names(&other).as_str()), ("3210", "0123"));
}

#[test]
fn groups_move_turn_and_mirror_what_is_in_them() {
    let plain = "<path id=\"a\" d=\"M 0 0 L 40 0 A 20 20 0 0 1 40 40 L 0 40 Z\"/>";
    let area = around(&only(plain)).1;
    for transform in ["translate(50 20) rotate(30)", "scale(-1 1)", "matrix(0 1 1 0 5 5)"] {
        let moved = only(&format!("<g transform=\"{transform}\"><g>{plain}</g></g>"));
        assert!((around(&moved).1 / area - 1.0).abs() < 1e-6, "{transform}");
    }
    let half =
        only(&format!("<g transform=\"scale(2)\"><g transform=\"scale(0.25)\">{plain}</g></g>"));
    assert!((around(&half).1 / area - 0.25).abs() < 1e-6);
    assert!(
        told(&format!("<g transform=\"scale(2 1)\">{plain}</g>")).contains("an arc of an ellipse")
    );
    let stretched =
        only("<g transform=\"scale(2 1)\"><rect id=\"a\" width=\"9\" height=\"9\"/></g>");
    assert!((around(&stretched).1 - 2.0 * 81e-6).abs() < 1e-12);
}

#[test]
fn what_is_no_panel_is_told() {
    let panel = "<rect id=\"a\" width=\"20\" height=\"20\"/>";
    let more = "<path id=\"grain\" d=\"M 5 5 V 15\"/><text>front</text><path d=\"M 0 0 H 9 V 9 Z\"/>\
                <g style=\"fill: red; display : none\"><rect id=\"b\" width=\"1\" height=\"1\"/></g>\
                <defs><rect id=\"c\" width=\"1\" height=\"1\"/></defs><use href=\"#a\"/>";
    let read = read(&format!("{panel}{more}"));
    assert_eq!(read.pattern.panels.len(), 1);
    let note = read.notes.iter().find(|note| note.starts_with("left out")).unwrap();
    for part in
        ["1 × open line", "1 × <text>", "1 × outline without an id", "1 × hidden", "1 × <use>"]
    {
        assert!(note.contains(part), "{part}: {note}");
    }
    assert!(
        read.notes.iter().any(|note| note.contains("`a`: its corners are 0.0200 m by 0.0200 m")
            && note.contains("3 (0.0200)"))
    );
}

#[test]
fn bad_drawings_are_refused_by_their_lines() {
    let good = "<rect id=\"a\" width=\"20\" height=\"20\"/>";
    for (inner, line, words) in [
        ("<path id=\"a\" d=\"M 0 0 H 9 V 9 Z M 1 1 h 2 v 2 z\"/>", 2, "a path of 2 outlines"),
        ("<path id=\"a\" d=\"M 0 0 H nine\"/>", 2, "`a`: its path"),
        ("<rect id=\"a\" width=\"9\" height=\"9\" rx=\"1\"/>", 2, "round corners"),
        ("<rect id=\"a\" width=\"9mm\" height=\"9\"/>", 2, "the drawing's own units"),
        ("\n<rect id=\"a\" width=\"nine\" height=\"9\"/>", 3, "`nine`"),
        ("<g transform=\"turn(3)\"><rect id=\"a\" width=\"9\" height=\"9\"/></g>", 2, "`turn(3)`"),
        ("<g><rect id=\"a\" width=\"9\"", 3, ""),
    ] {
        let error = told(inner);
        assert!(
            error.starts_with(&format!("line {line}: ")) && error.contains(words),
            "{inner}: {error}"
        );
    }
    assert!(told(&format!("{good}\n{good}")).contains("two panels are `a`"));
    assert!(
        told("<path id=\"a\" d=\"M 0 0 H 9\"/>")
            .contains("a closed outline with an id: 1 × open line")
    );
    assert!(read_svg(b"<html></html>").unwrap_err().to_string().contains("`<html>` is no drawing"));
    assert!(read_svg(&[0xff, 0xfe, 0x00]).unwrap_err().to_string().contains("UTF-8"));
    let head = "<svg width=\"-2mm\" viewBox=\"0 0 1 1\"/>";
    assert!(read_svg(head.as_bytes()).unwrap_err().to_string().contains("not above zero"));
    let head = "<svg viewBox=\"0 0 0 1\"/>";
    assert!(read_svg(head.as_bytes()).unwrap_err().to_string().contains("viewBox `0 0 0 1`"));
    // Entities in entities, a thousand million of them.
    let bomb: String = (1..10)
        .map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)))
        .collect();
    let bomb = format!("<!DOCTYPE svg [<!ENTITY e0 \"x\">{bomb}]><svg><text>&e9;</text></svg>");
    assert!(read_svg(bomb.as_bytes()).is_err());
}

#[test]
fn every_truncation_is_an_error() {
    let whole = drawing("<path id=\"a\" d=\"M 0 0 H 9 V 9 Z\"/>");
    for end in 0..whole.trim_end().len() {
        assert!(read_svg(&whole.as_bytes()[..end]).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn mangled_drawings_are_errors_or_panels(
        changes in proptest::collection::vec((any::<Index>(), 0usize..12), 1..8)
    ) {
        let good = drawing(
            "<g transform=\"translate(5 5) rotate(10)\"><path id=\"a\" d=\"M 0 0 h 80 v 20 S 60 60 40 60 Q 20 \
             60 0 50 T 0 20 a 9 9 0 0 1 0 -18 Z\"/></g><rect id=\"b\" width=\"8\" height=\"5\"/>",
        );
        let mut bytes = good.into_bytes();
        for (at, word) in &changes {
            let words: [&[u8]; 12] = [
                b"", b"-", b"1e308", b"Z", b" M 1 1 ", b"<g>", b"\"", b"/>", b"0", b" A 0 0 0 1 1 9 9",
                b"&x;", b"\xff",
            ];
            let at = at.index(bytes.len());
            bytes.splice(at..at + 1, words[*word].iter().copied());
        }
        if let Ok(read) = read_svg(&bytes) {
            prop_assert!(!read.pattern.panels.is_empty());
            read.pattern.problems();
        }
    }
}
