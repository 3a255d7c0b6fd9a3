//! A skinned piece in the pose that its skeleton has in the file.

use glam::{DMat4, DVec3};
use gltf::{Primitive, Semantic, Skin};

use super::super::Fault;
use super::accessor;
use super::buffers::Buffers;
use super::primitive::{Piece, check_count, read_attribute};

/// Moves the vertices with their joints: the weighted sum of what each joint would do (linear
/// blend skinning, glTF 2.0 §3.7.3). The node of a skinned mesh does not move it.
pub(super) fn pose(
    piece: &mut Piece,
    primitive: &Primitive,
    skin: &Skin,
    (places, buffers): (&[Option<DMat4>], &mut Buffers),
) -> Result<(), Fault> {
    let matrices = joint_matrices(skin, places, buffers)?;
    let rest = std::mem::take(&mut piece.positions);
    let mut posed = vec![DVec3::ZERO; rest.len()];
    for set in 0.. {
        let Some(joints) = read_attribute(primitive, &Semantic::Joints(set), buffers)? else {
            if set == 0 {
                return Err(Fault::missing("the attribute JOINTS_0 of a skinned mesh"));
            }
            break;
        };
        let weights = read_attribute::<4>(primitive, &Semantic::Weights(set), buffers)?
            .ok_or_else(|| Fault::missing(format!("the attribute WEIGHTS_{set}")))?;
        check_count("joints", joints.len(), rest.len())?;
        check_count("weights", weights.len(), rest.len())?;
        for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
            posed[vertex] += blend(rest[vertex], joints, weights, &matrices)?;
        }
    }
    piece.positions = posed;
    Ok(())
}

fn blend(
    at: DVec3,
    joints: &[f64; 4],
    weights: &[f64; 4],
    matrices: &[DMat4],
) -> Result<DVec3, Fault> {
    let mut sum = DVec3::ZERO;
    for (&joint, &weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let matrix = matrices.get(joint as usize).ok_or(Fault::OutOfRange {
            what: "joint",
            number: joint as i64,
            count: matrices.len(),
        })?;
        sum += weight * matrix.transform_point3(at);
    }
    Ok(sum)
}

/// What each joint does to a vertex: from the bind pose to where the joint is now.
fn joint_matrices(
    skin: &Skin,
    places: &[Option<DMat4>],
    buffers: &mut Buffers,
) -> Result<Vec<DMat4>, Fault> {
    let inverse_binds = skin.inverse_bind_matrices();
    let inverse_binds =
        inverse_binds.map(|accessor| accessor::read::<16>(&accessor, buffers)).transpose()?;
    let joints = skin.joints().enumerate().map(|(number, joint)| {
        let missing =
            || Fault::missing(format!("joint {} of the skin in the scene", joint.index()));
        let place = places[joint.index()].ok_or_else(missing)?;
        let Some(inverse_binds) = &inverse_binds else { return Ok(place) };
        let inverse_bind = inverse_binds
            .get(number)
            .ok_or_else(|| Fault::missing(format!("the inverse bind matrix of joint {number}")))?;
        Ok(place * DMat4::from_cols_array(inverse_bind))
    });
    joints.collect()
}
