//! `[[pin]]`: which particles are held, how, and along what motion.

use glam::DVec3;
use taffeta::mesh::SheetEdge;
use taffeta::{Hold, Motion};

use super::guide;
use super::key::{Bounds, Key, Kind, Section};
use super::motion;
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const PIN: Section = Section {
    heading: "[[pin]]",
    doc: "Holds particles, chosen by exactly one of `particles`, `nearest`, `box`, `edge`, \
          `edges` and `segment`, by the places they start at. A pin takes hold of a particle where it is when \
          the pin becomes active and carries it along its keys from there, so nothing jumps. \
          A particle is held at a point, or slides as `slide_plane`, `slide_line` or one of the \
          tables `[pin.curve]`, `[pin.circle]`, `[pin.sphere]` and `[pin.cylinder]` lets it.",
    keys: &[
        Key::new(
            "cloth",
            Kind::Text,
            "The name of the cloth whose particles are meant; of several cloths, `particles` and `edge` need it, and the others mean all without it.",
        ),
        Key::new("particles", Kind::Particles, "These particles."),
        Key::new("nearest", Kind::Vector("m"), "The particle nearest to this point."),
        Key::new("box", Kind::Points("m"), "All particles in this box: lowest and highest corner."),
        Key::new(
            "edge",
            Kind::Choice(&["left", "right", "top", "bottom"]),
            "A border of a sheet: left is the first column, top the first row.",
        ),
        Key::new("edges", Kind::Texts, "All particles on these edges of panels, `\"panel.edge\"`."),
        Key::new(
            "segment",
            Kind::Points("m"),
            "All particles within reach of the line between two points.",
        ),
        Key::new("within", Kind::Number("m", Bounds::Above(0.0)), "Reach of `segment`.").or("1e-3"),
        Key::new("slide_plane", Kind::Direction, "Free in the plane with this normal."),
        Key::new("slide_line", Kind::Direction, "Free along this direction, as on a rod."),
        Key::new("curve", Kind::Table, ""),
        Key::new("circle", Kind::Table, ""),
        Key::new("sphere", Kind::Table, ""),
        Key::new("cylinder", Kind::Table, ""),
        Key::new(
            "to",
            Kind::Count(0, u32::MAX),
            "The number of the solid that carries it along, the first being 0, instead of keys.",
        ),
        Key::new(
            "carry",
            Kind::Choice(&["rigid", "surface"]),
            "How a solid that deforms carries them: all together, rigidly, as the part of the body \
             beneath them moves, so that a waistband keeps its shape; or each with the spot of the \
             surface that is nearest to it.",
        )
        .or("\"rigid\""),
        Key::new("from", Kind::Number("s", Bounds::AtLeast(0.0)), "When it takes hold.").or("0.0"),
        Key::new(
            "until",
            Kind::Number("s", Bounds::Above(0.0)),
            "When it lets go; without it, never.",
        ),
        Key::new("key", Kind::Table, ""),
        motion::EASE,
        motion::AXIS,
        Key::new("centre", Kind::Vector("m"), "A point on that axis.").or("[0.0, 0.0, 0.0]"),
    ],
};

pub const KEY: Section = Section {
    heading: "[[pin.key]]",
    doc: "Where a pin's motion is at a time. Before the first key and after the last it rests.",
    keys: &[
        motion::TIME,
        motion::MOVE,
        Key::new(
            "turn",
            Kind::Number("°", Bounds::Any),
            "How far it has turned about its axis; `slide_plane` and `slide_line` turn with it.",
        )
        .or("0.0"),
        motion::SCALE,
    ],
};

/// A pin as written.
#[derive(Clone, Debug)]
pub struct PinFile {
    /// The cloth they are of, and where that is written.
    pub cloth: Option<(String, Span)>,
    /// Which particles.
    pub selection: Selection,
    /// Where that is written.
    pub span: Span,
    /// How it holds them.
    pub hold: Hold,
    /// How it moves.
    pub motion: Motion,
    /// The solid that carries it instead, if one does.
    pub to: Option<Carried>,
    /// When it takes hold \[s\].
    pub from: f64,
    /// When it lets go \[s\].
    pub until: f64,
}

/// A solid that carries a pin.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Which solid.
    pub solid: u32,
    /// Whether as one rigid body, not each particle by itself.
    pub rigid: bool,
    /// Where it is written.
    pub span: Span,
}

