//! Gravity and `[air]`.

use taffeta::{Air, Fan, Loads};

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
        Key::new("fan", Kind::Table, ""),
    ],
};

pub const FAN: Section = Section {
    heading: "[air.fan]",
    doc: "A fan, beside the wind: a round jet that widens by a fifth of its way, slows as it widens, \
          and keeps its momentum.",
    keys: &[
        Key::new("position", Kind::Vector("m"), "Where the jet begins.").required(),
        Key::new("direction", Kind::Direction, "Where it blows to.").required(),
        Key::new("speed", Kind::Number("m/s", Bounds::AtLeast(0.0)), "Its speed where it begins.")
            .or("6.0"),
        Key::new("radius", Kind::Number("m", Bounds::Above(0.0)), "Its radius there.").or("0.15"),
    ],
};

pub fn read(top: &Reader) -> Loads {
    let air = top.has("air").then(|| {
        let air = top.table("air", &AIR);
        Air { density: air.number("density"), drag: air.number("drag"), wind: air.vector("wind") }
    });
    Loads { gravity: top.vector("gravity"), air, fan: read_fan(top) }
}

fn read_fan(top: &Reader) -> Option<Fan> {
    let air = top.table("air", &AIR);
    air.has("fan").then(|| {
        let fan = air.table("fan", &FAN);
        let (place, direction) = (fan.vector("position"), fan.vector("direction"));
        // What is of unit length stays what it is, to the bit.
        let unit = (direction.length() - 1.0).abs() < 1e-12;
        let direction = if unit { direction } else { direction.normalize_or_zero() };
        Fan { place, direction, speed: fan.number("speed"), radius: fan.number("radius") }
    })
}
