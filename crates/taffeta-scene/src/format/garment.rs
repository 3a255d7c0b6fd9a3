//! `[cloth.garment]`: panels, seams between them, and how they are put on.

use std::path::PathBuf;

use glam::{DVec2, DVec3};
use taffeta_garment::Curve;
use taffeta_io::import;

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const GARMENT: Section = Section {
    heading: "[cloth.garment]",
    doc: "Clothes: flat panels, `[[cloth.panel]]`, that are put around the solids, drawn together along \
          their seams, `[[cloth.seam]]`, and joined there before the first frame; or the pattern in a \
          file. That is simulated too, with the scene's limits and contact, while the solids stand where \
          they are at the first frame; what comes of it is kept with the frames. Needs \
          `[model.continuum]`. docs/garments.md tells more.",
    keys: &[
        Key::new(
            "file",
            Kind::Text,
            "A pattern, relative to the scene's folder: in the JSON format of GarmentCode, instead of panels \
             and seams here; or a drawing, SVG, whose closed outlines are panels that `[[cloth.panel]]` \
             places by their ids, and `[[cloth.seam]]` sews.",
        ),
        Key::new(
            "edge",
            Kind::Number("m", Bounds::Above(0.0)),
            "About how long the sides of triangles are.",
        )
        .or("0.02"),
        Key::new(
            "pull",
            Kind::Number("s", Bounds::Above(0.0)),
            "The time in which the gap of a seam falls to 1/e while it is drawn together.",
        )
        .or("0.1"),
        Key::new(
            "patience",
            Kind::Number("s", Bounds::AboveUpTo(0.0, 60.0)),
            "The longest that seams may take to close.",
        )
        .or("4.0"),
        Key::new(
            "settle",
            Kind::Number("s", Bounds::AboveUpTo(0.0, 60.0)),
            "How long the garment then falls and comes to rest before the first frame.",
        )
        .or("0.5"),
    ],
};

pub const PANEL: Section = Section {
    heading: "[[cloth.panel]]",
    doc: "A flat piece of cloth. Its outside is where its outline is seen to run counter-clockwise. It is \
          rolled, turned about x, then y, then z, and moved. One of a drawing has its outline there, \
          around the middle of its box.",
    keys: &[
        Key::new("name", Kind::Text, "What it is called.").required(),
        Key::new("edge", Kind::Table, ""),
        Key::new(
            "grain",
            Kind::Number("°", Bounds::Any),
            "Direction of the warp, from x towards y.",
        )
        .or("90.0"),
        Key::new(
            "rest",
            Kind::Pair("", Bounds::AboveUpTo(0.0, 10.0)),
            "Lengths of warp and weft at rest over those it is cut with: below 1 it is an elastic that \
             gathers. Strain counts from here.",
        )
        .or("[1.0, 1.0]"),
        Key::new(
            "roll",
            Kind::Number("m", Bounds::Above(0.0)),
            "Rolls it around a limb: about a line along its y, so far behind its x = 0.",
        ),
        Key::new("position", Kind::Vector("m"), "Where its origin is put.").or("[0.0, 0.0, 0.0]"),
        Key::new("rotation", Kind::Vector("°"), "Turns about x, y and z, in this order.")
            .or("[0.0, 0.0, 0.0]"),
    ],
};

pub const EDGE: Section = Section {
    heading: "[[cloth.panel.edge]]",
    doc: "A part of a panel's outline, from its corner to the next edge's: straight, or along an `arc` or \
          the `control` points of a Bézier curve. Written as a list, `edge = [{ name = \"hem\", from = \
          [0, 0] }, …]`, an outline stays in one place.",
    keys: &[
        Key::new("name", Kind::Text, "What seams and pins call it; without it, its number from 0."),
        Key::new("from", Kind::Pair("m", Bounds::Any), "The corner it begins at.").required(),
        Key::new(
            "arc",
            Kind::Number("m", Bounds::Any),
            "Height of a circular arc over the straight way, to the right of it: outwards where the \
             outline runs counter-clockwise.",
        ),
        Key::new("control", Kind::PairList("m"), "One or two control points of a Bézier curve."),
    ],
};

