//! `[contact]`: how cloth touches itself.

use taffeta::{Fabric, SelfContact};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const CONTACT: Section = Section {
    heading: "[contact]",
    doc: "How cloth touches itself. Cloth that does not pass through itself at the start never \
          will; where it does at the start, it is pushed out gently. It takes time, so it is off \
          unless asked for.",
    keys: &[
        Key::new("self", Kind::Flag, "Whether the cloth keeps off itself.").or("false"),
        Key::new(
            "friction",
            Kind::Number("", Bounds::AtLeast(0.0)),
            "Coulomb's coefficient of friction between layers: they slide on a slope α when tan α \
             is greater.",
        )
        .or("0.3"),
        Key::new(
            "thickness",
            Kind::Number("m", Bounds::Above(0.0)),
            "The distance layers keep from each other; without it, the fabric's thickness. Where \
             the mesh is finer, half the distance that its parts have at rest.",
        ),
    ],
};

pub fn read(top: &Reader, fabric: &Fabric) -> Option<SelfContact> {
    let contact = top.table("contact", &CONTACT);
    let thickness = contact.optional_number("thickness").unwrap_or(fabric.thickness);
    let friction = contact.number("friction");
    let mut others = ["friction", "thickness"].into_iter().filter(|key| contact.has(key));
    if let (Some(key), false) = (others.next(), contact.has("self")) {
        let message = format!("`{key}` does nothing while the cloth passes through itself");
        let help = "write `self = true` for contact, or `self = false` if that is meant";
        contact.add(Problem::at(contact.key_span(key), message).help(help));
    }
    contact.flag("self").then_some(SelfContact { thickness, friction })
}
