//! `[[solid]]`: bodies that cloth cannot enter.

use std::path::PathBuf;

use glam::DVec3;
use taffeta::{Motion, Shape, Side};

use super::key::{Bounds, Key, Kind, Section};
use super::motion;
use super::reader::Reader;
use crate::mannequin::{Cycle, Mannequin};
use crate::text::{Problem, Span};

pub const SOLID: Section = Section {
    heading: "[[solid]]",
    doc: "A body that cloth cannot enter: one of `[solid.plane]`, `[solid.sphere]`, \
          `[solid.capsule]`, `[solid.cylinder]`, `[solid.box]`, `[solid.mesh]`, \
          `[solid.sequence]`, `[solid.character]` and `[solid.mannequin]`, and where it is. It is turned \
          about x, then y, then z, and moved; then it follows its keys. It feels nothing of the \
          cloth. Particles that start inside are told and led out at 0.25 m/s. Between solids that \
          leave no room, particles are put in the middle, and counted in the report.",
    keys: &[
        Key::new("plane", Kind::Table, ""),
        Key::new("sphere", Kind::Table, ""),
        Key::new("capsule", Kind::Table, ""),
        Key::new("cylinder", Kind::Table, ""),
        Key::new("box", Kind::Table, ""),
        Key::new("mesh", Kind::Table, ""),
        Key::new("sequence", Kind::Table, ""),
        Key::new("character", Kind::Table, ""),
        Key::new("mannequin", Kind::Table, ""),
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
             it is on; without it, outside, but on both sides of a mesh that is not closed.",
        ),
        Key::new(
            "faceted",
            Kind::Flag,
            "Whether its surface is the triangles it is drawn with, as that of a mesh from a file is.",
        )
        .or("false"),
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

const SCALE: Key = Key::new(
    "scale",
    Kind::Number("", Bounds::Above(0.0)),
    "Multiplies the file's coordinates: 0.01 for a file in centimetres.",
)
.or("1.0");

pub const MESH: Section = Section {
    heading: "[solid.mesh]",
    doc: "A mesh from a file: OBJ, PLY, glTF or GLB. It need not be closed, nor well made; of a \
          closed one the fronts face outwards. Its thickness must be above zero.",
    keys: &[
        Key::new("file", Kind::Text, "The file, relative to the scene's folder.").required(),
        SCALE,
    ],
};

pub const SEQUENCE: Section = Section {
    heading: "[solid.sequence]",
    doc: "A mesh that deforms, from a file for each moment: the same faces in all of them. Vertices \
          move in straight lines from one to the next.",
    keys: &[
        Key::new(
            "file",
            Kind::Text,
            "The files, relative to the scene's folder, with `#` for each digit of their numbers: \
             `walk-####.obj`.",
        )
        .required(),
        Key::new("first", Kind::Count(0, 1_000_000_000), "Number of the first file.").or("1"),
        Key::new("last", Kind::Count(0, 1_000_000_000), "Number of the last file.").required(),
        Key::new("rate", Kind::Number("1/s", Bounds::Above(0.0)), "Files per second.").or("30.0"),
        Key::new("begin", Kind::Number("s", Bounds::AtLeast(0.0)), "Time of the first file.")
            .or("0.0"),
        SCALE,
    ],
};

pub const CHARACTER: Section = Section {
    heading: "[solid.character]",
    doc: "A body that an animation moves, from a glTF or GLB file: skeletons with skins, morph \
          targets and moving nodes, with all three ways between keys. It is looked at `rate` times \
          a second. Or vertices over time from an NPZ file, at its own moments: the arrays `vertices` \
          (frames × n × 3), `faces` (m × 3 or 4) and `rate` (frames a second). In between, vertices \
          move in straight lines; before and after it rests.",
    keys: &[
        Key::new("file", Kind::Text, "The file, relative to the scene's folder.").required(),
        Key::new("animation", Kind::Text, "The animation's name; without it, the only one."),
        Key::new(
            "motion",
            Kind::Text,
            "A BVH file, relative to the scene's folder, whose skeleton moves the bones of a glTF's skin, \
             matched by their names, instead of an animation. Scaled to the body, turned to begin as the \
             body faces, and put on the floor that the body stands on.",
        ),
        Key::new(
            "bones",
            Kind::Texts,
            "Which names mean the same where they differ: `[\"Hips = pelvis\", …]`, the motion's first.",
        ),
        Key::new(
            "reference",
            Kind::Choice(&["unturned", "first"]),
            "The motion's pose at rest, an A or a T: where no joint is turned, or its first frame, which \
             is then no part of the motion; without it, the first frame if the second leaps from it.",
        ),
        Key::new(
            "blend",
            Kind::Number("s", Bounds::AtLeast(0.0)),
            "The body begins in its file's pose, and comes to what `motion` does in this time.",
        )
        .or("1.0"),
        Key::new("rate", Kind::Number("1/s", Bounds::Within(1.0, 1000.0)), "Moments a second.")
            .or("60.0"),
        Key::new("begin", Kind::Number("s", Bounds::AtLeast(0.0)), "When its motion begins.")
            .or("0.0"),
        Key::new(
            "scale",
            Kind::Number("", Bounds::Above(0.0)),
            "Multiplies the file's coordinates: 0.01 for a file in centimetres. Without it, 1 for a \
             body of 0.3 to 5 m; one of another height is an error, which this key answers.",
        ),
    ],
};

pub const MANNEQUIN: Section = Section {
    heading: "[solid.mannequin]",
    doc: "A person of 1.72 m, built in, with girths near those of GarmentCode's mean body. It stands on \
          y = 0 and faces +z; its arms are 45° down at first, and within a second it comes to what it \
          does.",
    keys: &[
        Key::new(
            "cycle",
            Kind::Choice(&["stand", "walk", "twist", "dance"]),
            "What it does: stands; walks ahead, a stride in 1.1 s; turns its trunk from side to side in \
             2.4 s, its feet in place; or sways, steps, lifts its arms and turns around in 4 s.",
        )
        .or("\"stand\""),
        Key::new(
            "duration",
            Kind::Number("s", Bounds::AboveUpTo(0.0, 120.0)),
            "How long it moves; then it rests.",
        )
        .or("5.0"),
        Key::new("rate", Kind::Number("1/s", Bounds::Within(1.0, 1000.0)), "Moments a second.")
            .or("60.0"),
        Key::new("begin", Kind::Number("s", Bounds::AtLeast(0.0)), "When its motion begins.")
            .or("0.0"),
        Key::new(
            "cell",
            Kind::Number("m", Bounds::Within(0.008, 0.03)),
            "How far its vertices are apart, roughly: it has about 10,000 as it is.",
        )
        .or("0.0165"),
    ],
};

/// The shape of a solid as written.
#[derive(Clone, Debug)]
pub enum SolidShape {
    /// A simple one.
    Simple(Shape),
    /// A mesh from a file.
    Mesh {
        /// The file, as written.
        file: PathBuf,
        /// Multiplies its coordinates.
        scale: f64,
    },
    /// A mesh that deforms.
    Sequence(Sequence),
    /// A body that an animation moves.
    Character(Character),
    /// The person that is built in, and when its motion begins \[s\].
    Mannequin(Mannequin, f64),
}

/// A body that an animation moves.
#[derive(Clone, Debug)]
pub struct Character {
    /// The file, as written.
    pub file: PathBuf,
    /// The animation's name, if it is said.
    pub animation: Option<String>,
    /// The skeleton that moves it instead.
    pub retarget: Option<Retarget>,
    /// Moments a second.
    pub rate: f64,
    /// When its motion begins \[s\].
    pub begin: f64,
    /// Multiplies its coordinates, if that is said.
    pub scale: Option<f64>,
}

/// A skeleton whose motion is put on a body.
#[derive(Clone, Debug)]
pub struct Retarget {
    /// The file, as written.
    pub motion: PathBuf,
    /// Names that mean the same: of the motion, and of the body.
    pub bones: Vec<[String; 2]>,
    /// Whether the first frame is its pose at rest, if that is said.
    pub rest_first: Option<bool>,
    /// In which time the body comes to the motion \[s\].
    pub blend: f64,
}

/// A mesh in a file for each moment.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The files, with `#` for digits.
    pub pattern: String,
    /// Their numbers, first and last.
    pub numbers: [u32; 2],
    /// Files per second.
    pub rate: f64,
    /// Time of the first \[s\].
    pub begin: f64,
    /// Multiplies their coordinates.
    pub scale: f64,
}

