//! The angular shear spring of YWG05 §2: the corner of a quad resists a change of its angle.

use glam::DVec3;

use super::condition::{Condition, Response};

/// The angle at one particle between two others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The two others, then the particle at the corner: x₁, x₂ and x₃ of the paper.
    pub corners: [u32; 3],
    /// Distances of the two others from the corner at rest \[m\].
    pub sides: [f64; 2],
    /// Angle at rest \[rad\]; the paper's is always π/2.
    pub rest_angle: f64,
    /// Moment per angle \[N·m\].
    pub stiffness: f64,
    /// Damping \[s\].
    pub damping: f64,
}

impl Corner {
    /// The angle at the third point \[rad\], 0 to π.
    pub fn angle(at: &[DVec3; 3]) -> f64 {
        let (first, second) = (at[0] - at[2], at[1] - at[2]);
        libm::atan2(first.cross(second).length(), first.dot(second))
    }
}

impl Condition<3> for Corner {
    fn corners(&self) -> [u32; 3] {
        self.corners
    }

    /// The paper's u₁, u₂ and u₃ = −u₁ − u₂. A corner folded flat has no plane to open in, and no
    /// gradient.
    fn measure(&self, at: &[DVec3; 3]) -> (f64, [DVec3; 3]) {
        let (first, second) = (at[0] - at[2], at[1] - at[2]);
        let normal = first.cross(second);
        let (area, dot) = (normal.length(), first.dot(second));
        let angle = libm::atan2(area, dot);
        if area == 0.0 {
            return (angle, [DVec3::ZERO; 3]);
        }
        let u1 = first.cross(normal) / (area * first.length_squared());
        let u2 = normal.cross(second) / (area * second.length_squared());
        (angle, [u1, u2, -u1 - u2])
    }

    /// The paper's force k·cos θ·u, for any angle at rest: k·sin(θ₀ − θ)·u.
    fn response(&self, angle: f64) -> Response {
        let (sin, cos) = libm::sincos(angle - self.rest_angle);
        let k = self.stiffness;
        Response { energy: k * (1.0 - cos), slope: k * sin, stiffness: k * cos.max(0.0) }
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn stiffest(&self) -> f64 {
        self.stiffness
    }

    fn gradient_at_rest(&self) -> [f64; 3] {
        let [a, b] = self.sides.map(|side| 1.0 / side);
        [a, b, a + b]
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    const CORNER: Corner = Corner {
        corners: [0, 1, 2],
        sides: [1.0, 0.8],
        rest_angle: FRAC_PI_2,
        stiffness: 3.0,
        damping: 1e-2,
    };

    fn open(angle: f64) -> [DVec3; 3] {
        let (sin, cos) = libm::sincos(angle);
        [DVec3::X, DVec3::new(0.8 * cos, 0.8 * sin, 0.0), DVec3::ZERO]
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(shake in places::<3>(0.3)) {
            let at = [0, 1, 2].map(|i| open(1.3)[i] + shake[i]);
            check_element(at, |x| CORNER.energy(x), |x| CORNER.derivatives(x))?;
        }

        #[test]
        fn damping_takes_energy_away(shake in places::<3>(0.3), v in places::<3>(1.0)) {
            let at = [0, 1, 2].map(|i| open(1.3)[i] + shake[i]);
            let still = CORNER.forces(&at, &[DVec3::ZERO; 3]);
            let moving = CORNER.forces(&at, &v);
            let power: f64 = (0..3).map(|i| (moving[i] - still[i]).dot(v[i])).sum();
            prop_assert!(power <= 1e-12);
        }
    }

    /// YWG05: the force is k·cos θ times the gradient of the angle.
    #[test]
    fn the_force_is_that_of_the_paper() {
        for angle in [0.4, 1.0, FRAC_PI_2, 2.3] {
            let (measured, gradient) = CORNER.measure(&open(angle));
            assert!((measured - angle).abs() < 1e-14);
            let forces = CORNER.forces(&open(angle), &[DVec3::ZERO; 3]);
            for i in 0..3 {
                let expected = gradient[i] * (3.0 * libm::cos(angle));
                assert!((forces[i] - expected).length() < 1e-12, "{angle}");
            }
        }
    }

    #[test]
    fn a_corner_folded_flat_does_no_harm() {
        let folded = [DVec3::X, DVec3::X * 0.5, DVec3::ZERO];
        assert!(CORNER.forces(&folded, &[DVec3::Y; 3]).iter().all(|f| *f == DVec3::ZERO));
    }
}
