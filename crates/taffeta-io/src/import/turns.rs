//! Turns in space, with the same bits everywhere.

use glam::DQuat;

/// A turn about the axis of this number [rad].
pub(super) fn about(axis: usize, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let mut turn = [0.0, 0.0, 0.0, cos];
    turn[axis] = sin;
    DQuat::from_array(turn)
}

/// How far two turns are from each other [rad].
pub(super) fn angle(a: DQuat, b: DQuat) -> f64 {
    2.0 * libm::acos(a.dot(b).abs().min(1.0))
}

/// From one turn to another at constant speed, the shorter way around.
pub(super) fn slerp(from: DQuat, to: DQuat, share: f64) -> DQuat {
    let cosine = from.dot(to);
    let (to, cosine) = if cosine < 0.0 { (-to, -cosine) } else { (to, cosine) };
    // Turns so close are on a line.
    if cosine > 1.0 - 1e-9 {
        return (from * (1.0 - share) + to * share).normalize();
    }
    let angle = libm::acos(cosine);
    (from * libm::sin((1.0 - share) * angle) + to * libm::sin(share * angle))
        * (1.0 / libm::sin(angle))
}
