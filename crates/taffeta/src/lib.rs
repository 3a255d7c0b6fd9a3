//! Taffeta simulates woven cloth: in SI units, and with the same bits every time.
//!
//! A [`Mesh`] and a [`Fabric`] make a [`Model`]; a model with pins and loads makes a
//! [`Simulation`]; a simulation advances from frame to frame.
//!
//! ```
#![doc = include_str!("../examples/hanging_cloth.rs")]
//! ```

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
