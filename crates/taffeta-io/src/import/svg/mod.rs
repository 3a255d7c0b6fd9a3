//! Panels from a drawing: SVG, as drawing programs and programs for patterns save it.
//!
//! Each closed outline with an id is a panel of that name: a path, rectangle, polygon or circle. Its
//! edges are the pieces it is drawn with, by their numbers. What it shows is its outside. Lengths are
//! those of the drawing: of its `width` and `viewBox`, or of CSS (96 units to the inch) where it has no
//! unit.

mod path;

use glam::{DAffine2, DVec2};
use roxmltree::{Document, Node, ParsingOptions};
use svgtypes::{Length, LengthUnit, PointsParser, Transform, ViewBox};
use taffeta::Pose;
use taffeta_garment::{Panel, Pattern, Placement};

use self::path::{Drawn, Outline};
use super::error::shortened;
use super::{Fault, FormatError, ImportedPattern};

/// An inch \[m\], and CSS's units in it.
const INCH: f64 = 0.0254;
const UNITS_PER_INCH: f64 = 96.0;

/// Elements of a drawing at most: no pattern has that many.
const MOST_ELEMENTS: u32 = 1_000_000;

/// What is defined to be used elsewhere, and not drawn where it stands.
const NOT_DRAWN: &[&str] = &[
    "defs",
    "symbol",
    "clipPath",
    "mask",
    "pattern",
    "marker",
    "linearGradient",
    "radialGradient",
];

/// What is drawn and cannot be a panel.
const NO_OUTLINES: &[&str] = &["text", "image", "use", "line", "ellipse", "polyline", "svg"];

/// Reads the panels of a drawing; each lies around the middle of its box, and nothing is sewn.
pub fn read_svg(bytes: &[u8]) -> Result<ImportedPattern, FormatError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Fault::malformed("it is not UTF-8 text").in_part("the drawing"))?;
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MOST_ELEMENTS, ..Default::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Fault::malformed(error.to_string()).at_line(error.pos().row as usize))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        let what = format!("`<{}>` is no drawing; `<svg>` is", shortened(root.tag_name().name()));
        return Err(Fault::malformed(what).at_line(line(root)));
    }
    let mut notes = Vec::new();
    let unit = unit(root, &mut notes).map_err(|fault| fault.at_line(line(root)))?;
    let mut left_out = LeftOut::default();
    let mut panels: Vec<Panel> = Vec::new();
    for node in root.descendants().filter(|node| node.is_element() && *node != root) {
        if let Some(panel) =
            read(node, unit, &mut left_out).map_err(|fault| fault.at_line(line(node)))?
        {
            if panels.iter().any(|other| other.name == panel.name) {
                let what = format!("two panels are `{}`", shortened(&panel.name));
                return Err(Fault::malformed(what).at_line(line(node)));
            }
            panels.push(panel);
        }
    }
    if panels.is_empty() {
        let what = format!("a closed outline with an id{}", left_out.told().unwrap_or_default());
        return Err(Fault::missing(what).in_part("the drawing"));
    }
    notes.extend(panels.iter().map(told));
    notes.extend(left_out.told().map(|told| format!("left out of the drawing{told}")));
    Ok(ImportedPattern { pattern: Pattern { panels, seams: Vec::new() }, notes })
}

fn line(node: Node) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// Metres to a unit of the drawing.
fn unit(root: Node, notes: &mut Vec<String>) -> Result<f64, Fault> {
    let css = INCH / UNITS_PER_INCH;
    let view = root.attribute("viewBox").map(|text| {
        text.parse::<ViewBox>()
            .map_err(|error| Fault::malformed(format!("viewBox `{}`: {error}", shortened(text))))
    });
    let Some(view) = view.transpose()? else {
        notes.push("the drawing has no viewBox: its units are taken as 1/96 inch".into());
        return Ok(css);
    };
    let sides = [length(root, "width")?, length(root, "height")?];
    let units = [sides[0].map(|side| side / view.w), sides[1].map(|side| side / view.h)];
    match units {
        [Some(a), Some(b)] if (a / b - 1.0).abs() > 1e-3 => {
            notes.push(format!(
                "width and height of the drawing ask for different scales, {:.4} and {:.4} mm to a unit: \
                 taken as the smaller, as programs show it",
                a * 1e3,
                b * 1e3
            ));
            Ok(a.min(b))
        }
        [Some(unit), _] | [None, Some(unit)] => Ok(unit),
        [None, None] => {
            notes.push(
                "the drawing's width has no unit of length: its units are taken as 1/96 inch"
                    .into(),
            );
            Ok(css)
        }
    }
}

/// A length that the drawing is to have \[m\], if it is one.
fn length(root: Node, name: &str) -> Result<Option<f64>, Fault> {
    let Some(text) = root.attribute(name) else { return Ok(None) };
    let wrong = |why: &str| Fault::malformed(format!("{name} `{}`: {why}", shortened(text)));
    let length: Length =
        text.parse().map_err(|error: svgtypes::Error| wrong(&error.to_string()))?;
    let inches = match length.unit {
        LengthUnit::None | LengthUnit::Px => 1.0 / UNITS_PER_INCH,
        LengthUnit::In => 1.0,
        LengthUnit::Cm => 0.01 / INCH,
        LengthUnit::Mm => 0.001 / INCH,
        LengthUnit::Pt => 1.0 / 72.0,
        LengthUnit::Pc => 1.0 / 6.0,
        LengthUnit::Em | LengthUnit::Ex | LengthUnit::Percent => return Ok(None),
    };
    let side = length.number * inches * INCH;
    if side.is_finite() && side > 0.0 { Ok(Some(side)) } else { Err(wrong("it is not above zero")) }
}

