//! Stretch and shear of a triangle of cloth (BW98 §4.2–4.3).
//!
//! The map from (u, v) to space is linear on a triangle; its columns w_u and w_v (eq. 9) are
//! weighted sums of the corners. Stretch is measured along warp (u) and weft (v) by
//! C = |w| − b, shear by C = w_uᵀw_v, each with the energy ½·k·a·C².
//!
//! The paper multiplies C by the area a, so that its energy grows with a² and stiffness depends
//! on the mesh; here k is in N/m and a refined mesh is as stiff.

use glam::{DMat3, DVec2, DVec3};

use super::local::{Local, outer};

/// A triangle that resists stretch along warp and weft, and shear between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membrane {
    /// Its particles.
    pub corners: [u32; 3],
    /// Area at rest \[m²\].
    pub area: f64,
    /// Weights of the corners in w_u and in w_v \[1/m\].
    pub weights: [[f64; 3]; 2],
    /// Rest length of w_u and w_v: 1 as cut, less for an elastic band.
    pub rest: [f64; 2],
    /// Stiffness along warp and weft \[N/m\].
    pub stretch: [f64; 2],
    /// Stiffness against shear \[N/m\].
    pub shear: f64,
    /// Damping of stretch and of shear \[s\].
    pub damping: [f64; 2],
}

impl Membrane {
    /// Area and weights of a triangle with these rest coordinates; the area is negative where the
    /// coordinates run clockwise.
    pub fn rest_shape(uvs: [DVec2; 3]) -> (f64, [[f64; 3]; 2]) {
        let (d1, d2) = (uvs[1] - uvs[0], uvs[2] - uvs[0]);
        let double = d1.perp_dot(d2);
        let u = [(d1.y - d2.y) / double, d2.y / double, -d1.y / double];
        let v = [(d2.x - d1.x) / double, -d2.x / double, d1.x / double];
        (0.5 * double, [u, v])
    }

    /// w_u and w_v with the corners at these places; also their rates, given velocities.
    fn columns(&self, at: &[DVec3; 3]) -> [DVec3; 2] {
        self.weights.map(|w| at[0] * w[0] + at[1] * w[1] + at[2] * w[2])
    }

    /// Strain along warp and weft: |w| − b.
    pub fn strain(&self, at: &[DVec3; 3]) -> [f64; 2] {
        let columns = self.columns(at);
        [0, 1].map(|axis| columns[axis].length() - self.rest[axis])
    }

    /// Elastic energy \[J\].
    pub fn energy(&self, at: &[DVec3; 3]) -> f64 {
        let [u, v] = self.columns(at);
        let [eu, ev] = self.strain(at);
        let shear = u.dot(v);
        0.5 * self.area
            * (self.stretch[0] * eu * eu + self.stretch[1] * ev * ev + self.shear * shear * shear)
    }

    /// Gradient of the energy \[N\], its Hessian made positive semidefinite \[N/m\], and the
    /// damping matrix \[N·s/m\], on the corners.
    pub fn derivatives(&self, at: &[DVec3; 3]) -> Local<3> {
        let mut local = Local::default();
        let columns = self.columns(at);
        self.add_stretch(0, columns[0], &mut local);
        self.add_stretch(1, columns[1], &mut local);
        self.add_shear(columns, &mut local);
        local
    }

    fn add_stretch(&self, axis: usize, column: DVec3, local: &mut Local<3>) {
        let length = column.length();
        if length == 0.0 {
            return;
        }
        let (direction, stiffness) = (column / length, self.area * self.stretch[axis]);
        let tension = stiffness * (length - self.rest[axis]);
        let along = outer(direction, direction);
        // Across its direction a stretched column is held by its tension; a compressed one would
        // be pushed away, which makes the matrix indefinite: left out.
        let across = (1.0 - self.rest[axis] / length).max(0.0);
        let hessian = (along + (DMat3::IDENTITY - along) * across) * stiffness;
        let damping = along * (stiffness * self.damping[0]);
        let weights = &self.weights[axis];
        for i in 0..3 {
            local.gradient[i] += direction * (tension * weights[i]);
            for j in 0..=i {
                let weight = weights[i] * weights[j];
                local.hessian.add(i, j, hessian * weight);
                local.damping.add(i, j, damping * weight);
            }
        }
    }

