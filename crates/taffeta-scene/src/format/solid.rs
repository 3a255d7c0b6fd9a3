//! `[[solid]]`: bodies that cloth cannot enter.

use glam::DVec3;
use taffeta::{Motion, Shape, Side};

use super::key::{Bounds, Key, Kind, Section};
use super::motion;
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const SOLID: Section = Section {
    heading: "[[solid]]",
    doc: "A body that cloth cannot enter: one of `[solid.plane]`, `[solid.sphere]`, \
          `[solid.capsule]`, `[solid.cylinder]` and `[solid.box]`, and where it is. It is turned \
          about x, then y, then z, and moved; then it follows its keys. It feels nothing of the \
          cloth. Particles that start inside are told and led out at 0.25 m/s. Between solids that \
          leave no room, particles are put in the middle, and counted in the report.",
    keys: &[
        Key::new("plane", Kind::Table, ""),
        Key::new("sphere", Kind::Table, ""),
        Key::new("capsule", Kind::Table, ""),
        Key::new("cylinder", Kind::Table, ""),
        Key::new("box", Kind::Table, ""),
        Key::new("position", Kind::Vector("m"), "Where its origin is put.").or("[0.0, 0.0, 0.0]"),
        Key::new("rotation", Kind::Vector("°"), "Turns about x, y and z, in this order.")
            .or("[0.0, 0.0, 0.0]"),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::AtLeast(0.0)),
            "Distance that particles keep from its surface.",
        )
        .or("1e-3"),
        Key::new(
            "friction",
            Kind::Number("", Bounds::AtLeast(0.0)),
            "Coulomb's coefficient: cloth stays on slopes up to this tangent.",
        )
        .or("0.3"),
        Key::new(
            "side",
            Kind::Choice(&["outside", "inside", "both"]),
            "Where cloth is kept: outside, inside as in a container, or each particle on the side \
             it is on; without it, outside.",
        ),
        Key::new("key", Kind::Table, ""),
        motion::EASE,
        motion::AXIS,
        Key::new(
            "centre",
            Kind::Vector("m"),
            "The point that keys turn and scale about; without it, `position`.",
        ),
    ],
};

pub const KEY: Section = Section {
    heading: "[[solid.key]]",
    doc: "Where a solid's motion is at a time. Before the first key and after the last it rests.",
    keys: &[
        motion::TIME,
        motion::MOVE,
        Key::new("turn", Kind::Number("°", Bounds::Any), "How far it has turned about its axis.")
            .or("0.0"),
        motion::SCALE,
    ],
};

const LENGTH: Kind = Kind::Number("m", Bounds::Above(0.0));

pub const PLANE: Section = Section {
    heading: "[solid.plane]",
    doc: "All that is below y = 0 before it is turned and moved; it has no end.",
    keys: &[Key::new("drawn", LENGTH, "Side of the square that pictures show of it.").or("4.0")],
};

pub const SPHERE: Section = Section {
    heading: "[solid.sphere]",
    doc: "A ball.",
    keys: &[Key::new("radius", LENGTH, "Its radius.").required()],
};

pub const CAPSULE: Section = Section {
    heading: "[solid.capsule]",
    doc: "A cylinder along y with a half ball at each end.",
    keys: &[
        Key::new("radius", LENGTH, "Its radius.").required(),
        Key::new("length", LENGTH, "Length without the half balls.").required(),
    ],
};

pub const CYLINDER: Section = Section {
    heading: "[solid.cylinder]",
    doc: "A cylinder along y with flat ends.",
    keys: &[
        Key::new("radius", LENGTH, "Its radius.").required(),
        Key::new("length", LENGTH, "From end to end.").required(),
    ],
};

pub const BOX: Section = Section {
    heading: "[solid.box]",
    doc: "A box along the axes.",
    keys: &[Key::new("size", Kind::Vector("m"), "From face to face along x, y and z.").required()],
};

/// A solid as written.
#[derive(Clone, Debug)]
pub struct SolidFile {
    /// Its shape.
    pub shape: Shape,
    /// Where its origin is put \[m\].
    pub position: DVec3,
    /// Turns about x, y and z \[°\].
    pub rotation: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// The distance cloth keeps \[m\].
    pub thickness: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Where cloth is kept, if that is said.
    pub side: Option<Side>,
    /// Where it is written.
    pub span: Span,
}

pub fn read(top: &Reader) -> Vec<SolidFile> {
    top.tables("solid", &SOLID).iter().map(read_solid).collect()
}

fn read_solid(solid: &Reader) -> SolidFile {
    let position = solid.vector("position");
    let centre = solid.optional_vector("centre").unwrap_or(position);
    let (shape, span) = read_shape(solid);
    SolidFile {
        shape,
        position,
        rotation: solid.vector("rotation"),
        motion: motion::read(solid, &KEY, centre),
        thickness: solid.number("thickness"),
        friction: solid.number("friction"),
        side: solid.has("side").then(|| match solid.choice("side") {
            "inside" => Side::Inside,
            "both" => Side::Both,
            _ => Side::Outside,
        }),
        span,
    }
}

fn read_shape(solid: &Reader) -> (Shape, Span) {
    let kinds = ["plane", "sphere", "capsule", "cylinder", "box"];
    let given: Vec<&str> = kinds.into_iter().filter(|kind| solid.has(kind)).collect();
    if given.len() != 1 {
        let message = match given.len() {
            0 => "the solid has no shape".to_string(),
            _ => format!("the solid has {} shapes", given.len()),
        };
        let span = given.get(1).map_or(solid.span(), |second| solid.key_span(second));
        let help = "exactly one of [solid.plane], [solid.sphere], [solid.capsule], \
                    [solid.cylinder], [solid.box], below its [[solid]]";
        solid.add(Problem::at(span, message).help(help));
    }
    let Some(kind) = given.first() else { return (Shape::Plane { drawn: 1.0 }, solid.span()) };
    let round = |section| {
        let table = solid.table(kind, section);
        (table.number("radius"), table.number("length"))
    };
    let shape = match *kind {
        "plane" => Shape::Plane { drawn: solid.table("plane", &PLANE).number("drawn") },
        "sphere" => Shape::Sphere { radius: solid.table("sphere", &SPHERE).number("radius") },
        "capsule" => {
            let (radius, length) = round(&CAPSULE);
            Shape::Capsule { radius, length }
        }
        "cylinder" => {
            let (radius, length) = round(&CYLINDER);
            Shape::Cylinder { radius, length }
        }
        _ => Shape::Box { size: solid.table("box", &BOX).vector("size") },
    };
    (shape, solid.key_span(kind))
}
