//! Vectors in single precision, as files hold them.

use glam::{DVec3, Vec3};

/// Vectors rounded to single precision.
pub(super) fn singles(vectors: &[DVec3]) -> impl Iterator<Item = Vec3> {
    vectors.iter().map(|vector| vector.as_vec3())
}

/// The numbers of vectors one after another, low byte first.
pub(super) fn bytes(vectors: impl IntoIterator<Item = Vec3>) -> Vec<u8> {
    vectors.into_iter().flat_map(|vector| vector.to_array()).flat_map(f32::to_le_bytes).collect()
}

/// The least and the greatest corner of the box around points; the origin twice if there are none.
pub(super) fn bounds(points: impl IntoIterator<Item = Vec3>) -> [Vec3; 2] {
    let mut points = points.into_iter();
    let first = points.next().unwrap_or_default();
    points.fold([first; 2], |[least, greatest], point| [least.min(point), greatest.max(point)])
}
