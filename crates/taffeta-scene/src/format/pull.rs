//! `[[pull]]`: springs that pull single particles.

use glam::DVec3;
use taffeta::Motion;

use super::key::{Bounds, Key, Kind, Section};
use super::motion;
use super::pin::{KEY, read_cloth, read_times};
use super::reader::Reader;
use crate::text::{Problem, Span};

pub const PULL: Section = Section {
    heading: "[[pull]]",
    doc: "Pulls one particle, chosen by exactly one of `particle` and `nearest`, towards a point \
          that moves along its keys, by a damped spring: as a hand or a mouse would.",
    keys: &[
        Key::new(
            "cloth",
            Kind::Text,
            "The name of the cloth whose particles are meant; of several cloths, `particle` needs it, and `nearest` means all without it.",
        ),
        Key::new("particle", Kind::Count(0, u32::MAX), "This particle."),
        Key::new("nearest", Kind::Vector("m"), "The particle nearest to this point."),
        Key::new("to", Kind::Vector("m"), "The point; without it, where the particle starts."),
        Key::new("stiffness", Kind::Number("N/m", Bounds::AtLeast(0.0)), "Force per distance.")
            .or("10.0"),
        Key::new("damping", Kind::Number("N·s/m", Bounds::AtLeast(0.0)), "Force per speed.")
            .or("0.1"),
        Key::new("from", Kind::Number("s", Bounds::AtLeast(0.0)), "When it begins.").or("0.0"),
        Key::new(
            "until",
            Kind::Number("s", Bounds::Above(0.0)),
            "When it ends; without it, never.",
        ),
        Key::new("key", Kind::Table, ""),
        Key::new(
            "ease",
            Kind::Choice(&["linear", "smooth"]),
            "Between keys: at constant speed, or starting and stopping smoothly.",
        )
        .or("\"linear\""),
        Key::new("axis", Kind::Direction, "Axis that keys turn about.").or("[0.0, 1.0, 0.0]"),
        Key::new("centre", Kind::Vector("m"), "A point on that axis.").or("[0.0, 0.0, 0.0]"),
    ],
};

pub const PULL_KEY: Section = Section { heading: "[[pull.key]]", ..KEY };

/// A pull as written.
#[derive(Clone, Debug)]
pub struct PullFile {
    /// The cloth it is of, and where that is written.
    pub cloth: Option<(String, Span)>,
    /// The particle, by number or by a point near it.
    pub particle: Pulled,
    /// Where that is written.
    pub span: Span,
    /// The point it is pulled to \[m\], if not where it starts.
    pub to: Option<DVec3>,
    /// How that moves.
    pub motion: Motion,
    /// Force per distance \[N/m\].
    pub stiffness: f64,
    /// Force per speed \[N·s/m\].
    pub damping: f64,
    /// When it begins and ends \[s\].
    pub times: [f64; 2],
}

/// Which particle a pull pulls.
#[derive(Clone, Copy, Debug)]
pub enum Pulled {
    /// This one.
    Particle(u32),
    /// The one nearest to a point.
    Nearest(DVec3),
}

pub fn read(top: &Reader) -> Vec<PullFile> {
    top.tables("pull", &PULL).iter().map(read_pull).collect()
}

fn read_pull(pull: &Reader) -> PullFile {
    let (number, near) = (pull.optional_count("particle"), pull.optional_vector("nearest"));
    if pull.has("particle") == pull.has("nearest") {
        let message = "a pull names one particle, by exactly one of `particle` and `nearest`";
        pull.add(Problem::at(pull.span(), message));
    }
    let particle = near.map_or(Pulled::Particle(number.unwrap_or(0)), Pulled::Nearest);
    let way = if pull.has("nearest") { "nearest" } else { "particle" };
    PullFile {
        cloth: read_cloth(pull),
        particle,
        span: pull.span_of(way),
        to: pull.optional_vector("to"),
        motion: motion::read(pull, &PULL_KEY, pull.vector("centre")),
        stiffness: pull.number("stiffness"),
        damping: pull.number("damping"),
        times: read_times(pull, "pull"),
    }
}
