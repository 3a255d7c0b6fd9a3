//! `[camera]`: from where pictures are taken. It bears on no frame.

use glam::DVec3;

use super::key::{Bounds, Key, Kind, Section};
use super::reader::Reader;
use crate::text::Problem;

const FIELD_OF_VIEW: Kind = Kind::Number("°", Bounds::AboveUpTo(0.0, 170.0));

pub const CAMERA: Section = Section {
    heading: "[camera]",
    doc: "Who looks, in `taffeta render` and `run --render`; it bears on no frame. Without \
          `position`, which comes first where both are given, the camera looks from a direction, \
          as near as it can be and see every frame of the run whole.",
    keys: &[
        Key::new("position", Kind::Vector("m"), "Where it is."),
        Key::new(
            "target",
            Kind::Vector("m"),
            "What it looks at; without it, the middle of all places the cloth is at.",
        ),
        Key::new(
            "field_of_view",
            FIELD_OF_VIEW,
            "Angle between the lower and the upper border of the picture.",
        )
        .or("30.0"),
        Key::new(
            "azimuth",
            Kind::Number("°", Bounds::Any),
            "Without `position`: direction it looks from around the vertical, from +z towards +x.",
        )
        .or("28.0"),
        Key::new(
            "elevation",
            Kind::Number("°", Bounds::Within(-90.0, 90.0)),
            "Without `position`: how far above the horizon it looks from.",
        )
        .or("14.0"),
        Key::new("key", Kind::Table, ""),
    ],
};

pub const KEY: Section = Section {
    heading: "[[camera.key]]",
    doc: "Where a moving camera is at a time; what a key does not say is as `[camera]` has it. It \
          goes smoothly from key to key and rests before the first and after the last.",
    keys: &[
        Key::new(
            "time",
            Kind::Number("s", Bounds::AtLeast(0.0)),
            "When; later than the key before.",
        )
        .required(),
        Key::new("position", Kind::Vector("m"), "Where it is then."),
        Key::new("target", Kind::Vector("m"), "What it looks at then."),
        Key::new("field_of_view", FIELD_OF_VIEW, "Its angle then."),
    ],
};

/// A camera as written; what is not given is found from the frames.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraFile {
    /// Where it is \[m\].
    pub position: Option<DVec3>,
    /// What it looks at \[m\].
    pub target: Option<DVec3>,
    /// Angle between the lower and the upper border \[°\].
    pub field_of_view: f64,
    /// Where it looks from if it has no position: around the vertical, from +z towards +x \[°\].
    pub azimuth: f64,
    /// And how far above the horizon \[°\].
    pub elevation: f64,
    /// How it moves.
    pub keys: Vec<CameraKeyFile>,
}

/// A camera at a time, as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraKeyFile {
    /// When \[s\].
    pub time: f64,
    /// Where it is \[m\].
    pub position: Option<DVec3>,
    /// What it looks at \[m\].
    pub target: Option<DVec3>,
    /// Its field of view \[°\].
    pub field_of_view: Option<f64>,
}

pub fn read(top: &Reader) -> CameraFile {
    let camera = top.table("camera", &CAMERA);
    let mut file = CameraFile {
        position: camera.optional_vector("position"),
        target: camera.optional_vector("target"),
        field_of_view: camera.number("field_of_view"),
        azimuth: camera.number("azimuth"),
        elevation: camera.number("elevation"),
        keys: Vec::new(),
    };
    refuse_same_place(&camera, file.position, file.target);
    for key in camera.tables("key", &KEY) {
        let read = read_key(&key, file.keys.last());
        let (position, target) = (read.position.or(file.position), read.target.or(file.target));
        refuse_same_place(&key, position, target);
        file.keys.push(read);
    }
    file
}

fn read_key(key: &Reader, before: Option<&CameraKeyFile>) -> CameraKeyFile {
    let time = key.number("time");
    if let Some(before) = before.filter(|before| before.time >= time) {
        let message = format!("keys are out of order: {time} s comes after {} s", before.time);
        key.add(Problem::at(key.span_of("time"), message));
    }
    CameraKeyFile {
        time,
        position: key.optional_vector("position"),
        target: key.optional_vector("target"),
        field_of_view: key.optional_number("field_of_view"),
    }
}

fn refuse_same_place(camera: &Reader, position: Option<DVec3>, target: Option<DVec3>) {
    let written = camera.has("position") || camera.has("target");
    if let (Some(position), Some(target), true) = (position, target, written)
        && position.distance(target) < 1e-9
    {
        let key = if camera.has("target") { "target" } else { "position" };
        let problem = Problem::at(camera.span_of(key), "the camera is where it looks");
        camera.add(problem.help("move its position or its target"));
    }
}
