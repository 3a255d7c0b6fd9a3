//! A frame: what a run shows the world at one moment.

use glam::DVec3;

use crate::geometry::mesh::Faces;
use crate::matter::model::{Cloth, Yarns};

/// The cloth at one frame time, borrowed from whoever holds it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The frame's number on the user's time line.
    pub number: u32,
    /// Simulated time \[s\].
    pub time: f64,
    /// Counts the changes of topology so far; equal revisions have equal faces.
    pub revision: u64,
    /// The faces, by particle number.
    pub faces: &'a Faces,
    /// Particle positions \[m\].
    pub positions: &'a [DVec3],
    /// Particle velocities \[m/s\].
    pub velocities: &'a [DVec3],
    /// The yarns, if the cloth is woven of yarns that can tear.
    pub yarns: Option<&'a Yarns>,
    /// The cloths it was put together from; none of a single one without a name.
    pub cloths: &'a [Cloth],
}
