//! The solids of a run: shapes, places and motions, from which they are known at every frame.

use std::sync::Arc;

use glam::DMat3;
use taffeta::solid::SolidMeshKey;
use taffeta::{Ease, Motion, MotionKey, Pose, Shape, Side, Solid, SolidMesh};

use super::codec::{Decoder, Encoder};
use super::topology_file::{decode_faces, encode_faces};

/// The solids of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solids(pub Vec<Solid>);

impl Solids {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        to.list(&self.0, |to, solid| {
            encode_shape(&solid.shape, to);
            encode_pose(&solid.pose, to);
            encode_motion(&solid.motion, to);
            to.f64(solid.thickness);
            to.f64(solid.friction);
            to.u32(solid.side as u32);
        });
        to.0
    }

    /// Reads the payload of its file; any bytes at all give a value or an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut from = Decoder(bytes);
        let solids = from.list(150, |from| {
            Ok(Solid {
                shape: decode_shape(from)?,
                pose: decode_pose(from)?,
                motion: decode_motion(from)?,
                thickness: from.f64()?,
                friction: from.f64()?,
                side: one_of(&[Side::Outside, Side::Inside, Side::Both], from.u32()?)?,
            })
        })?;
        from.finish()?;
        for (number, solid) in solids.iter().enumerate() {
            if let Some(problem) = solid.problem() {
                return Err(format!("solid {number}: {problem}"));
            }
        }
        Ok(Self(solids))
    }
}

fn encode_shape(shape: &Shape, to: &mut Encoder) {
    match *shape {
        Shape::Plane { drawn } => {
            to.u32(0);
            to.f64(drawn);
        }
        Shape::Sphere { radius } => {
            to.u32(1);
            to.f64(radius);
        }
        Shape::Capsule { radius, length } => {
            to.u32(2);
            to.f64(radius);
            to.f64(length);
        }
        Shape::Cylinder { radius, length } => {
            to.u32(3);
            to.f64(radius);
            to.f64(length);
        }
        Shape::Box { size } => {
            to.u32(4);
            to.vector(size);
        }
        Shape::Mesh(ref mesh) => {
            to.u32(5);
            encode_faces(mesh.faces(), to);
            to.list(mesh.keys(), |to, key| {
                to.f64(key.time);
                to.list(&key.positions, |to, &position| to.vector(position));
            });
        }
    }
}

fn decode_shape(from: &mut Decoder) -> Result<Shape, String> {
    Ok(match from.u32()? {
        0 => Shape::Plane { drawn: from.f64()? },
        1 => Shape::Sphere { radius: from.f64()? },
        2 => Shape::Capsule { radius: from.f64()?, length: from.f64()? },
        3 => Shape::Cylinder { radius: from.f64()?, length: from.f64()? },
        4 => Shape::Box { size: from.vector()? },
        5 => Shape::Mesh(Arc::new(decode_mesh(from)?)),
        code => return Err(format!("it has a shape of kind {code}, which is not known")),
    })
}

fn decode_mesh(from: &mut Decoder) -> Result<SolidMesh, String> {
    let faces = decode_faces(from)?;
    let keys = from.list(16, |from| {
        let time = from.f64()?;
        Ok(SolidMeshKey { time, positions: from.list(24, Decoder::vector)? })
    })?;
    SolidMesh::sequence(faces, keys).map_err(|error| error.to_string())
}

fn encode_pose(pose: &Pose, to: &mut Encoder) {
    for column in [pose.turn.x_axis, pose.turn.y_axis, pose.turn.z_axis] {
        to.vector(column);
    }
    to.f64(pose.scale);
    to.vector(pose.shift);
}

fn decode_pose(from: &mut Decoder) -> Result<Pose, String> {
    let turn = DMat3::from_cols(from.vector()?, from.vector()?, from.vector()?);
    Ok(Pose { turn, scale: from.f64()?, shift: from.vector()? })
}

fn encode_motion(motion: &Motion, to: &mut Encoder) {
    to.list(&motion.keys, |to, key| {
        to.f64(key.time);
        to.vector(key.offset);
        to.f64(key.angle);
        to.f64(key.scale);
    });
    to.u32(motion.ease as u32);
    to.vector(motion.centre);
    to.vector(motion.axis);
}

fn decode_motion(from: &mut Decoder) -> Result<Motion, String> {
    let keys = from.list(48, |from| {
        Ok(MotionKey {
            time: from.f64()?,
            offset: from.vector()?,
            angle: from.f64()?,
            scale: from.f64()?,
        })
    })?;
    let ease = one_of(&[Ease::Linear, Ease::Smooth], from.u32()?)?;
    Ok(Motion { keys, ease, centre: from.vector()?, axis: from.vector()? })
}

fn one_of<T: Copy>(all: &[T], code: u32) -> Result<T, String> {
    all.get(code as usize)
        .copied()
        .ok_or_else(|| format!("it says {code} where that means nothing"))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;

    fn moving_mesh() -> SolidMesh {
        let mesh = Shape::Box { size: DVec3::ONE }.mesh();
        let moved = mesh.positions.iter().map(|p| *p * 1.5).collect();
        let keys = vec![
            SolidMeshKey { time: 0.5, positions: mesh.positions },
            SolidMeshKey { time: 1.5, positions: moved },
        ];
        SolidMesh::sequence(mesh.faces, keys).unwrap()
    }

    fn solids() -> Solids {
        let shapes = [
            Shape::Plane { drawn: 2.0 },
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.1, length: 0.4 },
            Shape::Cylinder { radius: 0.2, length: 0.5 },
            Shape::Box { size: DVec3::new(0.1, 0.2, 0.3) },
            Shape::Mesh(Arc::new(moving_mesh())),
        ];
        let pose = Pose { turn: DMat3::from_rotation_x(0.3), scale: 2.0, shift: DVec3::ONE };
        let mut solids: Vec<Solid> =
            shapes.into_iter().map(|shape| Solid::resting(shape, pose)).collect();
        solids[1].side = Side::Inside;
        let end = MotionKey { time: 1.0, offset: DVec3::X, angle: 2.0, scale: 0.5 };
        solids[2].motion.keys = vec![MotionKey::default(), end];
        solids[3].motion = Motion { ease: Ease::Smooth, axis: DVec3::X, ..Motion::still() };
        solids[4] = Solid { side: Side::Both, friction: 0.7, thickness: 0.01, ..solids[4].clone() };
        Solids(solids)
    }

    #[test]
    fn everything_comes_back() {
        let solids = solids();
        assert_eq!(Solids::decode(&solids.encode()), Ok(solids));
    }

    proptest! {
        #[test]
        fn rubbish_is_an_error_and_never_a_panic(
            at in 0usize..1000, value in any::<u8>(), cut in 0usize..2000
        ) {
            let mut bytes = solids().encode();
            let at = at % bytes.len();
            bytes[at] = value;
            bytes.truncate(cut.max(1));
            let _ = Solids::decode(&bytes);
        }
    }
}
