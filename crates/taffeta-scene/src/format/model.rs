//! `[model]`: what the cloth is computed as.

use taffeta::{Bend, Shear, SpringKinds};

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
    doc: "Springs along the edges, and against shear and bending.",
    keys: &[
        Key::new(
            "shear",
            Kind::Choice(&["linear", "angular", "compression"]),
            "Springs across the diagonals of quads; the angle at each corner of a quad (Ye, Webber \
             & Gargantini 2005); or diagonals that resist compression only.",
        )
        .or("\"linear\""),
        Key::new(
            "bend",
            Kind::Choice(&["linear", "choi-ko", "bridson"]),
            "Springs over every other particle, as stiff as `fabric.bend`; or, with the rigidity \
             `fabric.bending`, such springs that buckle into arcs (Choi & Ko 2002), or the angles \
             between triangles (Bridson et al. 2003), quads cut in two.",
        )
        .or("\"linear\""),
    ],
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

fn read_springs(springs: &Reader) -> SpringKinds {
    SpringKinds {
        shear: match springs.choice("shear") {
            "angular" => Shear::Angular,
            "compression" => Shear::Compression,
            _ => Shear::Linear,
        },
        bend: match springs.choice("bend") {
            "choi-ko" => Bend::ChoiKo,
            "bridson" => Bend::Bridson,
            _ => Bend::Linear,
        },
    }
}

/// What cloth is computed as, which springs if it is springs, and a continuum's rest lengths over
/// those of the mesh.
pub fn read(top: &Reader) -> (ClothModel, SpringKinds, [f64; 2]) {
    let model = top.table("model", &MODEL);
    let springs = read_springs(&model.table("springs", &SPRINGS));
    let rest_stretch = model.table("continuum", &CONTINUUM).pair("rest_stretch");
    if model.has("springs") && model.has("continuum") {
        let message = "cloth is computed as springs or as a continuum, not both";
        top.add(Problem::at(model.key_span("continuum"), message));
    }
    let continuum = model.has("continuum");
    (if continuum { ClothModel::Continuum } else { ClothModel::Springs }, springs, rest_stretch)
}
