//! `[cloth]`: shape and place; `[[cloth]]`, of several, what is their own too.

use std::path::PathBuf;

use glam::DVec3;
use taffeta::{Fabric, Sheet, StrainLimits, Tube};

use super::fabric::{self, FABRIC};
use super::garment::{self, GarmentFile};
use super::key::{Bounds, Key, Kind, Section};
use super::limits::{self, LIMITS};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const CLOTH: Section = Section {
    heading: "[cloth]",
    doc: "The cloth: one of `[cloth.sheet]`, `[cloth.tube]`, `[cloth.mesh]` and `[cloth.garment]`, and where it is. It is scaled, \
          turned about x, then y, then z, and moved. Several are a list of such tables, `[[cloth]]`: all \
          of them keep off each other where `[contact]` is on. Each can have its own `[cloth.fabric]`, \
          `[cloth.limits]`, `[cloth.contact]` and `[cloth.check]`; what holds for those that have not is \
          `[fabric]`, `[limits]`, `[contact]` and `[check]`. All are computed as one `[model]`. Strips \
          keep limits where all have the same fabric and limits, constraints where not. Several cloths \
          cannot have `[tear]`.",
    keys: &[
        Key::new(
            "name",
            Kind::Text,
            "What it is called in exports, reports and by pins; without it, `cloth-1` for the first of \
             several, and so on.",
        ),
        Key::new("fabric", Kind::Table, ""),
        Key::new("limits", Kind::Table, ""),
        Key::new("contact", Kind::Table, ""),
        Key::new("check", Kind::Table, ""),
        Key::new("sheet", Kind::Table, ""),
        Key::new("tube", Kind::Table, ""),
        Key::new("mesh", Kind::Table, ""),
        Key::new("garment", Kind::Table, ""),
        Key::new("panel", Kind::Table, ""),
        Key::new("seam", Kind::Table, ""),
        Key::new("position", Kind::Vector("m"), "Where its origin is put.").or("[0.0, 0.0, 0.0]"),
        Key::new("rotation", Kind::Vector("°"), "Turns about x, y and z, in this order.")
            .or("[0.0, 0.0, 0.0]"),
        Key::new(
            "jitter",
            Kind::Number("m", Bounds::AtLeast(0.0)),
            "Each particle is moved by up to this much along each axis, at random by the seed: \
             breaks the symmetry of perfect starts.",
        )
        .or("0.0"),
    ],
};

pub const OWN_FABRIC: Section = Section {
    heading: "[cloth.fabric]",
    doc: "What this cloth is made of, by the keys of `[fabric]`, none of which it takes over.",
    keys: FABRIC.keys,
};

pub const OWN_LIMITS: Section = Section {
    heading: "[cloth.limits]",
    doc: "How far this cloth may stretch. Without it, `[limits]` holds; without that, it stretches as \
          far as its fabric lets it.",
    keys: LIMITS.keys,
};

pub const OWN_CONTACT: Section = Section {
    heading: "[cloth.contact]",
    doc: "How this cloth touches itself and others, where `[contact]` is on. Between two cloths holds \
          the mean of theirs.",
    keys: &[
        Key::new(
            "friction",
            Kind::Number("", Bounds::AtLeast(0.0)),
            "Coulomb's coefficient of friction; without it, that of `[contact]`.",
        ),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::Above(0.0)),
            "The distance kept; without it, that of `[contact]`, and without that its fabric's \
             thickness.",
        ),
    ],
};

pub const OWN_CHECK: Section = Section {
    heading: "[cloth.check]",
    doc: "What must hold for this cloth, instead of what `[check]` says.",
    keys: &[
        Key::new(
            "extension",
            Kind::Number("", Bounds::Above(0.0)),
            "No edge is longer than its rest length by more than this fraction.",
        ),
        Key::new(
            "compression",
            Kind::Number("", Bounds::Above(0.0)),
            "No edge is shorter than its rest length by more than this fraction.",
        ),
    ],
};

pub const SHEET: Section = Section {
    heading: "[cloth.sheet]",
    doc: "A rectangle of quads, horizontal and centred on the origin before it is placed. \
          Particle (column, row) has the number row × columns + column; columns run along +x, \
          rows along +z.",
    keys: &[
        Key::new("size", Kind::Pair("m", Bounds::AboveUpTo(0.0, 1e6)), "Extent along x and z.")
            .required(),
        Key::new("particles", Kind::CountPair(2, 65_536), "Columns and rows of particles.")
            .required(),
        Key::new(
            "irregular",
            Kind::Flag,
            "Whether it is cut into irregular triangles instead of quads: inner particles are moved \
             about by up to a quarter of their spacing.",
        )
        .or("false"),
    ],
};

