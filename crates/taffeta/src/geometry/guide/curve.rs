//! Curves through points: straight from one to the next, or smooth.

use glam::DVec3;

use super::{Foot, Free};

/// Samples of a smooth piece that its nearest place is searched among.
const SAMPLES: u32 = 16;
/// Halvings that bring that place to round-off.
const HALVINGS: u32 = 60;

/// A curve through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    points: Vec<DVec3>,
    smooth: bool,
    closed: bool,
}

impl Curve {
    /// Through these points: straight from one to the next, or smoothly (Catmull and Rom 1974);
    /// open, or closed from the last to the first.
    pub fn new(points: Vec<DVec3>, smooth: bool, closed: bool) -> Self {
        Self { points, smooth, closed }
    }

    /// Whether its tangent does not jump.
    pub fn is_smooth(&self) -> bool {
        self.smooth
    }

    pub(super) fn problem(&self) -> Option<&'static str> {
        let points = &self.points;
        if points.len() < 2 {
            return Some("its curve needs two points or more");
        }
        if points.iter().any(|point| !point.is_finite()) {
            return Some("a point of its curve is not finite");
        }
        let ends_meet = self.closed && points.first() == points.last();
        let repeats = points.windows(2).any(|pair| pair[0] == pair[1]);
        (repeats || ends_meet).then_some("two points of its curve in a row are the same")
    }

    fn pieces(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len() - 1 }
    }

    /// The nearest place; the first of equals.
    pub(super) fn nearest(&self, point: DVec3) -> Foot {
        let mut best = (f64::INFINITY, 0, 0.0);
        for piece in 0..self.pieces() {
            let t = self.nearest_in(piece, point);
            let distance = self.place(piece, t).distance_squared(point);
            if distance < best.0 {
                best = (distance, piece, t);
            }
        }
        let (_, piece, t) = best;
        let (place, tangent) = (self.place(piece, t), self.slope(piece, t));
        let first = piece == 0 && t == 0.0;
        let last = piece + 1 == self.pieces() && t == 1.0;
        let free = Free::Along(tangent.normalize());
        Foot { place, free, end: !self.closed && (first || last) }
    }

    /// The nearest place of a piece, by its parameter from 0 to 1.
    fn nearest_in(&self, piece: usize, point: DVec3) -> f64 {
        if !self.smooth {
            let (from, to) = (self.point(piece as isize), self.point(piece as isize + 1));
            let along = to - from;
            return ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        }
        let distance = |t: f64| self.place(piece, t).distance_squared(point);
        let at = |sample: u32| f64::from(sample) / f64::from(SAMPLES);
        let nearer = |a: u32, b: u32| if distance(at(b)) < distance(at(a)) { b } else { a };
        let best = (0..=SAMPLES).reduce(nearer).unwrap_or(0);
        let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(SAMPLES)));
        // How the distance grows along the curve; at a border of the bracket it may not change
        // its sign, and the border is the place.
        let growth = |t: f64| (self.place(piece, t) - point).dot(self.slope(piece, t));
        if growth(low) >= 0.0 {
            return low;
        }
        if growth(high) <= 0.0 {
            return high;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if growth(middle) < 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// A point by its number; beyond the ends of an open curve, as far beyond as the last is apart.
    fn point(&self, number: isize) -> DVec3 {
        let count = self.points.len() as isize;
        if self.closed {
            return self.points[number.rem_euclid(count) as usize];
        }
        let at = |number: isize| self.points[number as usize];
        match number {
            -1 => at(0) * 2.0 - at(1),
            n if n == count => at(count - 1) * 2.0 - at(count - 2),
            _ => at(number),
        }
    }

    fn place(&self, piece: usize, t: f64) -> DVec3 {
        let [a, b, c, d] = self.neighbours(piece);
        if !self.smooth {
            return b + (c - b) * t;
        }
        let cubic = (b - c) * 3.0 + d - a;
        let square = a * 2.0 - b * 5.0 + c * 4.0 - d;
        b + ((c - a) + (square + cubic * t) * t) * (0.5 * t)
    }

    fn slope(&self, piece: usize, t: f64) -> DVec3 {
        let [a, b, c, d] = self.neighbours(piece);
        if !self.smooth {
            return c - b;
        }
        let cubic = (b - c) * 3.0 + d - a;
        let square = a * 2.0 - b * 5.0 + c * 4.0 - d;
        ((c - a) + (square * 2.0 + cubic * (3.0 * t)) * t) * 0.5
    }

    fn neighbours(&self, piece: usize) -> [DVec3; 4] {
        [-1, 0, 1, 2].map(|offset| self.point(piece as isize + offset))
    }
}
