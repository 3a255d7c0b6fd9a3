//! Sewing patterns in the JSON format of GarmentCode (Korosteleva & Sorkine-Hornung 2023, GarmentCode:
//! Programming Parametric Sewing Patterns).
//!
//! Panels come through with the places they have there, in metres. A panel's angles turn it about its
//! own axes, x first; where two of them are not zero that is said, since files of others mean other orders.

use std::collections::BTreeMap;

use glam::{DMat3, DVec2, DVec3};
use serde::Deserialize;
use serde_json::Value;
use taffeta::Pose;
use taffeta_garment::{Curve, EdgeOf, Panel, PanelEdge, Pattern, Placement, Seam};

use super::error::{Fault, FormatError};

/// A pattern from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedPattern {
    /// The pattern, in metres.
    pub pattern: Pattern,
    /// How the reader took what can be taken in several ways, a sentence each.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    pattern: Parts,
    #[serde(default)]
    properties: Properties,
}

#[derive(Deserialize)]
struct Properties {
    #[serde(default)]
    curvature_coords: Option<String>,
    #[serde(default = "centimetres")]
    units_in_meter: f64,
}

impl Default for Properties {
    fn default() -> Self {
        Self { curvature_coords: None, units_in_meter: centimetres() }
    }
}

fn centimetres() -> f64 {
    100.0
}

#[derive(Deserialize)]
struct Parts {
    panels: BTreeMap<String, Outline>,
    #[serde(default)]
    stitches: Vec<Vec<Value>>,
    #[serde(default)]
    panel_order: Vec<String>,
}

#[derive(Deserialize)]
struct Outline {
    #[serde(default)]
    translation: [f64; 3],
    #[serde(default)]
    rotation: [f64; 3],
    vertices: Vec<[f64; 2]>,
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    endpoints: [usize; 2],
    #[serde(default)]
    curvature: Option<Curvature>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Curvature {
    /// The control point of a quadratic curve, as older files have it.
    Point([f64; 2]),
    Typed {
        r#type: String,
        params: Vec<Value>,
    },
}

#[derive(Deserialize)]
struct Stitched {
    panel: String,
    edge: usize,
}

/// Reads a pattern.
pub fn read_garmentcode(bytes: &[u8]) -> Result<ImportedPattern, FormatError> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Fault::malformed(error.to_string()).at_line(error.line()))?;
    let unit = 1.0 / file.properties.units_in_meter;
    if !(unit.is_finite() && unit > 0.0) {
        let what = format!("units_in_meter is {}", file.properties.units_in_meter);
        return Err(Fault::malformed(what).in_part("properties"));
    }
    let relative = match file.properties.curvature_coords.as_deref() {
        None | Some("relative") => true,
        Some("absolute") => false,
        Some(other) => {
            let what = format!("curvature_coords is `{other}`, neither relative nor absolute");
            return Err(Fault::malformed(what).in_part("properties"));
        }
    };
    let mut notes = Vec::new();
    let mut names: Vec<&String> = file.pattern.panels.keys().collect();
    // Panels that the order leaves out come last, by their names.
    let order = |name: &String| file.pattern.panel_order.iter().position(|other| other == name);
    names.sort_by_key(|name| (order(name).unwrap_or(usize::MAX), (*name).clone()));
    let panels = names
        .iter()
        .map(|name| panel(name, &file.pattern.panels[*name], (unit, relative), &mut notes));
    let panels: Vec<Panel> = panels.collect::<Result<_, _>>()?;
    let seams = file.pattern.stitches.iter().enumerate();
    let seams =
        seams.map(|(number, stitch)| seam(number, stitch, &panels)).collect::<Result<_, _>>()?;
    Ok(ImportedPattern { pattern: Pattern { panels, seams }, notes })
}

fn panel(
    name: &str,
    outline: &Outline,
    (unit, relative): (f64, bool),
    notes: &mut Vec<String>,
) -> Result<Panel, FormatError> {
    let count = outline.edges.len();
    let corner = |edge: usize, number: usize| {
        let found = outline.vertices.get(number).map(|vertex| DVec2::from(*vertex));
        found.ok_or_else(|| {
            let (number, count) = (number as i64, outline.vertices.len());
            let fault = Fault::OutOfRange { what: "vertex", number, count };
            fault.in_part(format!("panel `{name}`, edge {edge}"))
        })
    };
    let mut edges = Vec::with_capacity(count);
    for (number, edge) in outline.edges.iter().enumerate() {
        let part = || format!("panel `{name}`, edge {number}");
        let next = (number + 1) % count;
        if edge.endpoints[1] != outline.edges[next].endpoints[0] {
            let what = format!(
                "it ends at vertex {}, and edge {next} begins at vertex {}: the outline is open",
                edge.endpoints[1], outline.edges[next].endpoints[0]
            );
            return Err(Fault::malformed(what).in_part(part()));
        }
        let ends = [corner(number, edge.endpoints[0])?, corner(number, edge.endpoints[1])?];
        let curve = curve(edge.curvature.as_ref(), ends, relative);
        let curve = scaled(&curve.map_err(|fault| fault.in_part(part()))?, unit);
        edges.push(PanelEdge { name: number.to_string(), from: ends[0] * unit, curve });
    }
    let turns = outline.rotation.iter().filter(|angle| **angle != 0.0).count();
    if turns > 1 {
        let [x, y, z] = outline.rotation;
        notes.push(format!(
            "panel `{name}` is turned by {x}°, {y}° and {z}°: taken about its own axes, x first, then y, \
             then z"
        ));
    }
    Ok(Panel {
        name: name.into(),
        outline: edges,
        grain: std::f64::consts::FRAC_PI_2,
        rest: [1.0; 2],
        placement: Placement {
            roll: None,
            pose: Pose {
                turn: turn(outline.rotation),
                ..Pose::at(DVec3::from(outline.translation) * unit)
            },
        },
    })
}

