//! What physics says holds for cloth whatever computes it; most of these laws run over every
//! integrator, and those of limits over every limiter too.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod catenary;
mod changing_loads;
mod convergence;
mod energy;
mod free_fall;
mod guides;
mod hands;
mod momentum;
mod outside;
mod pendulum;
mod pins;
mod pulls;
mod reactions;
mod resume;
mod setup;
mod stability;
mod step_control;
mod symmetry;
mod units;
mod wind;
