//! Gravity and `[air]`.

use taffeta::{Air, Loads};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;

pub const AIR: Section = Section {
    heading: "[air]",
    doc: "Air that drags and wind that blows; a scene without this table is in a vacuum. Each \
          face feels ½·density·drag·area·vₙ² against the part vₙ of its velocity relative to \
          the wind along its normal.",
    keys: &[
        Key::new("density", Kind::Number("kg/m³", Bounds::AtLeast(0.0)), "Density of the air.")
            .or("1.2"),
        Key::new("drag", Kind::Number("", Bounds::AtLeast(0.0)), "Drag coefficient of a plate.")
            .or("1.2"),
        Key::new("wind", Kind::Vector("m/s"), "Velocity of the wind.").or("[0.0, 0.0, 0.0]"),
    ],
};

pub fn read(top: &Reader) -> Loads {
    let air = top.has("air").then(|| {
        let air = top.table("air", &AIR);
        Air { density: air.number("density"), drag: air.number("drag"), wind: air.vector("wind") }
    });
    Loads { gravity: top.vector("gravity"), air }
}
