//! Pins: particles held at points, on planes, lines, curves or surfaces, that may move and come
//! and go.

use glam::DVec3;
use taffeta_linalg::Filter;

use crate::geometry::guide::Guide;
use crate::geometry::motion::Motion;

/// Holds particles. A pin takes hold of each particle where it is when the pin becomes active,
/// and carries it along its motion from there; so it never makes a particle jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The particles it holds.
    pub particles: Vec<u32>,
    /// How it holds them.
    pub hold: Hold,
    /// How it moves.
    pub motion: Motion,
    /// When it takes hold \[s\], to within 10 ns.
    pub from: f64,
    /// When it lets go \[s\], to within 10 ns; infinity for never.
    pub until: f64,
}

/// How a pin holds a particle.
#[derive(Clone, Debug, PartialEq)]
pub enum Hold {
    /// At a point: no free direction.
    Point,
    /// In a plane with this normal: two free directions.
    Plane(DVec3),
    /// On a line along this direction: one free direction.
    Line(DVec3),
    /// On a curve or a surface, free along its tangents. A particle that is held from the beginning
    /// starts at the nearest place on it; one that is taken hold of later is brought there at
    /// 1 m/s.
    Guide(Guide),
}

impl Pin {
    /// Holds particles where they are, from the start and for ever.
    pub fn fixed(particles: impl IntoIterator<Item = u32>) -> Self {
        Self {
            particles: particles.into_iter().collect(),
            hold: Hold::Point,
            motion: Motion::still(),
            from: 0.0,
            until: f64::INFINITY,
        }
    }

    /// Whether it holds during a step that starts at this time.
    pub fn holds_at(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// The filter of the particles it holds, once its motion has turned it; on a guide they have
    /// one each.
    pub(crate) fn filter(&self, time: f64) -> Filter {
        let turned = |direction: &DVec3| self.motion.turn(*direction, time).normalize();
        match &self.hold {
            Hold::Point | Hold::Guide(_) => Filter::HELD,
            Hold::Plane(normal) => Filter::in_plane(turned(normal)),
            Hold::Line(direction) => Filter::along_line(turned(direction)),
        }
    }
}
