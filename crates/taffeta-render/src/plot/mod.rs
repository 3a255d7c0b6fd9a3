//! Plots: curves over time, as SVG or PNG, without any font of the system.

mod figure;
mod layout;
mod raster;
mod svg;
mod ticks;

pub use figure::{Figure, PLOT_FORMATS, Panel, Series};
