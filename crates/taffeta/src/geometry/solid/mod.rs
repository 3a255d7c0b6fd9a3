//! Solids: bodies that cloth lies on, hits and slides over.
//!
//! A solid moves as it is told and feels nothing of the cloth. Its shape lives in a frame of its
//! own; what happens in a step is looked at from there, where a rigid solid rests, so that a body
//! which turns or flies past is no harder than one that stands.

mod draw;
mod edges;
mod mesh;
mod placed;
mod posed;
mod primitive;
mod problems;
mod sign;
mod surface;
mod sweep;

use crate::geometry::mesh::Mesh;
use crate::geometry::motion::Motion;
use crate::geometry::pose::Pose;

pub use mesh::{Flaws, SolidMesh, SolidMeshError, SolidMeshKey};
pub use primitive::Shape;
pub use problems::SolidProblem;

pub(crate) use edges::SharpParts;
pub(crate) use placed::{Approach, Outset, Placed};
pub(crate) use posed::PosedSolids;
pub(crate) use surface::SolidSurface;

/// A particle may be nearer than the distance it keeps by this share of it before it gets a
/// contact, which then brings it to the whole distance: what just lifts off is not caught again.
pub const EASE: f64 = 0.01;

/// Besides that, by so much \[m\].
pub const SLACK: f64 = 1e-9;

/// The speed at which a particle that starts inside a solid is led out of it \[m/s\].
pub const LEAD_OUT: f64 = 0.25;

/// A body that cloth cannot enter.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// Where it is before its motion begins.
    pub pose: Pose,
    /// How it moves.
    pub motion: Motion,
    /// The distance that cloth keeps from its surface \[m\].
    pub thickness: f64,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Where cloth is kept.
    pub side: Side,
}

/// On which side of a solid's surface cloth is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outside: the usual body.
    Outside,
    /// Inside: a container.
    Inside,
    /// Each particle on the side it is on: a shell.
    Both,
}

impl Solid {
    /// A shape that rests at a pose, with a millimetre of distance and some friction.
    pub fn resting(shape: Shape, pose: Pose) -> Self {
        Self {
            shape,
            pose,
            motion: Motion::still(),
            thickness: 1e-3,
            friction: 0.3,
            side: Side::Outside,
        }
    }

    /// Its surface as a mesh at a time, for pictures and exports.
    pub fn surface_at(&self, time: f64) -> Mesh {
        let pose = self.pose_at(time);
        let mut mesh = self.shape.mesh_at(time);
        mesh.positions.iter_mut().for_each(|p| *p = pose.apply(*p));
        mesh
    }

    /// Where it is at a time.
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose(time).after(&self.pose)
    }
}

impl Side {
    /// What makes a signed distance the distance on the allowed side: 1 outside, −1 inside.
    pub(crate) fn sign(self, distance: f64) -> f64 {
        match self {
            Self::Outside => 1.0,
            Self::Inside => -1.0,
            Self::Both => f64::from(i8::from(distance >= 0.0) * 2 - 1),
        }
    }
}
