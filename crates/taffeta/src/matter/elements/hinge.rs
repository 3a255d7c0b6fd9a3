//! The angle between two triangles that share an edge (BW98 §4.4).
//!
//! The paper gives each edge a stiffness of its own, which makes cloth softer or stiffer with the
//! direction it bends in against the mesh. Here the moments come from the whole plate (see
//! [`Bending`](crate::matter::elements::Bending)); a hinge turns its moment into forces, and bounds how
//! they grow.

use glam::DVec3;

use super::local::{Local, outer};

/// An edge that resists bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The ends of the edge, then the far corners of the triangles to its left and right.
    pub corners: [u32; 4],
    /// Angle at rest \[rad\].
    pub rest_angle: f64,
    /// Bound on the stiffness: what implicit steps take for it \[N·m\].
    pub stiffness: f64,
    /// Moment per rate of the angle \[N·m·s\].
    pub damping: f64,
}

impl Hinge {
    /// The angle between the normals \[rad\]: zero when flat, positive when the far corners rise
    /// against the normals. Zero if a triangle has no area.
    pub fn angle(at: &[DVec3; 4]) -> f64 {
        Wings::of(at).angle()
    }

    /// How far the angle is from that at rest \[rad\], in (−π, π].
    pub fn bend(&self, at: &[DVec3; 4]) -> f64 {
        wrapped(Self::angle(at) - self.rest_angle)
    }

    /// How far the angle is from that at rest, and the gradient of the angle: both at one look.
    pub(crate) fn bend_and_slope(&self, at: &[DVec3; 4]) -> (f64, [DVec3; 4]) {
        let wings = Wings::of(at);
        (wrapped(wings.angle() - self.rest_angle), wings.slope(at))
    }

    /// Gradient of the angle by the four corners \[1/m\]; zero if a triangle has no area.
    pub(crate) fn angle_gradient(at: &[DVec3; 4]) -> [DVec3; 4] {
        Wings::of(at).slope(at)
    }

    /// Gradient of the energy under this moment \[N·m\] of the hinge \[N\], a positive
    /// semidefinite bound on its Hessian \[N/m\], and the damping matrix \[N·s/m\], on the corners.
    ///
    /// The bound is k·∇θ∇θᵀ: the term with ∇²θ is indefinite and left out.
    pub fn derivatives(&self, at: &[DVec3; 4], moment: f64) -> Local<4> {
        let mut local = Local::default();
        let slope = Self::angle_gradient(at);
        for i in 0..4 {
            local.gradient[i] = slope[i] * moment;
            for j in 0..=i {
                let block = outer(slope[i], slope[j]);
                local.hessian.add(i, j, block * self.stiffness);
                local.damping.add(i, j, block * self.damping);
            }
        }
        local
    }
}

/// The edge of a hinge, its length, and twice the areas to its left and right.
struct Wings {
    edge: DVec3,
    length: f64,
    left: DVec3,
    right: DVec3,
}

impl Wings {
    #[inline]
    fn of(at: &[DVec3; 4]) -> Self {
        let edge = at[1] - at[0];
        let (left, right) = (edge.cross(at[2] - at[0]), (at[3] - at[0]).cross(edge));
        Self { edge, length: edge.length(), left, right }
    }

    #[inline]
    fn angle(&self) -> f64 {
        let Self { edge, length, left, right } = self;
        libm::atan2(left.cross(*right).dot(*edge), left.dot(*right) * length)
    }

    #[inline]
    fn slope(&self, at: &[DVec3; 4]) -> [DVec3; 4] {
        let Self { edge, length, left, right } = *self;
        let (left2, right2) = (left.length_squared(), right.length_squared());
        let length2 = edge.length_squared();
        if length2 == 0.0 || left2 == 0.0 || right2 == 0.0 {
            return [DVec3::ZERO; 4];
        }
        // A far corner moves the angle by one over its height; the ends take it up between them,
        // by the share at which each far corner projects onto the edge.
        let (far_left, far_right) = (-left * (length / left2), -right * (length / right2));
        let share = |far: DVec3| (far - at[0]).dot(edge) / length2;
        let (s, t) = (share(at[2]), share(at[3]));
        let first = -far_left * (1.0 - s) - far_right * (1.0 - t);
        [first, -far_left * s - far_right * t, far_left, far_right]
    }
}

/// An angle brought back into (−π, π].
fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    const HINGE: Hinge =
        Hinge { corners: [0, 1, 2, 3], rest_angle: 0.3, stiffness: 2.0, damping: 2e-2 };

    fn flat() -> [DVec3; 4] {
        [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 0.1, 0.0),
            DVec3::new(0.4, 0.8, 0.0),
            DVec3::new(0.5, -0.9, 0.0),
        ]
    }

    proptest! {
        #[test]
        fn a_moment_pulls_along_the_gradient_of_the_angle(
            shake in places::<4>(0.35),
            moment in -3.0..3.0f64,
        ) {
            let at = [0, 1, 2, 3].map(|i| flat()[i] + shake[i]);
            let energy = |x: &[DVec3; 4]| moment * HINGE.bend(x);
            check_element(at, energy, |x| HINGE.derivatives(x, moment))?;
        }
    }

    #[test]
    fn the_angle_is_that_between_the_normals() {
        assert!(Hinge::angle(&flat()).abs() < 1e-15);
        for angle in [-2.0f64, -0.5, 0.1, 1.5, 3.0] {
            let (sin, cos) = libm::sincos(angle);
            let at = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.2, -cos, -sin)];
            let found = Hinge::angle(&at);
            assert!((found.abs() - angle.abs()).abs() < 1e-12, "{angle}: {found}");
            // Both ways to fold are told apart.
            let other = [at[0], at[1], at[2], DVec3::new(0.2, -cos, sin)];
            assert!((found + Hinge::angle(&other)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_triangle_without_area_does_no_harm() {
        let at = [DVec3::ZERO, DVec3::X, DVec3::X * 0.5, DVec3::Y];
        assert!(HINGE.derivatives(&at, 1.0).gradient.iter().all(|g| g.is_finite()));
    }
}
