//! Keys of motion, which pins and solids share.

use glam::DVec3;
use taffeta::{Ease, Motion, MotionKey};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

pub const EASE: Key = Key::new(
    "ease",
    Kind::Choice(&["linear", "smooth"]),
    "Between keys: at constant speed, or starting and stopping smoothly.",
)
.or("\"linear\"");

pub const AXIS: Key =
    Key::new("axis", Kind::Direction, "Axis that keys turn about.").or("[0.0, 1.0, 0.0]");

pub const TIME: Key =
    Key::new("time", Kind::Number("s", Bounds::AtLeast(0.0)), "When; later than the key before.")
        .required();

pub const MOVE: Key =
    Key::new("move", Kind::Vector("m"), "How far it has moved.").or("[0.0, 0.0, 0.0]");

pub const SCALE: Key = Key::new(
    "scale",
    Kind::Number("", Bounds::Above(0.0)),
    "How many times as large it has become, seen from `centre`.",
)
.or("1.0");

/// Reads the motion of a table whose `[[….key]]` tables are in a section; it turns about `centre`.
pub fn read(table: &Reader, section: &'static Section, centre: DVec3) -> Motion {
    let mut keys: Vec<MotionKey> = Vec::new();
    for key in table.tables("key", section) {
        let (time, offset) = (key.number("time"), key.vector("move"));
        if let Some(before) = keys.last().filter(|before| before.time >= time) {
            let message = format!("keys are out of order: {time} s comes after {} s", before.time);
            key.add(Problem::at(key.span_of("time"), message));
        }
        let (angle, scale) = (key.number("turn").to_radians(), key.number("scale"));
        keys.push(MotionKey { time, offset, angle, scale });
    }
    let ease = if table.choice("ease") == "smooth" { Ease::Smooth } else { Ease::Linear };
    let axis = table.vector("axis").try_normalize().unwrap_or(DVec3::Y);
    Motion { keys, ease, centre, axis }
}