/// About the panel's own axes, x first: the last turn is the first that acts on a point.
fn turn(degrees: [f64; 3]) -> DMat3 {
    let [(sx, cx), (sy, cy), (sz, cz)] = degrees.map(|angle| libm::sincos(angle.to_radians()));
    let x = DMat3::from_cols(DVec3::X, DVec3::new(0.0, cx, sx), DVec3::new(0.0, -sx, cx));
    let y = DMat3::from_cols(DVec3::new(cy, 0.0, -sy), DVec3::Y, DVec3::new(sy, 0.0, cy));
    let z = DMat3::from_cols(DVec3::new(cz, sz, 0.0), DVec3::new(-sz, cz, 0.0), DVec3::Z);
    x * y * z
}

fn curve(written: Option<&Curvature>, ends: [DVec2; 2], relative: bool) -> Result<Curve, Fault> {
    // Relative control points are in a frame with its x along the edge, of the edge's length.
    let along = ends[1] - ends[0];
    let place = |[x, y]: [f64; 2]| match relative {
        true => ends[0] + along * x + along.perp() * y,
        false => DVec2::new(x, y),
    };
    let point = |value: &Value| {
        let point = <[f64; 2]>::deserialize(value).map(place);
        point.map_err(|_| Fault::malformed(format!("{value} is no control point `[x, y]`")))
    };
    match written {
        None => Ok(Curve::Line),
        Some(Curvature::Point(control)) => Ok(Curve::Quadratic(place(*control))),
        Some(Curvature::Typed { r#type, params }) => match (&**r#type, &params[..]) {
            ("quadratic", [c]) => Ok(Curve::Quadratic(point(c)?)),
            ("cubic", [c, d]) => Ok(Curve::Cubic([point(c)?, point(d)?])),
            ("circle", [radius, longer, right]) => {
                let radius = radius.as_f64().unwrap_or(f64::NAN);
                let flag = |value: &Value| value.as_bool().unwrap_or(value.as_f64() == Some(1.0));
                Curve::circle(ends, radius, flag(longer), flag(right)).ok_or_else(|| {
                    let apart = along.length();
                    Fault::malformed(format!(
                        "a circle of radius {radius} does not reach between ends {apart} apart"
                    ))
                })
            }
            (kind, params) => Err(Fault::Unsupported {
                what: format!("curvature `{kind}` with {} parameters", params.len()),
                instead: "there are quadratic with one, cubic with two and circle with three",
            }),
        },
    }
}

fn scaled(curve: &Curve, unit: f64) -> Curve {
    match *curve {
        Curve::Line => Curve::Line,
        Curve::Arc(height) => Curve::Arc(height * unit),
        Curve::Quadratic(control) => Curve::Quadratic(control * unit),
        Curve::Cubic(controls) => Curve::Cubic(controls.map(|control| control * unit)),
    }
}

fn seam(number: usize, stitch: &[Value], panels: &[Panel]) -> Result<Seam, FormatError> {
    let part = || format!("stitch {number}");
    let [first, second, ..] = stitch else {
        return Err(Fault::missing("one of the two edges of the stitch").in_part(part()));
    };
    let side = |value: &Value| {
        let side = Stitched::deserialize(value)
            .map_err(|error| Fault::malformed(error.to_string()).in_part(part()))?;
        let found = panels.iter().position(|panel| panel.name == side.panel);
        let panel = found
            .ok_or_else(|| Fault::missing(format!("panel `{}`", side.panel)).in_part(part()))?;
        let count = panels[panel].outline.len();
        if side.edge >= count {
            let fault = Fault::OutOfRange { what: "edge", number: side.edge as i64, count };
            return Err(fault.in_part(part()));
        }
        Ok(EdgeOf { panel, edge: side.edge })
    };
    // A third part says that the right side of one panel meets the wrong side of the other.
    let reversed = stitch.get(2).is_some_and(|flag| flag.as_str() == Some("right_wrong"));
    Ok(Seam { sides: [side(first)?, side(second)?], reversed })
}