pub const SEAM: Section = Section {
    heading: "[[cloth.seam]]",
    doc: "Sews two edges of panels together, whole with whole. Where they differ in length, the longer \
          is eased in, up to three times as long.",
    keys: &[
        Key::new("join", Kind::Texts, "The two edges, as `\"panel.edge\"`.").required(),
        Key::new(
            "reversed",
            Kind::Flag,
            "Outlines run against each other along a seam, so that the first end of one edge meets the \
             last of the other. Whether the first ends meet instead: where the outside of one panel is \
             sewn to the inside of the other.",
        )
        .or("false"),
    ],
};

/// A garment as written.
#[derive(Clone, Debug)]
pub struct GarmentFile {
    /// Its panels and seams, or the file they are in.
    pub cut: GarmentCut,
    /// About how long the sides of triangles are \[m\].
    pub edge: f64,
    /// In which the gap of a seam falls to 1/e \[s\].
    pub pull: f64,
    /// How long seams may take to close \[s\].
    pub patience: f64,
    /// How long it then comes to rest \[s\].
    pub settle: f64,
}

/// What a garment is cut from.
#[derive(Clone, Debug)]
pub enum GarmentCut {
    /// A pattern in a file.
    File(PathBuf),
    /// Outlines in a drawing, placed and sewn by panels and seams of the scene.
    Drawing(PathBuf, Vec<PanelFile>, Vec<GarmentSeamFile>),
    /// Panels and seams of the scene.
    Here(Vec<PanelFile>, Vec<GarmentSeamFile>),
}

/// A panel as written.
#[derive(Clone, Debug)]
pub struct PanelFile {
    /// Its name.
    pub name: String,
    /// Its outline: name, corner and curve of each edge, and where it is written.
    pub edges: Vec<(String, DVec2, Curve, Span)>,
    /// Direction of the warp \[°\].
    pub grain: f64,
    /// Rest lengths of warp and weft over those it is cut with.
    pub rest: [f64; 2],
    /// The radius it is rolled with \[m\].
    pub roll: Option<f64>,
    /// Where its origin is put \[m\].
    pub position: DVec3,
    /// Turns about x, y and z \[°\].
    pub rotation: DVec3,
    /// Where it is written.
    pub span: Span,
}

/// A seam of a garment as written.
#[derive(Clone, Debug)]
pub struct GarmentSeamFile {
    /// The names of its edges.
    pub join: [String; 2],
    /// Whether their first ends meet.
    pub reversed: bool,
    /// Where it is written.
    pub span: Span,
}

/// Whether a cloth is a garment.
pub fn is_meant(cloth: &Reader) -> bool {
    ["garment", "panel", "seam"].iter().any(|key| cloth.has(key))
}

pub fn read(cloth: &Reader) -> (GarmentFile, Span) {
    let garment = cloth.table("garment", &GARMENT);
    let from_file = garment.has("file");
    let file: PathBuf = if from_file { garment.text("file").into() } else { PathBuf::new() };
    let drawn = import::is_drawing(&file);
    let panels = cloth.tables("panel", &PANEL);
    let panels: Vec<PanelFile> = panels.iter().map(|panel| read_panel(panel, drawn)).collect();
    let seams = cloth.tables("seam", &SEAM);
    let seams = seams.iter().filter_map(read_seam).collect();
    refuse_both(cloth, &garment, drawn);
    let cut = match from_file {
        true if drawn => GarmentCut::Drawing(file, panels, seams),
        true => GarmentCut::File(file),
        false => GarmentCut::Here(panels, seams),
    };
    let number = |key| garment.number(key);
    let garment_file = GarmentFile {
        cut,
        edge: number("edge"),
        pull: number("pull"),
        patience: number("patience"),
        settle: number("settle"),
    };
    let span = if from_file { garment.span_of("file") } else { cloth.span_of("panel") };
    (garment_file, span)
}

