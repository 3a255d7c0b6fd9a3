//! Sweeps: one scene run with many values, each as a restartable task with a folder of its own.
//!
//! A [`Plan`] is read from a file and names its [`Task`]s; [`work`] runs one of them anywhere and
//! gives a [`Record`]; a [`Folder`] keeps the records, and makes the manifest, one table and plots
//! of them. Where tasks run, processes or a cluster, is for others to say.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod column;
mod error;
mod folder;
mod measure;
mod parquet;
mod plan;
mod plots;
mod record;
mod shadow;
mod table;
mod task;
mod vary;
mod work;

pub use error::SweepError;
pub use folder::{Folder, Made};
pub use measure::{Functions, Measured, Measures};
pub use plan::{Plan, SECTIONS, TryError};
pub use record::{Outcome, Record};
pub use task::{Setting, Task};
pub use work::{Surroundings, work};
