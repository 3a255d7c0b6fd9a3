//! Taffeta simulates woven cloth that does not stretch, until it tears: in SI units, and with the same
//! bits every time, on any number of threads.
//!
//! A [`Mesh`] and a [`Fabric`] make a [`Model`]; a model with pins, solids, loads and limits is a
//! [`Setup`]; a setup makes a [`Simulation`], which advances from frame to frame and tells how far the
//! cloth is strained, what it touches and what has torn.
//!
//! ```
#![doc = include_str!("../examples/hanging_cloth.rs")]
//! ```
//!
//! # Where to look
//! | to | see |
//! |---|---|
//! | say what the cloth is | [`Mesh`], [`Sheet`], [`Tube`], [`Fabric`], [`Preset`], [`Model`] |
//! | hold, load and touch it | [`Pin`], [`Motion`], [`Loads`], [`Air`], [`Solid`], [`SelfContact`] |
//! | keep it from stretching | [`Setup::limit`], [`StrainLimits`], [`Limiter`] |
//! | let it tear | [`woven`] |
//! | choose how steps are taken | [`Integrator`], [`StepLimits`] |
//! | change it while it moves | [`Simulation::set_loads`], [`Simulation::move_solid`], [`Simulation::lead_pin`], [`Simulation::take_hold`], [`Simulation::go_on_with`], [`Simulation::cut`] |
//! | stop, keep and go on | [`Simulation::snapshot`], [`Simulation::restore`], [`Simulation::signal`] |
//! | measure | [`Simulation::strain`], [`Simulation::energy`], [`Simulation::pin_forces`], [`Simulation::intersections`], [`measure`] |
//!
//! The examples of this crate show each: `body_contact`, `tearing`, `checkpoint`, `hand`. Files and
//! formats are in `taffeta-io`, scenes as text in `taffeta-scene`, pictures in `taffeta-render`.
//!
//! # Layers
//! Modules use only what stands in their own layer or below; a check enforces it.
//!
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod checks;
mod choice;
pub mod collision;
mod constraint;
mod contact;
mod control;
mod detection;
pub mod elements;
mod error;
mod explicit;
mod fabric;
mod fan;
mod forces;
mod frame;
mod gauge;
pub mod guide;
mod implicit;
mod integrator;
mod judge;
mod limited;
mod limiter;
mod limiters;
mod limits;
mod load;
mod load_keys;
pub mod measure;
pub mod mesh;
mod model;
mod momentum;
mod motion;
mod passage;
mod phase;
mod pin;
mod pose;
mod presets;
mod pull;
mod room;
mod script;
mod setup;
mod signal;
mod simulation;
pub mod solid;
mod stability;
mod state;
mod step_solver;
mod strips;
mod tally;
mod touch;
pub mod woven;

pub use glam;

pub use constraint::Constraint;
pub use control::{StepControl, StepLimits, StepLimitsError};
pub use detection::{NearPair, Pair, PairCache, Proximity};
pub use elements::{Air, Spring};
pub use error::{PinProblem, SetupError, StepError};
pub use fabric::{Fabric, FabricError};
pub use fan::Fan;
pub use frame::Frame;
pub use gauge::{Along, Gauge};
pub use guide::{Curve, Guide};
pub use integrator::{ExplicitEuler, ImplicitEuler, Integrator, Newton, Solver};
pub use limited::{Stage, StageTimes};
pub use limiter::{Constraints, ImpulseSolver, ImpulseVariant, Impulses, Limiter, Strips, Sweeps};
pub use limits::StrainLimits;
pub use load::Loads;
pub use load_keys::LoadKey;
pub use mesh::{Mesh, Sheet, Tube};
pub use model::{Bend, Cloth, Model, ModelError, Seam, Shear, SpringKinds};
pub use motion::{Ease, Motion, MotionKey};
pub use phase::{Phase, PhaseTimes};
pub use pin::{Hold, Pin};
pub use pose::Pose;
pub use presets::Preset;
pub use pull::Pull;
pub use setup::{OfCloth, Setup, StartsInside};
pub use signal::{Doing, Signal};
pub use simulation::{Grip as HandGrip, Hand, Simulation, Snapshot};
pub use solid::{Shape, Side, Solid, SolidMesh, SolidProblem};
pub use stability::LongestStep;
pub use state::State;
pub use tally::Tally;
pub use touch::{Contact, ContactForce, ContactTally, Grip, Pinch, Push, SelfContact};

/// The examples, each run as a test.
#[cfg(doctest)]
mod examples {
    macro_rules! examples {
        ($($name:ident),*) => {
            $(#[doc = concat!("```\n", include_str!(concat!("../examples/", stringify!($name), ".rs")), "\n```")]
            mod $name {})*
        };
    }
    examples!(body_contact, checkpoint, hand, tearing);
}
