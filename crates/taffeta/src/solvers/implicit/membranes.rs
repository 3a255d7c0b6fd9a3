//! Triangles that stretch and shear, together with the limits of their gauges: one element, one look
//! at its corners.

use glam::{DMat3, DVec3, Mat3A, Vec3};
use taffeta_linalg::ElementRows;

use super::gauges::LimitLaw;
use crate::matter::elements::{Membrane, outer};

/// A step as elements see it.
#[derive(Clone, Copy)]
pub(super) struct Moved<'a> {
    /// Where particles were, and where they are taken to be [m].
    pub from: &'a [DVec3],
    pub to: &'a [DVec3],
    /// One over the step [1/s].
    pub rate: f64,
    /// Whether the latter are only predicted.
    pub first: bool,
}

/// The forces and the stiffness of a column of the deformation, w_u or w_v.
struct Column {
    force: DVec3,
    stiffness: DMat3,
}

/// What a triangle adds, with the laws and duals of its warp and weft.
pub(super) fn element(
    membrane: &Membrane,
    laws: Option<[(LimitLaw, f64); 2]>,
    moved: &Moved,
) -> ElementRows<3> {
    let Membrane { corners, area, weights, shear, damping, .. } = *membrane;
    let [a, b, c] = [0, 1, 2].map(|k: usize| moved.to[corners[k] as usize]);
    let sum = |w: &[f64; 3], [a, b, c]: [DVec3; 3]| a * w[0] + b * w[1] + c * w[2];
    let [u, v] = [sum(&weights[0], [a, b, c]), sum(&weights[1], [a, b, c])];
    let travel =
        |k: usize| (moved.to[corners[k] as usize] - moved.from[corners[k] as usize]) * moved.rate;
    let damped = damping != [0.0; 2];
    let rates = match damped {
        true => {
            let travels = [travel(0), travel(1), travel(2)];
            [sum(&weights[0], travels), sum(&weights[1], travels)]
        }
        false => [DVec3::ZERO; 2],
    };
    let column = |axis: usize, w: DVec3| {
        let law = laws.map(|laws| laws[axis]);
        column(membrane, axis, (w, rates[axis]), law, moved)
    };
    let (along_u, along_v) = (column(0, u), column(1, v));
    // Shear: C = w_u·w_v. The absolute value of C on both columns bounds what has no sign.
    let (condition, changing) = (u.dot(v), rates[0].dot(v) + u.dot(rates[1]));
    let pull = shear * (condition + damping[1] * changing);
    let stiff = shear * (1.0 + damping[1] * moved.rate);
    let bound = DMat3::from_diagonal(DVec3::splat(shear * condition.abs()));
    let single = |m: DMat3| Mat3A::from_cols_array(&(m * area).as_mat3().to_cols_array());
    let p = single(along_u.stiffness + outer(v, v) * stiff + bound);
    let q = single(along_v.stiffness + outer(u, u) * stiff + bound);
    let r = single(outer(v, u) * stiff);
    let mixed = r.transpose();
    let forces = [along_u.force + v * pull, along_v.force + u * pull];
    let mut out = ElementRows::ZERO;
    for i in 0..3 {
        let [bi, ci] = [weights[0][i], weights[1][i]];
        out.forces[i] = (forces[0] * bi + forces[1] * ci) * -area;
        for (j, block) in out.blocks[i].iter_mut().enumerate().take(i + 1) {
            let [bj, cj] = [weights[0][j], weights[1][j]];
            *block = p * (bi * bj) as f32
                + q * (ci * cj) as f32
                + r * (bi * cj) as f32
                + mixed * (ci * bj) as f32;
        }
    }
    out
}