impl Sequence {
    /// The file of a number, and its time \[s\].
    pub fn file(&self, number: u32) -> (PathBuf, f64) {
        let digits = self.pattern.matches('#').count();
        let (before, rest) = self.pattern.split_once('#').unwrap_or((&self.pattern, ""));
        let name = format!("{before}{number:0digits$}{}", rest.trim_start_matches('#'));
        (name.into(), self.begin + f64::from(number - self.numbers[0]) / self.rate)
    }
}

/// A solid as written.
#[derive(Clone, Debug)]
pub struct SolidFile {
    /// Its shape.
    pub shape: SolidShape,
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
    /// Whether its surface is made of triangles.
    pub faceted: bool,
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
        faceted: solid.flag("faceted"),
        side: solid.has("side").then(|| match solid.choice("side") {
            "inside" => Side::Inside,
            "both" => Side::Both,
            _ => Side::Outside,
        }),
        span,
    }
}

fn read_shape(solid: &Reader) -> (SolidShape, Span) {
    let kinds = [
        "plane",
        "sphere",
        "capsule",
        "cylinder",
        "box",
        "mesh",
        "sequence",
        "character",
        "mannequin",
    ];
    let given: Vec<&str> = kinds.into_iter().filter(|kind| solid.has(kind)).collect();
    if given.len() != 1 {
        let message = match given.len() {
            0 => "the solid has no shape".to_string(),
            _ => format!("the solid has {} shapes", given.len()),
        };
        let span = given.get(1).map_or(solid.span(), |second| solid.key_span(second));
        let help = "exactly one of [solid.plane], [solid.sphere], [solid.capsule], \
                    [solid.cylinder], [solid.box], [solid.mesh], [solid.sequence], \
                    [solid.character], [solid.mannequin], below its [[solid]]";
        solid.add(Problem::at(span, message).help(help));
    }
    let Some(kind) = given.first() else {
        return (SolidShape::Simple(Shape::Plane { drawn: 1.0 }), solid.span());
    };
    let shape = match *kind {
        "mesh" => {
            let mesh = solid.table("mesh", &MESH);
            SolidShape::Mesh { file: mesh.text("file").into(), scale: mesh.number("scale") }
        }
        "sequence" => read_sequence(&solid.table("sequence", &SEQUENCE)),
        "character" => read_character(&solid.table("character", &CHARACTER)),
        "mannequin" => read_mannequin(&solid.table("mannequin", &MANNEQUIN)),
        simple => SolidShape::Simple(read_simple(solid, simple)),
    };
    (shape, solid.key_span(kind))
}

