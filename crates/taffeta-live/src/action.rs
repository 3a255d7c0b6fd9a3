//! What hands do to a simulation, each between two steps: the alphabet of recordings.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Numbers beyond this are no place, speed or acceleration that a hand can mean.
const FARTHEST: f64 = 1e6;

/// The most edges of one cut.
const MOST_EDGES: usize = 1 << 20;

/// One thing that a hand does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Takes hold of the cloth around a particle and pulls it to a place \[m\].
    Grab {
        /// The particle.
        particle: u32,
        /// How far around it \[m\].
        radius: f64,
        /// Where to \[m\].
        to: [f64; 3],
    },
    /// Pulls what it holds to another place \[m\].
    Drag {
        /// Where to \[m\].
        to: [f64; 3],
    },
    /// Lets go.
    Release,
    /// Pins a particle where it is.
    Pin {
        /// The particle.
        particle: u32,
    },
    /// Unpins a particle.
    Unpin {
        /// The particle.
        particle: u32,
    },
    /// Cuts yarns, by the numbers of the whole cloth's edges.
    Cut {
        /// The edges.
        edges: Vec<u32>,
    },
    /// Throws the ball; it flies as gravity lets it, and feels nothing of the cloth.
    Throw {
        /// Where from \[m\].
        from: [f64; 3],
        /// How fast \[m/s\].
        velocity: [f64; 3],
        /// Its radius \[m\].
        radius: f64,
    },
    /// Moves a solid within the time of a frame.
    MoveSolid {
        /// The solid, by its place in the scene.
        solid: usize,
        /// Where its origin is to be \[m\].
        to: [f64; 3],
    },
    /// Turns the fan on, or another way.
    Fan {
        /// Where its jet begins \[m\].
        position: [f64; 3],
        /// Where it blows to.
        direction: [f64; 3],
        /// How fast \[m/s\].
        speed: f64,
        /// Its radius \[m\].
        radius: f64,
    },
    /// Turns the fan off.
    FanOff,
    /// Other gravity \[m/s²\].
    Gravity {
        /// Its acceleration.
        value: [f64; 3],
    },
    /// Other wind \[m/s\].
    Wind {
        /// Its velocity.
        value: [f64; 3],
    },
    /// Another limit of extension, as a fraction.
    Limit {
        /// The limit.
        value: f64,
    },
    /// Other friction, of every solid and of the cloth with itself.
    Friction {
        /// Coulomb's coefficient.
        value: f64,
    },
    /// Another fabric.
    Fabric {
        /// Its name.
        name: String,
    },
}

impl Action {
    /// What is wrong with its numbers, whatever the cloth is.
    pub fn problem(&self) -> Option<&'static str> {
        let place = |v: &[f64; 3]| v.iter().all(|x| x.is_finite() && x.abs() <= FARTHEST);
        let size = |x: &f64| x.is_finite() && *x > 0.0 && *x <= FARTHEST;
        let amount = |x: &f64| x.is_finite() && *x >= 0.0 && *x <= FARTHEST;
        let sound = match self {
            Self::Grab { radius, to, .. } => size(radius) && place(to),
            Self::Drag { to } | Self::MoveSolid { to, .. } => place(to),
            Self::Throw { from, velocity, radius } => {
                place(from) && place(velocity) && size(radius)
            }
            Self::Fan { position, direction, speed, radius } => {
                place(position)
                    && place(direction)
                    && DVec3::from(*direction).length() > 1e-9
                    && amount(speed)
                    && size(radius)
            }
            Self::Gravity { value } | Self::Wind { value } => place(value),
            Self::Limit { value } => size(value),
            Self::Friction { value } => amount(value),
            Self::Cut { edges } => edges.len() <= MOST_EDGES,
            Self::Fabric { name } => name.len() <= 64,
            Self::Release | Self::Pin { .. } | Self::Unpin { .. } | Self::FanOff => true,
        };
        (!sound).then_some("a number in it is not finite, negative or far too large")
    }

    /// Whether it makes another that was done after the same step as if it had not been. Only what undo
    /// does not stop between does.
    pub fn replaces(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Drag { .. }, Self::Drag { .. }) => true,
            (Self::MoveSolid { solid, .. }, Self::MoveSolid { solid: before, .. }) => {
                solid == before
            }
            _ => false,
        }
    }

    /// Whether it goes on with what the action before it began: no step of its own for undo.
    pub fn continues(&self) -> bool {
        matches!(self, Self::Drag { .. } | Self::Release | Self::MoveSolid { .. })
    }
}
