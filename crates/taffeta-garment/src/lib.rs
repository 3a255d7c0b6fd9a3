//! Garments: patterns of flat panels, cut into cloth, sewn together around a body and put on.
//!
//! `pattern` says what is cut and sewn, `cut` makes flat cloth of it, `sewn` joins particles along
//! closed seams, `sewing` simulates how the panels of a garment come to that, and `dressing` puts the
//! garments of a scene on, one after the other.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod curve;
mod cut;
mod dressing;
mod garment;
mod groups;
mod outline;
mod pattern;
mod problem;
mod progress;
mod room;
mod sewing;
mod sewn;
mod triangulate;

pub use curve::Curve;
pub use cut::Cut;
pub use garment::{Garment, Piece};
pub use pattern::{EdgeOf, Panel, PanelEdge, Pattern, Placement, Seam};
pub use problem::{PatternProblem, Twist};
pub use progress::{DressError, Progress, Stage};
pub use room::Dressing;
pub use sewn::Sewn;
