//! What an element of N particles contributes to the implicit system.

use glam::{DMat3, DVec3};

/// Derivatives of an element, on its N corners.
#[derive(Clone, Copy, Debug)]
pub struct Local<const N: usize> {
    /// Gradient of the energy: the force with the sign turned \[N\].
    pub gradient: [DVec3; N],
    /// Second derivatives of the energy, made positive semidefinite \[N/m\].
    pub hessian: Blocks<N>,
    /// How damping forces grow with velocities, with the sign turned \[N·s/m\].
    pub damping: Blocks<N>,
}

impl<const N: usize> Default for Local<N> {
    fn default() -> Self {
        let blocks = Blocks([[DMat3::ZERO; N]; N]);
        Self { gradient: [DVec3::ZERO; N], hessian: blocks, damping: blocks }
    }
}

/// A symmetric matrix of 3×3 blocks, of which the lower triangle is kept.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<const N: usize>([[DMat3; N]; N]);

impl<const N: usize> Blocks<N> {
    /// Adds to the block in row i and column j ≤ i.
    pub fn add(&mut self, i: usize, j: usize, block: DMat3) {
        self.0[i][j] += block;
    }

    /// The block in row i and column j.
    pub fn block(&self, i: usize, j: usize) -> DMat3 {
        if j <= i { self.0[i][j] } else { self.0[j][i].transpose() }
    }
}

/// a bᵀ
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    use super::*;

    /// N displacements of up to `size` along each axis.
    pub fn places<const N: usize>(size: f64) -> impl Strategy<Value = [DVec3; N]> {
        prop::collection::vec(prop::array::uniform3(-size..size), N)
            .prop_map(|v| std::array::from_fn(|i| DVec3::from(v[i])))
    }

    /// Checks an element in one configuration: gradient against differences of the energy, zero
    /// net force and torque, symmetric blocks, and a Hessian and damping without negative
    /// curvature along a few directions.
    pub fn check_element<const N: usize>(
        at: [DVec3; N],
        energy: impl Fn(&[DVec3; N]) -> f64,
        derivatives: impl Fn(&[DVec3; N]) -> Local<N>,
    ) -> Result<(), TestCaseError> {
        let local = derivatives(&at);
        let scale: f64 = 1.0 + local.gradient.iter().map(|g| g.length()).sum::<f64>();
        let e = 1e-6;
        for i in 0..N {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let moved = |sign: f64| {
                    let mut moved = at;
                    moved[i] += axis * (sign * e);
                    energy(&moved)
                };
                let numeric = (moved(1.0) - moved(-1.0)) / (2.0 * e);
                let exact = local.gradient[i].dot(axis);
                prop_assert!((numeric - exact).abs() < 1e-5 * scale, "{numeric} {exact}");
            }
        }
        let force: DVec3 = local.gradient.iter().sum();
        let torque: DVec3 = (0..N).map(|i| at[i].cross(local.gradient[i])).sum();
        prop_assert!(force.length() < 1e-10 * scale && torque.length() < 1e-10 * scale);
        for k in 0..8 * N {
            // Directions that are no axes: digits of the golden ratio.
            let direction: [DVec3; N] = std::array::from_fn(|i| {
                let digit =
                    |n: usize| ((k * 3 * N + 3 * i + n) as f64 * 0.618_033_988_7).fract() - 0.5;
                DVec3::new(digit(0), digit(1), digit(2))
            });
            for blocks in [&local.hessian, &local.damping] {
                let curvature: f64 = (0..N)
                    .flat_map(|i| (0..N).map(move |j| (i, j)))
                    .map(|(i, j)| direction[i].dot(blocks.block(i, j) * direction[j]))
                    .sum();
                prop_assert!(curvature > -1e-9 * scale, "{curvature}");
            }
        }
        for i in 0..N {
            let block = local.hessian.block(i, i);
            prop_assert!((block - block.transpose()).abs_diff_eq(DMat3::ZERO, 1e-9 * scale));
        }
        Ok(())
    }
}
