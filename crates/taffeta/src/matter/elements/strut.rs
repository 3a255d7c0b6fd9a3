//! A spring that resists compression only: the shear springs of MBCN09 §3.2.

use glam::DVec3;

use super::condition::{Condition, Response, distance};

/// A spring that pushes when it is too short and goes slack when it is too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strut {
    /// The particles at its ends.
    pub ends: [u32; 2],
    /// Length from which on it is slack \[m\].
    pub rest_length: f64,
    /// Force per compression \[N/m\].
    pub stiffness: f64,
    /// Damping while compressed \[s\].
    pub damping: f64,
}

impl Condition<2> for Strut {
    fn corners(&self) -> [u32; 2] {
        self.ends
    }

    fn measure(&self, at: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
        distance(at)
    }

    fn response(&self, length: f64) -> Response {
        let longer = length - self.rest_length;
        if longer >= 0.0 {
            return Response::default();
        }
        let slope = self.stiffness * longer;
        Response { energy: 0.5 * slope * longer, slope, stiffness: self.stiffness }
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn stiffest(&self) -> f64 {
        self.stiffness
    }

    fn gradient_at_rest(&self) -> [f64; 2] {
        [1.0, 1.0]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    const STRUT: Strut = Strut { ends: [0, 1], rest_length: 1.0, stiffness: 40.0, damping: 1e-2 };

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(at in places::<2>(1.0)) {
            prop_assume!(at[0].distance(at[1]) > 0.1);
            check_element(at, |x| STRUT.energy(x), |x| STRUT.derivatives(x))?;
        }
    }

    #[test]
    fn it_pushes_but_never_pulls() {
        let forces = |length: f64| {
            STRUT.forces(&[DVec3::ZERO, DVec3::X * length], &[DVec3::ZERO, DVec3::X * 9.0])
        };
        assert_eq!(forces(1.2), [DVec3::ZERO; 2]);
        assert!(forces(0.8)[1].x > 0.0 && forces(0.8)[0] == -forces(0.8)[1]);
        assert_eq!(forces(0.0), [DVec3::ZERO; 2]);
    }
}
