//! Errors as Python's exceptions: the same words, place and remedy as on the command line.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use taffeta_cli::Failure;
use taffeta_scene::SceneError as SceneProblems;

pyo3::import_exception!(taffeta._errors, InputError);
pyo3::import_exception!(taffeta._errors, RunError);
pyo3::import_exception!(taffeta._errors, SceneError);
pyo3::import_exception!(taffeta._errors, SimulationError);
pyo3::import_exception!(taffeta._errors, SweepError);

/// Something that was given makes no sense.
pub fn input(what: impl Display) -> PyErr {
    InputError::new_err(what.to_string())
}

/// A simulation cannot go on.
pub fn simulation(what: impl Display) -> PyErr {
    SimulationError::new_err(what.to_string())
}

/// A run's folder cannot be written or read.
pub fn run(what: impl Display) -> PyErr {
    RunError::new_err(what.to_string())
}

/// What a command says: about a scene, or about a run.
pub fn failure(py: Python, failure: &Failure) -> PyErr {
    match failure.scene() {
        Some(problems) => scene(py, problems, failure.text()),
        None => run(failure.text().trim().trim_start_matches("× ")),
    }
}

/// All that is wrong with a scene.
pub fn of_scene(py: Python, problems: SceneProblems) -> PyErr {
    failure(py, &Failure::from(problems))
}

fn scene(py: Python, problems: &SceneProblems, text: String) -> PyErr {
    let listed: PyResult<Vec<Bound<PyDict>>> = problems
        .problems()
        .zip(problems.places())
        .map(|(problem, (source, line, column))| {
            let entry = PyDict::new(py);
            entry.set_item("message", &problem.message)?;
            entry.set_item("source", source)?;
            entry.set_item("line", line)?;
            entry.set_item("column", column)?;
            entry.set_item("label", &problem.label)?;
            entry.set_item("help", &problem.help)?;
            Ok(entry)
        })
        .collect();
    match listed {
        Ok(listed) => {
            let listed: Vec<Py<PyDict>> = listed.into_iter().map(Bound::unbind).collect();
            SceneError::new_err((text, listed))
        }
        Err(error) => error,
    }
}
