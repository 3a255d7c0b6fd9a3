//! Frames of a simulation, one after the other.

use numpy::PyArray2;
use pyo3::prelude::*;
use taffeta_scene::run::FrameReport;

use super::Simulation;
use crate::errors::run;

/// The cloth at one moment. Its arrays are read-only and stay what they are, however the
/// simulation goes on.
#[pyclass(frozen, module = "taffeta")]
pub struct Frame {
    /// Its number.
    #[pyo3(get)]
    number: u32,
    /// Simulated time [s].
    #[pyo3(get)]
    time: f64,
    /// Where each particle is [m], as an array of shape (n, 3).
    #[pyo3(get)]
    positions: Py<PyArray2<f64>>,
    /// How fast each particle moves [m/s], as an array of shape (n, 3).
    #[pyo3(get)]
    velocities: Py<PyArray2<f64>>,
    report: FrameReport,
}

impl Frame {
    pub fn new(
        report: FrameReport,
        positions: Py<PyArray2<f64>>,
        velocities: Py<PyArray2<f64>>,
    ) -> Self {
        Self { number: report.frame, time: report.time, positions, velocities, report }
    }
}

#[pymethods]
impl Frame {
    /// What is reported of the frame, as a dict: steps, worst strain, energies, seconds; the keys
    /// are those of docs/report.md, but for `hash`: `Simulation.fingerprint` tells that.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.report).map_err(run)?;
        let report = py.import("json")?.call_method1("loads", (text,))?;
        report.del_item("hash")?;
        Ok(report)
    }

    /// The largest extension, as a fraction of the rest length.
    #[getter]
    fn strain(&self) -> f64 {
        self.report.extension
    }

    fn __repr__(&self) -> String {
        let Self { number, time, report, .. } = self;
        format!("<taffeta.Frame {number} at {time:.4} s, strain {:.3} %>", report.extension * 100.0)
    }
}

/// Makes frame after frame of a simulation.
#[pyclass(module = "taffeta")]
pub struct Frames {
    pub simulation: Py<Simulation>,
    pub left: u32,
}

#[pymethods]
impl Frames {
    fn __iter__(this: PyRef<Self>) -> PyRef<Self> {
        this
    }

    fn __next__(&mut self, py: Python) -> PyResult<Option<Frame>> {
        if self.left == 0 {
            self.simulation.get().settle(py)?;
            return Ok(None);
        }
        let frame = self.simulation.get().next_frame(py)?;
        self.left -= 1;
        Ok(Some(frame))
    }

    fn __len__(&self) -> usize {
        self.left as usize
    }
}
