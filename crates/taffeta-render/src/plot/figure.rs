//! What a plot shows.

use std::path::{Path, PathBuf};

use super::{layout, raster, svg};
use crate::error::RenderError;
use crate::movie::{Output, png_bytes};

/// A plot: panels one above the other, over one x axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is about.
    pub title: String,
    /// Name and unit of the x axis.
    pub x_label: String,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

/// One y axis and its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Name and unit of the y axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour as an sRGB code.
    pub colour: u32,
    /// Its points; where one is not finite, the line is broken.
    pub points: Vec<[f64; 2]>,
}

/// The extensions of plots.
pub const PLOT_FORMATS: &[&str] = &["svg", "png"];

impl Figure {
    /// Refuses a path whose extension names no format.
    pub fn check_path(path: &Path) -> Result<(), RenderError> {
        let extension = extension_of(path);
        if PLOT_FORMATS.contains(&extension.as_str()) {
            return Ok(());
        }
        let (path, known) = (path.to_path_buf(), PLOT_FORMATS.join(", "));
        Err(RenderError::UnknownExtension { path, kind: "plot", known })
    }

    /// The plot as the text of an SVG file.
    pub fn svg(&self) -> String {
        svg::text(&layout::lay_out(self))
    }

    /// Writes the plot to a file of the format its extension names.
    pub fn write(&self, path: &Path) -> Result<PathBuf, RenderError> {
        Self::check_path(path)?;
        let mut output = Output::create(path)?;
        let bytes = if extension_of(path) == "svg" {
            self.svg().into_bytes()
        } else {
            let picture = raster::picture(&layout::lay_out(self));
            png_bytes(&picture).map_err(|error| output.refuse(error.to_string()))?
        };
        output.append(&bytes)?;
        output.finish()
    }
}

fn extension_of(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
