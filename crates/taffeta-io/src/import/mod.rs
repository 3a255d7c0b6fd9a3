//! Meshes in.
