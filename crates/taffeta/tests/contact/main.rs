//! Cloth against solids and against itself, and the geometry that finds what meets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod ccd;
mod friction;
mod hierarchy;
mod intersections;
mod self_contact;
mod settling;
mod solid_meshes;
mod solids;
mod spikes;
mod tangles;
