//! `[fabric]`

use taffeta::Fabric;

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;

pub const FABRIC: Section = Section {
    heading: "[fabric]",
    doc: "What the cloth is made of. Stiffnesses are those of the cloth, not of a spring, so the \
          same fabric stretches and shears the same at any resolution. On cells of Δu × Δv the \
          diagonals add shear·(Δu/Δv)² to the stiffness along u, and bend springs add twice bend.",
    keys: &[
        Key::new("density", Kind::Number("kg/m²", Bounds::Above(0.0)), "Mass per area.").or("0.2"),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::Above(0.0)),
            "Thickness: the distance contact will keep. Nothing collides yet.",
        )
        .or("5e-4"),
        Key::new(
            "stretch",
            Kind::Number("N/m", Bounds::Above(0.0)),
            "Tension per width and strain along the yarns (the mesh's edges).",
        )
        .or("4000.0"),
        Key::new(
            "shear",
            Kind::Number("N/m", Bounds::AtLeast(0.0)),
            "Shear force per width and angle, by springs across the diagonals of quads. Meshes of \
             triangles resist shear by their edges instead.",
        )
        .or("100.0"),
        Key::new(
            "bend",
            Kind::Number("N/m", Bounds::AtLeast(0.0)),
            "Stiffness of the springs over every other particle, of the model of springs. A numerical \
             stiffness: a linear spring hardly resists small curvature.",
        )
        .or("1.0"),
        Key::new(
            "bending",
            Kind::Number("N·m", Bounds::AtLeast(0.0)),
            "Bending rigidity: moment per width and curvature. Of the continuum model, and of springs with \
             another `bend` than linear.",
        )
        .or("1e-5"),
        Key::new(
            "stretch_damping",
            Kind::Number("s", Bounds::AtLeast(0.0)),
            "Damping of stretch: τ seconds make a spring of stiffness k resist its rate of stretch \
             with τ·k. Large values shorten the steps of the explicit integrator.",
        )
        .or("1e-5"),
        Key::new("shear_damping", Kind::Number("s", Bounds::AtLeast(0.0)), "Damping of shear.")
            .or("3e-4"),
        Key::new("bend_damping", Kind::Number("s", Bounds::AtLeast(0.0)), "Damping of bend.")
            .or("1e-3"),
    ],
};

pub fn read(from: &Reader) -> Fabric {
    Fabric {
        density: from.number("density"),
        thickness: from.number("thickness"),
        stretch: from.number("stretch"),
        shear: from.number("shear"),
        bend: from.number("bend"),
        bending: from.number("bending"),
        stretch_damping: from.number("stretch_damping"),
        shear_damping: from.number("shear_damping"),
        bend_damping: from.number("bend_damping"),
    }
}