pub const TUBE: Section = Section {
    heading: "[cloth.tube]",
    doc: "A tube of quads around the y axis, open at both ends and centred on the origin before \
          it is placed. Particle (column, row) has the number row × columns + column; columns run \
          around, rows along +y: a pin's `edge` is `\"bottom\"` for the first row and `\"top\"` \
          for the last.",
    keys: &[
        Key::new("radius", Kind::Number("m", Bounds::AboveUpTo(0.0, 1e6)), "Radius.").required(),
        Key::new("length", Kind::Number("m", Bounds::AboveUpTo(0.0, 1e6)), "Extent along y.")
            .required(),
        Key::new(
            "top_radius",
            Kind::Number("m", Bounds::AboveUpTo(0.0, 1e6)),
            "Radius of the last row, where a skirt is narrower; without it, as the first.",
        ),
        Key::new(
            "oval",
            Kind::Number("", Bounds::AboveUpTo(0.0, 10.0)),
            "How deep it is along z, as a share of its width: 0.8 is about a waist's.",
        )
        .or("1.0"),
        Key::new("particles", Kind::CountPair(3, 65_536), "Particles around and along.").required(),
    ],
};

pub const MESH: Section = Section {
    heading: "[cloth.mesh]",
    doc: "A mesh of triangles and quads from a file: OBJ, PLY, glTF or GLB. It is at rest in the \
          shape it has there, or as its texture coordinates lie flat.",
    keys: &[
        Key::new("file", Kind::Text, "The file, relative to the scene's folder.").required(),
        Key::new(
            "scale",
            Kind::Number("", Bounds::Above(0.0)),
            "Multiplies the file's coordinates: 0.01 for a file in centimetres.",
        )
        .or("1.0"),
        Key::new(
            "rest",
            Kind::Choice(&["shape", "uv"]),
            "What it is at rest as: the shape in the file, or the texture coordinates, which say how it \
             was cut from flat cloth with its warp along u, as programs for garments export them. \
             Corners of neighbours may have different ones: there is a seam. Needs `[model.continuum]`.",
        )
        .or("\"shape\""),
        Key::new(
            "uv_scale",
            Kind::Number("m", Bounds::Above(0.0)),
            "Metres per unit of the texture coordinates, with `rest = \"uv\"`. Without it they are metres; \
             if they are far from the size of the mesh that is an error, which says what would fit.",
        ),
        Key::new(
            "join",
            Kind::Flag,
            "Whether vertices at exactly the same place become one, as those of a glTF always do: sews \
             panels that were exported each by itself.",
        )
        .or("false"),
    ],
};

/// The cloth as written.
#[derive(Clone, Debug)]
pub struct ClothFile {
    /// Its name, if it has one: every one of several has.
    pub name: Option<String>,
    /// What it is made of.
    pub fabric: Fabric,
    /// How far it may stretch, if it says so itself.
    pub limits: Option<StrainLimits>,
    /// Its own friction and thickness, if it says so itself \[m\].
    pub contact: [Option<f64>; 2],
    /// How long and how short its edges may become, if it says so itself.
    pub check: [Option<f64>; 2],
    /// Its shape at rest.
    pub shape: Shape,
    /// Where its origin is put \[m\].
    pub position: DVec3,
    /// Turns about x, y and z \[°\].
    pub rotation: DVec3,
    /// Whether a sheet is of irregular triangles.
    pub irregular: bool,
    /// Largest random displacement along each axis \[m\].
    pub jitter: f64,
    /// Where the shape is written.
    pub span: Span,
}

/// The shape of cloth at rest.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A rectangle.
    Sheet(Sheet),
    /// A tube.
    Tube(Tube),
    /// A mesh from a file.
    Mesh(MeshFile),
    /// Clothes of panels.
    Garment(GarmentFile),
}

/// A mesh from a file.
#[derive(Clone, Debug)]
pub struct MeshFile {
    /// The file, as written.
    pub file: PathBuf,
    /// Multiplies its coordinates.
    pub scale: f64,
    /// What it is at rest as.
    pub rest: MeshRest,
    /// Whether vertices at the same place become one.
    pub join: bool,
}

/// What a mesh is at rest as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshRest {
    /// The shape that it has in the file.
    Shape,
    /// Its texture coordinates, of so many metres each if that is said.
    Uv(Option<f64>),
}

/// The cloths, at least one; `fabric` is what those are made of that say nothing themselves.
pub fn read(top: &Reader, fabric: &Fabric) -> Vec<ClothFile> {
    if !top.has_list("cloth") {
        return vec![read_one(top, &top.table("cloth", &CLOTH), fabric)];
    }
    let tables = top.tables("cloth", &CLOTH);
    if tables.is_empty() {
        return vec![read_one(top, &top.table("cloth", &CLOTH), fabric)];
    }
    let mut cloths: Vec<ClothFile> = Vec::new();
    for (number, table) in (1..).zip(&tables) {
        let mut cloth = read_one(top, table, fabric);
        let name = cloth.name.get_or_insert_with(|| format!("cloth-{number}")).clone();
        if cloths.iter().any(|other| other.name.as_ref() == Some(&name)) {
            let problem = Problem::at(table.span_of("name"), format!("two cloths are `{name}`"));
            table.add(problem.help("every cloth has a name of its own"));
        }
        cloths.push(cloth);
    }
    if top.has("tear") && cloths.len() > 1 {
        let message = "of several cloths none can tear: what tears is one sheet, woven as a whole";
        top.add(
            Problem::at(top.key_span("tear"), message).help("leave out [tear], or all but one"),
        );
    }
    cloths
}

