//! The linear algebra cloth needs and nothing it does not: loops and sums whose bits do not
//! depend on the number of threads, and the filters that say how a particle may still move.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod filter;
mod parallel;

pub use filter::Filter;
pub use parallel::{fill, ordered_sum, update};
