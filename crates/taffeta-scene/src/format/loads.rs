//! Gravity and `[air]`, and `[[load]]`, which changes them.

use glam::DVec3;
use taffeta::{Air, Fan, LoadKey, Loads};

use super::key::{Bounds, Key, Kind, Section};
use super::motion::TIME;
use super::reader::Reader;
use crate::text::Problem;

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

pub const LOAD: Section = Section {
    heading: "[[load]]",
    doc: "Gravity and wind at a time: they pass steadily from one such table to the next, and stay \
          before the first and after the last. What one does not say is as `gravity` and `[air]` \
          have it.",
    keys: &[
        TIME,
        Key::new("gravity", Kind::Vector("m/s²"), "Acceleration of gravity then."),
        Key::new("wind", Kind::Vector("m/s"), "Velocity of the wind then; needs `[air]`."),
    ],
};

/// Reads how loads change from what they are without that.
pub fn read_keys(top: &Reader, lasting: Loads) -> Vec<LoadKey> {
    let mut keys: Vec<LoadKey> = Vec::new();
    for table in top.tables("load", &LOAD) {
        let key = read_key(&table, lasting);
        if let Some(before) = keys.last().filter(|before| before.time >= key.time) {
            let message =
                format!("loads are out of order: {} s comes after {} s", key.time, before.time);
            table.add(Problem::at(table.span_of("time"), message));
        }
        keys.push(key);
    }
    keys
}

fn read_key(table: &Reader, lasting: Loads) -> LoadKey {
    if table.has("wind") && lasting.air.is_none() {
        let message = "wind is felt in air only, and there is no `[air]`";
        table.add(Problem::at(table.span_of("wind"), message).help("write a line `[air]`"));
    }
    let wind = lasting.air.map_or(DVec3::ZERO, |air| air.wind);
    LoadKey {
        time: table.number("time"),
        gravity: table.optional_vector("gravity").unwrap_or(lasting.gravity),
        wind: table.optional_vector("wind").unwrap_or(wind),
    }
}

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
