//! `[model]`: what the cloth is computed as.

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const MODEL: Section = Section {
    heading: "[model]",
    doc: "What the cloth is computed as, named by its table; without it, springs.",
    keys: &[Key::new("springs", Kind::Table, ""), Key::new("continuum", Kind::Table, "")],
};

pub const SPRINGS: Section = Section {
    heading: "[model.springs]",
    doc: "Springs along the edges, across the diagonals of quads, and over every other particle.",
    keys: &[],
};

pub const CONTINUUM: Section = Section {
    heading: "[model.continuum]",
    doc: "Triangles that resist stretch along warp and weft and shear between them, and edges that \
          resist bending; quads are cut in two. The warp runs along the u of the texture \
          coordinates. Needs the implicit integrator, and takes it where none is named.",
    keys: &[Key::new(
        "rest_stretch",
        Kind::Pair("", Bounds::AboveUpTo(0.0, 10.0)),
        "Lengths of warp and weft at rest, as fractions of those of the mesh: below 1 the cloth \
         pulls itself together like an elastic band, above 1 it wrinkles. Strain counts from here.",
    )
    .or("[1.0, 1.0]")],
};

/// What cloth is computed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClothModel {
    /// Springs.
    Springs,
    /// A continuum of triangles.
    Continuum,
}

/// What cloth is computed as, and a continuum's rest lengths over those of the mesh.
pub fn read(top: &Reader) -> (ClothModel, [f64; 2]) {
    let model = top.table("model", &MODEL);
    model.table("springs", &SPRINGS);
    let rest_stretch = model.table("continuum", &CONTINUUM).pair("rest_stretch");
    if model.has("springs") && model.has("continuum") {
        let message = "cloth is computed as springs or as a continuum, not both";
        top.add(Problem::at(model.key_span("continuum"), message));
    }
    let continuum = model.has("continuum");
    (if continuum { ClothModel::Continuum } else { ClothModel::Springs }, rest_stretch)
}
