//! Elements with one condition: a length or an angle q(x), and an energy φ(q).
//!
//! Force −φ′ ∇q, Hessian φ″ ∇q∇qᵀ where that is positive, damping τ φ″ ∇q∇qᵀ. What is left out of
//! the Hessian, φ′ ∇²q, is negative for the elements here or has no sign, so that the matrix of an
//! implicit step is positive definite whatever the cloth does.

use glam::DVec3;

use super::local::{Local, outer};

/// What an element answers to its measured length or angle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Energy \[J\].
    pub energy: f64,
    /// Slope of the energy: a force \[N\], or a moment \[N·m\].
    pub slope: f64,
    /// Slope of that \[N/m, or N·m\]; not negative.
    pub stiffness: f64,
}

/// An element of N particles with one condition.
pub trait Condition<const N: usize> {
    /// Its particles.
    fn corners(&self) -> [u32; N];

    /// The length \[m\] or angle \[rad\], and its gradient by the corners; a gradient of zeros
    /// where it has none.
    fn measure(&self, at: &[DVec3; N]) -> (f64, [DVec3; N]);

    /// What it answers.
    fn response(&self, measured: f64) -> Response;

    /// Damping τ \[s\].
    fn damping(&self) -> f64;

    /// The largest stiffness it can have.
    fn stiffest(&self) -> f64;

    /// How long its gradient is at each corner, at rest.
    fn gradient_at_rest(&self) -> [f64; N];

    /// Elastic energy \[J\].
    fn energy(&self, at: &[DVec3; N]) -> f64 {
        self.response(self.measure(at).0).energy
    }

    /// Force on each corner \[N\], elastic and damping.
    fn forces(&self, at: &[DVec3; N], velocities: &[DVec3; N]) -> [DVec3; N] {
        let (measured, gradient) = self.measure(at);
        let response = self.response(measured);
        let rate: f64 = gradient.iter().zip(velocities).map(|(g, v)| g.dot(*v)).sum();
        let pull = response.slope + self.damping() * response.stiffness * rate;
        gradient.map(|gradient| gradient * -pull)
    }

    /// Gradient of the energy, its Hessian made positive semidefinite, and the damping matrix.
    fn derivatives(&self, at: &[DVec3; N]) -> Local<N> {
        let mut local = Local::default();
        let (measured, gradient) = self.measure(at);
        let response = self.response(measured);
        for i in 0..N {
            local.gradient[i] = gradient[i] * response.slope;
            for j in 0..=i {
                let block = outer(gradient[i], gradient[j]) * response.stiffness;
                local.hessian.add(i, j, block);
                local.damping.add(i, j, block * self.damping());
            }
        }
        local
    }

    /// What Gershgorin's circle of a corner grows by \[N/m\]: the sum of a row of the Hessian's
    /// blocks, at rest.
    fn circle(&self, corner: usize) -> f64 {
        let lengths = self.gradient_at_rest();
        self.stiffest() * lengths[corner] * lengths.iter().sum::<f64>()
    }
}

/// The distance of two points and its gradient.
pub(super) fn distance(at: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
    let offset = at[1] - at[0];
    let length = offset.length();
    if length == 0.0 {
        return (0.0, [DVec3::ZERO; 2]);
    }
    let direction = offset / length;
    (length, [-direction, direction])
}
