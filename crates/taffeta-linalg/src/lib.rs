//! The linear algebra cloth needs and nothing it does not, with bits that do not depend on the
//! number of threads: ordered loops and sums, the filters that say how a particle may still move,
//! symmetric matrices of 3×3 blocks, and conjugate gradients and a direct solver for them.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod assembly;
mod coarse;
mod coupling;
mod direct;
mod factor;
mod filter;
mod following;
mod fronts;
mod incomplete;
mod jacobi;
mod matrix;
mod multifrontal;
mod multiply;
mod ordering;
mod parallel;
mod parts;
mod patches;
mod pattern;
mod pcg;
mod single;
mod substitution;
mod system;
mod two_level;

pub use assembly::{AssemblyPlan, ElementSystem};
pub use coupling::Coupling;
pub use direct::DirectSolver;
pub use factor::{FactorError, LowerColumns, PlanTimes, SolveMemory, SparseFactor};
pub use filter::{Filter, HeldDirections};
pub use following::{Follower, Followers, FollowingMasses, FollowingPlan};
pub use incomplete::IncompleteCholesky;
pub use jacobi::BlockJacobi;
pub use matrix::BlockMatrix;
pub use multiply::MultiplyScratch;
pub use parallel::{both, fill, ordered_sum, update, update_three};
pub use pattern::{BlockPattern, PatternError};
pub use pcg::{Pcg, PcgError, PcgLimits, PcgReport, Preconditioner};
pub use single::{ElementRows, RowFactor, RowMatrix, RowPattern, RowPcg, RowPlan};
pub use system::FilteredSystem;
pub use two_level::TwoLevel;
