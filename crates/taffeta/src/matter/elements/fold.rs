//! The bending element of Bridson, Marino & Fedkiw 2003, which YWG05 takes: the angle between two
//! triangles, with a force in proportion to sin(θ/2).
//!
//! Their factor |e|²/(|N₁| + |N₂|) is taken at rest, so that the force has an energy.

use glam::DVec3;

use super::condition::{Condition, Response};
use super::hinge::Hinge;

/// An edge between two triangles that resists folding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// The ends of the edge, then the far corners of the triangles to its left and right.
    pub corners: [u32; 4],
    /// Length of the gradient of the angle at each corner, at rest \[1/m\].
    pub gradient: [f64; 4],
    /// Angle between the normals at rest \[rad\].
    pub rest_angle: f64,
    /// Moment per angle \[N·m\] where it is flat.
    pub stiffness: f64,
    /// Damping \[s\].
    pub damping: f64,
}

impl Condition<4> for Fold {
    fn corners(&self) -> [u32; 4] {
        self.corners
    }

    fn measure(&self, at: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
        (Hinge::angle(at), Hinge::angle_gradient(at))
    }

    /// Slope 2k·(sin(θ/2) − sin(θ₀/2)), which is k·(θ − θ₀) where it is nearly flat.
    fn response(&self, angle: f64) -> Response {
        let (sin, cos) = libm::sincos(0.5 * angle);
        let (rest_sin, rest_cos) = libm::sincos(0.5 * self.rest_angle);
        let k = self.stiffness;
        let energy = 4.0 * (rest_cos - cos) - 2.0 * rest_sin * (angle - self.rest_angle);
        Response {
            energy: k * energy,
            slope: 2.0 * k * (sin - rest_sin),
            stiffness: k * cos.max(0.0),
        }
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn stiffest(&self) -> f64 {
        self.stiffness
    }

    fn gradient_at_rest(&self) -> [f64; 4] {
        self.gradient
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    fn flat() -> [DVec3; 4] {
        [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 0.1, 0.0),
            DVec3::new(0.4, 0.8, 0.0),
            DVec3::new(0.5, -0.9, 0.0),
        ]
    }

    fn fold(rest_angle: f64) -> Fold {
        let gradient = Hinge::angle_gradient(&flat()).map(DVec3::length);
        Fold { corners: [0, 1, 2, 3], gradient, rest_angle, stiffness: 2.0, damping: 1e-2 }
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(shake in places::<4>(0.35), rest in -1.0..1.0f64) {
            let at = [0, 1, 2, 3].map(|i| flat()[i] + shake[i]);
            let fold = fold(rest);
            check_element(at, |x| fold.energy(x), |x| fold.derivatives(x))?;
        }
    }

    #[test]
    fn it_is_at_rest_at_its_angle_and_stiffest_when_flat() {
        for rest in [-0.7, 0.0, 1.2] {
            let response = fold(rest).response(rest);
            assert!(response.energy.abs() < 1e-15 && response.slope.abs() < 1e-15);
            assert!(fold(rest).response(rest + 1e-3).energy > 0.0);
            assert!(fold(rest).response(rest - 1e-3).energy > 0.0);
        }
        assert_eq!(fold(0.0).response(0.0).stiffness, 2.0);
    }
}
