//! `[cloth]`: shape and place.

use std::path::PathBuf;

use glam::DVec3;
use taffeta::{Sheet, Tube};

use super::garment::{self, GarmentFile};
use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const CLOTH: Section = Section {
    heading: "[cloth]",
    doc: "The cloth: one of `[cloth.sheet]`, `[cloth.tube]`, `[cloth.mesh]` and `[cloth.garment]`, and \
          where it is. It is scaled, turned about x, then y, then z, and moved.",
    keys: &[
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
        Key::new("particles", Kind::CountPair(3, 65_536), "Particles around and along.").required(),
    ],
};

pub const MESH: Section = Section {
    heading: "[cloth.mesh]",
    doc: "A mesh of triangles and quads from a file: OBJ, PLY, glTF or GLB. It is at rest in the \
          shape it has there.",
    keys: &[
        Key::new("file", Kind::Text, "The file, relative to the scene's folder.").required(),
        Key::new(
            "scale",
            Kind::Number("", Bounds::Above(0.0)),
            "Multiplies the file's coordinates: 0.01 for a file in centimetres.",
        )
        .or("1.0"),
    ],
};

/// The cloth as written.
#[derive(Clone, Debug)]
pub struct ClothFile {
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
    Mesh {
        /// The file, as written.
        file: PathBuf,
        /// Multiplies its coordinates.
        scale: f64,
    },
    /// Clothes of panels.
    Garment(GarmentFile),
}

pub fn read(top: &Reader) -> ClothFile {
    let cloth = top.table("cloth", &CLOTH);
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
    if garment::is_meant(&cloth) {
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
        top.add(Problem::at(top.key_span("cloth"), message).help(help));
    }
    let (shape, span) = if garment::is_meant(&cloth) {
        let (garment, span) = garment::read(&cloth);
        (Shape::Garment(garment), span)
    } else if cloth.has("mesh") {
        let mesh = cloth.table("mesh", &MESH);
        let shape = Shape::Mesh { file: mesh.text("file").into(), scale: mesh.number("scale") };
        (shape, mesh.span_of("file"))
    } else if cloth.has("tube") {
        let tube = cloth.table("tube", &TUBE);
        let [columns, rows] = tube.count_pair("particles");
        let (radius, length) = (tube.number("radius"), tube.number("length"));
        (Shape::Tube(Tube { radius, length, columns, rows }), tube.span_of("particles"))
    } else if cloth.has("sheet") {
        let sheet = cloth.table("sheet", &SHEET);
        let ([width, height], [columns, rows]) =
            (sheet.pair("size"), sheet.count_pair("particles"));
        (Shape::Sheet(Sheet { width, height, columns, rows }), sheet.span_of("particles"))
    } else {
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 2, rows: 2 };
        (Shape::Sheet(sheet), cloth.span())
    };
    let irregular = cloth.has("sheet") && cloth.table("sheet", &SHEET).flag("irregular");
    if irregular && top.has("tear") {
        let span = cloth.table("sheet", &SHEET).key_span("irregular");
        let message = "cloth that tears is woven of quads, and cannot be irregular";
        top.add(Problem::at(span, message).help("leave `irregular` or [tear] out"));
    }
    ClothFile {
        irregular,
        shape,
        position: cloth.vector("position"),
        rotation: cloth.vector("rotation"),
        jitter: cloth.number("jitter"),
        span,
    }
}
