//! Garments: patterns of flat panels, cut into cloth, sewn together around a body and put on.
//!
//! `pattern` says what is cut and sewn, `cut` makes flat cloth of it, `sewn` joins particles along
//! closed seams, and `dressing` simulates how the panels come to that.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod curve;
mod cut;
mod dressing;
mod groups;
mod outline;
mod pattern;
mod problem;
mod sewn;
mod triangulate;

pub use curve::Curve;
pub use cut::Cut;
pub use dressing::{DressError, Dressing, Progress, Stage};
pub use pattern::{EdgeOf, Panel, PanelEdge, Pattern, Placement, Seam};
pub use problem::{PatternProblem, Twist};
pub use sewn::Sewn;
