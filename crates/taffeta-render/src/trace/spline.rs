//! Catmull-Rom splines, with a frame that does not turn around them.

use glam::DVec3;

/// A point of a spline.
#[derive(Clone, Copy, Debug)]
pub struct Knot {
    pub position: DVec3,
    /// Of length one.
    pub tangent: DVec3,
    /// Of length one, at right angles to the tangent, carried along without turning.
    pub side: DVec3,
    /// Length of the spline up to here \[m\].
    pub length: f64,
    /// Where it is between the given points: 2.5 is half-way from the third to the fourth.
    pub place: f64,
}

/// Cuts the spline through these points into so many pieces a span.
pub fn knots(points: &[DVec3], pieces: u32) -> Vec<Knot> {
    let spans = points.len().saturating_sub(1);
    let mut knots: Vec<Knot> = Vec::with_capacity(spans * pieces as usize + 1);
    for span in 0..spans {
        let first = u32::from(span > 0);
        for piece in first..=pieces.max(1) {
            let share = f64::from(piece) / f64::from(pieces.max(1));
            let (position, velocity) = evaluate(points, span, share);
            let place = span as f64 + share;
            knots.push(next(knots.last(), position, velocity, place));
        }
    }
    knots
}

/// Position and derivative in a span; beyond the ends the curve goes straight on.
fn evaluate(points: &[DVec3], span: usize, t: f64) -> (DVec3, DVec3) {
    let (b, c) = (points[span], points[span + 1]);
    let a = if span > 0 { points[span - 1] } else { b * 2.0 - c };
    let d = points.get(span + 2).copied().unwrap_or(c * 2.0 - b);
    let linear = (c - a) * 0.5;
    let square = a - b * 2.5 + c * 2.0 - d * 0.5;
    let cubic = (d - a) * 0.5 + (b - c) * 1.5;
    (b + (linear + (square + cubic * t) * t) * t, linear + (square * 2.0 + cubic * (3.0 * t)) * t)
}

fn next(before: Option<&Knot>, position: DVec3, velocity: DVec3, place: f64) -> Knot {
    let tangent = velocity.try_normalize().or(before.map(|b| b.tangent)).unwrap_or(DVec3::X);
    let old_side = before.map_or(DVec3::Y, |before| before.side);
    let side = (old_side - tangent * old_side.dot(tangent))
        .try_normalize()
        .unwrap_or_else(|| tangent.any_orthonormal_vector());
    let length = before.map_or(0.0, |b| b.length + b.position.distance(position));
    Knot { position, tangent, side, length, place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spline_passes_through_its_points_and_keeps_straight_lines() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::new(2.0, 1.0, 0.0), DVec3::new(2.0, 2.0, 3.0)];
        let cut = knots(&points, 4);
        assert_eq!(cut.len(), 13);
        points.iter().enumerate().for_each(|(i, p)| {
            assert!(cut[4 * i].position.distance(*p) < 1e-15);
            assert_eq!(cut[4 * i].place, i as f64);
        });
        let line: Vec<DVec3> = (0..5).map(|i| DVec3::new(1.0, 2.0, -1.0) * f64::from(i)).collect();
        let straight = knots(&line, 3);
        assert!(straight.iter().all(|k| k.tangent.distance(line[1].normalize()) < 1e-14));
        assert!((straight.last().unwrap().length - line[4].length()).abs() < 1e-14);
    }

    #[test]
    fn the_tangent_is_the_derivative_and_the_side_is_square_to_it() {
        let points: Vec<DVec3> = (0..9)
            .map(|i| {
                DVec3::new(libm::cos(f64::from(i)), libm::sin(f64::from(i)), 0.2 * f64::from(i))
            })
            .collect();
        let cut = knots(&points, 400);
        for three in cut.windows(3) {
            let slope = (three[2].position - three[0].position).normalize();
            assert!(slope.distance(three[1].tangent) < 1e-2);
            assert!(three[1].side.dot(three[1].tangent).abs() < 1e-12);
        }
    }

    #[test]
    fn fewer_than_two_points_make_no_curve() {
        assert!(knots(&[], 3).is_empty() && knots(&[DVec3::X], 3).is_empty());
        let still = knots(&[DVec3::X; 3], 2);
        assert!(still.iter().all(|k| k.tangent.is_finite() && k.side.is_finite()));
    }
}
