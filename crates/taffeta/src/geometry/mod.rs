//! Geometry: places and shapes, and where they are near each other, touch or cut. No cloth model, no
//! step.

pub mod collision;
pub(crate) mod detection;
pub mod guide;
pub mod mesh;
pub(crate) mod motion;
pub(crate) mod pose;
pub mod solid;
