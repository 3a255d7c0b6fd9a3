//! A run on disk: what can be done with it once its frames are there.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::cast_slice;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use taffeta_cli::{Failure, called};
use taffeta_io::FrameSource;
use taffeta_io::cache::CacheReader;
use taffeta_scene::run::Written;

use crate::arrays::rows;
use crate::errors::{self, failure, input};
use crate::patience::patiently;

/// A run in a folder, made here or by the command `taffeta run`.
#[pyclass(frozen, module = "taffeta")]
pub struct Run {
    /// The folder.
    #[pyo3(get)]
    folder: PathBuf,
    /// Frames on their way there, if a simulation is saved to it.
    written: Option<Written>,
}

impl Run {
    pub fn of(folder: PathBuf, written: Written) -> Self {
        Self { folder, written: Some(written) }
    }

    /// Waits until the frames so far are all there.
    fn wait(&self, py: Python) {
        py.detach(|| self.written.iter().for_each(Written::wait));
    }

    fn reader(&self, py: Python) -> PyResult<CacheReader> {
        self.wait(py);
        CacheReader::open(&self.folder).map_err(errors::run)
    }

    /// A command's words about this run; options are as on the command line, `frames="10..20"`
    /// for `--frames 10..20`.
    fn words(
        &self,
        file: Option<(&str, PathBuf)>,
        options: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<OsString>> {
        let mut words = vec![self.folder.clone().into()];
        if let Some((option, file)) = file {
            words.extend([option.into(), file.into()]);
        }
        for (name, value) in options.into_iter().flatten() {
            let name = format!("--{}", name.extract::<String>()?.replace('_', "-"));
            if value.is_none() || matches!(value.extract::<bool>(), Ok(false)) {
                continue;
            }
            words.push(name.clone().into());
            if value.extract::<bool>().is_err() {
                words.push(word(&name, &value)?.into());
            }
        }
        Ok(words)
    }
}

/// A value as it is typed: places and sizes with their separators.
fn word(name: &str, value: &Bound<PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        let parts: PyResult<Vec<String>> =
            value.try_iter()?.map(|part| Ok(part?.str()?.to_string())).collect();
        return Ok(parts?.join(if name == "--size" { "x" } else { "," }));
    }
    Ok(value.str()?.to_string())
}

#[pymethods]
impl Run {
    /// Opens the folder of a run.
    #[new]
    fn new(py: Python, folder: PathBuf) -> PyResult<Self> {
        let run = Self { folder, written: None };
        run.reader(py)?;
        Ok(run)
    }

    /// The numbers of its whole frames.
    #[getter]
    fn frames(&self, py: Python) -> PyResult<Vec<u32>> {
        Ok(self.reader(py)?.numbers().collect())
    }

    /// A line of the report for each frame, as dicts; the keys are those of docs/report.md.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let text = self.reader(py)?.report().map_err(errors::run)?;
        let loads = py.import("json")?.getattr("loads")?;
        text.lines().map(|line| loads.call1((line,))).collect()
    }

    /// The fingerprint of each frame: equal ones have equal bits.
    #[getter]
    fn fingerprints(&self, py: Python) -> PyResult<Vec<String>> {
        self.report(py)?.iter().map(|line| line.get_item("hash")?.extract()).collect()
    }

    /// Writes the frames to a file that other programs read; its extension chooses the format:
    /// abc, usda, glb, obj, ply, stl, pc2, mdd, npz. Options are those of `taffeta export`:
    /// `frames="10..20"`, `fps=24`, `up="z"`, `cloth_only=True`. Returns the files.
    #[pyo3(signature = (file, **options))]
    fn export(
        &self,
        py: Python,
        file: PathBuf,
        options: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<PathBuf>> {
        let words = self.words(Some(("--to", file)), options)?;
        self.wait(py);
        let made = py.detach(|| called::export(&words));
        made.map_err(|found| failure(py, &found))
    }

    /// Proves from the frames alone what the scene promises. Returns a dict: `holds`, and the
    /// certificate with its violations.
    #[pyo3(signature = (**options))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let words = self.words(None, options)?;
        self.wait(py);
        let made = py.detach(|| called::check(&words));
        let certificate = made.map_err(|found| failure(py, &found))?;
        let text = serde_json::to_string(&certificate).map_err(errors::run)?;
        let dict = py.import("json")?.call_method1("loads", (text,))?;
        dict.set_item("holds", certificate.holds())?;
        Ok(dict)
    }

    /// Makes pictures or a movie; the extension chooses the format: png, mp4, webp, gif. Options are
    /// those of `taffeta render`: `look="strain"`, `size=(640, 360)`, `frame=30`, `azimuth=40`.
    /// Returns the files.
    #[pyo3(signature = (file, **options))]
    fn render(
        &self,
        py: Python,
        file: PathBuf,
        options: Option<&Bound<PyDict>>,
    ) -> PyResult<Vec<PathBuf>> {
        let words = self.words(Some(("--out", file)), options)?;
        self.wait(py);
        let stop = AtomicBool::new(false);
        // The work has a pool of its own; this one only waits for it.
        let pool = called::threads(Some(1)).map_err(|found| failure(py, &found))?;
        let ask = || stop.store(true, Ordering::Relaxed);
        let made: Result<_, Failure> = patiently(py, &pool, ask, || called::render(&words, &stop))?;
        made.map_err(|found| failure(py, &found))
    }

    /// Where each particle is at a frame [m]: an array of shape (n, 3).
    fn positions<'py>(&self, py: Python<'py>, frame: u32) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = self.reader(py)?.load(frame).map_err(input)?;
        rows(py, cast_slice(&found.snapshot.state.positions))
    }

    /// The state at a frame, for `Simulation.restore`.
    fn state<'py>(
        &self,
        py: Python<'py>,
        frame: u32,
    ) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        let reader = self.reader(py)?;
        let found = reader.load(frame).map_err(input)?;
        Ok(pyo3::types::PyBytes::new(py, &found.sealed(&reader.manifest().identity)))
    }

    fn __repr__(&self) -> String {
        format!("<taffeta.Run in {}>", self.folder.display())
    }
}
