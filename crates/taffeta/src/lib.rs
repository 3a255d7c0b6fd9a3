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
//! Each folder of the source is a layer and uses only those below it; a check enforces it. From the
//! top:
//!
//! | layer | what lives there |
//! |---|---|
//! | `simulation` | the step as its list of phases; hands, measures, what changes while it runs |
//! | `solvers` | implicit, explicit and strips, each a whole step; limiters, forces, momenta |
//! | `contact` | the one constraint of all that touches, with friction |
//! | `step` | what a solver is given and answers: script, loads, judge, control, tally |
//! | `setup` | what you give: pins, pulls, loads, limits, limiter, integrator |
//! | [`woven`] | yarns: what has torn, and what tears |
//! | `state` | all that changes in a step |
//! | `matter` | [`elements`] with their energies, fabrics, the model made of them |
//! | `geometry` | [`mesh`], [`guide`], [`solid`], [`collision`], broad and narrow phase |
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod contact;
mod error;
mod geometry;
mod matter;
mod setup;
mod simulation;
mod solvers;
mod state;
mod step;
pub mod woven;

pub use glam;

pub use error::{PinProblem, PlanError, SetupError, StepError, StepLimitsError};
pub use geometry::detection::{NearPair, Pair, PairCache, Proximity};
pub use geometry::guide::{Curve, Guide};
pub use geometry::mesh::{Mesh, Sheet, Tube};
pub use geometry::motion::{Ease, Motion, MotionKey};
pub use geometry::pose::Pose;
pub use geometry::solid::{Shape, Side, Solid, SolidMesh, SolidProblem};
pub use geometry::{collision, guide, mesh, solid};
pub use matter::elements;
pub use matter::elements::{Air, Spring};
pub use matter::fabric::{Fabric, FabricError};
pub use matter::gauge::{Along, Gauge};
pub use matter::model::{Bend, Cloth, Model, ModelError, Seam, Shear, SpringKinds};
pub use matter::presets::Preset;
pub use setup::fan::Fan;
pub use setup::integrator::{ExplicitEuler, ImplicitEuler, Integrator, Newton, Solver};
pub use setup::limiter::{
    Constraints, ImpulseSolver, ImpulseVariant, Impulses, Limiter, Strips, Sweeps,
};
pub use setup::limits::StrainLimits;
pub use setup::load_keys::LoadKey;
pub use setup::loads::Loads;
pub use setup::pin::{Hold, Pin};
pub use setup::pull::Pull;
pub use setup::self_contact::SelfContact;
pub use setup::stability::LongestStep;
pub use setup::step_limits::StepLimits;
pub use setup::{OfCloth, Setup, StartsInside};
pub use simulation::frame::Frame;
pub use simulation::measure;
pub use simulation::signal::{Doing, Signal};
pub use simulation::{Hand, HandGrip, Simulation, Snapshot};
pub use state::State;
pub use state::constraint::Constraint;
pub use state::touch::{Contact, ContactForce, ContactTally, Grip, Pinch, Push};
pub use step::control::StepControl;
pub use step::phase::{Phase, PhaseTimes};
pub use step::stage::{Stage, StageTimes};
pub use step::tally::Tally;

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
