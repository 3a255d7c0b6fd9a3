//! A tie: two particles that are to be a given way apart, in direction too. Warp and weft of a split
//! crossing, with the friction between them.

use glam::{DMat3, DVec3};

use super::local::Local;

/// A spring between two particles whose rest is a vector, not a length: the `offset` \[m\] from the
/// second to the first, which changes as they slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The particles.
    pub ends: [u32; 2],
    /// Force per way \[N/m\], in every direction.
    pub stiffness: f64,
}

impl Tie {
    /// Elastic energy \[J\] with the ends at these places.
    pub fn energy(&self, offset: DVec3, [a, b]: [DVec3; 2]) -> f64 {
        0.5 * self.stiffness * (a - b - offset).length_squared()
    }

    /// The force on the first end \[N\]; the second feels its opposite.
    pub fn force(&self, offset: DVec3, [a, b]: [DVec3; 2]) -> DVec3 {
        (offset - (a - b)) * self.stiffness
    }

    /// Gradient and Hessian of the energy.
    pub fn derivatives(&self, offset: DVec3, at: [DVec3; 2]) -> Local<2> {
        let mut local = Local::default();
        let gradient = -self.force(offset, at);
        local.gradient = [gradient, -gradient];
        let block = DMat3::from_diagonal(DVec3::splat(self.stiffness));
        for (i, j, sign) in [(0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0)] {
            local.hessian.add(i, j, block * sign);
        }
        local
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::places;

    const OFFSET: DVec3 = DVec3::new(0.1, -0.2, 0.3);
    const TIE: Tie = Tie { ends: [0, 1], stiffness: 40.0 };

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(at in places::<2>(1.0), way in places::<2>(1.0)) {
            let local = TIE.derivatives(OFFSET, at);
            let moved = |e: f64| [at[0] + way[0] * e, at[1] + way[1] * e];
            let slope = local.gradient[0].dot(way[0]) + local.gradient[1].dot(way[1]);
            let differences = (TIE.energy(OFFSET, moved(1e-5)) - TIE.energy(OFFSET, moved(-1e-5))) / 2e-5;
            prop_assert!((slope - differences).abs() < 1e-6 * (1.0 + slope.abs()));
            // The energy is quadratic: its Hessian tells it exactly.
            let curvature: f64 = (0..2)
                .flat_map(|i| (0..2).map(move |j| (i, j)))
                .map(|(i, j)| way[i].dot(local.hessian.block(i, j) * way[j]))
                .sum();
            let expected = TIE.energy(OFFSET, at) + slope + 0.5 * curvature;
            prop_assert!((TIE.energy(OFFSET, moved(1.0)) - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }
}
