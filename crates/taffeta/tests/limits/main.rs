//! Strain limits and what keeps them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod constraints;
mod every_limiter;
mod soft;
mod strips;
mod strips_friction;
mod strips_taut;
mod together;