/// Refuses panels and seams beside a file that has its own, and a garment without panels.
fn refuse_both(cloth: &Reader, garment: &Reader, drawn: bool) {
    let add = |span, message: &str, help| cloth.add(Problem::at(span, message).help(help));
    match (garment.has("file"), cloth.has("panel")) {
        (true, false) if drawn => add(
            garment.span_of("file"),
            "nothing says where the panels of the drawing are put",
            "write a [[cloth.panel]] with the id of each outline as its name, and where it is put",
        ),
        (true, true) if !drawn => add(
            cloth.span(),
            "a garment is cut from the panels of a file or from those here, not from both",
            "write [[cloth.panel]]s, or name the `file` of a pattern in [cloth.garment]",
        ),
        (false, false) => add(
            cloth.span(),
            "the garment has no panels",
            "write [[cloth.panel]]s, or name the `file` of a pattern in [cloth.garment]",
        ),
        (true, false) if cloth.has("seam") => add(
            cloth.key_span("seam"),
            "the seams of a pattern from a file are in that file",
            "leave out [[cloth.seam]]",
        ),
        _ => {}
    }
}

fn read_panel(panel: &Reader, drawn: bool) -> PanelFile {
    let edges = panel.tables("edge", &EDGE);
    if drawn && panel.has("edge") {
        let help = "leave `edge` out, or the `file` of [cloth.garment]";
        let message = "the outline of this panel is in the drawing";
        panel.add(Problem::at(panel.key_span("edge"), message).help(help));
    } else if !drawn && !panel.has("edge") {
        let help = "write edge = [{ from = [x, y] }, …], corner after corner";
        panel.add(Problem::at(panel.span(), "the panel has no outline").help(help));
    }
    PanelFile {
        name: panel.text("name"),
        edges: edges.iter().enumerate().map(|(number, edge)| read_edge(number, edge)).collect(),
        grain: panel.number("grain"),
        rest: panel.pair("rest"),
        roll: panel.optional_number("roll"),
        position: panel.vector("position"),
        rotation: panel.vector("rotation"),
        span: panel.span(),
    }
}

fn read_edge(number: usize, edge: &Reader) -> (String, DVec2, Curve, Span) {
    let name = if edge.has("name") { edge.text("name") } else { number.to_string() };
    let (arc, control) = (edge.optional_number("arc"), edge.pair_list("control"));
    let curve = match (arc, &control[..]) {
        (None, []) => Curve::Line,
        (Some(height), []) => Curve::Arc(height),
        (None, [c]) => Curve::Quadratic(DVec2::from(*c)),
        (None, [c, d]) => Curve::Cubic([*c, *d].map(DVec2::from)),
        (Some(_), _) => {
            let message = "an edge is an arc or a Bézier curve, not both";
            edge.add(Problem::at(edge.key_span("control"), message));
            Curve::Line
        }
        (None, more) => {
            let message =
                format!("a Bézier curve has one or two control points, not {}", more.len());
            edge.add(Problem::at(edge.span_of("control"), message));
            Curve::Line
        }
    };
    (name, DVec2::from(edge.pair("from")), curve, edge.span())
}

fn read_seam(seam: &Reader) -> Option<GarmentSeamFile> {
    let reversed = seam.flag("reversed");
    let join = seam.texts("join");
    let count = join.len();
    let Ok(join) = <[String; 2]>::try_from(join) else {
        if seam.has("join") {
            let message = format!("a seam joins two edges, not {count}");
            let help = "write join = [\"front.side\", \"back.side\"]";
            seam.add(Problem::at(seam.span_of("join"), message).help(help));
        }
        return None;
    };
    Some(GarmentSeamFile { join, reversed, span: seam.span_of("join") })
}
