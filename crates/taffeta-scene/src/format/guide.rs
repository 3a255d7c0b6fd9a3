//! `[pin.curve]`, `[pin.circle]`, `[pin.sphere]`, `[pin.cylinder]`: what a pin holds particles on.

use taffeta::{Curve, Guide};

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

const POSITIVE: Kind = Kind::Number("m", Bounds::Above(0.0));

pub const CURVE: Section = Section {
    heading: "[pin.curve]",
    doc: "Holds the particles of the `[[pin]]` above it on a curve, a curtain rod say; they slide \
          along it without friction and stop at its ends. As with the other guides below, \
          particles start at the nearest place on it, and the pin's keys move it.",
    keys: &[
        Key::new("points", Kind::PointList("m"), "The curve runs through these, two or more.")
            .required(),
        Key::new("smooth", Kind::Flag, "Smoothly, or straight from one to the next.").or("false"),
        Key::new("closed", Kind::Flag, "From the last point back to the first.").or("false"),
    ],
};

pub const CIRCLE: Section = Section {
    heading: "[pin.circle]",
    doc: "Holds the particles of a pin on a circle.",
    keys: &[
        Key::new("centre", Kind::Vector("m"), "Its centre.").required(),
        Key::new("axis", Kind::Direction, "The direction it is seen along as a circle.")
            .or("[0.0, 1.0, 0.0]"),
        Key::new("radius", POSITIVE, "Its radius.").required(),
    ],
};

pub const SPHERE: Section = Section {
    heading: "[pin.sphere]",
    doc: "Holds the particles of a pin on the surface of a sphere.",
    keys: &[
        Key::new("centre", Kind::Vector("m"), "Its centre.").required(),
        Key::new("radius", POSITIVE, "Its radius.").required(),
    ],
};

pub const CYLINDER: Section = Section {
    heading: "[pin.cylinder]",
    doc: "Holds the particles of a pin on the surface of a cylinder without end.",
    keys: &[
        Key::new("centre", Kind::Vector("m"), "A point on its axis.").required(),
        Key::new("axis", Kind::Direction, "The direction of its axis.").or("[0.0, 1.0, 0.0]"),
        Key::new("radius", POSITIVE, "Its radius.").required(),
    ],
};

/// The guides of a pin, each with the key it is written under.
pub fn read(pin: &Reader) -> Vec<(&'static str, Guide)> {
    let mut guides = Vec::new();
    if pin.has("curve") {
        guides.push(("curve", Guide::Curve(read_curve(&pin.table("curve", &CURVE)))));
    }
    if pin.has("circle") {
        let circle = pin.table("circle", &CIRCLE);
        let (centre, axis) = (circle.vector("centre"), circle.vector("axis"));
        guides.push(("circle", Guide::Circle { centre, axis, radius: circle.number("radius") }));
    }
    if pin.has("sphere") {
        let sphere = pin.table("sphere", &SPHERE);
        let (centre, radius) = (sphere.vector("centre"), sphere.number("radius"));
        guides.push(("sphere", Guide::Sphere { centre, radius }));
    }
    if pin.has("cylinder") {
        let cylinder = pin.table("cylinder", &CYLINDER);
        let (centre, axis) = (cylinder.vector("centre"), cylinder.vector("axis"));
        let radius = cylinder.number("radius");
        guides.push(("cylinder", Guide::Cylinder { centre, axis, radius }));
    }
    guides
}

fn read_curve(curve: &Reader) -> Curve {
    let points = curve.point_list("points");
    if points.len() < 2 {
        let message = "a curve runs through two points or more";
        curve.add(Problem::at(curve.span_of("points"), message));
    }
    Curve::new(points, curve.flag("smooth"), curve.flag("closed"))
}
