//! Particle constraints (BW98 §5, Ye08 §5): one mechanism for pins now and contacts later.

use glam::DVec3;
use taffeta_linalg::Filter;

/// What a step prescribes for one particle: S, z and y of BW98.
///
/// A free particle has no constraint at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The particle.
    pub particle: u32,
    /// S: the directions in which it is free.
    pub filter: Filter,
    /// z: the change of velocity along the held directions \[m/s\].
    pub velocity_change: DVec3,
    /// y: what is added to the step's displacement, so that the particle lands where it is
    /// wanted without a kick (BW98 eq. 17–18) \[m\].
    pub correction: DVec3,
}
