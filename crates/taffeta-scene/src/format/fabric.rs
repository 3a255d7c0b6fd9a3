//! `[fabric]`

use taffeta::{Fabric, Preset};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;

pub const FABRIC: Section = Section {
    heading: "[fabric]",
    doc: "What the cloth is made of. Stiffnesses are those of the cloth, not of a spring, so the \
          same fabric stretches and shears the same at any resolution. On cells of Δu × Δv the \
          diagonals add shear·(Δu/Δv)² to the stiffness along u, and bend springs add twice bend.",
    keys: &[
        Key::new(
            "preset",
            Kind::Choice(&["canvas", "cotton", "denim", "polyester", "silk", "wool"]),
            "A fabric by name (see `docs/fabrics.md` and `taffeta fabrics`); its values hold \
             where the other keys do not say otherwise.",
        ),
        Key::new("density", Kind::Number("kg/m²", Bounds::Above(0.0)), "Mass per area.").or("0.2"),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::Above(0.0)),
            "Thickness: the distance that layers keep from each other where `[contact]` is on.",
        )
        .or("5e-4"),
        Key::new(
            "stretch",
            Kind::Number("N/m", Bounds::Above(0.0)),
            "Tension per width and strain along the yarns (the mesh's edges).",
        )
        .or("4000.0"),
        Key::new(
            "stretch_weft",
            Kind::Number("N/m", Bounds::Above(0.0)),
            "Tension per width and strain along the weft; without it, as along the warp.",
        ),
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
            "bending_weft",
            Kind::Number("N·m", Bounds::AtLeast(0.0)),
            "Bending rigidity along the weft; without it, as along the warp. In between it turns \
             from one to the other with cos² and sin² of the angle.",
        ),
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
    let preset = if from.has("preset") { Preset::named(from.choice("preset")) } else { None };
    let base = preset.map_or(Fabric::default(), |preset| preset.fabric);
    let number = |key: &'static str, base: f64| if from.has(key) { from.number(key) } else { base };
    let optional = |key: &'static str, base: Option<f64>| from.optional_number(key).or(base);
    Fabric {
        density: number("density", base.density),
        thickness: number("thickness", base.thickness),
        stretch: number("stretch", base.stretch),
        stretch_weft: optional("stretch_weft", base.stretch_weft),
        shear: number("shear", base.shear),
        bend: number("bend", base.bend),
        bending: number("bending", base.bending),
        bending_weft: optional("bending_weft", base.bending_weft),
        stretch_damping: number("stretch_damping", base.stretch_damping),
        shear_damping: number("shear_damping", base.shear_damping),
        bend_damping: number("bend_damping", base.bend_damping),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::format::{SceneFile, SceneText};

    fn fabric(lines: &str) -> Fabric {
        let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n";
        let text = &format!("[fabric]\n{lines}\n{sheet}");
        let scene = SceneText { origin: "t.toml", name: "t", base: Path::new("."), text };
        SceneFile::read(scene, &[]).unwrap().fabric
    }

    #[test]
    fn every_preset_can_be_named_and_overridden() {
        let Kind::Choice(names) = FABRIC.keys[0].kind else { panic!("the preset is a choice") };
        assert!(Preset::ALL.iter().map(|preset| preset.name).eq(names.iter().copied()));
        for preset in Preset::ALL {
            let line = format!("preset = \"{}\"", preset.name);
            assert_eq!(fabric(&line), preset.fabric);
            let softer = Fabric { shear: 7.0, ..preset.fabric };
            assert_eq!(fabric(&format!("{line}\nshear = 7.0")), softer);
        }
    }
}