fn column(
    membrane: &Membrane,
    axis: usize,
    (w, rate_of_w): (DVec3, DVec3),
    law: Option<(LimitLaw, f64)>,
    moved: &Moved,
) -> Column {
    let length = w.length();
    if length == 0.0 {
        return Column { force: DVec3::ZERO, stiffness: DMat3::ZERO };
    }
    let (rest, stretch, damping) =
        (membrane.rest[axis], membrane.stretch[axis], membrane.damping[0]);
    let direction = w / length;
    let mut tension = stretch * (length - rest);
    let mut along = stretch * (1.0 + damping * moved.rate);
    if let Some((law, dual)) = law {
        let strain = length / rest - 1.0;
        let limited = if moved.first { law.expect(dual, strain) } else { law.answer(dual, strain) };
        tension += limited / rest;
        along += if limited != 0.0 { law.stiffness / (rest * rest) } else { 0.0 };
    }
    // The absolute value of the geometric stiffness: to leave it out where cloth is pushed feeds energy
    // to it.
    let across = tension.abs() / length;
    let damped = tension + stretch * damping * direction.dot(rate_of_w);
    let stiffness =
        outer(direction, direction) * (along - across) + DMat3::from_diagonal(DVec3::splat(across));
    Column { force: direction * damped, stiffness }
}

/// A scalar block in single precision.
pub(super) fn scalar(value: f64) -> Mat3A {
    Mat3A::from_diagonal(Vec3::splat(value as f32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matter::elements::local::tests::places;
    use crate::matter::elements::membrane::tests as fixture;
    use crate::setup::limits::StrainLimits;

    fn membrane() -> Membrane {
        Membrane { damping: [0.0; 2], ..fixture::membrane() }
    }

    fn law() -> LimitLaw {
        LimitLaw::new(StrainLimits { extension: 0.02, compression: Some(0.1) }, 500.0)
    }

    /// Of the membrane, and of the law of its limits with duals.
    fn energy(at: &[DVec3; 3], duals: [f64; 2]) -> f64 {
        let (m, law) = (membrane(), law());
        let columns = m.strain(at);
        let limited = |axis: usize| {
            let strain = (columns[axis] + m.rest[axis]) / m.rest[axis] - 1.0;
            let tension = law.answer(duals[axis], strain);
            0.5 * tension * tension / law.stiffness
        };
        m.energy(at) + m.area * (limited(0) + limited(1))
    }

    proptest! {
        #[test]
        fn forces_are_the_slope_of_the_energy_and_blocks_bound_its_curvature(
            shake in places::<3>(0.05), duals in prop::array::uniform2(-3.0..3.0f64),
        ) {
            let at = fixture::shaken(shake);
            let laws = [(law(), duals[0]), (law(), duals[1])];
            let found = element(&membrane(), Some(laws), &Moved { from: &at, to: &at, rate: 100.0, first: false });
            let e = 1e-6;
            for i in 0..3 {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let moved = |sign: f64| {
                        let mut moved = at;
                        moved[i] += axis * (sign * e);
                        energy(&moved, duals)
                    };
                    let slope = (moved(1.0) - moved(-1.0)) / (2.0 * e);
                    let force = found.forces[i].dot(axis);
                    // At the onset the slope has a kink.
                    prop_assert!((slope + force).abs() < 1e-4 * (1.0 + force.abs()), "{slope} {force}");
                }
            }
            let net: DVec3 = found.forces.iter().sum();
            prop_assert!(net.length() < 1e-9);
            for k in 0..16_usize {
                let digit = |n: usize| ((k * 9 + n) as f32 * 0.618_034).fract() - 0.5;
                let d = [0, 1, 2].map(|i| glam::Vec3A::new(digit(3 * i), digit(3 * i + 1), digit(3 * i + 2)));
                let mut curvature = 0.0;
                for i in 0..3 {
                    for j in 0..3 {
                        let block = if j <= i { found.blocks[i][j] } else { found.blocks[j][i].transpose() };
                        curvature += d[i].dot(block * d[j]);
                    }
                }
                prop_assert!(curvature > -1e-3, "{curvature}");
            }
        }
    }
}
