//! Collision: where pieces of surface are near each other, where they will touch, and where they
//! already cut each other.

mod bounds;
pub mod ccd;
mod hierarchy;
mod intersections;
mod proximity;
mod surface;

pub use bounds::Bounds;
pub use hierarchy::{Hierarchy, Pairs};
pub use intersections::{Intersection, cuts, intersections};
pub use proximity::{Closest, Pairing, edge_edge, point_segment, point_triangle};
pub use surface::Surface;
pub(crate) use surface::top;