fn read_sequence(table: &Reader) -> SolidShape {
    let pattern = table.text("file");
    let (before, numbers) = pattern.split_once('#').unwrap_or((&pattern, ""));
    let after = numbers.trim_start_matches('#');
    if table.has("file") && (before.len() == pattern.len() || after.contains('#')) {
        let message = "the name has no digits to count by, or in two places";
        let help = "write one `#` for each digit: walk-####.obj";
        table.add(Problem::at(table.span_of("file"), message).help(help));
    }
    let numbers = [table.count("first"), table.count("last")];
    if table.has("last") && numbers[1] < numbers[0] {
        let message =
            format!("the last file, {}, comes before the first, {}", numbers[1], numbers[0]);
        table.add(Problem::at(table.span_of("last"), message));
    }
    SolidShape::Sequence(Sequence {
        numbers,
        rate: table.number("rate"),
        begin: table.number("begin"),
        scale: table.number("scale"),
        pattern,
    })
}

fn read_character(table: &Reader) -> SolidShape {
    SolidShape::Character(Character {
        file: table.text("file").into(),
        animation: table.has("animation").then(|| table.text("animation")),
        retarget: read_retarget(table),
        rate: table.number("rate"),
        begin: table.number("begin"),
        scale: table.optional_number("scale"),
    })
}

fn read_retarget(table: &Reader) -> Option<Retarget> {
    let only = ["bones", "reference", "blend"].into_iter().find(|key| table.has(key));
    if let (Some(only), false) = (only, table.has("motion")) {
        let problem = Problem::at(table.key_span(only), format!("`{only}` is about a `motion`"));
        table.add(problem.help("name a BVH file by `motion`, or leave this out"));
    }
    if table.has("motion") && table.has("animation") {
        let message = "the body moves by an animation of its file or by a `motion`, not by both";
        table.add(Problem::at(table.key_span("motion"), message));
    }
    let blend = table.number("blend");
    let first = table.has("reference").then(|| table.choice("reference") == "first");
    let mut bones = Vec::new();
    for pair in table.texts("bones") {
        match pair.split_once('=') {
            Some((joint, bone)) => bones.push([joint, bone].map(|name| name.trim().to_string())),
            None => {
                let problem = Problem::at(table.span_of("bones"), format!("`{pair}` names one"));
                table.add(problem.help("write \"joint of the motion = bone of the body\""));
            }
        }
    }
    let retarget =
        || Retarget { motion: table.text("motion").into(), bones, rest_first: first, blend };
    table.has("motion").then(retarget)
}

fn read_mannequin(table: &Reader) -> SolidShape {
    let cycle = match table.choice("cycle") {
        "walk" => Cycle::Walk,
        "twist" => Cycle::Twist,
        "dance" => Cycle::Dance,
        _ => Cycle::Stand,
    };
    let [duration, rate] = ["duration", "rate"].map(|key| table.number(key));
    let mannequin = Mannequin { cycle, duration, rate, cell: table.number("cell") };
    SolidShape::Mannequin(mannequin, table.number("begin"))
}

fn read_simple(solid: &Reader, kind: &str) -> Shape {
    let round = |section| {
        let table = solid.table(kind, section);
        (table.number("radius"), table.number("length"))
    };
    match kind {
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
    }
}
