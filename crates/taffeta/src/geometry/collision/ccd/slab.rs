//! A slab that keeps two moving convex things apart, proved in the presence of round-off.

use glam::DVec3;

use crate::geometry::collision::Pairing;

/// Half the distance from 1 to the next number: what an operation is wrong by at most, relatively.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The times between which a gap along `normal` is proved: from the first to the second, empty if
/// the first is later. Times are within 0 … 1.
///
/// Along a fixed direction the gap between a point of one thing and a point of the other is linear
/// in time, so two numbers each, the gaps at the two ends of the motion, prove it for all times
/// between. They are computed from differences, with bounds on what round-off can have added.
pub(super) fn proved_gap(
    pairing: Pairing,
    [from, to]: [&[DVec3; 4]; 2],
    normal: DVec3,
    gap: f64,
) -> (f64, f64) {
    // The normal may be longer than 1 by a few roundings.
    let gap = gap * (1.0 + 16.0 * UNIT);
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for i in 0..pairing.first() {
        for j in pairing.first()..4 {
            let before = least_dot(normal, from[i], from[j]);
            let after = least_dot(normal, to[i], to[j]);
            let (first, last) = times_above(before, after, gap);
            begin = begin.max(first);
            end = end.min(last);
        }
    }
    (begin, end)
}

/// A number not above normal·(a − b).
///
/// The difference is rounded once, the products once, the two sums once each: 4 units of the sum
/// of absolute values, and second-order terms; the bound itself is computed with 6 more roundings.
#[inline]
fn least_dot(normal: DVec3, a: DVec3, b: DVec3) -> f64 {
    let terms = (a - b) * normal;
    let size = terms.abs().element_sum();
    // What underflows is off by less than the least normal number.
    terms.element_sum() - (8.0 * UNIT * size + f64::MIN_POSITIVE)
}

/// The times from 0 to 1 between which (1 − t)·before + t·after is at least `least`.
#[inline]
fn times_above(before: f64, after: f64, least: f64) -> (f64, f64) {
    const NEVER: (f64, f64) = (1.0, 0.0);
    match (before >= least, after >= least) {
        (true, true) => (0.0, 1.0),
        // Three roundings each, taken to the safe side.
        (true, false) => (0.0, (before - least) / (before - after) * (1.0 - 8.0 * UNIT)),
        (false, true) => ((least - before) / (after - before) * (1.0 + 8.0 * UNIT), 1.0),
        (false, false) => NEVER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_proved_while_it_is_there() {
        let still = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let with = |p: DVec3| [p, still[0], still[1], still[2]];
        let (from, to) = (with(DVec3::new(0.2, 0.2, 1.0)), with(DVec3::new(0.2, 0.2, -1.0)));
        let gap = |gap| proved_gap(Pairing::VertexTriangle, [&from, &to], DVec3::Z, gap);
        let (begin, end) = gap(0.0);
        assert!(begin == 0.0 && end < 0.5 && end > 0.5 - 1e-14);
        let (_, end) = gap(0.5);
        assert!(end < 0.25 && end > 0.25 - 1e-14);
        let (begin, end) = proved_gap(Pairing::VertexTriangle, [&to, &from], DVec3::Z, 0.0);
        assert!(begin > 0.5 && begin < 0.5 + 1e-14 && end == 1.0);
        let (begin, end) = proved_gap(Pairing::VertexTriangle, [&to, &to], DVec3::Z, 0.0);
        assert!(begin > end);
    }

    /// Touching cannot be proved to be a gap, however far from the origin.
    #[test]
    fn nothing_is_proved_of_what_touches() {
        for far in [0.0, 1.0, 1e5, 1e12] {
            let at = |x: f64, y: f64, z: f64| DVec3::new(far + x, far - y, 3.0 * far + z);
            let points =
                [at(0.3, 0.3, 0.0), at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0)];
            let (begin, end) =
                proved_gap(Pairing::VertexTriangle, [&points, &points], DVec3::Z, 0.0);
            assert!(begin > end, "{far}");
        }
    }
}
