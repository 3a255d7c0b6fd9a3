//! Sweeps: what the command needs Python for, functions that measure and clusters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use taffeta_cli::{Errand, Host, Python as SpeaksPython, called};
use taffeta_sweep::{Functions, Plan, Record, Surroundings, SweepError as Problem, work};

use crate::errors::{SweepError, failure, of_scene};
use crate::patience::patiently;

/// This interpreter.
struct Interpreter;

impl Functions for Interpreter {
    fn call(&self, function: &str, base: &Path, run: &Path) -> Result<Vec<(String, f64)>, String> {
        Python::attach(|py| {
            let functions = py.import("taffeta._functions")?;
            functions.call_method1("measure", (function, base, run))?.extract()
        })
        .map_err(|error: PyErr| Python::attach(|py| format!("`{function}`: {}", words(py, &error))))
    }
}

impl SpeaksPython for Interpreter {
    fn on_cluster(
        &self,
        errand: &Errand,
        keep: &mut (dyn FnMut(Record) -> bool + Send),
    ) -> Result<(), String> {
        Python::attach(|py| {
            let Errand { address, plan, folder, tasks, stop } = *errand;
            let cluster = py.import("taffeta._cluster")?;
            let records =
                cluster.call_method1("records", (address, plan, folder, tasks.to_vec()))?;
            loop {
                let line: Option<String> = match records.call_method0("__next__") {
                    Ok(line) => line.extract()?,
                    Err(error) if error.is_instance_of::<PyStopIteration>(py) => return Ok(()),
                    Err(error) => return Err(error),
                };
                let record = line.map(|line| serde_json::from_str(&line)).transpose();
                let record = record.map_err(|e| SweepError::new_err(e.to_string()))?;
                let go_on = record.is_none_or(&mut *keep);
                if !go_on || stop.load(Ordering::Relaxed) {
                    records.call_method0("close")?;
                    return Ok(());
                }
            }
        })
        .map_err(|error: PyErr| Python::attach(|py| words(py, &error)))
    }
}

/// What an exception says, with its kind if that is not ours.
fn words(py: Python, error: &PyErr) -> String {
    if error.is_instance_of::<SweepError>(py) {
        return error.value(py).to_string();
    }
    error.to_string()
}

/// The program that the command is a part of here.
fn host(py: Python) -> PyResult<Host<'static>> {
    let interpreter: OsString = py.import("sys")?.getattr("executable")?.extract()?;
    Ok(Host {
        launch: vec![interpreter, "-m".into(), "taffeta".into()],
        python: Some(&Interpreter),
    })
}

/// Does what a command line says, the program's name first; returns the exit code.
#[pyfunction]
pub fn command(py: Python, words: Vec<OsString>) -> PyResult<u8> {
    let host = host(py)?;
    Ok(crate::number_of(py.detach(|| taffeta_cli::command(words, &host))))
}

/// Does what `taffeta sweep` does with these options; returns the folder, and how many tasks are
/// done, have failed and are still to be done.
#[pyfunction]
pub fn sweep(py: Python, options: Vec<OsString>) -> PyResult<(PathBuf, usize, usize, usize)> {
    let host = host(py)?;
    let stop = AtomicBool::new(false);
    let refuse = |found: &_| match failure(py, found) {
        error if error.is_instance_of::<crate::errors::SceneError>(py) => error,
        error => SweepError::new_err(error.value(py).to_string()),
    };
    // The work has processes of its own; this pool only waits for it.
    let pool = called::threads(Some(1)).map_err(|found| refuse(&found))?;
    let ask = || stop.store(true, Ordering::Relaxed);
    let made = patiently(py, &pool, ask, || called::sweep(&options, &host, &stop))?;
    let (folder, made) = made.map_err(|found| refuse(&found))?;
    Ok((folder, made.done, made.failed.len(), made.pending))
}

/// Does one task of a plan into a folder; returns its record as JSON.
#[pyfunction]
pub fn sweep_task(py: Python, plan: PathBuf, task: u32, run: PathBuf) -> PyResult<String> {
    let plan = Plan::read(&plan).map_err(|problems| of_scene(py, problems))?;
    let tasks = plan.tasks.len();
    let Some(wanted) = plan.tasks.get(task as usize) else {
        return Err(SweepError::new_err(Problem::NoSuchTask { task, tasks }.to_string()));
    };
    let failed = |found| failure(py, &found);
    let memory = called::memory(None).map_err(failed)?;
    let pool = called::threads(Some(plan.threads)).map_err(failed)?;
    let stop = AtomicBool::new(false);
    let machine = called::machine();
    let around = Surroundings {
        run: &run,
        memory,
        machine: &machine,
        stop: &stop,
        functions: Some(&Interpreter),
    };
    let ask = || stop.store(true, Ordering::Relaxed);
    let record = patiently(py, &pool, ask, || work(&plan, wanted, &around))?;
    serde_json::to_string(&record).map_err(|error| SweepError::new_err(error.to_string()))
}

/// The number of threads that each task of a plan has, and the files that the tasks need.
#[pyfunction]
pub fn sweep_needs(py: Python, plan: PathBuf) -> PyResult<(u32, Vec<PathBuf>)> {
    let plan = Plan::read(&plan).map_err(|problems| of_scene(py, problems))?;
    Ok((plan.threads, plan.files()))
}