/// What of a drawing is no panel.
#[derive(Default)]
struct LeftOut {
    kinds: Vec<(String, usize)>,
}

impl LeftOut {
    fn count(&mut self, kind: &str) {
        match self.kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None => self.kinds.push((kind.into(), 1)),
        }
    }

    fn told(&self) -> Option<String> {
        let kinds: Vec<String> =
            self.kinds.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        (!kinds.is_empty()).then(|| format!(": {}", kinds.join(", ")))
    }
}

/// The panel that an element draws, if it draws one.
fn read(node: Node, unit: f64, left_out: &mut LeftOut) -> Result<Option<Panel>, Fault> {
    let kind = node.tag_name().name();
    let known = ["path", "rect", "polygon", "circle"].contains(&kind);
    if !known && !NO_OUTLINES.contains(&kind) {
        return Ok(None);
    }
    if node.ancestors().any(|above| NOT_DRAWN.contains(&above.tag_name().name())) {
        return Ok(None);
    }
    if node.ancestors().any(is_hidden) {
        left_out.count("hidden element");
        return Ok(None);
    }
    if !known {
        left_out.count(&format!("<{kind}>"));
        return Ok(None);
    }
    let Some(name) = node.attribute("id") else {
        left_out.count("outline without an id");
        return Ok(None);
    };
    let within = |fault: Fault| Fault::malformed(format!("`{}`: {fault}", shortened(name)));
    let drawn = drawn(node).map_err(within)?;
    let Some(drawn) = drawn else {
        left_out.count("open line");
        return Ok(None);
    };
    // Drawings have y downwards.
    let flip = DAffine2::from_scale(DVec2::new(unit, -unit));
    let place = flip * transform(node).map_err(within)?;
    let Outline { edges, middle } = drawn.outline(place).map_err(within)?;
    let placement = Placement { roll: None, pose: Pose::at(glam::DVec3::ZERO) };
    let outline = edges
        .into_iter()
        .map(|mut edge| {
            edge.from -= middle;
            edge.curve = path::moved(&edge.curve, -middle);
            edge
        })
        .collect();
    let grain = std::f64::consts::FRAC_PI_2;
    Ok(Some(Panel { name: name.into(), outline, grain, rest: [1.0; 2], placement }))
}

fn is_hidden(node: Node) -> bool {
    let style: String =
        node.attribute("style").unwrap_or_default().split_whitespace().collect::<Vec<_>>().concat();
    node.attribute("display") == Some("none") || style.contains("display:none")
}

/// From an element's own coordinates to the drawing's.
fn transform(node: Node) -> Result<DAffine2, Fault> {
    let mut all = DAffine2::IDENTITY;
    for above in node.ancestors() {
        let Some(text) = above.attribute("transform") else { continue };
        let t: Transform = text.parse().map_err(|error| {
            Fault::malformed(format!("transform `{}`: {error}", shortened(text)))
        })?;
        all = DAffine2::from_cols_array(&[t.a, t.b, t.c, t.d, t.e, t.f]) * all;
    }
    Ok(all)
}

/// The closed way that an element draws, if it is closed.
fn drawn(node: Node) -> Result<Option<Drawn>, Fault> {
    let number = |name: &str| -> Result<f64, Fault> {
        let Some(text) = node.attribute(name) else { return Ok(0.0) };
        let length: Length = text
            .parse()
            .map_err(|error| Fault::malformed(format!("{name} `{}`: {error}", shortened(text))))?;
        match length.unit {
            LengthUnit::None | LengthUnit::Px => Ok(length.number),
            _ => {
                let what = format!("{name} `{}`", shortened(text));
                Err(Fault::Unsupported { what, instead: "write it in the drawing's own units" })
            }
        }
    };
    let corners: Vec<DVec2> = match node.tag_name().name() {
        "path" => return path::read(node.attribute("d").unwrap_or_default()),
        "circle" => {
            let middle = DVec2::new(number("cx")?, number("cy")?);
            return Ok(Some(Drawn::circle(middle, number("r")?)));
        }
        "rect" => {
            if node.attribute("rx").or(node.attribute("ry")).is_some() {
                let what = "a rectangle with round corners".into();
                return Err(Fault::Unsupported { what, instead: "turn it into a path" });
            }
            let (at, [w, h]) =
                ((number("x")?, number("y")?), [number("width")?, number("height")?]);
            let at = DVec2::from(at);
            vec![at, at + DVec2::new(w, 0.0), at + DVec2::new(w, h), at + DVec2::new(0.0, h)]
        }
        _ => {
            let points = node.attribute("points").unwrap_or_default();
            PointsParser::from(points).map(DVec2::from).collect()
        }
    };
    Ok(Some(Drawn::polygon(&corners)))
}

/// How large a panel is, and what its edges are called.
fn told(panel: &Panel) -> String {
    let ends = panel.outline.iter().map(|edge| edge.from);
    let [low, high] = ends.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], at| {
        [low.min(at), high.max(at)]
    });
    let mut edges: Vec<usize> = (0..panel.outline.len()).collect();
    edges.sort_by_key(|&edge| panel.outline[edge].name.parse().unwrap_or(usize::MAX));
    let edge = |edge: &usize| format!("{} ({:.4})", panel.outline[*edge].name, panel.length(*edge));
    let edges: Vec<String> = edges.iter().map(edge).collect();
    format!(
        "panel `{}`: its corners are {:.4} m by {:.4} m apart; edges and their lengths in m: {}",
        panel.name,
        high.x - low.x,
        high.y - low.y,
        edges.join(", ")
    )
}
