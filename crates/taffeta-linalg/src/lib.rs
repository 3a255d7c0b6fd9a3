//! The linear algebra cloth needs and nothing it does not, with bits that do not depend on the
//! number of threads: ordered loops and sums, the filters that say how a particle may still move,
//! symmetric matrices of 3×3 blocks, conjugate gradients for them in single precision, and a direct
//! solver in double precision.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod coupling;
mod direct;
mod factor;
mod filter;
mod following;
mod fronts;
mod matrix;
mod multifrontal;
mod multiply;
mod ordering;
mod parallel;
mod parts;
mod pattern;
mod single;
mod spills;
mod substitution;
mod system;

pub use coupling::Coupling;
pub use direct::DirectSolver;
pub use factor::{FactorError, LowerColumns, PlanTimes, SolveMemory, SparseFactor};
pub use filter::Filter;
pub use following::{Follower, Followers, FollowingMasses, FollowingPlan};
pub use matrix::BlockMatrix;
pub use parallel::{both, fill, ordered_sum, update, update_three};
pub use pattern::{BlockPattern, PatternError};
pub use single::{
    ElementRows, PcgError, PcgLimits, PcgReport, RowFactor, RowMatrix, RowPattern, RowPcg, RowPlan,
};
pub use system::FilteredSystem;
