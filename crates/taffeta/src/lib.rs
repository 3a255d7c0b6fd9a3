//! Taffeta simulates woven cloth: in SI units, and with the same bits every time.
//!
//! A [`Mesh`] and a [`Fabric`] make a [`Model`]; a model with pins and loads makes a
//! [`Simulation`]; a simulation advances from frame to frame.
//!
//! ```
#![doc = include_str!("../examples/hanging_cloth.rs")]
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod constraint;
mod control;
pub mod elements;
mod error;
mod fabric;
mod frame;
mod gauge;
mod integrators;
mod judge;
mod limiters;
mod limits;
mod load;
pub mod measure;
pub mod mesh;
mod model;
mod motion;
mod phase;
mod pin;
mod script;
mod setup;
mod simulation;
mod state;

pub use constraint::Constraint;
pub use control::{StepControl, StepLimits, StepLimitsError};
pub use elements::{Air, Spring};
pub use error::{PinProblem, SetupError, StepError};
pub use fabric::{Fabric, FabricError};
pub use frame::Frame;
pub use gauge::{Along, Gauge};
pub use integrators::{ExplicitEuler, ImplicitEuler, Integrator, LongestStep, Solver};
pub use limiters::{
    ImpulseSolver, ImpulseVariant, Impulses, Limiter, Stage, StageTimes, Sweeps, Tension,
};
pub use limits::StrainLimits;
pub use load::Loads;
pub use mesh::{Mesh, Sheet};
pub use model::{Bend, Model, ModelError, Shear, SpringKinds};
pub use motion::{Ease, Motion, MotionKey};
pub use phase::{Phase, PhaseTimes};
pub use pin::{Hold, Pin};
pub use setup::Setup;
pub use simulation::{Simulation, Snapshot, Tally};
pub use state::State;
