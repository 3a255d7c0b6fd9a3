//! The program that the command is a part of, and what it can do that the command cannot.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use taffeta_sweep::{Functions, Record};

/// The program that the command is a part of.
pub struct Host<'a> {
    /// The words that start the command in another process.
    pub launch: Vec<OsString>,
    /// Whoever speaks Python, if the program does.
    pub python: Option<&'a dyn Python>,
}

/// Somebody who speaks Python.
pub trait Python: Functions {
    /// Does tasks on a cluster and hands over each record as it comes, until told to stop, also by
    /// `false`.
    fn on_cluster(
        &self,
        errand: &Errand,
        keep: &mut (dyn FnMut(Record) -> bool + Send),
    ) -> Result<(), String>;
}

/// What is to be done on a cluster.
pub struct Errand<'a> {
    /// Where the cluster is: `ray://…` or `auto`.
    pub address: &'a str,
    /// The plan's file.
    pub plan: &'a Path,
    /// The sweep's folder.
    pub folder: &'a Path,
    /// The tasks.
    pub tasks: &'a [u32],
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

impl Host<'_> {
    /// The command's own program.
    pub fn alone() -> Self {
        let own = std::env::current_exe().map_or("taffeta".into(), OsString::from);
        Self { launch: vec![own], python: None }
    }

    /// Whoever calls functions of Python.
    pub fn functions(&self) -> Option<&dyn Functions> {
        self.python.map(|python| python as &dyn Functions)
    }
}