    fn add_shear(&self, [u, v]: [DVec3; 2], local: &mut Local<3>) {
        let (stiffness, condition) = (self.area * self.shear, u.dot(v));
        let [wu, wv] = &self.weights;
        let slope = [0, 1, 2].map(|i| v * wu[i] + u * wv[i]);
        for i in 0..3 {
            local.gradient[i] += slope[i] * (stiffness * condition);
            for j in 0..=i {
                let gauss_newton = outer(slope[i], slope[j]) * stiffness;
                // C·∂²C has the eigenvalues ±C, on w_u + w_v and on w_u − w_v: the positive half.
                let sign = condition.signum();
                let (si, sj) = (wu[i] + sign * wv[i], wu[j] + sign * wv[j]);
                let curvature = DMat3::IDENTITY * (0.5 * stiffness * condition.abs() * si * sj);
                local.hessian.add(i, j, gauss_newton + curvature);
                local.damping.add(i, j, gauss_newton * self.damping[1]);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::{check_element, places};

    pub fn membrane() -> Membrane {
        let uvs = [DVec2::new(0.1, 0.2), DVec2::new(0.5, 0.1), DVec2::new(0.3, 0.7)];
        let (area, weights) = Membrane::rest_shape(uvs);
        Membrane {
            corners: [0, 1, 2],
            area,
            weights,
            rest: [1.0, 0.9],
            stretch: [300.0, 200.0],
            shear: 50.0,
            damping: [1e-2, 2e-2],
        }
    }

    /// The rest shape, put into space and shaken.
    pub fn shaken(shake: [DVec3; 3]) -> [DVec3; 3] {
        let flat =
            [DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.5, 0.1, 0.0), DVec3::new(0.3, 0.7, 0.0)];
        [0, 1, 2].map(|i| flat[i] + shake[i])
    }

    proptest! {
        #[test]
        fn derivatives_are_those_of_the_energy(shake in places::<3>(0.2)) {
            let m = membrane();
            check_element(shaken(shake), |x| m.energy(x), |x| m.derivatives(x))?;
        }
    }

    #[test]
    fn the_hessian_is_exact_where_nothing_is_left_out() {
        // Stretched both ways and unsheared: no term is negative.
        let m = membrane();
        let at = shaken([DVec3::ZERO; 3]).map(|p| p * DVec3::new(1.2, 1.3, 1.0));
        let local = m.derivatives(&at);
        let e = 1e-6;
        for j in 0..3 {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let moved = |sign: f64| {
                    let mut moved = at;
                    moved[j] += axis * (sign * e);
                    m.derivatives(&moved).gradient
                };
                let (up, down) = (moved(1.0), moved(-1.0));
                for i in 0..3 {
                    let numeric = (up[i] - down[i]) / (2.0 * e);
                    let block = local.hessian.block(i, j) * axis;
                    assert!((numeric - block).length() < 1e-4, "{i} {j}: {numeric} {block}");
                }
            }
        }
    }

    #[test]
    fn stretch_and_shear_store_what_the_fabric_says() {
        let m = Membrane { rest: [1.0, 1.0], ..membrane() };
        let flat = shaken([DVec3::ZERO; 3]);
        assert!(m.energy(&flat).abs() < 1e-20);
        let stretched = flat.map(|p| DVec3::new(1.02 * p.x, 0.99 * p.y, 0.0));
        let expected = 0.5 * m.area * (300.0 * 0.02 * 0.02 + 200.0 * 0.01 * 0.01);
        assert!((m.energy(&stretched) / expected - 1.0).abs() < 1e-9);
        let sheared = flat.map(|p| DVec3::new(p.x + 1e-4 * p.y, p.y, 0.0));
        let expected = 0.5 * m.area * 50.0 * 1e-8;
        assert!((m.energy(&sheared) / expected - 1.0).abs() < 1e-3);
    }
}
