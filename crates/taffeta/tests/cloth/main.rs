//! How cloth of every model bends, stretches, drapes and tears.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod bending;
mod coarse;
mod continuum;
mod drape;
mod grid_springs;
mod newton;
mod presets;
mod several;
mod tearing;
