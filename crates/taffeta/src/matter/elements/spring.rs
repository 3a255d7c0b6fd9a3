//! The linear damped spring between two particles (Ye08 §3, MBCN09 §3.2).

use glam::{DMat3, DVec3};

use super::local::{Local, outer};

/// A spring that resists stretch and compression alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The particles at its ends.
    pub ends: [u32; 2],
    /// Length without force \[m\].
    pub rest_length: f64,
    /// Force per change of length \[N/m\].
    pub stiffness: f64,
    /// Force per rate of change of length \[N·s/m\].
    pub damping: f64,
}

impl Spring {
    /// Elastic energy \[J\] with the second end at `offset` from the first.
    pub fn energy(&self, offset: DVec3) -> f64 {
        let stretch = offset.length() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }

    /// Force \[N\] on the first end, elastic and damping; the second end feels its opposite.
    ///
    /// `offset` and `rate` are the second end's position and velocity minus the first's. A spring
    /// of no length has no direction and no force.
    pub fn force(&self, offset: DVec3, rate: DVec3) -> DVec3 {
        let length = offset.length();
        if length == 0.0 {
            return DVec3::ZERO;
        }
        // One division for the whole spring: divisions are what a step spends its time on.
        let inverse = 1.0 / length;
        let tension = self.stiffness * (length - self.rest_length)
            + self.damping * rate.dot(offset) * inverse;
        offset * (tension * inverse)
    }

    /// Gradient of the energy, its Hessian made positive semidefinite, and the damping matrix, on
    /// the two ends with the second at `offset` from the first.
    pub fn derivatives(&self, offset: DVec3) -> Local<2> {
        let mut local = Local::default();
        let length = offset.length();
        if length == 0.0 {
            return local;
        }
        let direction = offset / length;
        let along = outer(direction, direction);
        // A stretched spring also holds across its direction; a compressed one would push away.
        let across = (1.0 - self.rest_length / length).max(0.0);
        let hessian = (along + (DMat3::IDENTITY - along) * across) * self.stiffness;
        let damping = along * self.damping;
        let gradient = direction * (self.stiffness * (length - self.rest_length));
        local.gradient = [-gradient, gradient];
        for (i, j, sign) in [(0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0)] {
            local.hessian.add(i, j, hessian * sign);
            local.damping.add(i, j, damping * sign);
        }
        local
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    const SPRING: Spring = Spring { ends: [0, 1], rest_length: 0.7, stiffness: 30.0, damping: 0.4 };

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0f64).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn force_is_minus_the_gradient_of_energy(offset in vector()) {
            prop_assume!(offset.length() > 0.1);
            let e = 1e-6;
            let gradient = DVec3::from([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
                (SPRING.energy(offset + axis * e) - SPRING.energy(offset - axis * e)) / (2.0 * e)
            }));
            // The gradient by the second end's position is the force on the first end.
            let force = SPRING.force(offset, DVec3::ZERO);
            prop_assert!((gradient - force).length() < 1e-7 * (1.0 + force.length()));
        }

        #[test]
        fn derivatives_are_those_of_the_energy(places in places::<2>(2.0)) {
            prop_assume!((places[1] - places[0]).length() > 0.1);
            let energy = |x: &[DVec3; 2]| SPRING.energy(x[1] - x[0]);
            check_element(places, energy, |x| SPRING.derivatives(x[1] - x[0]))?;
        }

        #[test]
        fn damping_takes_energy_away(offset in vector(), rate in vector()) {
            prop_assume!(offset.length() > 0.1);
            let damping = SPRING.force(offset, rate) - SPRING.force(offset, DVec3::ZERO);
            prop_assert!(damping.dot(rate) >= -1e-12);
        }

        #[test]
        fn rigid_motion_makes_no_force(offset in vector(), spin in vector()) {
            prop_assume!(offset.length() > 0.1);
            let at_rest = offset.normalize() * SPRING.rest_length;
            let turned = DMat3::from_rotation_y(spin.x) * at_rest;
            let force = SPRING.force(turned, spin.cross(turned));
            prop_assert!(force.length() < 1e-12, "{force}");
        }

        #[test]
        fn force_is_central_so_torque_is_zero(offset in vector(), rate in vector()) {
            let force = SPRING.force(offset, rate);
            prop_assert!(offset.cross(force).length() < 1e-12 * (1.0 + force.length()));
        }
    }

    #[test]
    fn a_collapsed_spring_has_no_force() {
        assert_eq!(SPRING.force(DVec3::ZERO, DVec3::X), DVec3::ZERO);
    }
}