/// How a pin's particles are chosen.
#[derive(Clone, Debug)]
pub enum Selection {
    /// By number, each with its place in the scene.
    Particles(Vec<(u32, Span)>),
    /// The one nearest to a point.
    Nearest(DVec3),
    /// Those in a box.
    Box([DVec3; 2]),
    /// Those on a border of a sheet.
    Edge(SheetEdge),
    /// Those on edges of panels.
    PanelEdges(Vec<String>),
    /// Those within reach of a line.
    Segment([DVec3; 2], f64),
}

pub fn read(top: &Reader) -> Vec<PinFile> {
    top.tables("pin", &PIN).iter().map(read_pin).collect()
}

fn read_pin(pin: &Reader) -> PinFile {
    let (selection, span) = read_selection(pin);
    let [from, until] = read_times(pin, "pin");
    let motion = motion::read(pin, &KEY, pin.vector("centre"));
    let rigid = pin.choice("carry") == "rigid";
    let to =
        pin.optional_count("to").map(|solid| Carried { solid, rigid, span: pin.span_of("to") });
    if to.is_none() && pin.has("carry") {
        let message = "`carry` says how a solid carries the pin, but no solid does";
        pin.add(Problem::at(pin.key_span("carry"), message).help("add `to`, a solid's number"));
    }
    for key in ["key", "from"].into_iter().filter(|key| to.is_some() && pin.has(key)) {
        let message = format!("a pin that a solid carries from the start has no `{key}`");
        pin.add(Problem::at(pin.key_span(key), message).help("leave out one of them"));
    }
    PinFile {
        to,
        cloth: read_cloth(pin),
        selection,
        span,
        hold: read_hold(pin),
        motion,
        from,
        until,
    }
}

/// The cloth that a pin or pull means, and where it is written.
pub fn read_cloth(table: &Reader) -> Option<(String, Span)> {
    table.has("cloth").then(|| (table.text("cloth"), table.span_of("cloth")))
}

/// When a pin or pull begins and ends.
pub fn read_times(table: &Reader, what: &str) -> [f64; 2] {
    let (from, until) = (table.number("from"), table.optional_number("until"));
    if let Some(until) = until.filter(|until| *until <= from) {
        let message = format!("the {what} lets go at {until} s, before it takes hold at {from} s");
        table.add(Problem::at(table.span_of("until"), message));
    }
    [from, until.unwrap_or(f64::INFINITY)]
}

fn read_selection(pin: &Reader) -> (Selection, Span) {
    let ways = ["particles", "nearest", "box", "edge", "edges", "segment"];
    let given: Vec<&str> = ways.into_iter().filter(|way| pin.has(way)).collect();
    if given.len() != 1 {
        let message = match given.len() {
            0 => "the pin does not say what it holds".to_string(),
            _ => format!("the pin says {} times what it holds", given.len()),
        };
        let span = given.get(1).map_or(pin.span(), |second| pin.key_span(second));
        let help = "exactly one of particles, nearest, box, edge, edges, segment";
        pin.add(Problem::at(span, message).help(help));
    }
    let within = pin.number("within");
    let span = given.first().map_or(pin.span(), |way| pin.span_of(way));
    let selection = if let Some(particles) = pin.optional_particles("particles") {
        Selection::Particles(particles)
    } else if let Some(point) = pin.optional_vector("nearest") {
        Selection::Nearest(point)
    } else if let Some(corners) = pin.optional_points("box") {
        Selection::Box(corners)
    } else if let Some(points) = pin.optional_points("segment") {
        Selection::Segment(points, within)
    } else if pin.has("edges") {
        Selection::PanelEdges(pin.texts("edges"))
    } else if pin.has("edge") {
        Selection::Edge(match pin.choice("edge") {
            "right" => SheetEdge::Right,
            "top" => SheetEdge::Top,
            "bottom" => SheetEdge::Bottom,
            _ => SheetEdge::Left,
        })
    } else {
        Selection::Particles(Vec::new())
    };
    if pin.has("within") && !pin.has("segment") {
        pin.add(Problem::at(pin.key_span("within"), "`within` is the reach of a `segment`"));
    }
    (selection, span)
}

fn read_hold(pin: &Reader) -> Hold {
    let plane =
        pin.optional_vector("slide_plane").map(|normal| ("slide_plane", Hold::Plane(normal)));
    let line = pin.optional_vector("slide_line").map(|along| ("slide_line", Hold::Line(along)));
    let guides = guide::read(pin).into_iter().map(|(key, guide)| (key, Hold::Guide(guide)));
    let mut ways = plane.into_iter().chain(line).chain(guides);
    let hold = ways.next().map_or(Hold::Point, |(_, hold)| hold);
    if let Some((key, _)) = ways.next() {
        let message = "a pin slides in one way only: in a plane, on a line or on one guide";
        pin.add(Problem::at(pin.key_span(key), message));
    }
    hold
}
