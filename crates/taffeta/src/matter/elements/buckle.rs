//! The bending spring of Choi & Ko 2002, which Ye08 takes: compressed cloth buckles at once into an
//! arc, instead of resisting as a straight spring would.
//!
//! An arc of length L whose ends are l apart has the curvature κ with l = (2/κ) sin(κL/2), and
//! stores ½ k κ² L. So its tension is k κ² / (cos(κL/2) − sinc(κL/2)): at the onset of buckling that
//! is −12 k/L² already, so the first per cent of the compression ramps it up (the paper's f_b*).

use std::f64::consts::PI;

use glam::DVec3;

use super::condition::{Condition, Response, distance};

/// Compression over which the force grows to the load of buckling, as a fraction of the length.
const RAMP: f64 = 0.01;

/// A bending spring between two particles with one between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buckle {
    /// The particles at its ends.
    pub ends: [u32; 2],
    /// Length of the arc, and of the straight spring \[m\].
    pub rest_length: f64,
    /// Flexural rigidity \[N·m²\].
    pub rigidity: f64,
    /// Damping while buckled \[s\].
    pub damping: f64,
    /// Distance of the ends at which the ramp meets the arc \[m\].
    knee: f64,
}

impl Buckle {
    /// A spring of this length \[m\], flexural rigidity \[N·m²\] and damping \[s\].
    pub fn new(ends: [u32; 2], rest_length: f64, rigidity: f64, damping: f64) -> Self {
        let mut buckle = Self { ends, rest_length, rigidity, damping, knee: 0.0 };
        let (mut low, mut high) = (0.5 * rest_length, rest_length);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            // The ramp is the weaker of the two up to the knee.
            let weaker = buckle.ramp(middle).slope > buckle.arc(middle).slope;
            if weaker { high = middle } else { low = middle }
        }
        buckle.knee = high;
        buckle
    }

    /// The same spring between other particles.
    pub(crate) fn with_ends(&self, ends: [u32; 2]) -> Self {
        Self { ends, ..*self }
    }

    fn ramp_stiffness(&self) -> f64 {
        let load = 12.0 * self.rigidity / (self.rest_length * self.rest_length);
        load / (RAMP * self.rest_length)
    }

    fn ramp(&self, length: f64) -> Response {
        let (stiffness, longer) = (self.ramp_stiffness(), length - self.rest_length);
        Response { energy: 0.5 * stiffness * longer * longer, slope: stiffness * longer, stiffness }
    }

    /// The arc; energies count from the straight spring.
    fn arc(&self, length: f64) -> Response {
        let t = inverse_sinc(length / self.rest_length);
        let (sin, cos) = libm::sincos(t);
        let half = 0.5 * self.rest_length;
        let curvature = t / half;
        let bent = cos - sin / t;
        let slope = self.rigidity * curvature * curvature / bent;
        // d/dt of t²/(cos t − sinc t), over dl/dt = L (cos t − sinc t)/t.
        let bent_slope = -sin - bent / t;
        let by_t = (2.0 * t * bent - t * t * bent_slope) / (bent * bent);
        let scale = self.rigidity / (half * half);
        let stiffness = scale * by_t * t / (self.rest_length * bent);
        let energy = 0.5 * self.rigidity * curvature * curvature * self.rest_length;
        Response { energy, slope, stiffness: stiffness.max(0.0) }
    }
}

/// The t in 0 … π with sin t / t = `ratio`, by Newton's method on sin t − ratio·t.
fn inverse_sinc(ratio: f64) -> f64 {
    // sinc t ≈ 1 − t²/6 gives a start a little above the root; the function is concave there, and
    // Newton's method comes down to the root.
    let mut t = (1.1 * (6.0 * (1.0 - ratio)).sqrt()).clamp(1e-4, PI);
    for _ in 0..12 {
        let (sin, cos) = libm::sincos(t);
        let step = (sin - ratio * t) / (cos - ratio);
        t = (t - step).clamp(1e-6, PI);
        if step.abs() < 1e-15 * t {
            break;
        }
    }
    t
}

impl Condition<2> for Buckle {
    fn corners(&self) -> [u32; 2] {
        self.ends
    }

    fn measure(&self, at: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
        distance(at)
    }

    fn response(&self, length: f64) -> Response {
        if length >= self.rest_length {
            return Response::default();
        }
        if length >= self.knee {
            return self.ramp(length);
        }
        let (arc, offset) =
            (self.arc(length), self.ramp(self.knee).energy - self.arc(self.knee).energy);
        Response { energy: arc.energy + offset, ..arc }
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn stiffest(&self) -> f64 {
        self.ramp_stiffness()
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

    fn buckle() -> Buckle {
        Buckle::new([0, 1], 1.2, 0.7, 1e-2)
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(at in places::<2>(0.7)) {
            let length = at[0].distance(at[1]);
            prop_assume!(length > 0.1 && (length - 1.2).abs() > 1e-4);
            prop_assume!((length - buckle().knee).abs() > 1e-4);
            check_element(at, |x| buckle().energy(x), |x| buckle().derivatives(x))?;
        }

        #[test]
        fn the_stiffness_is_the_slope_of_the_tension(length in 0.05..1.15f64) {
            let tension = |l: f64| buckle().response(l).slope;
            let numeric = (tension(length + 1e-6) - tension(length - 1e-6)) / 2e-6;
            let exact = buckle().response(length).stiffness;
            prop_assert!((numeric - exact).abs() < 1e-4 * (1.0 + exact), "{numeric} {exact}");
        }

        #[test]
        fn the_curvature_is_that_of_an_arc(ratio in 0.0..0.999f64) {
            let t = inverse_sinc(ratio);
            prop_assert!((libm::sin(t) / t - ratio).abs() < 1e-12, "{ratio}: {t}");
        }
    }

    /// Choi & Ko's closed form, with Euler's load at its onset.
    #[test]
    fn it_pushes_with_the_load_of_a_buckled_beam() {
        let buckle = buckle();
        let load = 12.0 * 0.7 / (1.2 * 1.2);
        assert!((buckle.arc(1.2 * (1.0 - 1e-6)).slope + load).abs() < 1e-3 * load);
        assert!((buckle.knee / 1.2 - 0.99).abs() < 1e-3, "{}", buckle.knee);
        assert_eq!(buckle.response(1.3), Response::default());
        // A closed circle: κ = 2π/L.
        let closed = buckle.arc(1e-9);
        let energy = 0.5 * 0.7 * (2.0 * PI / 1.2).powi(2) * 1.2;
        assert!((closed.energy / energy - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_ramp_is_the_stiffest_part() {
        let buckle = buckle();
        for step in 1..200 {
            let length = 1.2 * f64::from(step) / 200.0;
            assert!(buckle.response(length).stiffness <= buckle.stiffest());
        }
    }
}
