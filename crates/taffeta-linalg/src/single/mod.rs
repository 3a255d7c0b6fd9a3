//! Systems of implicit steps in single precision, whole rows of 3×3 blocks: half the memory to move,
//! and four lanes to compute with. Right-hand sides are summed in double precision, so that a step
//! solved again with what is left over comes as near to its solution as one likes.
//!
//! Rows are numbered in domains that nothing couples, and the rows between them come last: domains
//! are factored and substituted on different threads, and what is computed depends on the numbers
//! of particles alone.

mod assembly;
mod incomplete;
mod matrix;
mod patches;
mod pattern;
mod pcg;
#[cfg(test)]
mod tests;

pub use assembly::{ElementRows, RowPlan};
pub use incomplete::RowFactor;
pub use matrix::RowMatrix;
pub use pattern::RowPattern;
pub use pcg::{PcgError, PcgLimits, PcgReport, RowPcg};
