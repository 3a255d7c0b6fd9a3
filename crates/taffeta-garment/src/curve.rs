//! The lines that panels are cut along: straight, circular, or Bézier curves.

use glam::DVec2;

/// Pieces that a curve's length is measured with.
const PIECES: usize = 256;

/// A way from one corner of a panel to the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// Straight.
    Line,
    /// A circular arc whose middle lies so far to the right of the straight way \[m\]: outwards,
    /// where the outline runs counter-clockwise.
    Arc(f64),
    /// A Bézier curve of degree two.
    Quadratic(DVec2),
    /// A Bézier curve of degree three.
    Cubic([DVec2; 2]),
}

impl Curve {
    /// An arc of a circle of this radius: the longer of the two that there are, or the shorter; to the
    /// right of the straight way between its ends, or to the left. Nothing if the circle is too small.
    pub fn circle(ends: [DVec2; 2], radius: f64, longer: bool, right: bool) -> Option<Self> {
        let half = 0.5 * ends[0].distance(ends[1]);
        // A circle that just reaches is written with rounding.
        if !(radius.is_finite() && half <= radius * (1.0 + 1e-6)) {
            return None;
        }
        let to_centre = (radius * radius - half * half).max(0.0).sqrt();
        let height = if longer { radius + to_centre } else { radius - to_centre };
        Some(Self::Arc(if right { height } else { -height }))
    }

    /// The place at a share `t` of the parameter.
    pub fn at(&self, [from, to]: [DVec2; 2], t: f64) -> DVec2 {
        let s = 1.0 - t;
        match *self {
            Self::Line => from * s + to * t,
            Self::Arc(height) => on_arc([from, to], height, t),
            Self::Quadratic(c) => from * (s * s) + c * (2.0 * s * t) + to * (t * t),
            Self::Cubic([c, d]) => {
                from * (s * s * s)
                    + c * (3.0 * s * s * t)
                    + d * (3.0 * s * t * t)
                    + to * (t * t * t)
            }
        }
    }

    /// How long it is \[m\].
    pub fn length(&self, ends: [DVec2; 2]) -> f64 {
        match self {
            Self::Line => ends[0].distance(ends[1]),
            _ => self.pieces(ends).last().copied().unwrap_or_default(),
        }
    }

    /// Points that cut it into so many parts of equal length, its ends included.
    pub fn sample(&self, ends: [DVec2; 2], parts: usize) -> Vec<DVec2> {
        let lengths = self.pieces(ends);
        let whole = lengths.last().copied().unwrap_or_default();
        let mut inner: Vec<DVec2> = (1..parts)
            .map(|part| {
                let wanted = whole * part as f64 / parts as f64;
                let piece = lengths.partition_point(|length| *length < wanted).clamp(1, PIECES);
                let [before, behind] = [lengths[piece - 1], lengths[piece]];
                let share =
                    if behind > before { (wanted - before) / (behind - before) } else { 0.0 };
                self.at(ends, ((piece - 1) as f64 + share) / PIECES as f64)
            })
            .collect();
        // Ends are corners, to the last bit.
        inner.insert(0, ends[0]);
        inner.push(ends[1]);
        inner
    }

    /// The length up to each of the ends of its pieces.
    fn pieces(&self, ends: [DVec2; 2]) -> Vec<f64> {
        let mut lengths = vec![0.0];
        let (mut length, mut before) = (0.0, ends[0]);
        for piece in 1..=PIECES {
            let here = self.at(ends, piece as f64 / PIECES as f64);
            length += here.distance(before);
            before = here;
            lengths.push(length);
        }
        lengths
    }
}

/// A place on the arc whose middle lies `height` to the right of the chord.
fn on_arc([from, to]: [DVec2; 2], height: f64, t: f64) -> DVec2 {
    let chord = to - from;
    let half = 0.5 * chord.length();
    if height == 0.0 || half == 0.0 {
        return from.lerp(to, t);
    }
    // The angle over the whole arc is four times that between chord and half-chord to the middle.
    let whole = 4.0 * libm::atan2(height, half);
    let radius = half / libm::sin(0.5 * whole);
    let (along, right) = (chord / (2.0 * half), -chord.perp() / (2.0 * half));
    let angle = whole * (t - 0.5);
    let across = radius * (libm::cos(angle) - libm::cos(0.5 * whole));
    from.midpoint(to) + along * (radius * libm::sin(angle)) + right * across
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENDS: [DVec2; 2] = [DVec2::new(0.2, 0.1), DVec2::new(0.8, 0.5)];

    #[test]
    fn arcs_lie_on_their_circles_and_on_their_sides() {
        let half = 0.5 * ENDS[0].distance(ENDS[1]);
        for (radius, longer, right) in
            [(0.5, false, true), (0.5, true, false), (half, false, true), (0.4, true, true)]
        {
            let arc = Curve::circle(ENDS, radius, longer, right).unwrap();
            let angle = 2.0 * libm::asin((half / radius).min(1.0));
            let angle = if longer { 2.0 * std::f64::consts::PI - angle } else { angle };
            assert!((arc.length(ENDS) / (radius * angle) - 1.0).abs() < 1e-4);
            let side = (ENDS[1] - ENDS[0]).perp_dot(arc.at(ENDS, 0.5) - ENDS[0]);
            assert_eq!(side < 0.0, right);
        }
        assert_eq!(Curve::circle(ENDS, 0.9 * half, false, true), None);
    }

    proptest! {
        #[test]
        fn samples_are_equally_far_apart_and_end_at_the_corners(
            kind in 0usize..4, a in -0.5..0.5f64, b in -0.5..0.5f64, parts in 1usize..40
        ) {
            let (c, d) = (DVec2::new(0.3 + a, 0.2), DVec2::new(0.6, 0.4 + b));
            let curve = [Curve::Line, Curve::Arc(a), Curve::Quadratic(c), Curve::Cubic([c, d])];
            let points = curve[kind].sample(ENDS, parts);
            prop_assert_eq!(points.len(), parts + 1);
            prop_assert_eq!([points[0], points[parts]], ENDS);
            // Chords of a curve are at most as long as their parts of it.
            let part = curve[kind].length(ENDS) / parts as f64;
            for pair in points.windows(2) {
                prop_assert!(pair[0].distance(pair[1]) <= part * (1.0 + 1e-3));
            }
        }
    }
}
