//! Taffeta simulates woven cloth.

pub mod frame;
pub mod mesh;

pub use frame::Frame;
pub use mesh::Mesh;
