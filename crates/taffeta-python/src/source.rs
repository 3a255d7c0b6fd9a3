//! Where a scene comes from, and what there is to choose from.

use std::path::PathBuf;

use pyo3::prelude::*;
use taffeta::Preset;
use taffeta_cli::called;
use taffeta_scene::{Builtin, Override, SceneError, SceneFile, SceneText};

use crate::errors::{failure, of_scene};

/// A scene as Python puts it together: attributes of `taffeta.Scene`.
#[derive(Clone, FromPyObject)]
pub struct Source {
    /// The name shown in messages.
    #[pyo3(attribute("_origin"))]
    origin: String,
    #[pyo3(attribute("name"))]
    name: String,
    #[pyo3(attribute("_base"))]
    base: PathBuf,
    #[pyo3(attribute("text"))]
    text: String,
    #[pyo3(attribute("_overrides"))]
    pub overrides: Vec<String>,
    /// The folder of meshes that were given as arrays.
    #[pyo3(attribute("_meshes"))]
    pub meshes: Option<PathBuf>,
}

impl Source {
    /// Reads the scene.
    pub fn read(&self) -> Result<SceneFile, SceneError> {
        let Self { origin, name, base, text, .. } = self;
        let overrides: Vec<Override> = self.overrides.iter().cloned().map(Override).collect();
        SceneFile::read(SceneText { origin, name, base, text }, &overrides)
    }

    /// Overrides a key once more; what was said of it before is forgotten.
    pub fn set(&mut self, key: &str, value: String) {
        let assignment = format!("{key}=");
        self.overrides.retain(|known| !known.starts_with(&assignment));
        self.overrides.push(assignment + &value);
    }
}

/// Checks that a scene of this name or path is there and can be read; returns its text, name, the
/// folder that paths in it start from, and what messages call it.
#[pyfunction]
pub fn find_scene(py: Python, scene: &str) -> PyResult<(String, String, PathBuf, String)> {
    let file = called::read_scene(scene, &[]).map_err(|found| failure(py, &found))?;
    let (origin, text) = file.sources.0.into_iter().next().unwrap_or_default();
    Ok((text, file.name, file.base, origin))
}

/// The whole text of a scene, which gives the same scene from whatever folder it is run.
#[pyfunction]
pub fn kept_text(py: Python, scene: Source) -> PyResult<String> {
    let read = scene.read().map_err(|problems| of_scene(py, problems))?;
    Ok(read.effective)
}

/// The names of the built-in scenes and what each shows.
#[pyfunction]
pub fn builtin_scenes() -> Vec<(&'static str, &'static str)> {
    Builtin::ALL.iter().map(|scene| (scene.name, scene.summary())).collect()
}

/// The names of the fabrics and what each is.
#[pyfunction]
pub fn fabrics() -> Vec<(&'static str, &'static str)> {
    Preset::ALL.iter().map(|preset| (preset.name, preset.summary)).collect()
}