/// Whether a cloth has limits of its own.
pub fn any_limits(top: &Reader) -> bool {
    top.unread("cloth").iter().any(|cloth| cloth.entry("limits").is_some())
}

fn read_one(top: &Reader, cloth: &Reader, fabric: &Fabric) -> ClothFile {
    let (shape, span) = read_shape(top, cloth);
    let irregular = cloth.has("sheet") && cloth.table("sheet", &SHEET).flag("irregular");
    if irregular && top.has("tear") {
        let span = cloth.table("sheet", &SHEET).key_span("irregular");
        let message = "cloth that tears is woven of quads, and cannot be irregular";
        top.add(Problem::at(span, message).help("leave `irregular` or [tear] out"));
    }
    let own_fabric = cloth.table("fabric", &OWN_FABRIC);
    let limits = cloth.table("limits", &OWN_LIMITS);
    let contact = cloth.table("contact", &OWN_CONTACT);
    let check = cloth.table("check", &OWN_CHECK);
    ClothFile {
        name: cloth.has("name").then(|| read_name(cloth)),
        fabric: if cloth.has("fabric") { fabric::read(&own_fabric) } else { *fabric },
        limits: cloth.has("limits").then(|| limits::read_limits(&limits)),
        contact: ["friction", "thickness"].map(|key| contact.optional_number(key)),
        check: ["extension", "compression"].map(|key| check.optional_number(key)),
        irregular,
        shape,
        position: cloth.vector("position"),
        rotation: cloth.vector("rotation"),
        jitter: cloth.number("jitter"),
        span,
    }
}

fn read_name(cloth: &Reader) -> String {
    let name = cloth.text("name");
    if name.trim().is_empty() {
        cloth.add(Problem::at(cloth.span_of("name"), "a cloth's name has at least one letter"));
    }
    name
}

fn read_shape(top: &Reader, cloth: &Reader) -> (Shape, Span) {
    if !top.has("cloth") {
        let problem =
            Problem::at(top.span(), "the scene has no cloth").label("nothing to simulate");
        top.add(
            problem
                .help("add a [cloth.sheet] with size and particles, or a [cloth.mesh] with a file"),
        );
    }
    let mut shapes: Vec<&str> =
        ["sheet", "tube", "mesh"].into_iter().filter(|shape| cloth.has(shape)).collect();
    if garment::is_meant(cloth) {
        shapes.push("garment");
    }
    if top.has("cloth") && shapes.len() != 1 {
        let message = match shapes.len() {
            0 => "[cloth] is a sheet, a tube, a mesh or a garment, and this is none".into(),
            _ => {
                format!(
                    "[cloth] is one of a sheet, a tube, a mesh or a garment, not {}",
                    shapes.join(" and ")
                )
            }
        };
        let help = "write one of [cloth.sheet], [cloth.tube], [cloth.mesh] and [cloth.garment]";
        let span = if top.has_list("cloth") { cloth.span() } else { top.key_span("cloth") };
        top.add(Problem::at(span, message).help(help));
    }
    if garment::is_meant(cloth) {
        let (garment, span) = garment::read(cloth);
        (Shape::Garment(garment), span)
    } else if cloth.has("mesh") {
        let mesh = cloth.table("mesh", &MESH);
        (Shape::Mesh(read_mesh(&mesh)), mesh.span_of("file"))
    } else if cloth.has("tube") {
        let tube = cloth.table("tube", &TUBE);
        let [columns, rows] = tube.count_pair("particles");
        let (radius, length) = (tube.number("radius"), tube.number("length"));
        let (top_radius, oval) = (tube.optional_number("top_radius"), tube.number("oval"));
        let shape = Tube { radius, length, columns, rows, top_radius, oval };
        (Shape::Tube(shape), tube.span_of("particles"))
    } else if cloth.has("sheet") {
        let sheet = cloth.table("sheet", &SHEET);
        let ([width, height], [columns, rows]) =
            (sheet.pair("size"), sheet.count_pair("particles"));
        (Shape::Sheet(Sheet { width, height, columns, rows }), sheet.span_of("particles"))
    } else {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 2, rows: 2 };
        (Shape::Sheet(sheet), cloth.span())
    }
}

fn read_mesh(mesh: &Reader) -> MeshFile {
    let uv_scale = mesh.optional_number("uv_scale");
    let rest = match mesh.choice("rest") {
        "uv" => MeshRest::Uv(uv_scale),
        _ => MeshRest::Shape,
    };
    if mesh.has("uv_scale") && rest == MeshRest::Shape {
        let message =
            "`uv_scale` says how large the mesh was cut, and it is at rest in its own shape";
        let problem = Problem::at(mesh.key_span("uv_scale"), message);
        mesh.add(problem.help("write rest = \"uv\", or leave `uv_scale` out"));
    }
    let file = mesh.text("file").into();
    MeshFile { file, scale: mesh.number("scale"), rest, join: mesh.flag("join") }
}
